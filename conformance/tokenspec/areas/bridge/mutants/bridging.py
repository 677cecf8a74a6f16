"""Broken bridges: a faultless one with one small edit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tokenspec.areas.bridge.mutants.golden_echo import GoldenEcho, Request, Result, between_of, bridged
from tokenspec.areas.mutant import Mutant
from tokenspec.models import load

Expect = dict[str, Any]
Answer = Callable[[Request, Expect], Result]
Edit = Callable[[Expect, Result], None]


class Rebuilt(GoldenEcho):
    """Builds the answer in another way."""

    def __init__(self, build: Answer) -> None:
        self.build = build

    def answer(self, request: Request, expect: Expect) -> Result:
        """The broken answer."""
        return self.build(request, expect)


class Edited(GoldenEcho):
    """Edits the right answer."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit

    def answer(self, request: Request, expect: Expect) -> Result:
        """The right answer, then the edit."""
        result = super().answer(request, expect)
        self.edit(expect, result)
        return result


class NeverDeclines(GoldenEcho):
    """Appends something behind everything."""

    def bridge(self, request: Request) -> Result:
        """Prompt and completion where it has to decline."""
        result = super().bridge(request)
        if result["token_ids"] is None:
            result["token_ids"] = [*request["prompt_ids"], *request["completion_ids"]]
        return result


def retokenised(request: Request, expect: Expect) -> Result:
    tokenizer = load(request["model"]).tokenizer
    text = tokenizer.decode(expect["completion_ids"])
    completion = list(tokenizer(text, add_special_tokens=False)["input_ids"])
    return bridged(expect, completion, between_of(request, expect), expect["suffix_ids"])


def shorter_with_a_given_template(request: Request, expect: Expect) -> Result:
    suffix = expect["suffix_ids"][: -1 if "chat_template" in request["options"] else None]
    return bridged(expect, expect["completion_ids"], between_of(request, expect), suffix)


def cut_at_first_stop(request: Request, expect: Expect) -> Result:
    row = load(request["model"])
    stops = {row.tokenizer.convert_tokens_to_ids(stop) for stop in row.spec.wire.stop}
    completion = expect["completion_ids"]
    end = next((n + 1 for n, token in enumerate(completion) if token in stops), len(completion))
    return bridged(expect, completion[:end], between_of(request, expect), expect["suffix_ids"])


def without_separator(request: Request, expect: Expect) -> Result:
    return bridged(expect, expect["completion_ids"], between_of(request, expect), expect["suffix_ids"][1:])


def closed_without_separator(request: Request, expect: Expect) -> Result:
    return (without_separator if between_of(request, expect) else GoldenEcho().answer)(request, expect)


def never_closed(request: Request, expect: Expect) -> Result:
    del request
    return bridged(expect, expect["completion_ids"], [], expect["suffix_ids"])


def always_closed(request: Request, expect: Expect) -> Result:
    close = load(request["model"]).spec.wire.assistant_close[0]
    ids = list(load(request["model"]).tokenizer(close, add_special_tokens=False)["input_ids"])
    between = between_of(request, expect)
    return bridged(expect, expect["completion_ids"], between or ids, expect["suffix_ids"])


def open_thought(request: Request, expect: Expect) -> Result:
    return never_closed(request, {**expect}) if expect["closers"] is None else GoldenEcho().answer(request, expect)


def thought_closed_twice(request: Request, expect: Expect) -> Result:
    between = between_of(request, expect)
    twice = between * 2 if expect["closers"] is None else between
    return bridged(expect, expect["completion_ids"], twice, expect["suffix_ids"])


def without_generation_prompt(request: Request, expect: Expect) -> Result:
    spans = expect["spans"]
    tokens = spans[-1][2] if spans and spans[-1][0] == "prompt" else 0
    suffix = expect["suffix_ids"]
    return bridged(expect, expect["completion_ids"], between_of(request, expect), suffix[: len(suffix) - tokens])


def completion_sampled(expect: Expect, result: Result) -> None:
    start = len(expect["prompt_ids"])
    for at in range(start, start + len(expect["completion_ids"])):
        result["sampled_mask"][at] = True


def completion_content(expect: Expect, result: Result) -> None:
    start = len(expect["prompt_ids"])
    for at in range(start, start + len(expect["completion_ids"])):
        result["is_content"][at] = True


def scaffold_content(expect: Expect, result: Result) -> None:
    total = len(result["token_ids"])
    for at in range(total - len(expect["suffix_ids"]), total):
        result["is_content"][at] = True


def first_body_token_lost(expect: Expect, result: Result) -> None:
    del expect
    if True in result["is_content"]:
        result["is_content"][result["is_content"].index(True)] = False


def indices_of_history(expect: Expect, result: Result) -> None:
    del expect
    result["message_indices"] = [index + 1 if index >= 0 else index for index in result["message_indices"]]


def short_mask(expect: Expect, result: Result) -> None:
    del expect
    result["sampled_mask"].pop()


def rebuilt(id_: str, breaks: str, note: str, build: Answer) -> Mutant:
    """A mutant that builds its answer wrongly."""
    return Mutant(f"bridge-{id_}", "bridge", tuple(breaks.split()), note, lambda: Rebuilt(build))


def edited(id_: str, breaks: str, note: str, edit: Edit) -> Mutant:
    """A mutant that edits the right answer."""
    return Mutant(f"bridge-{id_}", "bridge", tuple(breaks.split()), note, lambda: Edited(edit))


MUTANTS: tuple[Mutant, ...] = (
    rebuilt("retokenises", "RND-050", "decodes the completion and encodes it again", retokenised),
    rebuilt("given-template", "RND-005", "loses a token where a template is given", shorter_with_a_given_template),
    rebuilt("cuts-at-stop", "RND-057", "drops what was sampled behind the first stop token", cut_at_first_stop),
    Mutant("bridge-never-declines", "bridge", ("RND-051",), "returns the prior ids instead of nothing", NeverDeclines),
    rebuilt("no-separator", "RND-052", "loses the first token behind the stop token", without_separator),
    rebuilt("no-separator-when-cut", "RND-052", "the same behind a turn it had to close", closed_without_separator),
    rebuilt("never-closes", "RND-053", "leaves a cut turn open", never_closed),
    rebuilt("always-closes", "RND-052 RND-053", "closes a turn that has ended", always_closed),
    rebuilt("open-thought", "RND-054", "begins the next turn inside the thought", open_thought),
    rebuilt("thought-closed-twice", "RND-054", "closes an open thought twice", thought_closed_twice),
    rebuilt("no-generation-prompt", "RND-058", "ends behind the last new message", without_generation_prompt),
    edited("sampled-completion", "RND-055", "marks the completion as sampled by this call", completion_sampled),
    edited("content-completion", "RND-055", "marks the completion as content", completion_content),
    edited("short-mask", "RND-055", "gives a mask that is one token short", short_mask),
    edited("scaffold-content", "RND-056", "marks the whole suffix as content", scaffold_content),
    edited("first-body-token", "RND-056", "forgets the first token of a body", first_body_token_lost),
    edited("indices-of-history", "RND-056", "counts messages from the history's last", indices_of_history),
)
