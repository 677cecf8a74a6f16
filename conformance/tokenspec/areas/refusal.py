"""The right refusal: the reason a chapter states for it, and the place where an implementation names one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tokenspec.adapters import Refused
from tokenspec.areas.check import NotComparable, Question, Subject, Violation
from tokenspec.store.canonical import convert


class Due(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """How an input is to be refused: the code, and the JSON pointers into the request that its place may be.

    A place below one of ``places`` is that place said more exactly; where a text is pointed into, by the index of a
    byte. An empty code, and no places, are content with any.
    """

    code: str
    places: list[str] = []


def due(question: Question) -> Due:
    """What the case states; one that states nothing is content with any refusal."""
    case = question.cell.case
    return Due("") if case.refusal is None else convert(case.refusal, Due, where=f"{case.id}: refusal")


def refused(subject: Subject, stated: Due | None = None, *, naming_place: bool = False) -> Refused:
    """The refusal that is due, by the case unless it is ``stated``; ``naming_place``: it has to say where.

    Raises:
        Violation: the input is answered, refused for another reason, or another place is blamed.
    """
    stated, got = stated or due(subject), subject.outcome
    if not isinstance(got, Refused):
        due_now = f"rejected {stated.code}".rstrip()
        raise Violation("an input that is to be refused is answered", expected=due_now, got=got)
    if stated.code and got.code != stated.code:
        raise Violation("refused for another reason", expected=stated.code, got=str(got))
    if not got.place and naming_place:
        raise Violation("the refusal does not say where", expected=" or ".join(stated.places), got=str(got))
    if got.place and stated.places and not any(within(got.place, place) for place in stated.places):
        raise Violation("refused for another place", expected=" or ".join(stated.places), got=str(got))
    if is_below_a_value(got.place, subject.request):
        raise Violation("the place leads into what has no parts", expected=" or ".join(stated.places), got=str(got))
    return got


def names_one_of(subject: Subject, faults: Sequence[Due]) -> None:
    """The refusal has the code of one of these faults, and its place or one further into it, which is there.

    Raises:
        Violation: it names another place, none, or one that the request does not have.
        NotComparable: the implementation did not refuse.
    """
    got = subject.outcome
    if not isinstance(got, Refused):
        raise NotComparable("does not refuse")
    if not any(got.code == fault.code and any(within(got.place, place) for place in fault.places) for fault in faults):
        due_now = " or ".join(f"{fault.code} at {' or '.join(fault.places)}" for fault in faults)
        raise Violation("the refusal does not say what is wrong, and where", expected=due_now, got=str(got))
    if not is_there(got.place, subject.request):
        raise Violation("the refusal points to what the request does not have", expected="a place in it", got=got.place)


def is_there(place: str, value: Any) -> bool:
    """Whether a JSON pointer leads to something in a value.

    >>> is_there("/messages/0", {"messages": ["Hi."]}), is_there("/messages/1", {"messages": ["Hi."]})
    (True, False)
    """
    return followed(place, value)[1] is None


def is_below_a_value(place: str, value: Any) -> bool:
    """Whether a JSON pointer goes on behind a number, or behind a text by anything but the index of a byte.

    What an object or a list lacks may be pointed to.

    >>> is_below_a_value("/text/3", {"text": "Hi."}), is_below_a_value("/text/title", {"text": "Hi."})
    (False, True)
    """
    last, missing = followed(place, value)
    has_parts = isinstance(last, dict | list) or (isinstance(last, str) and (missing or "").isdecimal())
    return missing is not None and not has_parts


def followed(place: str, value: Any) -> tuple[Any, str | None]:
    """The last value that a JSON pointer leads to, and the part of the pointer that it lacks, if any."""
    for part in place.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return value, name
    return value, None


def within(place: str, stated: str) -> bool:
    """Whether a JSON pointer is another one, or leads further into it."""
    return place == stated or place.startswith(f"{stated}/")


def pointer_to(key: str, value: Any) -> str | None:
    """The JSON pointer to the first member of this name, looking into nearer values first; None if there is none."""
    level = [("", value)]
    while level:
        following = []
        for pointer, here in level:
            members = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
            for name, member in members:
                found = f"{pointer}/{escaped(str(name))}"
                if name == key:
                    return found
                following.append((found, member))
        level = following
    return None


def escaped(name: str) -> str:
    """A name as one part of a JSON pointer."""
    return name.replace("~", "~0").replace("/", "~1")
