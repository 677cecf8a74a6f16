"""One golden of the media area: ids from the processor, owners from differences of the template's own text."""

from __future__ import annotations

import hashlib
import io
from itertools import groupby
from typing import Any

import msgspec

from tokenspec.areas.bridge.oracle.golden import plain
from tokenspec.areas.media.oracle.faults import found_faults, stated_faults
from tokenspec.areas.media.oracle.processors import Processed, ProcessorRefuses, process
from tokenspec.areas.media.pictures import MEDIA_TYPES, bytes_of, media_parts, with_pictures, without_data
from tokenspec.areas.media.records import Hashes, MediaExpect, MediaInput, Next, Ranges, runs_of
from tokenspec.areas.media.settings import settings_of
from tokenspec.areas.refusal import Due
from tokenspec.areas.render.oracle.golden import Label, label_characters
from tokenspec.areas.render.records import RenderInput, SpanKind
from tokenspec.models import Row
from tokenspec.oracle.attribution import Undecidable
from tokenspec.oracle.token_bytes import token_starts
from tokenspec.oracle.transformers import OracleRefuses, TransformersOracle, effective_options, versions
from tokenspec.store.canonical import convert, input_sha256
from tokenspec.store.records import Case, Golden

Spans = list[tuple[SpanKind, int | None, int]]


def media_golden(case: Case, row: Row) -> Golden:
    """Ask the template for the text, and the processor for what becomes of it."""
    given = convert(case.input, MediaInput, where=f"{case.id}: input")
    header: dict[str, Any] = {
        "case": case.id,
        "row": row.id,
        "input_sha256": input_sha256(case.input),
        "pins": row.pins,
        "oracle": versions(),
    }
    stated = stated_faults(given, row)
    if stated:
        return Golden(**header, outcome="raises", error="stated", expect=plain(_before(given, row, stated)))
    try:
        expect = _rendered(given, row) if given.next is None else _bridged(given, row)
    except (OracleRefuses, ProcessorRefuses) as refusal:
        found = found_faults(given, row, processed)
        return Golden(**header, outcome="raises", error=refusal.kind, expect=plain(_before(given, row, found)))
    return Golden(**header, outcome="ok", expect=plain(expect))


def _before(given: MediaInput, row: Row, faults: list[Due]) -> MediaExpect:
    """What is refused, with what a bridge is given before it."""
    if given.next is None:
        return MediaExpect(faults=faults)
    known = _bridged(msgspec.structs.replace(given, next=Next(answer=given.next.answer, messages=[])), row)
    return msgspec.structs.replace(known, types=None, spans=[], unattributed=None, faults=faults)


def _rendered(given: MediaInput, row: Row) -> MediaExpect:
    made = processed(given, row, given.messages)
    spans, unattributed = _owners(given, row, given.messages, made)
    return MediaExpect(
        ids=runs_of(made.ids),
        types=None if made.types is None else runs_of(made.types),
        placeholders=ranges(row, made),
        hashes=hashes(given.messages),
        grids=made.grids,
        spans=spans,
        unattributed=unattributed,
    )


def _bridged(given: MediaInput, row: Row) -> MediaExpect:
    """The whole render, and where in it the prompt and the answer end."""
    assert given.next is not None
    following = [*given.messages, given.next.answer, *given.next.messages]
    prompt = processed(given, row, given.messages)
    whole = processed(given, row, following)
    count = len(prompt.ids)
    stops = {row.tokenizer.convert_tokens_to_ids(stop) for stop in row.spec.wire.stop}
    end = next((at + 1 for at in range(count, len(whole.ids)) if whole.ids[at] in stops), 0)
    if whole.ids[:count] != prompt.ids or not end:
        return MediaExpect(applies="the template does not continue its own prompt here")
    spans, unattributed = _owners(given, row, following, whole)
    before = len(given.messages) + 1
    return MediaExpect(
        ids=runs_of(whole.ids),
        prompt=count,
        completion=end - count,
        types=None if whole.types is None else runs_of(whole.types),
        placeholders=ranges(row, whole),
        hashes=hashes(following),
        known={kind: len(found) for kind, found in ranges(row, prompt).items()},
        spans=[(kind, None if message is None else message - before, n) for kind, message, n in _behind(spans, end)],
        unattributed=unattributed,
    )


def processed(given: MediaInput, row: Row, messages: list[Any]) -> Processed:
    """What the processor makes of the text of these messages.

    Raises:
        OracleRefuses: the template refuses them.
        ProcessorRefuses: the processor refuses text or media.
    """
    text = TransformersOracle(row).text(without_data(messages), given.tools, effective_options(row, given.options))
    images = [_image(part) for _, kind, part in media_parts(with_pictures(messages)) if kind == "image"]
    videos = [_video(part) for _, kind, part in media_parts(with_pictures(messages)) if kind == "video"]
    return process(row, settings_of(given.media, row.spec), text, images, videos)


def _image(part: dict[str, Any]) -> Any:
    """The picture of a part; a declared one has the size and nothing on it."""
    from PIL import Image
    from transformers.image_utils import load_image

    data = carried(part)
    if data:
        return load_image(Image.open(io.BytesIO(data[0])))  # it turns it upright
    return Image.new("L", (_declared(part, "width"), _declared(part, "height")))


def _declared(part: dict[str, Any], name: str) -> int:
    """A size that nobody can read off the medium itself."""
    if part.get(name) is None:
        raise ProcessorRefuses(ValueError(f"the part carries no picture, and says no {name}"))
    size: int = part[name]
    return size


def _video(part: dict[str, Any]) -> Any:
    from transformers.video_utils import VideoMetadata

    frames = carried(part)
    if frames:
        width, height = _image({"type": "image", "image": source_of(part)[0]}).size
    else:
        width, height = _declared(part, "width"), _declared(part, "height")
    return VideoMetadata(
        total_num_frames=len(frames) or part["total_num_frames"],
        fps=part.get("fps"),
        width=width,
        height=height,
        frames_indices=part.get("frames_indices"),
    )


def carried(part: dict[str, Any]) -> list[bytes]:
    """The bytes of the pictures that a part carries; what lies behind an address is not fetched."""
    source = source_of(part)
    found = source if isinstance(source, list) else [] if source is None else [source]
    return [data for data in map(bytes_of, found) if data is not None]


def source_of(part: dict[str, Any]) -> Any:
    """What a part gives of its medium."""
    source = next((part[name] for name in (*MEDIA_TYPES, "url") if part.get(name) is not None), None)
    return source.get("url") if isinstance(source, dict) else source


def hashes(messages: list[Any]) -> Hashes:
    """The hash of each medium: declared, else of its bytes, else None."""
    found: Hashes = {}
    for _, kind, part in media_parts(with_pictures(messages)):
        digests = [hashlib.sha256(data).hexdigest() for data in carried(part)]
        joined = hashlib.sha256("".join(digests).encode()).hexdigest()
        known = (joined if kind == "video" else digests[0]) if digests else None
        found.setdefault(kind, []).append(part.get("hash") or known)
    return found


def ranges(row: Row, made: Processed) -> Ranges:
    """Where the placeholders of each medium are, by the text that was written for it."""
    starts = _starts(row, made)
    found: Ranges = {}
    shift = 0
    for replaced in made.replacements:
        begin = replaced.start + shift
        end = begin + len(replaced.text)
        shift += len(replaced.text) - (replaced.end - replaced.start)
        own = [
            token
            for token, start in enumerate(starts)
            if begin <= start < end and made.ids[token] == made.tokens[replaced.kind]
        ]
        found.setdefault(replaced.kind, []).append((own[0], own[-1] + 1 - own[0]))
    return found


def _starts(row: Row, made: Processed) -> list[int]:
    starts = token_starts(row.tokenizer, made.ids, made.text)
    assert starts is not None, "the ids of the processor do not spell its text"
    return starts


def _owners(given: MediaInput, row: Row, messages: list[Any], made: Processed) -> tuple[Spans, str | None]:
    """The owners of the template's own text, laid over the expanded one: placeholders keep theirs."""
    logical, oracle = RenderInput(without_data(messages), given.tools, given.options), TransformersOracle(row)
    options = effective_options(row, given.options)
    text = oracle.text(logical.messages, given.tools, options)
    try:
        labels = label_characters(row, oracle, logical, options, text)
    except Undecidable as undecidable:
        return [], str(undecidable)
    starts, expanded, last = _starts(row, made), list[Label](), 0
    for replaced in made.replacements:
        expanded += labels[last : replaced.start]
        placeholder = text[replaced.start : replaced.end]
        expanded += _inside(replaced.text, placeholder, labels[replaced.start])
        last = replaced.end
    expanded += labels[last:]
    kinds = [expanded[start] if start < len(expanded) else ("scaffold", None) for start in starts]
    return [(kind, message, len(list(run))) for (kind, message), run in groupby(kinds)], None


def _inside(text: str, placeholder: str, label: Label) -> list[Label]:
    """Characters of placeholders have the placeholder's owner, all others are scaffold."""
    labels: list[Label] = []
    for position, piece in enumerate(text.split(placeholder)):
        labels += [label] * (len(placeholder) if position else 0) + [("scaffold", None)] * len(piece)
    return labels


def _behind(spans: Spans, start: int) -> Spans:
    """The spans without the first tokens."""
    kept: Spans = []
    for kind, message, count in spans:
        left = max(0, count - start)
        start = max(0, start - count)
        if left:
            kept.append((kind, message, left))
    return kept
