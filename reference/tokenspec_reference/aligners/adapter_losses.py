"""The losses behind the adapter protocol: projections, chunk averages, single losses and whole steps."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from tokenspec_reference.aligners.alignment import AlignmentBatch
from tokenspec_reference.aligners.errors import AlignmentInputError, ProjectionFileError
from tokenspec_reference.aligners.loss_utils import (
    AlmOptions,
    DistillationOptions,
    LossOptions,
    Projection,
    Projections,
    Ranks,
    Space,
    Teacher,
    UldOptions,
    alm_loss,
    build_exact_token_map,
    build_projection,
    chunk_average_log_probs,
    cross_tokenizer_loss,
    distillation_loss,
    dual_space_loss,
    get_sparse_projection_matrix,
    get_topk_projection,
    uld_loss,
)
from tokenspec_reference.aligners.piece_table import PieceTable
from tokenspec_reference.errors import TokenSpecError, placed

if TYPE_CHECKING:
    from collections.abc import Iterator

Json = dict[str, Any]

OF_A_LOSS, OF_ULD, OF_ALM = (
    frozenset(option.name for option in fields(kind)) for kind in (LossOptions, UldOptions, AlmOptions)
)
OF_A_STEP = frozenset(option.name for option in fields(DistillationOptions)) - {"loss"}
OF_DSKD = frozenset({"temperature", "teacher_temperature"})
"""The options of each loss."""


def known(options: Json, names: frozenset[str]) -> Json:
    """The options, which all have to be of these names."""
    for name in options:
        if name not in names:
            raise AlignmentInputError(f"is none of {', '.join(sorted(names))}", field=f"options/{name}")
    return options


def _floats(numbers: Any) -> torch.Tensor:
    """Numbers of a request, which may be written as integers."""
    return torch.tensor(numbers, dtype=torch.float32)


def _chunk_average(request: Json) -> Json:
    data = request["data"]
    with placed("/data/chunk_id"):
        means, sizes = chunk_average_log_probs(
            torch.tensor(data["log_probs"], dtype=torch.float64), torch.tensor(data["chunk_id"]), data["max_chunks"]
        )
    return {"values": {"means": means.tolist(), "sizes": sizes.tolist()}}


@contextmanager
def _projection_file(file: Json) -> Iterator[Path]:
    """Write the described file where only this call sees it; a refusal of it points to its description."""
    with tempfile.TemporaryDirectory() as folder, placed(_place_of_file):
        path = Path(folder, "projection.pt")
        if file["kind"] == "dense":
            tensors = {name: torch.tensor(file[name]) for name in ("indices", "likelihoods")}
            torch.save(tensors, path)
        elif file["kind"] == "sparse":
            torch.save({(s, t): weight for s, t, weight in file["entries"]}, path)
        elif file["kind"] == "hex":
            path.write_bytes(bytes.fromhex(file["hex"]))
        yield path


def _place_of_file(error: TokenSpecError) -> str:
    """The file, or the tensor of it that is at fault."""
    if not isinstance(error, ProjectionFileError):
        return ""
    return "/data/file" if error.field == "path" else f"/data/file/{error.field}"


def _projection(request: Json) -> Json:
    data = request["data"]
    with _projection_file(data["file"]) as path:
        matrix = get_sparse_projection_matrix(
            path, student_vocab_size=data["student_vocab_size"], teacher_vocab_size=data["teacher_vocab_size"]
        )
    entries = zip(*matrix.indices().tolist(), matrix.values().tolist(), strict=True)
    return {"values": {"shape": list(matrix.shape), "entries": [list(entry) for entry in entries]}}


def _exact_map(request: Json) -> Json:
    data = request["data"]
    with _projection_file(data["file"]) as path:
        found = build_exact_token_map(path, xtoken_loss=data["xtoken"], teacher_vocab_size=data["teacher_vocab_size"])
    return {"values": {name: ids.tolist() for name, ids in found.items()}}  # type: ignore[attr-defined]


def _loss(request: Json) -> Json:
    data = request["data"]
    student_logits = _floats(data["student_logits"]).requires_grad_()
    with placed(_place_in_loss), _projection_file(data["file"]) as path:
        terms = cross_tokenizer_loss(
            student_logits,
            _floats(data["teacher_logits"]),
            _alignment(data),
            mode=data["mode"],
            projection_matrix_path=path,
            teacher_vocab_size=data["teacher_vocab_size"],
            options=LossOptions(**known(data["options"], OF_A_LOSS)),
            sample_mask=torch.tensor(data["sample_mask"]),
        )
    return {"values": _numbers(terms) | _gradient(data, terms.loss, student_logits)}


def _numbers(terms: Any) -> Json:
    """The scalars of a loss by name."""
    named = {field.name: getattr(terms, field.name) for field in fields(terms)}
    return {name: float(term.detach()) for name, term in named.items() if isinstance(term, torch.Tensor)}


def _alignment(data: Json) -> AlignmentBatch:
    none = torch.zeros(0)
    return AlignmentBatch(
        pair_valid=torch.tensor(data["pair_valid"]),
        pair_is_correct=torch.tensor(data["pair_is_correct"]),
        student_exact_partition_mask=none,
        teacher_exact_partition_mask=none,
        student_chunk_id=torch.tensor(data["student_chunk_id"]),
        teacher_chunk_id=torch.tensor(data["teacher_chunk_id"]),
        num_chunks=none,
    )


def _gradient(data: Json, loss: torch.Tensor, student_logits: torch.Tensor) -> Json:
    if "gradient" not in data.get("want", ()):
        return {}
    if loss.requires_grad:
        loss.backward()
    found = student_logits.grad
    return {"gradient": (torch.zeros_like(student_logits) if found is None else found).tolist()}


def _distil(request: Json) -> Json:
    data = request["data"]
    student_logits = _floats(data["student_logits"]).requires_grad_()
    elsewhere = data.get("elsewhere", 0)
    with placed(_place_in_step), ExitStack() as stack:
        options = known(data["options"], OF_A_LOSS | OF_A_STEP)
        loss = LossOptions(**{name: value for name, value in options.items() if name in OF_A_LOSS})
        others = {name: value for name, value in options.items() if name not in OF_A_LOSS}
        terms = distillation_loss(
            student_logits,
            torch.tensor(data["input_ids"]),
            torch.tensor(data["token_mask"]),
            [_teacher(given, stack) for given in data["teachers"]],
            options=DistillationOptions(loss=loss, **others),
            sample_mask=torch.tensor(data["sample_mask"]),
            ranks=Ranks(data_sum=lambda here: here if here.is_floating_point() else here + elsewhere),
        )
    values = _numbers(terms) | {
        "teacher_losses": [float(term) for term in terms.teacher_losses],
        "weights": list(terms.weights),
    }
    if terms.selected is not None:
        values["selected"] = terms.selected
    return {"values": values | _gradient(data, terms.loss, student_logits)}


def _teacher(given: Json, stack: ExitStack) -> Teacher:
    own: Json = {name: given[name] for name in ("weight", "mode") if name in given}
    if "file" in given:
        own |= {name: torch.tensor(given[name]) for name in ("input_ids", "token_mask")}
        own["projection_matrix_path"] = stack.enter_context(_projection_file(given["file"]))
        own["alignment"] = _alignment(given)
    return Teacher(_floats(given["logits"]), given["vocab_size"], **own)


def _build_projection(request: Json) -> Json:
    """What is read of the file of a made projection, row by row."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "projection.pt")
        _made(request["data"]["projection"], "/data/projection").save(path)
        indices, weights = get_topk_projection(path)
    rows = zip(indices.tolist(), weights.tolist(), strict=True)
    return {"values": {"rows": [[[t, w] for t, w in zip(*row, strict=True) if t >= 0] for row in rows]}}


IN_A_WISH = {"other": "second", "teacher_embeddings": "teacher"}
"""What a request calls the arguments of what makes a projection, where the names differ."""


def _made(wish: Json, place: str) -> Projection:
    """The projection that is described at a place of the request."""
    with placed(lambda error: f"{place}/{IN_A_WISH.get(str(error.field), error.field)}"):
        if wish["how"] == "exact":
            return build_projection.exact(*(_made_up(wish[side]) for side in SIDES))
        if wish["how"] == "embedded":
            sides = [_floats(wish[side]) for side in SIDES]
            return build_projection.embedded(*sides, k=wish["k"], sharpness=wish["sharpness"])
        if wish["how"] == "over":
            first, second = (_made(wish[name], f"{place}/{name}") for name in ("first", "second"))
            return first.over(second)
        if wish["how"] == "cut":
            return _made(wish["of"], f"{place}/of").cut(wish["k"])
        return Projection.of_entries(wish["entries"], wish["student_vocab_size"], wish["teacher_vocab_size"])


def _made_up(pieces: list[list[str]]) -> PieceTable:
    spelled = {"text": str.encode, "hex": bytes.fromhex}
    return PieceTable(
        tuple(spelled[kind](value) if kind in spelled else b"" for kind, value in pieces),
        tuple(value if kind == "special" else "" for kind, value in pieces),
    )


def _chunk_loss(request: Json) -> Json:
    data = request["data"]
    with placed(_place_in_chunk_loss):
        if data["mode"] not in LITERATURE:
            raise AlignmentInputError(f"{data['mode']!r} is none of {', '.join(LITERATURE)}", field="mode")
        return {"values": LITERATURE[data["mode"]](data)}


def _uld(data: Json) -> Json:
    student_logits = _floats(data["student_logits"]).requires_grad_()
    written = _written(data)
    token_map = None
    if data["mode"] == "uld-hybrid":
        with _projection_file(data["file"]) as path:
            width = written["teacher_logits"].shape[-1]
            token_map = build_exact_token_map(path, xtoken_loss=False, teacher_vocab_size=width)
    terms = uld_loss(
        student_logits, **written, token_map=token_map, options=UldOptions(**known(data["options"], OF_ULD))
    )
    return _numbers(terms) | _gradient(data, terms.loss, student_logits)


def _alm(data: Json) -> Json:
    student_logits = _floats(data["student_logits"]).requires_grad_()
    boundary = {name: torch.tensor(data[name]) for name in ("student_boundary", "teacher_boundary") if name in data}
    terms = alm_loss(student_logits, **_written(data), **boundary, options=AlmOptions(**known(data["options"], OF_ALM)))
    return _numbers(terms) | _gradient(data, terms.loss, student_logits)


def _written(data: Json) -> Json:
    named = {name: torch.tensor(data[name]) for name in ("student_ids", "teacher_ids", "sample_mask")}
    return named | {"teacher_logits": _floats(data["teacher_logits"]), "alignment": _alignment(data)}


def _dskd(data: Json) -> Json:
    spaces = [_space(**data[side]) for side in SIDES]
    linear = {name: _linear(**wish) for name, wish in data["projections"].items()}
    trained = {name: getattr(spaces[0], name).requires_grad_() for name in ("logits", "hidden")}
    terms = dual_space_loss(spaces[0], spaces[1], Projections(**linear), **known(data["options"], OF_DSKD))
    values = _numbers(terms)
    if "gradient" not in data.get("want", ()):
        return values
    student = dict(zip(trained, _derived(terms.loss, list(trained.values())), strict=True))
    learned = {
        name: dict(zip(("weight", "bias"), _derived(terms.loss, [layer.weight, layer.bias]), strict=True))
        for name, layer in linear.items()
    }
    return values | {"gradient": {"student": student, "projections": learned}}


def _space(labels: list[list[int]], **states: Any) -> Space:
    return Space(labels=torch.tensor(labels), **{name: _floats(value) for name, value in states.items()})


def _derived(loss: torch.Tensor, trained: list[torch.Tensor]) -> list[Any]:
    """The gradient of each; the loss is made of all of them."""
    return [value.tolist() for value in torch.autograd.grad(loss, trained, retain_graph=True)]


def _linear(weight: list[list[float]], bias: list[float]) -> torch.nn.Linear:
    layer = torch.nn.Linear(len(weight[0]), len(weight))
    layer.load_state_dict({"weight": torch.tensor(weight), "bias": torch.tensor(bias)})
    return layer


SIDES = ("student", "teacher")
LITERATURE: dict[str, Callable[[Json], Json]] = {"uld": _uld, "uld-hybrid": _uld, "alm": _alm, "dskd": _dskd}


def _place_in_chunk_loss(error: TokenSpecError) -> str:
    is_option = error.field in OF_ULD | OF_ALM | OF_DSKD
    return f"/data/options/{error.field}" if is_option else f"/data/{error.field}"


def _place_in_loss(error: TokenSpecError) -> str:
    is_option = error.field in OF_A_LOSS | OF_A_STEP
    return f"/data/options/{error.field}" if is_option else f"/data/{error.field}"


OF_ONE_TEACHER = {"teacher_logits", "teacher_vocab_size", *(field.name for field in fields(AlignmentBatch))}


def _place_in_step(error: TokenSpecError) -> str:
    """What a single loss calls the teacher's, or the alignment's, is one of the step's teachers."""
    return "/data/teachers" if error.field in OF_ONE_TEACHER else _place_in_loss(error)


LOSS_TASKS: dict[str, Callable[[Json], Json]] = {
    "chunk-average": _chunk_average,
    "projection": _projection,
    "exact-map": _exact_map,
    "loss": _loss,
    "build-projection": _build_projection,
    "distil": _distil,
    "chunk-loss": _chunk_loss,
}
