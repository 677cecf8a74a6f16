"""The losses of TRL's GOLD trainer behind the task ``chunk-loss``: one answer a row, groups told by byte offsets.

Its answers are one stretch without holes, so a row whose valid chunks leave one out is *unsupported*; so is a refusal,
which it leaves to its configuration. Rows that a sample mask leaves out are not given to it.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from tokenspec.adapters import Unsupported

NO_LABEL = -100
WIDTH = 1000
Json = dict[str, Any]


def chunk_loss(data: Json) -> Json:
    """The loss, and its gradient where that is wanted."""
    import torch

    if data["mode"] not in {"uld", "uld-hybrid"}:
        raise Unsupported("has ULD and its hybrid, nothing else")
    temperatures = [data["options"].get(f"{side}_temperature", 1.0) for side in ("student", "teacher")]
    odd = {"matched_weight", "unmatched_weight"} & data["options"].keys()
    merges = data["options"].get("merge", "observed") in {"observed", "bayesian"}
    if min(temperatures) <= 0 or not 0 <= data["options"].get("beta", 0.5) <= 1 or len(odd) == 1 or not merges:
        raise Unsupported("its configuration refuses, not its loss")
    kept = [b for b, counted in enumerate(data["sample_mask"]) if counted]
    sides = {side: [answer(data, side, b) for b in kept] for side in ("student", "teacher")}
    logits = {side: torch.tensor(data[f"{side}_logits"], requires_grad=side == "student") for side in sides}
    ids = {side: torch.tensor(data[f"{side}_ids"])[kept] for side in sides}
    for side in sides:
        if int(ids[side].min()) < 0 or int(ids[side].max()) >= logits[side].shape[-1]:
            raise Unsupported("damaged ids")
    told = [[[(label, *span) for label, span in row] for row in sides[side]] for side in sides]
    spans = [torch.tensor([[[start, end] for _, start, end in row] for row in side]) for side in told]
    labels = [
        torch.where(torch.tensor([[real for real, _, _ in row] for row in side]), ids[name], NO_LABEL)
        for name, side in zip(sides, told, strict=True)
    ]
    total = made(data)(
        logits["student"][kept],
        logits["teacher"][kept],
        *labels,
        ids["student"],
        ids["teacher"],
        student_byte_offsets=spans[0],
        teacher_byte_offsets=spans[1],
    )
    values: Json = {"loss": float(total.detach())}
    if "gradient" in data.get("want", ()):
        total.backward()
        values["gradient"] = logits["student"].grad.tolist()
    return values


def made(data: Json) -> Any:
    """Its loss, as its configuration makes it."""
    from trl.experimental.gold.gold_trainer import ULDLoss

    options = data["options"]
    hybrid = data["mode"] == "uld-hybrid"
    config = SimpleNamespace(
        uld_crossentropy_weight=0.0,
        uld_distillation_weight=1.0,
        uld_student_temperature=options.get("student_temperature", 1.0),
        uld_teacher_temperature=options.get("teacher_temperature", 1.0),
        uld_skip_student_eos=False,
        uld_skip_teacher_eos=False,
        use_extended_uld=True,
        uld_token_merge_strategy=options.get("merge", "observed"),
        uld_use_hybrid_loss=hybrid,
        uld_hybrid_matched_weight=options.get("matched_weight"),
        uld_hybrid_unmatched_weight=options.get("unmatched_weight"),
        beta=options.get("beta", 0.5),
    )
    return ULDLoss(config, *(vocabularies(data) if hybrid else ()))


class Vocabulary:
    """What its loss asks a tokenizer: spellings and ids."""

    def __init__(self, side: str, size: int, common: dict[int, str]) -> None:
        """Tokens outside ``common`` are spelled as no token of the other side."""
        self.spelled = {common.get(token, f"{side} {token}"): token for token in range(size)}

    def get_vocab(self) -> dict[str, int]:
        """All of them."""
        return self.spelled


def vocabularies(data: Json) -> tuple[Vocabulary, Vocabulary]:
    """Two vocabularies that have the tokens in common that the file maps one to one."""
    file, sizes = data["file"], [len(data[f"{side}_logits"][0][0]) for side in ("student", "teacher")]
    owners: dict[int, int] = {}
    for student, (row, weights) in enumerate(zip(file["indices"], file["likelihoods"], strict=True)):
        if weights[0] == 1.0 and row[1] < 0 <= row[0] < sizes[1]:
            owners.setdefault(row[0], student)
    common = {student: f"common {teacher}" for teacher, student in owners.items()}
    theirs = {teacher: f"common {teacher}" for teacher in owners}
    return Vocabulary("student", sizes[0], common), Vocabulary("teacher", sizes[1], theirs)


def answer(data: Json, side: str, b: int) -> list[tuple[bool, tuple[int, int]]]:
    """Of each position whether it belongs to the answer, and a span that ends where the other side's chunk does."""
    chunks = data[f"{side}_chunk_id"][b]
    both = [set(data[f"{name}_chunk_id"][b]) for name in ("student", "teacher")]
    valid = {chunk for chunk, real in enumerate(data["pair_valid"][b]) if real and all(chunk in own for own in both)}
    inside = [t for t, chunk in enumerate(chunks) if chunk in valid]
    if inside and inside != list(range(inside[0], inside[-1] + 1)):
        raise Unsupported("an answer with a hole")
    found, start = [], 0
    for t, chunk in enumerate(chunks):
        if t not in inside:
            found.append((False, (0, 0)))
            continue
        last = t + 1 not in inside or chunks[t + 1] != chunk
        end = (chunk + 1) * WIDTH if last else start + (1 if side == "student" else 2 * len(chunks))
        found.append((True, (start, end)))
        start = end
    return found
