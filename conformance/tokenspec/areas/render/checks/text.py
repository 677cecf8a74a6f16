"""TEXT: the rendered text is the oracle's, byte for byte, and what the oracle refuses is refused."""

from __future__ import annotations

from tokenspec.adapters import Ok, Refused
from tokenspec.adapters.capability import Profile
from tokenspec.areas.check import NotComparable, NotGiven, Subject, Violation, check
from tokenspec.areas.difference import difference, first_difference
from tokenspec.areas.refusal import Due, due, refused
from tokenspec.areas.render.checks.laying import character_map, ids_of
from tokenspec.areas.render.checks.place import decode, encode
from tokenspec.areas.render.declared import declared_request
from tokenspec.areas.sources import is_another_source

CODES = ("template-raises", "invalid-messages", "invalid-input")
"""Of a refusal: the template's own, and those of what stands around it, for messages and tools, and for options."""


def text_of(subject: Subject) -> str:
    """The text the implementation gave, or what its ids decode to."""
    if subject.output.text is not None:
        return str(subject.output.text)
    return decode(subject, ids_of(subject))


def require_template(subject: Subject) -> None:
    """Raises NotComparable where the implementation declares a template of its own: its text is another one."""
    if subject.profile.template == "own":
        raise NotComparable("declares a template of its own")


def require_same_arguments(subject: Subject) -> None:
    """Raises NotComparable where calls came with arguments in another form than the one that the template refuses."""
    form = Profile(arguments=subject.profile.arguments)
    if declared_request(subject.request, form) != subject.request:
        raise NotComparable("declares arguments as text; what the template refuses may be that they are mappings")


@check("render.text", area="render", level="TEXT", requires=("RND-001",), kind="golden")
def text_is_byte_identical(subject: Subject) -> None:
    """The text equals the oracle's, byte for byte."""
    expected, got = subject.expect.text, text_of(subject)
    if got == expected:
        return
    require_template(subject)
    at = first_difference(expected, got)
    if subject.output.text is None and decode(subject, encode(subject, expected)) == got:
        raise NotComparable("gives no text, and this tokenizer's decode is not the inverse of its encode")
    where, kind = f"character {at} of {len(expected)}", "text"
    try:
        kind, message = character_map(subject).at(at)
        owner = f"message {message} " if message is not None else ""
        where += f", {owner}{kind}"
    except NotComparable:
        pass
    raise Violation(
        "the text differs from the oracle's",
        where=where,
        expected=repr(expected[max(0, at - 20) : at + 40]),
        got=repr(got[max(0, at - 20) : at + 40]),
        cause=f"{kind}: {difference(expected, got)}",
    )


@check("render.rejects", area="render", level="TEXT", requires=("RND-002",), kind="rejects")
def refuses_what_the_template_refuses(subject: Subject) -> None:
    """Where the template raises, so does the implementation: a rendering would train on what cannot be sampled."""
    golden = subject.cell.golden
    if isinstance(subject.outcome, Ok):
        require_template(subject)
        require_same_arguments(subject)
        raise Violation(
            "renders a conversation the template refuses",
            expected=f"a refusal (upstream raises {golden and golden.error})",
            got=f"a text that ends {text_of(subject)[-60:]!r}",
        )


@check("render.refusal", area="render", level="TEXT", requires=("RND-007",), kind="rejects")
def refusals_say_who_and_where(subject: Subject) -> None:
    """The code says who refuses, and the place, where one is given, what."""
    if not isinstance(subject.outcome, Refused):
        raise NotGiven("does not refuse (see RND-002)")
    golden, wrong = subject.cell.golden, due(subject).places
    if is_another_source(golden):
        raise NotComparable("another source than the template refuses")
    of_the_template = golden is not None and golden.error == "TemplateError" and not wrong
    codes = CODES[:1] if of_the_template else CODES
    told = ["/messages", "/tools", *(f"/options/{name}" for name in subject.request["options"])]
    got = refused(subject, Due("", wrong or told))
    if got.code not in codes:
        raise Violation("refused with another code", expected=" or ".join(codes), got=str(got))


@check("render.pure", area="render", level="TEXT", requires=("RND-012",))
def inputs_are_not_mutated(subject: Subject) -> None:
    """The conversation, tools and options come back as they went in."""
    if subject.mutated:
        raise Violation("the request was changed by the call", hint="copy messages before normalising them")


@check("render.repeatable", area="render", level="TEXT", requires=("RND-013",), kind="metamorphic")
def same_input_same_output(subject: Subject) -> None:
    """A second call gives the same output: no clock, no cache effect, no hidden state."""
    again = subject.output_of(subject.request)
    if again != subject.output:
        fields = [name for name in again.__struct_fields__ if getattr(again, name) != getattr(subject.output, name)]
        raise Violation("the second call on one input differs from the first", where=", ".join(fields))
