"""MASKS: whose token is it, is it body, would the model have emitted it; over the implementation's own tokens."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence

from tokenspec.areas.check import Applies, NotComparable, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.render.checks.laying import BODY, CharacterMap, Label, ids_of, laid, laid_canonically
from tokenspec.areas.render.checks.place import (
    count_of,
    describe,
    expected_labels,
    labels_of,
    role_of,
    row_of,
    show,
)

PER_TOKEN = ("message_indices", "sampled_mask", "is_content")


def mask_of(subject: Subject, name: str) -> list[bool]:
    """A mask of the output, of the right length."""
    mask: list[bool] | None = subject.output.mask(name)
    if mask is None:
        raise NotGiven(f"gives no {name}")
    if len(mask) != len(ids_of(subject)):
        raise NotComparable(f"{name} has the wrong length (see RND-020)")
    return mask


def indices_of(subject: Subject) -> list[int]:
    """The message indices of the output, of the right length."""
    indices: list[int] | None = subject.output.message_indices
    if indices is None or (not indices and subject.output.token_ids):
        raise NotGiven("gives no message_indices")
    if len(indices) != len(ids_of(subject)):
        raise NotComparable("message_indices has the wrong length (see RND-020)")
    return indices


MARKED = {"is_content": BODY, "sampled_mask": frozenset({"sampled"})}
"""What each mask marks."""


def require_masks(subject: Subject, when: str) -> None:
    """Both masks of another answer are what the oracle says of its tokens.

    Raises:
        Violation: the first token of which one is wrong.
        NotGiven, NotComparable: as ``mask_of`` and ``labels_of``.
    """
    labels = labels_of(subject)
    for name, kinds in MARKED.items():
        for token, (marked, (kind, _)) in enumerate(zip(mask_of(subject, name), labels, strict=True)):
            if kind != "unattributed" and marked != (kind in kinds):
                raise Violation(f"{name} is wrong {when}", where=describe(subject, token), expected=kind, got=marked)


def expects(kinds: Container[str]) -> Applies:
    """A canonical token is of one of these kinds, or the oracle cannot tell."""

    def applies(question: Question) -> bool:
        labels = expected_labels(question)
        return labels is None or any(kind in kinds for kind, _ in labels)

    return applies


def has_role(question: Question, role: str) -> bool:
    """Whether a message of the caller has this role."""
    return any(role_of(question, message) == role for message in range(count_of(question)))


def has_an_assistant(question: Question) -> bool:
    """A message is the assistant's."""
    return has_role(question, "assistant")


def has_tokens(question: Question) -> bool:
    """There is something to mask: a template may print nothing at all."""
    return bool(question.expect.token_ids)


@check("render.mask-lengths", area="render", level="MASKS", requires=("RND-020",), kind="outline", applies=has_tokens)
def lists_are_parallel_to_ids(subject: Subject) -> None:
    """Every per-token list given is as long as token_ids."""
    output, ids = subject.output, ids_of(subject)
    given = {name: output.mask(name) if name != "message_indices" else output.message_indices for name in PER_TOKEN}
    if not any(given.values()):
        raise NotGiven("gives no masks")
    for name, values in given.items():
        if values and len(values) != len(ids):
            raise Violation(f"{name} is not parallel to token_ids", expected=len(ids), got=len(values))


@check("render.message-indices", area="render", level="MASKS", requires=("RND-021",), applies=has_tokens)
def indices_name_messages(subject: Subject) -> None:
    """Every index is -1 or a caller's message, and every body token carries its own message's index."""
    indices, count = indices_of(subject), count_of(subject)
    for token, index in enumerate(indices):
        if not -1 <= index < count:
            raise Violation(
                "an index names no message",
                where=describe(subject, token),
                expected=f"-1 .. {count - 1}",
                got=index,
            )
    for token, (kind, message) in enumerate(labels_of(subject)):
        if kind in BODY and indices[token] != message:
            raise Violation(
                "a body token carries another message's index",
                where=describe(subject, token),
                expected=message,
                got=indices[token],
            )


def injects_a_turn(question: Question) -> bool:
    """A whole turn stands before the body of the first message, or the oracle cannot tell."""
    return question.expect.unattributed is not None or end_of_injected_turn(question) is not None


@check("render.injected-system", area="render", level="MASKS", requires=("RND-021",), applies=injects_a_turn)
def an_injected_turn_is_no_message(subject: Subject) -> None:
    """A whole turn that stands before the body of the first message belongs to no message."""
    tokens, indices = laid(subject), indices_of(subject)
    end = end_of_injected_turn(subject) or 0
    if tokens.text[:end] != subject.expect.text[:end]:
        raise NotComparable("begins with another turn than the one the template injects")
    for token, (start, stop) in enumerate(zip(tokens.starts, tokens.ends, strict=True)):
        if stop <= end and indices[token] != -1:
            raise Violation(
                "a turn the template injects carries a message's index",
                where=describe(subject, token),
                expected=-1,
                got=indices[token],
            )
        if start >= end:
            break


def end_of_injected_turn(question: Question) -> int | None:
    """Where the turn ends that the template puts before the first message; None where there is none.

    Behind its closer the first message's own header begins, and shares a control token with the header in front. A
    closer without such a header behind it is that header itself (tags that end the turn before them), and one in the
    name of a role is the caller's. Messages whose body is not printed have a turn each, before the first that has one.
    """
    before = ""
    for kind, message, _, text in question.expect.spans:
        if kind != "scaffold":
            first_body = message
            break
        before += text
    else:
        return None
    stated = question.input.get("turns") or {}
    stops = stated.get("assistant_close", row_of(question).spec.wire.assistant_close)
    closers = [closer for closer in stops if closer in before]
    if first_body is None or first_body < 0 or any(closer in str(role_of(question, 0)) for closer in closers):
        return None
    ends = sorted(found.end() for closer in closers for found in re.finditer(re.escape(closer), before))
    if len(ends) <= first_body:
        return None
    end = ends[-1 - first_body]
    control = set(row_of(question).vocabulary.get_added_vocab()) - set(closers)
    return end if any(token in before[:end] and token in before[end:] for token in control) else None


@check(
    "render.content-body",
    area="render",
    level="MASKS",
    requires=("RND-022",),
    kind="golden",
    applies=expects({"content"}),
)
def content_run_is_the_body(subject: Subject) -> None:
    """For each user, system and tool message, the tokens marked content spell exactly its body."""
    mask, labels = mask_of(subject, "is_content"), labels_of(subject)
    judged = [token for token, (kind, _) in enumerate(labels) if kind not in {"sampled", "unattributed"}]
    if not any(labels[token][0] == "content" for token in judged):
        raise NotComparable("no token of these ids is content (see RND-010)")
    for token in judged:
        kind, message = labels[token]
        if mask[token] != (kind == "content"):
            ids = ids_of(subject)
            raise Violation(
                "scaffold is marked as content" if mask[token] else "body is not marked as content",
                where=describe(subject, token),
                expected=f"content of message {message}" if kind == "content" else kind,
                got=show(subject, ids[max(0, token - 1) : token + 2]),
            )


@check("render.assistant-masks-agree", area="render", level="MASKS", requires=("RND-023",), applies=has_an_assistant)
def masks_agree_on_the_assistant(subject: Subject) -> None:
    """On every token of an assistant message the two masks are equal."""
    content, sampled, indices = (
        mask_of(subject, "is_content"),
        mask_of(subject, "sampled_mask"),
        indices_of(subject),
    )
    assistant = [token for token, index in enumerate(indices) if index >= 0 and role_of(subject, index) == "assistant"]
    if not assistant:
        raise NotComparable("no token carries the index of an assistant message (see RND-021)")
    for token in assistant:
        if content[token] != sampled[token]:
            raise Violation(
                "is_content differs from sampled_mask in an assistant message",
                where=describe(subject, token),
                expected=sampled[token],
                got=content[token],
            )


@check("render.sampled-is-content", area="render", level="MASKS", requires=("RND-024",), applies=has_an_assistant)
def sampled_implies_content(subject: Subject) -> None:
    """A sampled token is content, everywhere."""
    content, sampled = mask_of(subject, "is_content"), mask_of(subject, "sampled_mask")
    if not any(sampled):
        raise NotComparable("no token is sampled (see RND-029)")
    for token, (is_sampled, is_content) in enumerate(zip(sampled, content, strict=True)):
        if is_sampled and not is_content:
            raise Violation("a sampled token is not content", where=describe(subject, token))


@check("render.generation-prompt", area="render", level="MASKS", requires=("RND-025",), applies=expects({"prompt"}))
def generation_prompt_is_scaffold(subject: Subject) -> None:
    """No token of the generation prompt is content or sampled."""
    labels = labels_of(subject)
    prompt = [token for token, (kind, _) in enumerate(labels) if kind == "prompt"]
    if not prompt:
        raise NotComparable("no token of these ids is generation prompt (see RND-010)")
    masks = [mask for name in ("is_content", "sampled_mask") if (mask := subject.output.mask(name))]
    if not masks:
        raise NotGiven("gives no masks")
    for token in prompt:
        if any(len(mask) > token and mask[token] for mask in masks):
            raise Violation(
                "the generation prompt is marked",
                where=describe(subject, token),
                expected="scaffold",
                got=show(subject, ids_of(subject)[token : token + 1]),
            )


@check(
    "render.sampled-only-assistant", area="render", level="MASKS", requires=("RND-026",), applies=expects({"content"})
)
def only_the_assistant_samples(subject: Subject) -> None:
    """Outside the assistant's turns nothing is sampled."""
    sampled, labels = mask_of(subject, "sampled_mask"), labels_of(subject)
    others = [token for token, (kind, _) in enumerate(labels) if kind == "content"]
    if not others:
        raise NotComparable("no token of these ids is content (see RND-010)")
    for token in others:
        if sampled[token]:
            raise Violation("a token of another role is sampled", where=describe(subject, token))


def straddles(characters: CharacterMap, start: int, end: int) -> bool:
    """Whether a token lies over a seam of scaffold and body."""
    return len({characters.at(at)[0] in BODY for at in range(start, end)}) > 1


def has_straddling_tokens(question: Question) -> bool:
    """A canonical token lies over a seam, or the oracle cannot tell."""
    tokens = laid_canonically(question)
    if tokens is None:
        return True
    return any(straddles(tokens.characters, *ends) for ends in zip(tokens.starts, tokens.ends, strict=True))


@check(
    "render.straddling-token",
    area="render",
    level="MASKS",
    requires=("RND-027",),
    kind="golden",
    applies=has_straddling_tokens,
)
def straddling_tokens_follow_the_rule(subject: Subject) -> None:
    """A token over a seam of scaffold and body is attributed by the rule the row names."""
    mask, tokens, labels = mask_of(subject, "is_content"), laid(subject), labels_of(subject)
    straddling = False
    for token, (start, end) in enumerate(zip(tokens.starts, tokens.ends, strict=True)):
        if not straddles(tokens.characters, start, end):
            continue
        straddling = True
        wanted = labels[token][0] in BODY
        if mask[token] != wanted:
            raise Violation(
                f"a straddling token does not follow the row's rule, {row_of(subject).spec.wire.straddle}",
                where=describe(subject, token),
                expected="content" if wanted else "scaffold",
                got=show(subject, ids_of(subject)[token : token + 1]),
            )
    if not straddling:
        raise NotComparable("no token of these ids lies over a seam (see RND-010)")


def openers_of(labels: Sequence[Label]) -> list[int]:
    """The last token before each body."""
    return [
        token - 1
        for token in range(1, len(labels))
        if labels[token][0] in BODY and labels[token - 1][0] in {"scaffold", "prompt"}
    ]


def has_openers(question: Question) -> bool:
    """A canonical token stands before a body, or the oracle cannot tell."""
    labels = expected_labels(question)
    return labels is None or bool(openers_of(labels))


@check("render.role-tag", area="render", level="MASKS", requires=("RND-028",), applies=has_openers)
def role_tags_are_scaffold(subject: Subject) -> None:
    """The token before a body (the end of its opener) is not content, nor is the very first token of the text."""
    mask, labels = mask_of(subject, "is_content"), labels_of(subject)
    openers = openers_of(labels)
    if not openers:
        raise NotComparable("no token of these ids stands before a body (see RND-010)")
    for token in openers:
        if mask[token]:
            raise Violation(
                "the opener of a message is marked as content",
                where=describe(subject, token),
                got=show(subject, ids_of(subject)[token : token + 2]),
            )


@check(
    "render.sampled-region",
    area="render",
    level="MASKS",
    requires=("RND-029",),
    kind="golden",
    applies=has_an_assistant,
)
def sampled_region_is_exact(subject: Subject) -> None:
    """Sampled is what the model emits: after the opener or generation prompt, through the stop token."""
    sampled, labels = mask_of(subject, "sampled_mask"), labels_of(subject)
    for token, (kind, _) in enumerate(labels):
        if kind != "unattributed" and sampled[token] != (kind == "sampled"):
            raise Violation(
                "a token the model never emits is marked as sampled"
                if sampled[token]
                else "a token the model emits is not marked as sampled",
                where=describe(subject, token),
                expected=kind,
                got=show(subject, ids_of(subject)[max(0, token - 1) : token + 2]),
            )
