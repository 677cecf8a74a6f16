"""``audit`` and ``prepare`` from and to an object store: a server of S3 on this machine, whose bytes are those of the disk."""

import json
import os
import signal

import pytest
from click.testing import CliRunner
from seeded_faults import data
from test_commands import bytes_of, done, start, until, words

from tokenspec.cli import group
from tokenspec.datasets.place import Place

pytestmark = pytest.mark.datasets


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Lines, and what comes of them on this machine, where all is named by URIs."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "data.jsonl").write_bytes(b"".join(one.line + b"\n" for one in data(60, share=0.2)))
    done(start(words((folder / "data.jsonl").as_uri(), (folder / "out").as_uri(), "--processes", "1")))
    return (folder / "data.jsonl").read_bytes(), bytes_of(folder / "out")


@pytest.fixture(scope="module")
def bucket():
    boto3 = pytest.importorskip("boto3")
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    with pytest.MonkeyPatch.context() as patch:
        said = {
            "AWS_ENDPOINT_URL": "http://{}:{}".format(*server.get_host_and_port()),
            "AWS_ACCESS_KEY_ID": "none",
            "AWS_SECRET_ACCESS_KEY": "none",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        for name, value in said.items():
            patch.setenv(name, value)
        boto3.client("s3").create_bucket(Bucket="bucket")
        yield "s3://bucket"
    server.stop()


def objects(folder):
    import boto3

    key = folder.removeprefix("s3://bucket/") + "/"
    client = boto3.client("s3")
    found = client.list_objects_v2(Bucket="bucket", Prefix=key).get("Contents", [])
    names = [one["Key"] for one in found if not one["Key"].endswith("/")]
    return {name[len(key) :]: client.get_object(Bucket="bucket", Key=name)["Body"].read() for name in names}


@pytest.mark.parametrize("engine", ["datasets", "ray"])
def test_a_killed_run_goes_on_in_the_store(engine, whole, bucket):
    lines, on_disk = whole
    source, out = f"{bucket}/given {engine}/data.jsonl", f"{bucket}/made-{engine}"
    Place.of(source).write(lines)
    run = start(words(source, out, "--engine", engine, "--processes", "2"))
    until(run, lambda: any("/rows-" in name for name in objects(out)))
    os.killpg(run.pid, signal.SIGKILL)
    run.communicate()
    if engine == "datasets":
        assert "manifest.json" not in objects(out)
    said = done(start(words(source, out, "--engine", engine, "--processes", "2")))
    assert "shards are done already" in said or "finished already" in said
    assert objects(out) == on_disk
    refused = CliRunner().invoke(group, [*words(source, out), "--overlong", "drop"])
    assert "made of something else (recipe)" in str(refused.exception)


def test_parquet_of_a_store_gives_the_rows_of_the_lines(bucket, tmp_path):
    import datasets

    asked = [[{"role": "user", "content": f"q{k}"}, {"role": "assistant", "content": "a"}] for k in range(9)]
    datasets.Dataset.from_list([{"messages": one} for one in asked]).to_parquet(tmp_path / "a.parquet", batch_size=4)
    for name in ("a.parquet", "b.parquet"):
        (Place.of(bucket) / "tables" / name).write((tmp_path / "a.parquet").read_bytes())
    done(start(["audit", f"{bucket}/tables", "--row", "toy-bpe", "--processes", "1", "-o", f"{bucket}/seen"]))
    manifest = json.loads(objects(f"{bucket}/seen")["manifest.json"])
    assert manifest["rows"] == 18
    assert manifest["findings"] == {"duplicate": 9}
    assert b"tables on toy-bpe" in objects(f"{bucket}/seen")["report.html"]


@pytest.mark.parametrize(
    ("named", "words"),
    [
        ("s3://bucket/none", "no .jsonl or .parquet"),
        ("s3://bucket/a.csv", r"Convert it, or copy it here"),
        ("ftp://host/a.jsonl", r"Give a path, or a URI of s3"),
    ],
)
def test_what_cannot_be_read_says_what_can_be_done(named, words, bucket, tmp_path):
    Place.of("s3://bucket/a.csv").write(b"messages\n")
    refused = CliRunner().invoke(group, ["audit", named, "--row", "toy-bpe", "-o", str(tmp_path / "out")])
    assert words in str(refused.exception)
