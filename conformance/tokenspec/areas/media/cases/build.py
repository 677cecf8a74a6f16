"""Parts with media, and the one function that makes a case of them."""

from __future__ import annotations

from typing import Any

from tokenspec.areas.render.cases.build import Message, Tool, infer_features
from tokenspec.store.records import Case

IDS = ("RND-090", "RND-092", "RND-093", "RND-094", "RND-095")
REFUSED = ("RND-091",)
BRIDGED = ("RND-059", "RND-096", "RND-097")
OTHER_HASH = "sha256 of the caller's own making"


def declared(width: int, height: int, **more: Any) -> dict[str, Any]:
    """A picture of which only the size is known."""
    return {"type": "image", "width": width, "height": height, **more}


def picture(width: int, height: int, shade: int = 0, kind: str = "image") -> dict[str, Any]:
    """A picture that is there, written by `areas/media/pictures.py`."""
    return {"type": kind, "picture": [width, height, shade]}


def elsewhere(kind: str, **more: Any) -> dict[str, Any]:
    """A medium behind an address, of which nothing is fetched."""
    where = f"https://example.org/rome.{'mp4' if 'video' in kind else 'png'}"
    return {"type": kind, kind: {"url": where} if kind.endswith("_url") else where, **more}


def video(frames: int, fps: float | None, width: int, height: int, **more: Any) -> dict[str, Any]:
    """A video of which size and frames are known."""
    rate = {} if fps is None else {"fps": fps}
    return {"type": "video", "total_num_frames": frames, **rate, "width": width, "height": height, **more}


def frames(*pictures: tuple[int, int, int], **more: Any) -> dict[str, Any]:
    """A video as a list of pictures."""
    return {"type": "video", "pictures": [list(one) for one in pictures], **more}


def media(
    slug: str,
    why: str,
    messages: list[Message],
    *flags: str,
    requires: tuple[str, ...] = IDS,
    tools: list[Tool] | None = None,
    options: dict[str, Any] | None = None,
    numbers: dict[str, dict[str, float]] | None = None,
    features: tuple[str, ...] | None = None,
    rows: list[str] | None = None,
    told: bool = True,
) -> Case:
    """One conversation to be rendered with its media expanded."""
    extra: dict[str, Any] = {} if numbers is None else {"media": numbers}
    if not told:
        extra["told"] = False
    return _case(slug, why, messages, flags, requires, tools, options, features, rows, extra)


def bridge(
    slug: str,
    why: str,
    messages: list[Message],
    answer: Message,
    new_messages: list[Message],
    *flags: str,
    requires: tuple[str, ...] = BRIDGED,
    tools: list[Tool] | None = None,
    options: dict[str, Any] | None = None,
    named: bool = True,
    rows: list[str] | None = None,
) -> Case:
    """One bridge: a conversation with generation prompt, what was sampled, and what follows."""
    extra: dict[str, Any] = {"next": {"answer": answer, "messages": new_messages}}
    if not named:
        extra["named"] = False
    prompted = {**(options or {}), "add_generation_prompt": True}
    return _case(slug, why, messages, flags, requires, tools, prompted, None, rows, extra)


def _case(
    slug: str,
    why: str,
    messages: list[Message],
    flags: tuple[str, ...],
    requires: tuple[str, ...],
    tools: list[Tool] | None,
    options: dict[str, Any] | None,
    features: tuple[str, ...] | None,
    rows: list[str] | None,
    extra: dict[str, Any],
) -> Case:
    case_input: dict[str, Any] = {"messages": messages, **extra}
    if tools is not None:
        case_input["tools"] = tools
    if options:
        case_input["options"] = options
    following = extra.get("next", {"answer": {"role": "user"}, "messages": []})
    inferred = infer_features([*messages, following["answer"], *following["messages"]], tools)
    return Case(
        id=f"media/{slug}",
        area="media",
        flags=["MULTIMODAL", *flags],
        requires=sorted(requires),
        features=list(inferred if features is None else features),
        why=why,
        since="0.1",
        rows=rows,
        input=case_input,
    )
