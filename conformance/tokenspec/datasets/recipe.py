"""How a worker makes its preparer: plain data, so that it travels to any process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tokenspec.errors import UsageError
from tokenspec.guard.bounds import refuse_long
from tokenspec.guard.strangers import strangers
from tokenspec.models import load
from tokenspec.models.assets import assets_of
from tokenspec.models.loading import load_tokenizer
from tokenspec.store.case_files import cases_in

if TYPE_CHECKING:
    from tokenspec_reference.preparation import Preparer

ENCODERS = ("tokenizers", "fastokens")


@dataclass(frozen=True)
class Recipe:
    """A tokenizer folder, a template and options. ``encoder`` is who encodes; another than the row's own was proven."""

    directory: str
    chat_template: str
    family: str | None = None
    wire: tuple[tuple[str, tuple[str, ...]], ...] = ()
    straddle: str | None = None
    options: tuple[tuple[str, Any], ...] = ()
    encoder: str = "tokenizers"
    max_length: int | None = None
    overlong: str = "turns"
    columns: tuple[tuple[str, str], ...] = field(default=())
    speakers: tuple[tuple[str, str], ...] = ()
    media: bool = False


def of_row(row: str, **more: Any) -> Recipe:
    """The recipe of a row."""
    loaded = load(row)
    assets = assets_of(loaded)
    wire = assets["wire"]
    straddle = wire.pop("straddle")
    return Recipe(
        assets["directory"],
        assets["chat_template"],
        assets["family"],
        tuple((name, tuple(value)) for name, value in wire.items()),
        straddle,
        **more,
    )


def of_files(template: Path | None, tokenizer: Path, **more: Any) -> Recipe:
    """The recipe of a tokenizer folder, with another template where one is given.

    Raises:
        UsageError: there is no template.
    """
    found = template or tokenizer / "chat_template.jinja"
    if not found.is_file():
        raise UsageError(f"{tokenizer}: no chat_template.jinja in it. Give the template with --template FILE")
    return Recipe(str(tokenizer.resolve()), found.read_text(encoding="utf-8"), **more)


@lru_cache(maxsize=2)
def renderer_of(recipe: Recipe) -> Any:
    """The renderer of a recipe; its tokenizer is read once in a process."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from tokenspec_reference.renderers import create_renderer
    from tokenspec_reference.renderers.template import Wire

    wire = dict(recipe.wire) if recipe.family in {None, "template"} else {}
    tokenizer = load_tokenizer(Path(recipe.directory))
    refuse_long(recipe.chat_template)
    with strangers("template"):
        return create_renderer(
            tokenizer,
            family=recipe.family,
            chat_template=recipe.chat_template,
            straddle=recipe.straddle,  # type: ignore[arg-type]
            wire=None
            if not wire
            else Wire(
                assistant_open=wire["assistant_open"],
                assistant_close=wire["assistant_close"],
                placeholders=wire["placeholder"],
                stops=wire["stop"],
            ),
            **dict(recipe.options),
        )


@lru_cache(maxsize=2)
def preparer_of(recipe: Recipe) -> Preparer:
    """The preparer of a recipe."""
    from tokenspec_reference.preparation import Preparer

    renderer = renderer_of(recipe)
    encoder = faster(recipe, ()) if recipe.encoder == "fastokens" else None
    return Preparer(
        renderer,
        encoder=encoder,
        max_length=recipe.max_length,
        overlong=recipe.overlong,  # type: ignore[arg-type]
        expand_media=recipe.media,
    )


def faster(recipe: Recipe, texts: Any) -> Any:
    """The faster encoder, or None: it is not installed, cannot read the vocabulary, or differs on one of ``texts``."""
    from tokenspec_reference.preparation.fast_encoding import proven

    try:
        import fastokens

        file = Path(recipe.directory) / "tokenizer.json"
        with strangers("tokenizer", file.stat().st_size):
            other = fastokens.Tokenizer.from_file(str(file))
    except (ImportError, ValueError):
        return None
    slow, sample = renderer_of(recipe).encoder, list(texts)
    with strangers("tokenizer", sum(map(len, sample))):
        return proven(slow, other, sample)


def refuse_runaway(error: Exception) -> None:
    """End before the first row where a template runs away on a plain conversation: every row would take a minute.

    Raises:
        UsageError: it does.
    """
    if getattr(error, "rejection_code", "") == "template-limit":
        raise UsageError(f"the template runs away: {error}. Look at its loops") from error


def check_template(recipe: Recipe) -> None:
    """Render a question and an answer; what else the template refuses is said row by row.

    Raises:
        UsageError: it runs away.
    """
    from tokenspec_reference.errors import TokenSpecError

    plain = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    try:
        renderer = renderer_of(recipe)
        with strangers("template"):
            renderer.render_text(plain)
    except TokenSpecError as error:
        refuse_runaway(error)


def probes(recipe: Recipe) -> Iterator[str]:
    """Every case's conversation under the recipe's template: what a faster encoder has to agree on."""
    from tokenspec_reference.errors import TokenSpecError

    renderer = renderer_of(recipe)
    for case in cases_in("render"):
        given = case.input
        try:
            with strangers("template", len(repr(given))):
                text = renderer.render_text(given.get("messages"), tools=given.get("tools"), add_generation_prompt=True)
            yield text
        except TokenSpecError as error:
            refuse_runaway(error)
