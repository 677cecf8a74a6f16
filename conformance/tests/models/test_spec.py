"""Row and carrier files: what is refused, and what every shipped one promises."""

import re
import shutil
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest

from tests.models.world import World
from tokenspec import data, models
from tokenspec.models.pipelines import PIPELINES
from tokenspec.models.sources import members_of
from tokenspec.models.spec import Fill, Tokenizer, added_tokens

CHECKOUT = data.fixtures_dir()
HOSTS = re.compile(r"(pypi|pythonhosted|npmjs|huggingface|github)\.(org|com|co|io)", re.IGNORECASE)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({'summary = "A small row"': 'summary = "A small row"\nsumary = "x"'}, "unknown field `sumary`"),
        ({'status = "real"': 'status = "genuine"'}, "Invalid enum value 'genuine'"),
        ({'id = "tiny"': 'id = "other"'}, "id is 'other'; a file is named after its id"),
        ({'repo = "org/tiny"': 'repo = "tiny"'}, "hub.repo"),
        ({"a" * 40: "a" * 39}, "hub.revision"),
        ({'"special"]': '"speciall"]'}, "tokenizer.added[0] '<|a|>': unknown flag 'speciall'"),
        ({'pipeline = "cl100k"': ""}, "tokenizer.pipeline is missing"),
        ({'kind = "registry"\ncarrier = "templates"': 'kind = "web"\ncarrier = "templates"'}, "template.source[0]"),
        ({"[special]": "[fingerprintt]"}, "fingerprintt"),
        ({'licence = "own"': "licence = 3"}, "Expected `str`, got `int`"),
        ({'id = "tiny"': 'id = "tiny'}, "tiny.toml"),
    ],
)
def test_a_wrong_row_file_names_file_and_field(world: World, change: dict[str, str], said: str) -> None:
    world.row(change=change)
    with pytest.raises(models.RowSpecError) as caught:
        models.specs()
    assert said in str(caught.value)
    assert str(caught.value).startswith("tiny.toml: ")


def test_a_row_may_not_call_itself_real_without_a_fingerprint(world: World) -> None:
    path = world.models / "tiny.toml"
    text = re.sub(r'\[fingerprint\]\nvectors = ".*"\n', "", path.read_text())
    path.write_text(text)
    world.forget()
    with pytest.raises(models.RowSpecError, match="fingerprint is empty"):
        models.specs()
    path.write_text(text.replace('status = "real"', 'status = "stand-in"'))
    world.forget()
    assert models.specs()["tiny"].status == "stand-in"


def test_a_row_file_that_is_not_text_is_one_clear_line(world: World) -> None:
    (world.models / "tiny.toml").write_bytes(b'id = "\xff"')
    with pytest.raises(models.RowSpecError, match=r"tiny\.toml: "):
        models.specs()


def test_fill_counts_up_and_added_wins() -> None:
    fill = (Fill(first=5, last=7, text="<r{n}>", start=1),)
    tokenizer = Tokenizer(sha256="0" * 64, source=(), fill=fill, added=((6, "<x>", "lstrip"),))
    assert added_tokens(tokenizer) == {
        5: ("<r1>", frozenset({"special"})),
        6: ("<x>", frozenset({"lstrip"})),
        7: ("<r3>", frozenset({"special"})),
    }


def test_every_row_names_known_carriers_and_pipelines() -> None:
    for row in models.specs().values():
        for source in members_of(row):
            assert source.carrier in models.carriers(), row.id
        if row.status != "toy":
            assert row.tokenizer.pipeline in {None, *PIPELINES}, row.id


def test_every_carrier_is_used_and_pinned_to_one_version() -> None:
    used = {source.carrier for row in models.specs().values() for source in members_of(row)}
    assert used == set(models.carriers())
    for carrier in models.carriers().values():
        assert re.search(r"(==|@)\d+\.\d+\.\d+$", carrier.requirement), carrier.id


def test_a_member_has_the_same_pin_in_every_row() -> None:
    pins = defaultdict(set)
    for row in models.specs().values():
        for source in members_of(row):
            pins[source.carrier, source.member].add((source.sha256, source.bytes))
    assert {member: found for member, found in pins.items() if len(found) > 1} == {}


def test_rows_never_share_both_pins() -> None:
    pins = [(row.tokenizer.sha256, row.template.sha256) for row in models.specs().values() if row.has_template]
    assert len(pins) == len(set(pins))


def test_control_tokens_that_must_hold_are_declared_with_the_same_id() -> None:
    for row in models.specs().values():
        if row.status == "toy":
            continue
        declared = {text: token_id for token_id, (text, _) in added_tokens(row.tokenizer).items()}
        assert row.special.items() <= declared.items(), row.id
        assert set(row.wire.stop) <= declared.keys(), row.id


def test_issue_rows_exist_and_six_real_ones_need_no_node() -> None:
    wanted = "qwen2.5 qwen3 qwen3-instruct-2507 qwen3-vl deepseek-v3 gpt-oss llama-3.2 llama-3.3 gemma-4 mistral-nemo"
    real = {row.id: row for row in models.specs().values() if row.status == "real"}
    assert set(wanted.split()) <= real.keys()
    without_node = []
    for name in wanted.split():
        assets = (real[name].tokenizer.source, real[name].template.source)
        carriers = [{models.carriers()[one.carrier].client for one in asset} for asset in assets]
        without_node += [name] if all(clients - {"npm"} for clients in carriers) else []
    assert without_node == wanted.split()


def test_no_registry_host_is_named() -> None:
    package = Path(models.__file__).parent
    files = [*package.glob("*.py"), *(data.fixtures_dir() / "models").rglob("*.toml")]
    assert len(files) > 40
    assert [file.name for file in files if HOSTS.search(file.read_text())] == []


def test_specs_round_trip_through_plain_values() -> None:
    for row in models.specs().values():
        assert msgspec.convert(msgspec.to_builtins(row), models.RowSpec) == row


@pytest.mark.parametrize("field", ["tokenizer", "template"])
def test_a_toy_row_whose_files_moved_is_missing_not_silently_used(world: World, field: str) -> None:
    shutil.copytree(CHECKOUT / "toy" / "toy-bpe", world.root / "fixtures" / "toy" / "toy-bpe")
    text = (CHECKOUT / "models" / "toy-bpe.toml").read_text()
    (world.models / "toy-bpe.toml").write_text(text)
    world.forget()
    assert models.available("toy-bpe") is None
    pinned = getattr(models.spec_of("toy-bpe"), field).sha256
    (world.models / "toy-bpe.toml").write_text(text.replace(pinned, "0" * 64))
    world.forget()
    reason = models.available("toy-bpe")
    assert reason is not None
    assert f"{field}.sha256 of toy/toy-bpe is {pinned}, the row file pins {'0' * 64}" in reason


def test_a_toy_row_without_its_files_is_missing(world: World) -> None:
    shutil.copy(CHECKOUT / "models" / "toy-bpe.toml", world.models)
    world.forget()
    assert "toy/toy-bpe lacks tokenizer.json" in str(models.available("toy-bpe"))
