"""TEXT, asked for in other ways: options have the effect they have in the oracle, messages are prepared its way.

Neither asks whether the text is right: that is RND-001's alone.
"""

from __future__ import annotations

from dataclasses import replace

import msgspec

from tokenspec.adapters import Ok
from tokenspec.areas.check import NotComparable, NotGiven, Question, Subject, Violation, check
from tokenspec.areas.oracle_version import CURRENT, EARLIER, OracleVersion, golden_by
from tokenspec.areas.render.checks.text import require_template, text_of
from tokenspec.areas.render.options import given_options, without_option
from tokenspec.areas.render.profiles import profiles_of
from tokenspec.areas.sources import is_another_source


def effects(question: Question) -> dict[str, bool]:
    """Per option of the case whether it changes the oracle's text; empty under a source that was not asked."""
    unasked = question.cell.normalisation is not None or is_another_source(question.cell.golden)
    committed = None if unasked else profiles_of(question.cell.row)
    listed = {entry.option: entry for entry in committed.effects} if committed is not None else {}
    slug, given = question.cell.case.slug, [listed[name] for name in given_options(question.input) if name in listed]
    return {entry.option: entry.changes != (slug in entry.apart) for entry in given if slug not in entry.refused}


def has_effects(question: Question) -> bool:
    """The case gives an option of which the effect is known."""
    return bool(effects(question))


@check("render.options", area="render", level="TEXT", requires=("RND-003",), kind="metamorphic", applies=has_effects)
def options_have_their_effect(subject: Subject) -> None:
    """Without an option the text is another one where the oracle's is, and the same where the oracle's is."""
    require_template(subject)
    cell, own = subject.cell, text_of(subject)
    for name, changes in effects(subject).items():
        case = msgspec.structs.replace(cell.case, input=without_option(cell.case.input, name))
        outcome = subject.call(cell.area.request(case, cell.row))
        if not isinstance(outcome, Ok):
            raise NotComparable(f"no answer without the option {name}: {outcome}")
        other = text_of(replace(subject, output=outcome.output))
        if changes and other == own:
            expected, got = "another text than without it", repr(own[-60:])
            raise Violation(f"the option {name} has no effect", where=name, expected=expected, got=got)
        if not changes and other != own:
            raise Violation(
                f"the option {name} has an effect",
                where=name,
                expected=repr(own[-60:]),
                got=repr(other[-60:]),
                hint="a keyword the template does not read changes nothing",
            )


def other_version(question: Question) -> OracleVersion:
    """The oracle that the cell is not judged by."""
    return EARLIER if question.cell.normalisation is None else CURRENT


def text_otherwise(question: Question) -> str | None:
    """The text of the other normalisation where it is another one."""
    other = golden_by(other_version(question), question.cell)
    if other is None or other.expect is None:
        return None
    text = "".join(span[3] for span in other.expect["spans"])
    return None if text == question.expect.text else text


def is_prepared_in_two_ways(question: Question) -> bool:
    """The two normalisations give two texts."""
    return text_otherwise(question) is not None


@check("render.normalisation", area="render", level="TEXT", requires=("RND-004",), applies=is_prepared_in_two_ways)
def messages_are_prepared_as_named(subject: Subject) -> None:
    """The text is not that of messages prepared in the other way."""
    got = text_of(subject)
    require_template(subject)
    if got == text_otherwise(subject):
        raise Violation(
            "the messages are prepared as another transformers does",
            expected=repr(subject.expect.text[-60:]),
            got=repr(got[-60:]),
            hint="null keys, the names of reasoning and values that are no JSON: see hf4 and hf5 at RND-004",
        )
    if got != subject.expect.text:
        raise NotComparable("the text of neither normalisation (see RND-001)")


@check(
    "render.other-normalisation", area="render", level="TEXT", requires=("RND-004",), applies=is_prepared_in_two_ways
)
def messages_are_prepared_as_asked(subject: Subject) -> None:
    """Asked for the other normalisation, the text is its."""
    require_template(subject)
    asked = other_version(subject).normalisation
    got = text_of(replace(subject, output=subject.output_with("normalisation", asked)))
    expected = text_otherwise(subject)
    if got == expected:
        return
    if got == text_of(subject):
        raise NotGiven(f"asked for {asked} it prepares messages as ever")
    raise Violation(
        f"asked for {asked} the messages are prepared in a third way",
        expected=repr((expected or "")[-60:]),
        got=repr(got[-60:]),
        hint="what hf4 and hf5 do is said at RND-004",
    )
