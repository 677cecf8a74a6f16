"""A certificate on one screen: what holds, what breaks and where, in 100 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from .facts import Break, Certificate, Facts, Property
from .files import Change

ENDINGS = {
    "question": "before a question",
    "answer": "up to an answer",
    "calls": "up to calls",
    "results": "up to results",
    "loop": "behind a loop",
}
GOOD = {"holds", "kept", "verbatim", "joined", "shown"}


def view(certificate: Certificate) -> Group:
    """The whole certificate."""
    facts = certificate.facts
    lines = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    lines.add_column(no_wrap=True, style="bold")
    lines.add_column()
    for name, text in statements(facts):
        lines.add_row(name, text)
    made = " ".join(f"{name} {certificate.oracle.get(name, '?')}" for name in ("transformers", "jinja2"))
    reviewed = certificate.reviewed[-1] if certificate.reviewed else None
    seen = f"reviewed {reviewed.date}: {reviewed.reason}" if reviewed else "not reviewed"
    return Group(history(facts), lines, Text(f"measured by {made}; {seen}", style="dim"))


def history(facts: Facts) -> Table:
    """Prefix property and coherence by scenario."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("scenario", no_wrap=True)
    table.add_column("history stays", no_wrap=True)
    table.add_column("turn continues its prompt", no_wrap=True)
    for name in facts.prefix:
        table.add_row(name, _property(facts.prefix[name]), _property(facts.coherence[name]))
    return table


def _property(found: Property) -> Text:
    if isinstance(found, Break):
        return Text(f"message {found.owner}: {_short(found.was, 11)} -> {_short(found.becomes, 11)}", "red")
    return Text(found, "green" if found == "holds" else "yellow")


def _short(text: str, length: int) -> str:
    """At most ``length`` characters between the quotes."""
    kept = next(kept for kept in range(len(text), -1, -1) if len(repr(text[:kept])) - 2 <= length - (kept < len(text)))
    return repr(text[:kept] + "…" * (kept < len(text)))


def statements(facts: Facts) -> Iterator[tuple[str, Text]]:
    """One line per section: its name and what it says."""
    stays = "yes: text up to an assistant turn stays when messages follow"
    moves = "no: text up to an assistant turn changes when messages follow"
    yield "prefix stable", Text(stays, "green") if facts.prefix_stable else Text(moves, "red")
    for keyword, variant in facts.variants.items():
        breaks = len(variant.prefix_breaks), len(variant.coherence_breaks)
        said = f"{'yes' if variant.prefix_stable else 'no'}; history changes in {breaks[0]}, "
        yield f"  {keyword}", Text(f"{said}prompts differ in {breaks[1]} of {len(facts.prefix)} scenarios")
    yield "prompt", _prompt(facts)
    calls = facts.calls
    taken = f"{calls.arguments} (as dict {calls.as_dict}, as string {calls.as_string})"
    yield "arguments", Text(f"{taken}; booleans {calls.booleans}, keys {calls.key_order}, non-ASCII {calls.non_ascii}")
    yield "calls", Text(f"beside content {calls.beside_content}; content None {calls.content_none}")
    tools = facts.tools
    hazard = tools.told_apart == "not at all"
    apart = f"parallel results {tools.results}, told apart {tools.told_apart or '-'}"
    yield "tools", Text(f"{tools.shown}; [] {tools.empty_list}; {apart}", "yellow" if hazard else "")
    yield "roles", _grouped(facts.roles)
    yield "content", _grouped(facts.content)
    yield "list of parts", _grouped(facts.parts)
    thought = {name: getattr(facts.reasoning, name) for name in facts.reasoning.__struct_fields__}
    yield "reasoning", _grouped(thought)
    lost = list(lost_lines(facts))
    yield "lost", Text("; ".join(lost) or "nothing", "red" if lost else "green")
    default = facts.system.default
    yield "default system", Text("none" if default is None else _short(default, 70))
    yield "before it all", Text(_short(facts.system.preamble, 70))
    date = facts.date
    yield "date", Text(f"depends on it: {date.was!r} becomes {date.becomes!r}" if date.depends else "no matter")
    yield "stop trained", _stop(facts)
    tags = "marks generated text" if facts.template.generation_tags else "no {% generation %}"
    yield "keywords", Text(f"{', '.join(facts.template.reads) or 'none'}; {tags}")
    if facts.tokens is not None:
        added = sum(map(len, facts.tokens.encode_adds))
        double = "; encoding the text again would double it" if added and facts.tokens.bos_in_text else ""
        yield "bos", Text(f"{facts.tokens.bos_in_text} in the text, a plain encode adds {added} tokens{double}")


def _prompt(facts: Facts) -> Text:
    prompt = facts.prompt
    if prompt.text is None:
        return Text("refused, or it changes more than the end", "yellow")
    said = "adds nothing" if prompt.no_op else repr(prompt.text)
    if prompt.after_tool != prompt.text:
        said += f"; after a tool result {'refused' if prompt.after_tool is None else repr(prompt.after_tool)}"
    if prompt.trailing_space:
        said += f"; ends in white space {prompt.trailing_space!r}"
    if not prompt.appends:
        said += "; changes text before it"
    return Text(said, "yellow" if prompt.no_op or not prompt.appends else "")


def _grouped(said: Mapping[str, str]) -> Text:
    """``kept: system, user; dropped: developer``, the unremarkable first."""
    by_answer: dict[str, list[str]] = {}
    for name, answer in said.items():
        by_answer.setdefault(answer, []).append(name.replace("_", " "))
    line = Text()
    for answer in sorted(by_answer, key=lambda answer: (answer not in GOOD, answer)):
        line.append("; " if line else "")
        line.append(answer, "" if answer in GOOD else "red" if answer == "dropped" else "yellow")
        line.append(": " + ", ".join(by_answer[answer]))
    return line


def lost_lines(facts: Facts) -> Iterator[str]:
    """What vanishes, by what the conversation ends with."""
    for ending, lost in facts.losses.items():
        if lost != "nothing":
            yield f"{ENDINGS[ending]}: {lost}"


def _stop(facts: Facts) -> Text:
    stop = facts.stop
    ends = {"last": stop.final, "before user": stop.before_user, "before tool": stop.before_tool}
    by_answer: dict[str, list[str]] = {}
    for place, end in ends.items():
        by_answer.setdefault(end, []).append(place)
    said = "; ".join(f"{', '.join(places)} {end}" for end, places in by_answer.items())
    return Text(f"{'yes' if stop.trained else 'no'}; {said}", "green" if stop.trained else "red")


def change_lines(changes: list[Change]) -> Iterator[str]:
    """Each changed fact: was and is."""
    for change in changes:
        yield f"  {change.fact}: was {_plain(change.was)}, is {_plain(change.now)}"


def _plain(value: Any) -> str:
    if isinstance(value, dict) and set(value) == {"after", "at", "owner", "was", "becomes"}:
        return (
            f"a break in message {value['owner']} at character {value['at']} ({value['was']!r} -> {value['becomes']!r})"
        )
    return "absent" if value is None else repr(value)
