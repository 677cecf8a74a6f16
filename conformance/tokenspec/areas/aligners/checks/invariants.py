"""What holds of any alignment, whatever algorithm made it. Each function raises ``Violation`` at the first breach."""

from __future__ import annotations

from tokenspec.areas.aligners.checks.view import SIDES, View
from tokenspec.areas.check import Violation

UNPAIRED_ROLES = frozenset({"padding", "unknown"})


def pairs_agree_with_ids(view: View) -> None:
    """ALN-001: pair k covers exactly the positions with id k, apart from positions that have no id."""
    for chunk, pair in enumerate(view.pairs or []):
        for side in (0, 1):
            start, end = pair[2 * side : 2 * side + 2]
            if (start == -1) != (end == -1) or start > end:
                raise Violation(
                    "a range is neither half-open nor (-1, -1)", where=f"row {view.row}, pair {chunk}", got=pair
                )
            covered = range(max(0, start), max(0, end))
            has_id = [index for index in covered if view.ids[side][index] != -1]
            if has_id != view.members(side, chunk):
                raise Violation(
                    f"pair {chunk} and chunk id {chunk} name different {SIDES[side]} tokens",
                    where=f"row {view.row}",
                    expected=view.members(side, chunk),
                    got=has_id,
                )


def ids_are_ordered(view: View) -> None:
    """ALN-002: chunk ids do not decrease along a side, and pairs do not overlap."""
    for side in (0, 1):
        last = -1
        for index, chunk in enumerate(view.ids[side]):
            if chunk != -1 and chunk < last:
                raise Violation("chunk ids go back", where=view.at(side, index), expected=f">= {last}", got=chunk)
            last = max(last, chunk)
        ends = 0
        for chunk, pair in enumerate(view.pairs or []):
            start, end = pair[2 * side : 2 * side + 2]
            if start != -1 and start < ends:
                raise Violation(f"pair {chunk} begins before the one before it ends", where=view.at(side, start))
            ends = max(ends, end)


def ids_are_dense(view: View, *, both_sides: bool) -> None:
    """ALN-003: ids lie in 0..n-1; in ``boundary`` each occurs on both sides."""
    for side in (0, 1):
        for index, chunk in enumerate(view.ids[side]):
            if not -1 <= chunk < view.chunks:
                raise Violation(
                    "chunk id out of range", where=view.at(side, index), expected=f"-1 to {view.chunks - 1}", got=chunk
                )
        missing = set(range(view.chunks)) - set(view.ids[side])
        if both_sides and missing:
            raise Violation(f"chunk {min(missing)} has no {SIDES[side]} token", where=f"row {view.row}")


def padding_has_no_chunk(view: View) -> None:
    """ALN-005: masked positions have id -1 and are in no exact partition."""
    for side in (0, 1):
        for index, real in enumerate(view.masks[side]):
            if not real and view.ids[side][index] != -1:
                raise Violation(
                    "padding is in a chunk", where=view.at(side, index), expected=-1, got=view.ids[side][index]
                )
            if not real and view.exact is not None and view.exact[side][index]:
                raise Violation("padding is in the exact partition", where=view.at(side, index))


def chunks_spell_the_same(view: View) -> None:
    """ALN-010: both sides of a chunk begin and end at the same place of the text, which ties them to the same bytes."""
    places = view.places()
    ends = (places.student, places.teacher)
    last = 0
    for chunk in range(view.chunks):
        closing = [_end_of(view, side, chunk, ends[side]) for side in (0, 1)]
        if None in closing or closing[0] != closing[1]:
            raise Violation(
                f"chunk {chunk} ends at different bytes",
                where=f"row {view.row}",
                expected=f"student byte {closing[0]}",
                got=f"teacher byte {closing[1]}",
                hint="a chunk that ends inside a token of the other side pairs different texts",
            )
        if places.limit is not None and (closing[0] or 0) > places.limit:
            raise Violation(f"chunk {chunk} reaches beyond the common text", where=f"row {view.row}", got=closing[0])
        for side in (0, 1):
            _begins_where_the_last_ended(view, side, chunk, last)
        last = closing[0] or 0


def _end_of(view: View, side: int, chunk: int, ends: list[int | None]) -> int | None:
    members = view.members(side, chunk)
    return ends[members[-1]] if members else None


def _begins_where_the_last_ended(view: View, side: int, chunk: int, last: int) -> None:
    places = view.places().student if side == 0 else view.places().teacher
    members = view.members(side, chunk)
    before = _reached(places, members[0])
    if before > last:
        raise Violation(
            f"chunk {chunk} begins at byte {before}, the one before it ended at {last}",
            where=view.at(side, members[0]),
            hint="tokens between chunks were left out",
        )


def chunks_cannot_be_cut(view: View) -> None:
    """ALN-011: no place strictly inside a chunk ends a token on both sides."""
    places = view.places()
    for chunk in range(view.chunks):
        inner = []
        for side, ends in ((0, places.student), (1, places.teacher)):
            members = view.members(side, chunk)
            own = [ends[index] for index in members]
            start = _reached(ends, members[0]) if members else 0
            inner.append({end for end in own if end is not None and start < end < (own[-1] or 0)})
        if inner[0] & inner[1]:
            raise Violation(
                f"chunk {chunk} can be cut",
                where=f"row {view.row}, byte {min(inner[0] & inner[1])}",
                expected="the finest segmentation at common boundaries",
            )


def text_is_covered(view: View) -> None:
    """ALN-012, ALN-016: a text token has an id exactly if it ends no later than the last common boundary."""
    places = view.places()
    last = _last_common(view)
    for side, ends in ((0, places.student), (1, places.teacher)):
        for index, position in enumerate(view.positions(side)):
            if position.kind != "text" or ends[index] == _reached(ends, index):
                continue  # no text, or nothing but an added space
            ending = next((end for end in ends[index:] if end is not None), None)
            inside = ending is not None and ending <= last
            if inside != (view.ids[side][index] != -1):
                raise Violation(
                    "a token of the common text has no chunk"
                    if inside
                    else "a token beyond the common text has a chunk",
                    where=view.at(side, index),
                    got=view.ids[side][index],
                )


def _last_common(view: View) -> int:
    """The last place at which a text token ends on both sides and the texts still agree."""
    places = view.places()
    closing = [
        {ends[index] for index, position in enumerate(view.positions(side)) if position.kind == "text"}
        for side, ends in ((0, places.student), (1, places.teacher))
    ]
    shared = [place for place in closing[0] & closing[1] if place is not None]
    return max((place for place in shared if places.limit is None or place <= places.limit), default=0)


def _reached(ends: list[int | None], index: int) -> int:
    """The place reached before a position."""
    return next((end for end in reversed(ends[:index]) if end is not None), 0)


def specials_are_alone(view: View) -> None:
    """ALN-013: a special token is alone in its chunk with one of the same role at the same place, or has no id."""
    places = view.places()
    for side, ends, others in ((0, places.student, places.teacher), (1, places.teacher, places.student)):
        for index, position in enumerate(view.positions(side)):
            chunk = view.ids[side][index]
            if position.kind != "special" or chunk == -1:
                continue
            mine, theirs = view.members(side, chunk), view.members(1 - side, chunk)
            partner = view.positions(1 - side)[theirs[0]] if len(theirs) == 1 else None
            if len(mine) != 1 or partner is None or partner.kind != "special":
                raise Violation(
                    "a special token shares its chunk", where=view.at(side, index), got=f"{mine} and {theirs}"
                )
            if partner.role != position.role or position.role in UNPAIRED_ROLES:
                raise Violation("paired roles", where=view.at(side, index), expected=position.role, got=partner.role)
            if ends[index] != others[theirs[0]]:
                raise Violation("equal roles at different places are paired", where=view.at(side, index))


def chunks_are_correct(view: View) -> None:
    """ALN-022: every chunk is correct; the exact partition holds where a token is alone on both sides."""
    if view.correct is not None:
        wrong = [chunk for chunk in range(view.chunks) if view.correct[chunk : chunk + 1] != [True]]
        if wrong or any(view.correct[view.chunks :]):
            raise Violation("pair_is_correct differs from pair_valid", where=f"row {view.row}", got=view.correct)
    for side in (0, 1):
        for index, chunk in enumerate(view.ids[side]):
            alone = chunk != -1 and len(view.members(0, chunk)) == len(view.members(1, chunk)) == 1
            if view.exact is not None and view.exact[side][index] != alone:
                raise Violation(
                    "exact partition", where=view.at(side, index), expected=alone, got=view.exact[side][index]
                )


def sides_end_together(view: View) -> bool:
    """Whether the text of neither side goes on behind the last common boundary."""
    places = view.places()
    totals = [_reached(ends, len(ends)) for ends in (places.student, places.teacher)]
    return totals[0] == totals[1] == _last_common(view)


def mass_is_conserved(view: View) -> None:
    """ALN-023: weights per text token have one total over chunks and over the text, where the sides end together."""
    places = view.places()
    for side, ends in ((0, places.student), (1, places.teacher)):
        text = [
            index
            for index, position in enumerate(view.positions(side))
            if position.kind == "text" and ends[index] != _reached(ends, index)
        ]
        weight = {index: 1 / (3 + index) for index in text}
        in_chunks = sum(weight.get(index, 0.0) for chunk in _tokens_of_chunks(view, side) for index in chunk)
        if abs(sum(weight.values()) - in_chunks) > 1e-9:
            raise Violation(
                f"{SIDES[side]} tokens are lost or counted twice",
                where=f"row {view.row}",
                expected=sum(weight.values()),
                got=in_chunks,
            )


def _tokens_of_chunks(view: View, side: int) -> list[list[int]]:
    """By pairs where given, so that a token in two pairs counts twice."""
    if view.pairs is None:
        return [view.members(side, chunk) for chunk in range(view.chunks)]
    return [list(range(max(0, pair[2 * side]), max(0, pair[2 * side + 1]))) for pair in view.pairs]
