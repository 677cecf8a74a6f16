"""The end: stop, the end of input, and what lives on."""

from __future__ import annotations

from tokenspec.areas.check import Subject, Violation, check
from tokenspec.areas.protocol.checks.transcript import asks, ending_of


@check("protocol.stop", area="protocol", level="END", requires=("ADP-040",), applies=asks("stop"))
def stop_ends_it(subject: Subject) -> None:
    """Exit code 0, within ten seconds of stop."""
    ending = ending_of(subject)
    if not ending.by_itself:
        raise Violation("still runs ten seconds after stop", hint="end the loop when cmd is stop")
    if ending.exit_code != 0:
        raise Violation("ends with another exit code", expected=0, got=ending.exit_code)


@check("protocol.end-of-input", area="protocol", level="END", requires=("ADP-041",), applies=asks("end-of-input"))
def end_of_input_ends_it(subject: Subject) -> None:
    """A suite that crashes leaves no process behind."""
    if not ending_of(subject).by_itself:
        raise Violation(
            "still runs ten seconds after the end of its stdin", hint="end the loop when reading gives nothing"
        )


@check(
    "protocol.no-children", area="protocol", level="END", requires=("ADP-042",), applies=asks("stop", "end-of-input")
)
def nothing_lives_on(subject: Subject) -> None:
    """What it started ends with it."""
    survivors = ending_of(subject).survivors
    if survivors:
        raise Violation(
            f"leaves {survivors} process{'es' * (survivors > 1)} behind",
            hint="end and wait for what you start before you end yourself",
        )
