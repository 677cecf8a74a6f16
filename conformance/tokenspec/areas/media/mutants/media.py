"""Broken expansions of media: the faultless one with one small edit."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from tokenspec.adapters import Rejected
from tokenspec.areas.media.mutants.golden_echo import ROWS, MediaEcho, Request, Result
from tokenspec.areas.media.records import MediaExpect
from tokenspec.areas.mutant import Mutant

Edit = Callable[[MediaExpect, Result], None]


class Edited(MediaEcho):
    """Edits the right answer."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit

    def answer(self, request: Request, expect: MediaExpect) -> Result:
        """The right answer, then the edit."""
        result = super().answer(request, expect)
        self.edit(expect, result)
        return result


class AcceptsAll(MediaEcho):
    """Gives ids for what has to be refused."""

    def refuse(self, request: Request, expect: MediaExpect) -> Result:
        """Some ids."""
        return {"token_ids": [1, 2, 3]}


class RefusesOtherwise(MediaEcho):
    """Refuses for another reason, or elsewhere."""

    def __init__(self, change: Callable[[Rejected], None]) -> None:
        """``change`` edits the refusal."""
        self.change = change

    def refuse(self, request: Request, expect: MediaExpect) -> Result:
        """The refusal, edited."""
        try:
            return super().refuse(request, expect)
        except Rejected as refusal:
            self.change(refusal)
            raise


def says_nowhere(refusal: Rejected) -> None:
    refusal.rejection_place = ""


def blames_all(refusal: Rejected) -> None:
    refusal.rejection_place = "/messages"


def blames_what_is_not_there(refusal: Rejected) -> None:
    refusal.rejection_place += "/no such key"


def blames_the_template(refusal: Rejected) -> None:
    refusal.rejection_code = "template-raises"


class KnowsNoNumbers(MediaEcho):
    """Takes other numbers than the published ones where none are given."""

    def answer(self, request: Request, expect: MediaExpect) -> Result:
        """One placeholder too few."""
        result = super().answer(request, expect)
        if not request["media"]:
            one_short(expect, result)
        return result


class NeverDeclines(MediaEcho):
    """Bridges although it is not told of earlier media."""

    def decline(self, request: Request, expect: MediaExpect) -> Result:
        """The answer all the same."""
        return self.answer(request, expect)


class AlwaysDeclines(MediaEcho):
    """Never bridges."""

    def answer(self, request: Request, expect: MediaExpect) -> Result:
        """Nothing, where something was sampled before."""
        return {"token_ids": None} if expect.prior else super().answer(request, expect)


def ranges(result: Result) -> list[list[int]]:
    return [one for found in result["mm_placeholders"].values() for one in found]


def pads(result: Result) -> list[int]:
    return [at for at, kind in enumerate(result["mm_token_type_ids"]) if kind]


def one_short(expect: MediaExpect, result: Result) -> None:
    for offset, _ in reversed(ranges(result)):
        if not expect.prior:
            del result["token_ids"][offset]


def unexpanded(expect: MediaExpect, result: Result) -> None:
    for offset, length in sorted(ranges(result), reverse=True):
        if not expect.prior:
            result["token_ids"][offset : offset + length] = [result["token_ids"][offset]]


def range_with_wrap(expect: MediaExpect, result: Result) -> None:
    for one in ranges(result):
        one[0], one[1] = one[0] - 1, one[1] + 2


def range_counts_placeholders(expect: MediaExpect, result: Result) -> None:
    for one in ranges(result):
        one[1] = sum(kind > 0 for kind in result["mm_token_type_ids"][one[0] : one[0] + one[1]])


def ranges_out_of_order(expect: MediaExpect, result: Result) -> None:
    for found in result["mm_placeholders"].values():
        found.reverse()


def hash_invented(expect: MediaExpect, result: Result) -> None:
    for found in result["mm_hashes"].values():
        found[:] = [one or hashlib.sha256(b"").hexdigest() for one in found]


def hash_cut(expect: MediaExpect, result: Result) -> None:
    for found in result["mm_hashes"].values():
        found[:] = [one and one[:32] for one in found]


def grid_transposed(expect: MediaExpect, result: Result) -> None:
    for found in result["mm_grids"].values():
        for one in found:
            one[1:] = reversed(one[1:])


def types_of_pictures_alone(expect: MediaExpect, result: Result) -> None:
    result["mm_token_type_ids"] = [min(kind, 1) for kind in result["mm_token_type_ids"]]


def types_of_ranges(expect: MediaExpect, result: Result) -> None:
    for kind, found in result["mm_placeholders"].items():
        for offset, length in found:
            result["mm_token_type_ids"][offset : offset + length] = [1 if kind == "image" else 2] * length


def placeholders_are_scaffold(expect: MediaExpect, result: Result) -> None:
    for at in pads(result):
        result["is_content"][at] = False


def placeholders_are_sampled(expect: MediaExpect, result: Result) -> None:
    for at in pads(result):
        result["sampled_mask"][at] = True


def placeholders_are_nobodys(expect: MediaExpect, result: Result) -> None:
    for at in pads(result):
        result["message_indices"][at] = -1


def wrap_is_body(expect: MediaExpect, result: Result) -> None:
    for offset, _ in ranges(result):
        if offset > expect.prior:
            result["is_content"][offset - 1] = True


def earlier_ranges_shift(expect: MediaExpect, result: Result) -> None:
    for kind, known in expect.known.items():
        for one in result["mm_placeholders"][kind][:known]:
            one[0] += 1


def earlier_hashes_lost(expect: MediaExpect, result: Result) -> None:
    for kind, known in expect.known.items():
        result["mm_hashes"][kind][:known] = [None] * known


def new_ranges_from_completion(expect: MediaExpect, result: Result) -> None:
    for kind, found in result["mm_placeholders"].items():
        for one in found[expect.known.get(kind, 0) :]:
            one[0] -= expect.prior


def new_media_unexpanded(expect: MediaExpect, result: Result) -> None:
    for kind, found in result["mm_placeholders"].items():
        for offset, length in reversed(found[expect.known.get(kind, 0) :]):
            if expect.prior:
                result["token_ids"][offset : offset + length] = [result["token_ids"][offset]]


def edited(id_: str, breaks: str, note: str, edit: Edit) -> Mutant:
    """A mutant that edits the right answer."""
    return Mutant(f"media-{id_}", "media", tuple(breaks.split()), note, lambda: Edited(edit), ROWS)


def refusing(id_: str, note: str, change: Callable[[Rejected], None]) -> Mutant:
    """A mutant that edits the right refusal."""
    return Mutant(f"media-{id_}", "media", ("RND-091",), note, lambda: RefusesOtherwise(change), ROWS)


MUTANTS: tuple[Mutant, ...] = (
    edited("one-short", "RND-090", "writes one placeholder too few", one_short),
    edited("unexpanded", "RND-090", "leaves one placeholder for each medium", unexpanded),
    Mutant("media-accepts-all", "media", ("RND-091",), "gives ids for what processors refuse", AcceptsAll, ROWS),
    refusing("refuses-nowhere", "refuses without saying where", says_nowhere),
    refusing("refuses-it-all", "blames the whole conversation for one medium", blames_all),
    refusing("refuses-what-is-missing", "points to a key that the request does not have", blames_what_is_not_there),
    refusing("refuses-as-template", "blames the template for what the processor refuses", blames_the_template),
    edited("range-with-wrap", "RND-092", "counts the wrap to the range", range_with_wrap),
    edited("range-counts", "RND-092", "gives the number of placeholders, also of a video", range_counts_placeholders),
    edited("range-order", "RND-092", "gives the last medium first", ranges_out_of_order),
    edited("hash-invented", "RND-093", "gives a hash where none is known", hash_invented),
    edited("hash-cut", "RND-093", "gives half of a hash", hash_cut),
    edited("grid-transposed", "RND-099", "gives columns for rows", grid_transposed),
    edited("types-of-pictures", "RND-094", "takes videos for pictures", types_of_pictures_alone),
    edited("types-of-ranges", "RND-094", "counts the times between frames to the video", types_of_ranges),
    edited("scaffold", "RND-095", "takes placeholders for scaffold", placeholders_are_scaffold),
    edited("sampled", "RND-095", "trains placeholders", placeholders_are_sampled),
    edited("nobodys", "RND-095", "gives placeholders to no message", placeholders_are_nobodys),
    edited("wrap-is-body", "RND-095", "takes the wrap for body", wrap_is_body),
    edited("earlier-shift", "RND-096", "moves the ranges of earlier media", earlier_ranges_shift),
    edited("earlier-hashes", "RND-096", "forgets the hashes of earlier media", earlier_hashes_lost),
    Mutant("media-never-declines", "media", ("RND-096",), "bridges over media nobody names", NeverDeclines, ROWS),
    Mutant("media-always-declines", "media", ("RND-059",), "never bridges", AlwaysDeclines, ROWS),
    edited("new-ranges", "RND-097", "counts new ranges from the completion", new_ranges_from_completion),
    Mutant("media-knows-no-numbers", "media", ("RND-098",), "takes numbers of its own", KnowsNoNumbers, ROWS),
    edited("new-unexpanded", "RND-097", "does not expand the media of new messages", new_media_unexpanded),
)
