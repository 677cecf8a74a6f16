"""``audit`` and ``prepare`` as they are given, with the engines that people have."""

import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner
from seeded_faults import MAX_LENGTH, data, scores, table

from tokenspec.cli import group
from tokenspec.errors import UsageError

pytestmark = pytest.mark.datasets
ROWS = 240


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    made = tmp_path_factory.mktemp("data") / "data.jsonl"
    made.write_bytes(b"".join(one.line + b"\n" for one in data(ROWS, share=0.2)))
    return made


def words(path, out, *more):
    return [
        "prepare",
        str(path),
        "--row",
        "toy-bpe",
        "--max-length",
        str(MAX_LENGTH),
        "--shard-rows",
        "20",
        "-o",
        str(out),
        *more,
    ]


def start(arguments, **more):
    """A run of its own, in a session of its own, so that all of it can be killed."""
    return subprocess.Popen(
        [sys.executable, "-m", "tokenspec", *arguments],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **more,
    )


def bytes_of(folder):
    return {
        str(file.relative_to(folder)): file.read_bytes() for file in sorted(Path(folder).rglob("*")) if file.is_file()
    }


def done(run):
    said, _ = run.communicate()
    assert run.returncode == 0, said
    return said


@pytest.fixture(scope="module")
def undisturbed(path, tmp_path_factory):
    out = tmp_path_factory.mktemp("whole") / "out"
    done(start(words(path, out, "--processes", "1")))
    return out


def until(run, is_so):
    """Wait for a run to come that far."""
    while not is_so():
        assert run.poll() is None, run.communicate()[0]
        time.sleep(0.02)


def until_begun(out, run):
    """Wait until a first shard is done."""
    until(run, lambda: list(out.glob(".work/rows-*.parquet")))


def test_rows_are_all_there_in_order(undisturbed):
    import datasets

    table_of = datasets.load_dataset("parquet", data_files=f"{undisturbed}/data/*.parquet", split="train")
    assert table_of["row"] == list(range(ROWS))
    for row in table_of:
        assert len(row["input_ids"]) == len(row["labels"]) == len(row["loss_mask"]) == len(row["position_ids"])
        assert row["attention_mask"] == [1] * len(row["input_ids"])
        assert (row["refused"] is None) == bool(row["input_ids"])
        trained = [(t if on else -100) for t, on in zip(row["input_ids"], row["loss_mask"], strict=True)]
        assert row["labels"] == trained
    manifest = json.loads((undisturbed / "manifest.json").read_text())
    assert manifest["rows"] == ROWS
    assert not (undisturbed / ".work").exists()


@pytest.mark.parametrize("engine", ["datasets", "ray"])
def test_a_killed_driver_goes_on_where_it_was(engine, path, undisturbed, tmp_path):
    out = tmp_path / "out"
    run = start(words(path, out, "--engine", engine, "--processes", "2"))
    until_begun(out, run)
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    (out / "data" / ".part-00001.parquet.left").write_bytes(b"PAR1")  # of a writer that was killed
    assert not (out / "manifest.json").exists()
    said = done(start(words(path, out, "--processes", "1")))
    assert "shards are done already" in said
    assert bytes_of(out) == bytes_of(undisturbed)
    assert "finished already" in done(start(words(path, out)))


def children_of(pid, *, recursive=True):
    import psutil

    return psutil.Process(pid).children(recursive=recursive)


@pytest.mark.parametrize("engine", ["datasets", "ray"])
def test_a_killed_worker_loses_nothing(engine, path, undisturbed, tmp_path):
    out = tmp_path / "out"
    run = start(words(path, out, "--engine", engine, "--processes", "2"))
    until_begun(out, run)
    if engine == "ray":
        workers = [child for child in children_of(run.pid) if any("ShardActor" in word for word in child.cmdline())]
    else:
        (driver,) = children_of(run.pid, recursive=False)
        workers = [child for child in driver.children() if any("tokenspec" in word for word in child.cmdline())]
    assert workers
    workers[0].kill()
    done(run)
    assert bytes_of(out) == bytes_of(undisturbed)


def test_a_killed_child_of_a_worker_is_replaced(path, undisturbed, tmp_path):
    out = tmp_path / "out"
    run = start(words(path, out, "--processes", "2"))
    until_begun(out, run)
    answering = [child for child in children_of(run.pid) if "tokenspec.guard.answering" in child.cmdline()]
    assert answering
    answering[0].kill()
    done(run)
    assert bytes_of(out) == bytes_of(undisturbed)


def test_two_nodes_of_ray_one_actor_killed(path, undisturbed, tmp_path):
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    try:
        cluster.add_node(num_cpus=1)
        out = tmp_path / "out"
        run = start(
            words(path, out, "--engine", "ray", "--processes", "2"), env={**os.environ, "RAY_ADDRESS": cluster.address}
        )
        until_begun(out, run)
        actors = [child for child in children_of(os.getpid()) if any("ShardActor" in word for word in child.cmdline())]
        assert actors
        actors[0].kill()
        done(run)
    finally:
        cluster.shutdown()
    assert bytes_of(out) == bytes_of(undisturbed)


def test_a_full_disk_is_said_and_the_next_run_goes_on(path, undisturbed, tmp_path):
    smaller = max(file.stat().st_size for file in (undisturbed / "data").iterdir()) - 1
    out = tmp_path / "out"

    def bound():
        resource.setrlimit(resource.RLIMIT_FSIZE, (smaller, smaller))

    run = start(words(path, out, "--processes", "1"), preexec_fn=bound)
    said, _ = run.communicate()
    assert run.returncode == 2, said
    assert "Finished shards are kept" in said
    done(start(words(path, out, "--processes", "1")))
    assert bytes_of(out) == bytes_of(undisturbed)


def test_another_job_does_not_take_the_folder(path, undisturbed, tmp_path):
    refused = CliRunner().invoke(group, [*words(path, undisturbed), "--overlong", "drop"])
    assert "made of something else (recipe)" in str(refused.exception)
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "thesis.txt").write_text("mine")
    refused = CliRunner().invoke(group, words(path, tmp_path / "own"))
    assert "not empty" in str(refused.exception)


def test_packs_cut_no_row_and_padding_fills(path, tmp_path):
    import pyarrow.parquet as pq

    done(start(words(path, tmp_path / "packed", "--pack", "--processes", "1")))
    seen = []
    for file in sorted((tmp_path / "packed" / "data").iterdir()):
        for pack in pq.read_table(file).to_pylist():
            ends = pack["cu_seqlens"]
            assert pack["seq_lengths"] == [end - start for start, end in itertools.pairwise(ends)]
            assert pack["position_ids"] == [at for length in pack["seq_lengths"] for at in range(length)]
            assert len(ends) == len(pack["rows"]) + 1
            assert ends[-1] == len(pack["input_ids"]) <= MAX_LENGTH
            assert [pack["position_ids"][k] for k in ends[:-1] if k < ends[-1]] == [0] * len(
                {k for k in ends[:-1] if k < ends[-1]}
            )
            seen += pack["rows"]
    assert sorted(seen) == list(range(ROWS))
    done(start(words(path, tmp_path / "padded", "--pad", "--pad-id", "7", "--processes", "1")))
    for row in pq.read_table(tmp_path / "padded" / "data").to_pylist():
        ids, attention = row["input_ids"], row["attention_mask"]
        assert len(ids) in {0, MAX_LENGTH}
        assert set(ids[sum(attention) :]) <= {7}
        assert not any(row["loss_mask"][sum(attention) :])


def test_every_table_gives_the_rows_of_the_lines(undisturbed, tmp_path):
    import datasets
    import pyarrow.parquet as pq

    records = [
        {"messages": [{"role": "user", "content": f"q{k}"}, {"role": "assistant", "content": "a"}]} for k in range(9)
    ]
    table_of = datasets.Dataset.from_list(records)
    table_of.to_parquet(tmp_path / "a.parquet")
    table_of.save_to_disk(str(tmp_path / "folder"))
    texts = datasets.Dataset.from_list([{"chat": json.dumps(record["messages"])} for record in records])
    texts.to_csv(tmp_path / "a.csv")
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    for split, some in (("train", table_of.select([0])), ("test", table_of)):
        some.to_parquet(tmp_path / "hub" / "data" / f"{split}-00000-of-00001.parquet")  # as the hub lays them out
    tables = (("a.parquet",), ("folder",), ("a.csv", "--column", "messages=chat"), ("hub", "--split", "test"))
    found = []
    for name, *more in (("a.jsonl",), *tables):
        out = tmp_path / f"out-{name}"
        done(start(words(tmp_path / name, out, "--processes", "1", *more)))
        found.append(pq.read_table(out / "data").column("input_ids").to_pylist())
    assert all(one == found[0] for one in found)


def test_an_audit_says_what_was_found_and_fails_on_it(path, tmp_path, monkeypatch):
    import pyarrow.parquet as pq

    monkeypatch.chdir(tmp_path)
    base = ["audit", str(path), "--row", "toy-bpe", "--max-length", str(MAX_LENGTH), "--processes", "1"]
    run = start([*base, "--fail-on", "error>50%"], cwd=tmp_path)
    said = done(run)
    found = pq.read_table(tmp_path / "audit" / "findings.parquet")
    pairs = zip(found.column("row").to_pylist(), found.column("code").to_pylist(), strict=True)
    scored = scores(data(ROWS, share=0.2), pairs)
    assert all((score.precision, score.recall) == (1.0, 1.0) for score in scored.values()), table(scored)
    for code in scored:
        assert f"\n{code}" in said
    assert max(map(len, said.splitlines())) <= 110
    assert "\x1b" not in said
    page = (tmp_path / "audit" / "report.html").read_text()
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert page.count("control-token") > 1
    again = start([*base, "--fail-on", "control-token"], cwd=tmp_path)
    said, _ = again.communicate()
    assert again.returncode == 1
    assert "fail-on control-token: 4 of 240 rows" in said


@pytest.mark.soak
def test_twenty_thousand_rows_of_which_every_fault_is_found_by_both_engines(tmp_path):
    import pyarrow.parquet as pq

    made = data(20_000)
    path = tmp_path / "data.jsonl"
    path.write_bytes(b"".join(one.line + b"\n" for one in made))
    for engine in ("datasets", "ray"):
        arguments = ["prepare", str(path), "--row", "qwen3", "--max-length", str(MAX_LENGTH), "--engine", engine]
        done(start([*arguments, "--processes", "2", "-o", str(tmp_path / engine)]))
    found = pq.read_table(tmp_path / "datasets" / "findings.parquet")
    scored = scores(made, zip(found.column("row").to_pylist(), found.column("code").to_pylist(), strict=True))
    print(table(scored))
    assert all((score.precision, score.recall) == (1.0, 1.0) for score in scored.values())
    assert len(scored) == 12
    assert bytes_of(tmp_path / "datasets") == bytes_of(tmp_path / "ray")


def test_a_sample_is_spread_and_repeats(path, tmp_path):
    import pyarrow.parquet as pq

    base = ["audit", str(path), "--row", "toy-bpe", "--processes", "1", "--sample", "12"]
    done(start([*base, "-o", str(tmp_path / "one")]))
    rows = pq.read_table(tmp_path / "one" / "rows.parquet").column("row").to_pylist()
    assert len(rows) == 12
    assert max(after - before for before, after in pairwise(rows)) <= 21


def test_trl_trains_two_steps_from_it(undisturbed, tmp_path):
    import datasets
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM
    from trl import SFTConfig, SFTTrainer

    from tokenspec.models import load

    rows = datasets.load_dataset("parquet", data_files=f"{undisturbed}/data/*.parquet", split="train")
    rows = (
        rows.filter(lambda row: 0 < len(row["input_ids"]) < 200)
        .select(range(4))
        .select_columns(["input_ids", "labels"])
    )
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=1000, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2
    )
    tokenizer = load("toy-bpe").tokenizer
    tokenizer.pad_token = "<|endoftext|>"
    settings = SFTConfig(
        output_dir=str(tmp_path),
        max_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        use_cpu=True,
        save_strategy="no",
        max_length=None,
    )
    trainer = SFTTrainer(LlamaForCausalLM(config), settings, train_dataset=rows, processing_class=tokenizer)
    batch = next(iter(trainer.get_train_dataloader()))
    trained = sorted(int(token) for token in batch["labels"].flatten() if token != -100)
    wanted = [sorted(t for row in pair for t in row["labels"] if t != -100) for pair in _pairs(list(rows))]
    assert trained in wanted
    assert trainer.train().global_step == 2


def _pairs(rows):
    return [(a, b) for a in rows for b in rows if a is not b]


@pytest.mark.parametrize(("below", "says"), [("", "is a file"), ("out", "cannot write there: Not a directory")])
def test_a_folder_that_cannot_be_made_is_refused_in_one_line(path, below, says):
    done = CliRunner().invoke(group, words(path, path / below))
    assert isinstance(done.exception, UsageError)
    assert f"{says}. Give a folder with -o" in str(done.exception)
