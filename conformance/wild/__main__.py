"""``python -m wild``: judge the pinned templates, and compare with what is recorded.

``--quick`` takes the carriers that CI takes, ``--carrier ID`` that one; ``--record`` writes what was found; ``--only
SHA256`` shows one template.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from queue import SimpleQueue

import msgspec

from tokenspec.guard.answering import Answering
from tokenspec.guard.bounds import OutOfBounds
from tokenspec.models.errors import ModelError
from wild.carriers import LIST, assign, listed_otherwise, read_list, templates_of
from wild.judging import ABILITIES, Judged, judging

RANK = {"wrong": 0, "refused": 1, "unattributed": 2, "exact": 3}
SHARE = 0.02
"""Of the tokens of assistant turns that may be unattributed."""


def main() -> int:
    """Judge; 1 where a template is wrong, worse than recorded or left off the list, 2 where no carrier can be had."""
    parser = argparse.ArgumentParser(prog="python -m wild", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the carriers that CI takes")
    parser.add_argument("--record", action="store_true", help="write the verdicts into templates.json")
    parser.add_argument("--carrier", action="append", metavar="ID", help="only this carrier, also a new one")
    parser.add_argument("--only", action="append", metavar="SHA256", help="these templates; the start of it is enough")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    if asked.record and asked.only:
        parser.error("a list is recorded whole: leave --only out")
    listed = read_list()
    packed = [one for one in listed if one.quick or not asked.quick]
    packed = [one for one in packed if not asked.carrier or one.carrier.id in asked.carrier]
    try:
        texts = {one.carrier.id: templates_of(one.carrier) for one in packed}
    except ModelError as error:
        print(f"the templates cannot be had: {error}", file=sys.stderr)
        return 2
    if asked.record:
        assign(listed, texts)
    amiss = listed_otherwise(listed, texts)
    if amiss:
        print(*amiss, sep="\n")
        return 1
    todo = {key: texts[one.carrier.id][key] for one in packed for key in one.templates}
    if asked.only:
        todo = {key: text for key, text in todo.items() if key.startswith(tuple(asked.only))}
    found = judged_all(todo, asked.jobs)
    if asked.record:
        for one in packed:
            one.templates = {key: found[key].verdict for key in one.templates}
        LIST.write_bytes(msgspec.json.format(msgspec.json.encode(listed), indent=1) + b"\n")
    recorded = {key: verdict for one in packed for key, verdict in one.templates.items()}
    return report(found, recorded)


def judged_all(todo: dict[str, str], jobs: int) -> dict[str, Judged]:
    """All verdicts, with progress on a terminal."""
    found: dict[str, Judged] = {}
    with ThreadPoolExecutor(jobs) as pool, ended([Answering(judging) for _ in range(jobs)]) as children:
        verdicts = pool.map(partial(ask, children), todo.values())
        for place, (key, judged) in enumerate(zip(todo, verdicts, strict=True)):
            found[key] = judged
            if sys.stderr.isatty():
                print(f"\r{place + 1} of {len(todo)} templates", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return found


@contextmanager
def ended(children: list[Answering]) -> Iterator[SimpleQueue[Answering]]:
    """Children to take and to put back, one for each thread; they end with the block."""
    idle: SimpleQueue[Answering] = SimpleQueue()
    for child in children:
        idle.put(child)
    try:
        yield idle
    finally:
        for child in children:
            child.close()


def ask(children: SimpleQueue[Answering], template: str) -> Judged:
    """The verdict of a child; one that a template ends is replaced, and that is wrong of the template."""
    child = children.get()
    try:
        judged: Judged = child.ask(template)
    except OutOfBounds as error:
        judged = Judged(wrong=[str(error)])
    finally:
        children.put(child)
    return judged


def report(found: dict[str, Judged], recorded: dict[str, str]) -> int:
    """Print the counts, what is wrong and what is worse; the exit code."""
    for key, judged in found.items():
        for what in judged.wrong[:3]:
            print(f"WRONG {key[:16]} {what}")
    worse = [key for key, judged in found.items() if RANK[judged.verdict] < RANK[recorded[key]]]
    for key in worse:
        print(f"WORSE {key[:16]} {found[key].verdict}, recorded is {recorded[key]}")
    counts = Counter(judged.verdict for judged in found.values())
    print(", ".join(f"{counts[name]} {name}" for name in reversed(RANK)), f"of {len(found)} templates,", end=" ")
    print(f"{sum(judged.rendered for judged in found.values())} conversations")
    tokens, unknown = (sum(getattr(one, name) for one in found.values()) for name in ("tokens", "unattributed"))
    print(f"{unknown / max(tokens, 1):.2%} of {tokens} assistant tokens are unattributed")
    for name in ABILITIES:
        able, of = (sum(getattr(one, kind)[name] for one in found.values()) for kind in ("able", "asked"))
        print(f"{name}: answers {able} of {of}")
    return int(bool(counts["wrong"] or worse or unknown > SHARE * tokens))


if __name__ == "__main__":
    sys.exit(main())
