"""Adding a model: a fit one becomes a row whole, every unfit one is refused with its reason and leaves nothing."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from tokenizers import Tokenizer

from tests.certificates.seeded import FAULTLESS, LOOP, PROMPT
from tokenspec import data
from tokenspec.addition import add
from tokenspec.addition.goldens import displaced
from tokenspec.cli import group
from tokenspec.curation import manifest
from tokenspec.curation.lint import problems
from tokenspec.models import load, specs
from tokenspec.models.fingerprint import chkhsh, vector_texts
from tokenspec.models.rows import committed_specs

pytestmark = pytest.mark.tools

ROOT = Path(__file__).resolve().parents[3]
REVISION = "0123456789abcdef0123456789abcdef01234567"
Edit = Callable[[Path], object]


@pytest.fixture
def world(own_fixtures: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Small fixtures, an empty cache, no hub, and a model folder ``little`` that is fit to be added."""
    shutil.copy(ROOT / "fixtures" / "models" / "vectors.json", own_fixtures / "models" / "vectors.json")
    monkeypatch.setenv("TOKENSPEC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("TOKENSPEC_MODELS_DIR", raising=False)
    model = tmp_path / "little"
    model.mkdir()
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(own_fixtures / "toy" / "toy-bpe" / name, model / name)
    (model / "chat_template.jinja").write_text(FAULTLESS)
    manifest.write_manifest()
    yield model
    committed_specs.cache_clear()
    load.cache_clear()


def tokenspec(*arguments: object) -> tuple[int, str]:
    """Exit code and output, errors included; the suite's own errors as the entry point prints them."""
    result = CliRunner().invoke(group, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        if not hasattr(result.exception, "exit_code"):
            raise result.exception
        return result.exception.exit_code, f"{result.output}{result.exception}"
    return result.exit_code, result.output


def tree(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_a_fit_model_becomes_a_row(world: Path, tmp_path: Path) -> None:
    before = tree(data.fixtures_dir())
    code, said = tokenspec("models", "add", "--from-dir", world, "--sheet", tmp_path / "sheet.md", "--licence", "own")
    assert code == 0, said
    after = tree(data.fixtures_dir())
    new = {name for name in after if name not in before}
    assert {name for name in before if after.get(name) != before[name]} <= {
        "MANIFEST.json",
        "README.md",
        "files/0.1.txt",
    }
    assert {"models/little.toml", "certificates/little.json", "golden/little/render.json"} <= new
    assert all("little" in name for name in new)
    row = specs()["little"]
    assert row.features == ("system", "tools", "tool-role", "thinking", "parts")
    assert row.wire.assistant_open == ("<|im_start|>assistant\n",)
    assert row.wire.assistant_close == row.wire.stop == ("<|im_end|>",)
    assert load("little").chat_template == FAULTLESS.removesuffix("\n")
    assert list(problems()) == []
    code, said = tokenspec("models", "check", "little")
    assert code == 0, said


def test_the_sheet_shows_pins_facts_cases_and_texts(world: Path, tmp_path: Path) -> None:
    code, said = tokenspec("models", "add", "--from-dir", world, "--dry-run", "--sheet", tmp_path / "sheet.md")
    assert code == 0, said
    assert max(len(line) for line in said.splitlines() if str(tmp_path) not in line) <= 100
    for text in (said, (tmp_path / "sheet.md").read_text()):
        assert hashlib.sha256(FAULTLESS.removesuffix("\n").encode()).hexdigest() in text
        for wanted in ("prefix stable", "inferred from renders", "render/role-user", "Which city"):
            assert wanted in text


def test_terminal_commands_of_a_template_are_shown_and_not_sent(world: Path, tmp_path: Path) -> None:
    (world / "chat_template.jinja").write_text("{{- '\x1b[2J<script>|' -}}" + FAULTLESS)
    code, said = tokenspec("models", "add", "--from-dir", world, "--dry-run", "--sheet", tmp_path / "sheet.md")
    assert code == 0, said
    sheet = (tmp_path / "sheet.md").read_text()
    assert "\x1b" not in said + sheet
    assert "\N{SYMBOL FOR ESCAPE}[2J<script>|" in said
    assert r"`'\x1b[2J<script>\|" in sheet


def test_a_dry_run_writes_nothing(world: Path) -> None:
    before = tree(data.fixtures_dir())
    code, said = tokenspec("models", "add", "--from-dir", world, "--dry-run")
    assert code == 0, said
    assert "nothing written" in said
    assert tree(data.fixtures_dir()) == before
    assert "little" not in specs()
    assert not list((Path(world).parent / "cache" / "models" / "rows").glob("little/*"))


def test_a_model_of_the_hub_is_read_at_its_revision(world: Path, tmp_path: Path) -> None:
    snapshots = tmp_path / "hub" / "models--org--Little-Chat" / "snapshots"
    shutil.copytree(world, snapshots / REVISION)
    other = snapshots / ("f" * 40)
    shutil.copytree(world, other)
    (other / "chat_template.jinja").write_text("another revision")
    code, said = tokenspec("models", "add", "org/Little-Chat", "--revision", REVISION)
    assert code == 0, said
    row = specs()["little-chat"]
    assert row.hub is not None
    assert (row.hub.repo, row.hub.revision) == ("org/Little-Chat", REVISION)
    assert row.tokenizer.source == row.template.source == ()


def test_a_revision_that_is_not_here_says_what_to_do(world: Path) -> None:
    code, said = tokenspec("models", "add", "org/absent", "--revision", REVISION)
    assert code == 1
    assert "is not in the hub's cache" in said
    assert "--from-dir" in said


def test_a_declared_date_is_a_feature(world: Path) -> None:
    (world / "chat_template.jinja").write_text("{{- strftime_now('%d %b %Y') ~ '\\n' -}}" + FAULTLESS)
    code, said = tokenspec("models", "add", "--from-dir", world, "--accept", "date")
    assert code == 0, said
    assert "date" in specs()["little"].features


def template(text: str) -> Edit:
    return lambda model: (model / "chat_template.jinja").write_text(text)


def json_file(name: str, change: Callable[[dict[str, Any]], object]) -> Edit:
    def apply(model: Path) -> None:
        found = json.loads((model / name).read_text())
        change(found)
        (model / name).write_text(json.dumps(found))

    return apply


def renumber(tokenizer: dict[str, Any]) -> None:
    """``<|im_end|>`` far above the vocabulary: the library gives it another id without a word."""
    next(token for token in tokenizer["added_tokens"] if token["content"] == "<|im_end|>")["id"] = 5000


def both(*edits: Edit) -> Edit:
    return lambda model: [edit(model) for edit in edits]


def remove(name: str) -> Edit:
    return lambda model: (model / name).unlink()


UNFIT: dict[str, tuple[Edit, tuple[str, ...], str]] = {
    "edited template of a row": (
        template(FAULTLESS),
        ("--id", "toy-bpe"),
        "the row id is taken, its template differs from the pinned one, so 2 existing goldens would change",
    ),
    "the same model again": (
        lambda model: shutil.copy(data.fixtures_dir() / "toy" / "toy-bpe" / "chat_template.jinja", model),
        (),
        "this template and tokenizer are the row 'toy-bpe' already",
    ),
    "a renumbered special id": (json_file("tokenizer.json", renumber), (), "'<|im_end|>' is stated as id 5000"),
    "ids of another model": (
        json_file(
            "tokenizer_config.json", lambda found: found.update(added_tokens_decoder={"7": {"content": "<|im_end|>"}})
        ),
        (),
        "says '<|im_end|>' is id 7, tokenizer.json encodes it to [738]",
    ),
    "a date nobody declared": (
        template("{{- strftime_now('%d %b %Y') ~ '\\n' -}}" + FAULTLESS),
        (),
        "depends on today's date",
    ),
    "output that depends on the hash seed": (
        template("{{- ({'alpha': 1, 'beta': 2, 'gamma': 3, 'delta': 4}.keys() - []) | join -}}" + FAULTLESS),
        (),
        "two processes with PYTHONHASHSEED 1 and 2 give different text",
    ),
    "output that is drawn": (
        template(FAULTLESS.replace(LOOP, "{{- range(1000) | random -}}" + LOOP)),
        (),
        "what is no function of its input",
    ),
    "an eos token that is missing": (
        json_file("tokenizer_config.json", lambda found: found.update(eos_token="<|over|>")),
        (),
        "eos_token '<|over|>' is missing",
    ),
    "a turn that its prompt does not begin": (
        template(FAULTLESS.replace(PROMPT, PROMPT.replace("assistant\\n", "assistant\\n\\n"))),
        (),
        "error: prompt: after a question no turn continues the generation prompt",
    ),
    "a turn without a stop token": (
        template(FAULTLESS.replace("{{- '<|im_end|>' -}}\n  {%- else", "{%- else")),
        (),
        "error: stop: after a question an answer (last) ends without a stop token",
    ),
    "a marker that is no token": (
        template(FAULTLESS.replace("'<|im_start|>tools", "'<|tools|>")),
        (),
        "the template writes '<|tools|>' and the tokenizer has no such token",
    ),
    "no template": (
        both(
            remove("chat_template.jinja"),
            json_file("tokenizer_config.json", lambda found: found.pop("chat_template", 0)),
        ),
        (),
        "there is no chat template",
    ),
    "a marker that is put together and no token": (
        template(FAULTLESS.replace(LOOP, "{{- '<|{}|>'.format('begin') -}}" + LOOP)),
        (),
        "the template writes '<|begin|>' and the tokenizer has no such token",
    ),
    "an area that has nothing for it": (
        template(FAULTLESS),
        ("--area", "render", "--area", "aligners"),
        "--area aligners: no case of it applies to this row; areas that have some: render",
    ),
    "a fingerprint of another vocabulary": (
        template(FAULTLESS),
        ("--fingerprint", "0" * 64, "--evidence", "somewhere"),
        "fingerprint chkhsh is not 000000000000; this is another vocabulary",
    ),
    "a template that does not parse": (template("{% for m in messages %}"), (), "does not parse: line 1"),
    "a template that opens no turn": (
        template("{{ messages | tojson }}{{ tools | tojson }}"),
        (),
        "cannot be told from renders",
    ),
    "a template that refuses a question": (
        template("{{- raise_exception('never') -}}"),
        (),
        "the template refuses one user message: TemplateError",
    ),
    "no tokenizer": (remove("tokenizer.json"), (), "there is no tokenizer.json"),
    "a truncated tokenizer": (
        lambda model: (model / "tokenizer.json").write_text((model / "tokenizer.json").read_text()[:5000]),
        (),
        "tokenizer.json is broken",
    ),
    "a tokenizer the library refuses": (
        json_file("tokenizer.json", lambda found: found.update(pre_tokenizer={"type": "Nonsense"})),
        (),
        "tokenizers does not load it",
    ),
    "an id of other characters": (template(FAULTLESS), ("--id", "Little Model"), "other characters than a-z"),
    "a folder of goldens that belongs to nobody": (
        lambda _: (data.fixtures_dir() / "golden" / "little").mkdir(),
        (),
        "golden/little exists and belongs to no row",
    ),
}


@pytest.mark.parametrize("name", UNFIT)
def test_an_unfit_model_is_refused_and_leaves_nothing(name: str, world: Path) -> None:
    edit, options, reason = UNFIT[name]
    edit(world)
    before, known = tree(data.fixtures_dir()), set(specs())
    code, said = tokenspec("models", "add", "--from-dir", world, *options)
    assert code == 1, said
    assert reason in said
    assert tree(data.fixtures_dir()) == before
    assert set(specs()) == known


def test_a_row_does_not_take_the_place_of_another_that_has_its_vocabulary() -> None:
    old = specs()["kimi-k2"]
    assert displaced(msgspec.structs.replace(old, id="kimi-k3")) == []
    lost = displaced(msgspec.structs.replace(old, id="a-kimi"))
    assert lost
    assert all(name.split("/")[:2] in (["fast-forward", "kimi-k2"], ["grammar-mask", "kimi-k2"]) for name in lost)


def test_a_row_of_one_area_is_whole_and_real_by_a_fingerprint_of_others(world: Path) -> None:
    before = list(problems())
    (chkhsh_text, _), tokenizer = vector_texts(), Tokenizer.from_file(str(world / "tokenizer.json"))
    listed = chkhsh(tokenizer.encode(chkhsh_text, add_special_tokens=False).ids)
    words = ("--area", "render", "--fingerprint", listed, "--evidence", "the list of a converter")
    code, said = tokenspec("models", "add", "--from-dir", world, *words)
    assert code == 0, said
    assert "added little (real): row file, certificate, " in said
    assert " goldens (render), manifest" in said
    row = specs()["little"]
    assert (row.status, row.cases, row.fingerprint.chkhsh) == ("real", ("render/",), listed)
    assert {path.name for path in (data.fixtures_dir() / "golden/little").iterdir()} == {"render.json"}
    assert list(problems()) == before
    assert "only render/" in tokenspec("explain", "little")[1]
    assert displaced(msgspec.structs.replace(specs()["toy-bpe"], id="a-toy", cases=("render/",))) == []


def test_an_error_while_writing_leaves_nothing(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(data.fixtures_dir())

    def full() -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(manifest, "write_manifest", full)
    with pytest.raises(OSError, match="no space"):
        tokenspec("models", "add", "--from-dir", world)
    assert tree(data.fixtures_dir()) == before
    assert "little" not in specs()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "give a REPO with --revision SHA, or --from-dir DIR"),
        (("org/model", "--revision", "main"), "its full commit id"),
        (("model", "--revision", REVISION), "REPO is owner/name"),
        (("--from-dir", "no-such-folder"), "no such folder"),
        (("org/model", "--revision", REVISION, "--from-dir", "."), "and not both"),
        (("--from-dir", str(ROOT / "fixtures/toy/toy-bpe"), "--area", "rendr"), "Did you mean render"),
        (("--from-dir", str(ROOT / "fixtures/toy/toy-bpe"), "--fingerprint", "12"), "64 hex digits"),
        (("--from-dir", str(ROOT / "fixtures/toy/toy-bpe"), "--fingerprint", "0" * 64), "needs --evidence"),
    ],
)
def test_usage_errors_say_what_to_write(arguments: tuple[str, ...], says: str) -> None:
    code, said = tokenspec("models", "add", *arguments)
    assert code == 2
    assert says in said


def test_what_breaks_training_is_accepted_by_name_before_anything_is_made(world: Path) -> None:
    template = world / "chat_template.jinja"
    template.write_text(template.read_text().replace("in messages -%}", "in messages if message.role != 'system' -%}"))
    command = ("models", "add", "--from-dir", world)
    names = ("--accept", "role-system", "--accept", "role-system-later")
    code, said = tokenspec(*command)
    assert code == 1
    assert "error: role-system: a message vanishes: system without a word; cure: " in said
    assert "or accept it: --accept role-system" in said
    code, said = tokenspec(*command, *names, "--accept", "tools")
    assert code == 1
    assert (
        "error: --accept tools: no template does this; cure: leave it out; found: role-system, role-system-later"
        in said
    )
    code, said = tokenspec(*command, *names, "--dry-run")
    assert code == 0, said
    assert "accepted by name: role-system: a message vanishes: system without a word" in " ".join(said.split())


def test_a_developer_message_that_vanishes_is_a_note(world: Path) -> None:
    template = world / "chat_template.jinja"
    template.write_text(
        template.read_text().replace("in messages -%}", "in messages if message.role != 'developer' -%}")
    )
    code, said = tokenspec("models", "add", "--from-dir", world, "--dry-run")
    assert code == 0, said
    assert "a message vanishes: developer without a word" in " ".join(said.split())


def test_an_installed_copy_refuses_before_it_measures(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(add, "checkout_root", lambda: None)
    monkeypatch.setattr(add, "prepare", lambda *_: pytest.fail("it measured"))
    code, said = tokenspec("models", "add", "--from-dir", world)
    assert code == 2
    assert said.endswith("a model is added to a checkout of the project, and this is an installed one; add --dry-run")
