"""Many traces: JSON lines in, JSON lines out, in order; what is there already is not done again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from tokenspec_reference.engines.errors import InvalidParameter
from tokenspec_reference.engines.segmentation import Segmentation
from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.surrogates import has_lone_surrogate

AT_ONCE = 256  # lines read, segmented and written together

SegmentMany = Callable[[list[str]], Sequence[Segmentation]]


def as_json(result: Segmentation) -> dict[str, Any]:
    """A segmentation as the command writes it."""
    curve = result.curve
    return {
        "offsets": [list(pair) for pair in result.offsets],
        "labels": result.labels,
        "token_spans": [list(pair) for pair in result.token_spans],
        "threshold": curve.threshold if curve else None,
        "margin": result.margin,
        "close": list(result.close),
        "forwards": result.forwards,
    }


def done_lines(path: Path) -> int:
    """How many whole lines an output has; half a line at its end, left by a run that was killed, is cut off.

    Raises:
        InvalidParameter: a line of it is no JSON.
    """
    if not path.exists():
        return 0
    content = path.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        with path.open("r+b") as stream:
            stream.truncate(len(whole))
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            json.loads(line)
        except ValueError as error:
            raise InvalidParameter(
                f"line {number} of {path.name} is no JSON; give another output", field="output"
            ) from error
    return whole.count(b"\n")


def segment_lines(
    lines: Iterable[str | bytes],
    segment_many: SegmentMany,
    *,
    field: str = "trace",
    skip: int = 0,
    at_once: int = AT_ONCE,
) -> Iterator[str]:
    """One line of JSON for each of ``lines`` but the first ``skip``: its other fields, and the segmentation.

    A line is an object with the text in ``field``, or the text itself as a JSON string; bytes are UTF-8. A line that
    cannot be read or segmented gets ``error`` and ``code`` in place of a segmentation; the others go on. Half of a
    surrogate pair in another field comes back escaped, as it was written.
    """
    rest = iter(lines)
    for _ in islice(rest, skip):
        pass
    while chunk := list(islice(rest, at_once)):
        read = [_read(line, field) for line in chunk]
        texts = [text for _, text in read if isinstance(text, str)]
        answers = iter(_answers(texts, segment_many))
        for others, text in read:
            answer = next(answers) if isinstance(text, str) else text
            written = json.dumps({**others, **answer}, ensure_ascii=False)
            yield json.dumps({**others, **answer}) if has_lone_surrogate(written) else written


def _read(line: str | bytes, field: str) -> tuple[dict[str, Any], str | dict[str, Any]]:
    """The other fields of a line and its text, or what is wrong with it."""
    try:
        found = json.loads(line)
    except UnicodeDecodeError as error:
        return {}, _error(InvalidParameter(f"the line is not UTF-8 (byte {error.start})", field=field))
    except ValueError as error:
        return {}, _error(InvalidParameter(f"the line is no JSON ({error})", field=field))
    except RecursionError:
        return {}, _error(InvalidParameter("the line is nested too deeply", field=field))
    if isinstance(found, str):
        return {}, _text(found, field)
    if not isinstance(found, Mapping) or not isinstance(found.get(field), str):
        return {}, _error(InvalidParameter("expected an object with a text in this field", field=field))
    return {name: value for name, value in found.items() if name != field}, _text(str(found[field]), field)


def _text(text: str, field: str) -> str | dict[str, Any]:
    """A trace, or why no tokenizer takes it."""
    if has_lone_surrogate(text):
        return _error(InvalidParameter("the text holds half of a surrogate pair, which is no character", field=field))
    return text


def _answers(texts: list[str], segment_many: SegmentMany) -> list[dict[str, Any]]:
    """All at once; when one is refused, or breaks an engine or a model, one by one."""
    try:
        return [as_json(result) for result in segment_many(texts)]
    except TokenSpecError as error:
        if len(texts) == 1:
            return [_error(error)]
    except Exception as error:  # noqa: BLE001 - what one trace does to a foreign model costs that trace alone
        if len(texts) == 1:
            return [{"error": f"{type(error).__name__}: {error}", "code": "engine-failed"}]
    return [answer for text in texts for answer in _answers([text], segment_many)]


def _error(error: TokenSpecError) -> dict[str, Any]:
    return {"error": str(error), "code": error.rejection_code}
