"""The typed shape of a certificate. A fact is ``section.name``; each is defined in ``spec/12-certificates.md``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec


def one_of(*words: str) -> msgspec.Meta:
    """One of these words, or that the template refused, with the class of its error."""
    return msgspec.Meta(pattern=f"^({'|'.join(words)}|refused: [A-Za-z]+)$")


Scenario = Literal[
    "plain",
    "tool_loop",
    "reasoning_in_loop",
    "reasoning_then_user",
    "loop_then_user",
    "parallel_tools",
    "system_mid",
]
Ending = Literal["question", "answer", "calls", "results", "loop"]
Said = Annotated[str, one_of("kept", "as system", "as user", "dropped")]
Body = Annotated[str, one_of("verbatim", "stripped( left| right)?", "as json", "altered", "dropped")]
Parts = Annotated[str, one_of("joined", "printed whole", "dropped")]
Shown = Annotated[str, one_of("shown", "dropped")]


class Fact(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the sections: frozen, unknown fields refused, every field written."""


class Break(Fact, frozen=True):
    """The first place where a property does not hold.

    ``after`` messages the text was ``was`` from character ``at`` on; one message later it is ``becomes`` (excerpts).
    ``owner`` is the message whose text was there.
    """

    after: int
    at: int
    owner: int
    was: str
    becomes: str


Property = Annotated[str, one_of("holds")] | Break


class Prompt(Fact, frozen=True):
    """The generation prompt."""

    text: str | None
    no_op: bool
    after_tool: str | None
    appends: bool
    trailing_space: str


class Variant(Fact, frozen=True):
    """Stability under one template keyword that the template reads: which scenarios then break."""

    prefix_stable: bool
    prefix_breaks: list[Scenario]
    coherence_breaks: list[Scenario]


class Calls(Fact, frozen=True):
    """Tool calls in an assistant message."""

    arguments: Literal["dict", "string", "either", "conflicting", "none"]
    as_dict: Shown
    as_string: Annotated[str, one_of("shown", "dropped", "quoted twice")]
    beside_content: Shown
    content_none: Annotated[str, one_of("shown", "dropped", "prints None")]
    booleans: Literal["json", "python", "other"] | None
    key_order: Literal["given", "other"] | None
    non_ascii: Literal["raw", "escaped", "other"] | None


class Tools(Fact, frozen=True):
    """The list of tools, and tool results."""

    shown: Shown
    empty_list: Annotated[str, one_of("as none", "differs")]
    results: Annotated[str, one_of("in the order given", "in the order of calls")]
    told_apart: Literal["by id", "by order of calls", "not at all"] | None


class Reasoning(Fact, frozen=True):
    """What becomes of the reasoning of an assistant message."""

    final: Said
    in_loop: Said
    history: Said
    inline_history: Said


class System(Fact, frozen=True):
    """Text nobody wrote: before the conversation, and as a default system prompt."""

    default: str | None
    preamble: str


class Date(Fact, frozen=True):
    """Whether the text depends on today's date."""

    depends: bool
    was: str = ""
    becomes: str = ""


class Stop(Fact, frozen=True):
    """What the sampled region of an assistant turn ends with."""

    final: str
    before_user: str
    before_tool: str
    trained: bool


class Template(Fact, frozen=True):
    """Facts of the template's source: template keywords it reads, and whether it marks generated text."""

    reads: list[str]
    generation_tags: bool


class Tokens(Fact, frozen=True):
    """Facts of the tokenizer beside the template."""

    bos_in_text: int
    encode_adds: tuple[list[int], list[int]]
    stop_ids: dict[str, list[int]]


class Facts(Fact, frozen=True):
    """All sections. Dictionaries are keyed by scenario, role or keyword."""

    prefix: dict[Scenario, Property]
    coherence: dict[Scenario, Property]
    prefix_stable: bool
    variants: dict[str, Variant]
    prompt: Prompt
    calls: Calls
    tools: Tools
    roles: dict[str, Said]
    content: dict[str, Body]
    parts: dict[str, Parts]
    reasoning: Reasoning
    losses: dict[Ending, str]
    system: System
    date: Date
    stop: Stop
    template: Template
    tokens: Tokens | None


class Review(Fact, frozen=True):
    """A person looked at changed facts: ``facts`` names them, ``reason`` says why the change is right."""

    date: str
    reason: str
    facts: list[str]


class Certificate(Fact, frozen=True):
    """The facts of one row, what they depend on, who measured them and who reviewed them."""

    row: str
    pins: dict[str, str]
    options: dict[str, Any]
    oracle: dict[str, str]
    facts: Facts
    reviewed: list[Review]


def flat(facts: Facts) -> dict[str, Any]:
    """Every fact by its name: ``prefix.plain``, ``calls.arguments``, ``variants.enable_thinking=false`` ..."""
    found: dict[str, Any] = {}
    for section, value in msgspec.to_builtins(facts).items():
        if isinstance(value, dict):
            found |= {f"{section}.{name}": fact for name, fact in value.items()}
        elif value is not None:
            found[section] = value
    return found
