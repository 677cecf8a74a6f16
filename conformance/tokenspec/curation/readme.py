"""The README of the fixtures, and of an exported folder: the shapes, with entries of that very folder as examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tokenspec.areas import areas
from tokenspec.oracle.clock import FROZEN
from tokenspec.store.canonical import canonical_json, read_json

LONGEST_EXAMPLE = 1800

TEXT = """\
# tokenspec fixtures {fixture_version}

Cases and expected outcomes for the token layer of language-model post-training, spec version {spec_version}. Plain JSON
and TOML, UTF-8, LF. Nothing here needs Python.

## Check a copy

`tokenspec fixtures export FOLDER` writes a folder like this one with a `SHA256SUMS` beside it:

```sh
sha256sum -c SHA256SUMS
```

`{list_path}` lists every case and golden by a hash of its own, so that releases can be compared one by one;
`MANIFEST.json` pins that list by its sha256 and counts what is here.

## What is where

| path | what |
|---|---|
| `cases/<area>/<theme>.json` | inputs that name no model, by slug |
| `regressions/<area>.json` | the same, from counterexamples |
| `golden/<row>/<area>.json` | the expected outcomes of one row in one area, by slug |
| `golden/stand-in/<row>/...` | the same over another vocabulary: never report them as that model |
| `flips/<transformers>/<row>/...` | where an earlier oracle answers otherwise |
| `models/<row>.toml` | what a row is pinned to, and where its template and tokenizer come from |
| `toy/<row>/` | small tokenizers and templates of our own: complete, offline |
| `schema/*.schema.json` | JSON Schema 2020-12 of every file, and of every request to an adapter and its result |
| `flags.toml` | what a failure of a case means, by flag |
| `smoke.toml` | the cases that show whether an adapter is right |
| `witnesses.toml` | the outside programs that were asked about goldens, and where they are known to differ |
| `requirements.json` | in an exported folder: the requirements that cases cite, id, level, text |
| `ERRATA.toml` | every released expectation that changed, with its reason |

## Areas

`schema/<area>.request.schema.json` has the fields of a request, `schema/<area>.output.schema.json` those of a result.

| area | adapter operation | cases | goldens |
|---|---|---|---|
{areas}

## A case

The key is its slug; `<area>/<slug>` is its id and is never reused. `why` says what the case pins, `flags` what a
failure means, `requires` which requirements it exercises. `input` is what its request is made of; the ids in it come
from the row's golden where the area is `parse` or `bridge`, and what a case calls `new_messages`, a request `messages`.
{case}
## A golden

The key is the slug of its case. `outcome` is `ok` or `raises` (a conforming implementation refuses too). `expect` fits
`schema/<area>.expect.schema.json`. `pins` and `oracle` stand once, at the top of the file; a golden that differs says
so itself. `pins` are the sha256 of the row's template and tokenizer it was made with: compare them with
`models/<row>.toml` before you compare ids. `input_sha256` is the sha256 of `input` as JSON with sorted keys, no spaces,
non-ASCII characters as they are.

An oracle of ours may be wrong. So programs that others wrote are asked the same, each through an adapter like any
implementation: `witnesses` names those whose answer was compared with `expect` and equal, `name version`, with the
levels in which it was. `witnesses.toml` says how each is asked, and lists every answer that differs, with the reason
why the golden stands. A golden without `witnesses` has none. They are no part of a golden's hash.

Nor are `answers`: what the library of a model's publisher makes of the case (`by`, `name version`) where that differs,
in the `levels` that it names. It has `outcome` and `expect` like the golden, whose answer is the template's. Who
answers as the publisher does neither passes nor fails: count it apart.
{golden}
## Encodings

* A mask is a list of booleans or its run lengths: `F2T1` is `[false, false, true]`.
* Bytes that are not UTF-8 are `{{"hex": "..."}}`; minus infinity is `"-inf"`.
* Offsets count Unicode scalar values and are half-open.

## A run

For each golden of each file below `golden/`: find the case of the same area and slug, give its request to the
implementation with the row's template and tokenizer, and compare its result with `expect`, field by field. Where
`input` has `options`, the row's own (`[options]` in `models/<row>.toml`) stand below them; templates that read a clock
read {clock}. A case that is not supported is not a pass: count it apart. `tokenspec run --impl "cmd:YOUR PROGRAM"` does
all this over stdin and stdout, in any language.
"""


def readme(manifest: dict[str, Any], folder: Path) -> str:
    """The text for one folder."""
    counted = manifest["counts"]
    lines = [
        f"| {area.name} | `{area.operation}` | {counted[area.name]['cases']} | {counted[area.name]['goldens']} |"
        for area in areas().values()
        if counted[area.name]["cases"]
    ]
    return TEXT.format(
        fixture_version=manifest["fixture_version"],
        spec_version=manifest["spec_version"],
        clock=FROZEN.strftime("%Y-%m-%d %H:%M:%S"),
        list_path=manifest["file_list"]["path"],
        areas="\n".join(lines),
        case=_example(folder, "cases"),
        golden=_example(folder, "golden"),
    )


def _example(folder: Path, kind: str) -> str:
    """The first short entry of the first file of a kind, as it is, below what its file says for all."""
    for path in sorted((folder / kind).rglob("*.json")):
        value = read_json(path)
        for slug, entry in value["cases"].items():
            text = canonical_json({**value, "cases": {slug: entry}})
            if len(text) <= LONGEST_EXAMPLE:
                return f"\n`{path.relative_to(folder).as_posix()}`, one of its entries:\n\n```json\n{text}```\n"
    return "\n"
