"""Encode text with exact character spans, over any tokenizer with ``encode``.

Works with transformers tokenizers (fast or slow, or with a fastokens backend) and with raw ``tokenizers.Tokenizer``.
``isolated`` encoding keeps control-token text of callers as plain text; see :meth:`Encoder.encode_isolated`.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakKeyDictionary

from tokenspec_reference.errors import TokenSpecError, UnsupportedByReference
from tokenspec_reference.renderers.token_text import (
    CharSpans,
    TokenBytes,
    bytes_of_token,
    is_byte_level,
    spans_from_bytes,
    spans_from_offsets,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tokenspec_reference.renderers.segments import Span


_TABLES: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()
"""What was read out of each tokenizer, shared by its encoders (a memo: a vocabulary takes 0.1 s to read)."""


class Encoder:
    """A tokenizer with the tables that place its tokens; holds no state between calls."""

    def __init__(self, tokenizer: Any, control_text: str | None = None) -> None:
        """Wrap ``tokenizer``. ``control_text`` (the template) tells which non-special added tokens are control tokens.

        Raises:
            TokenSpecError: when the object cannot encode.
        """
        if not callable(getattr(tokenizer, "encode", None)):
            raise TokenSpecError(f"{type(tokenizer).__name__} has no encode method", field="tokenizer")
        self.tokenizer = tokenizer
        self._control_text = control_text
        try:
            self._tables = _TABLES.setdefault(tokenizer, {})
        except TypeError:  # not weakly referable, such as tokenizers.Tokenizer
            self._tables = {}

    def ids(self, text: str) -> list[int]:
        """Ids of ``text`` with nothing added: what ``apply_chat_template(tokenize=True)`` gives for it."""
        if self._fast is None:
            return self.ids_by_encode(text)
        pieces = self._pieces(text)
        return [i for found in self._fast.encode_batch_fast(pieces, add_special_tokens=False) for i in found.ids]

    def _pieces(self, text: str) -> list[str]:
        """``text`` cut before each added token: those are hard boundaries, and short pieces encode twice as fast."""
        if self._boundary is None:
            return [text]
        cuts = [match.start() for match in self._boundary.finditer(text)]
        return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True) if start < end]

    @cached_property
    def _boundary(self) -> re.Pattern[str] | None:
        """Matches added tokens as the tokenizer does (leftmost, longest); None where one of them is no hard cut."""
        entries = list(self._added_entries.values())
        has_normalizer = getattr(self._backend, "normalizer", None) is not None
        soft = ("lstrip", "rstrip", "single_word", *(("normalized",) if has_normalizer else ()))
        if not entries or any(getattr(entry, flag, True) for entry in entries for flag in soft):
            return None
        if not self._cuts(max(self.added.values(), key=len)):
            return None
        return any_of(self.added.values())

    def _cuts(self, token: str) -> bool:
        """Whether a text may be encoded apart from an added token on: no flag need say that it may not."""
        behind = token + "a"
        return self.ids_by_encode("a" + behind) == self.ids_by_encode("a") + self.ids_by_encode(behind)

    def ids_by_encode(self, text: str) -> list[int]:
        """The readable twin of :meth:`ids`, through the tokenizer's own ``encode``."""
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        return list(getattr(encoding, "ids", encoding))

    @cached_property
    def _fast(self) -> Any:
        """The backend that encodes without tracking offsets, where nothing but the text decides about the ids."""
        backend = self._backend
        if not callable(getattr(backend, "encode_batch_fast", None)):
            return None
        is_plain = (
            getattr(backend, "truncation", None) is None
            and getattr(backend, "padding", None) is None
            and not getattr(backend, "encode_special_tokens", False)
            and not getattr(self.tokenizer, "split_special_tokens", False)
        )
        return backend if is_plain else None

    def encode(self, text: str) -> tuple[list[int], CharSpans | None]:
        """Ids and character spans; spans are None when neither token bytes nor offsets can place the tokens."""
        token_ids = self.ids(text)
        spans = spans_from_bytes(text, token_ids, self.bytes_by_id) if self.bytes_by_id is not None else None
        return token_ids, spans if spans is not None else self._offsets(text, len(token_ids))

    def encode_isolated(self, text: str, spans: Sequence[Span], ahead: int) -> tuple[list[int], CharSpans | None]:
        """Encode so that control tokens come from template text only.

        The text is cut at the control tokens that lie wholly in text of the template; everything between is encoded
        by a twin of the tokenizer that knows no control tokens. Text without caller-typed control tokens is encoded
        exactly as :meth:`encode_piece` does it, behind so many characters ``ahead``.

        Raises:
            TokenSpecError: when the vocabulary itself spells a control token out of plain text.
        """
        matches = [match.span() for match in self._control_pattern.finditer(text)]
        literal = list(self._literal_matches(text, spans))
        if matches == literal:
            return self.encode_piece(text, ahead)
        token_ids: list[int] = []
        placed: CharSpans | None = []
        position = 0
        for start, end in [*literal, (len(text), len(text))]:
            for piece, offset, is_control in ((text[position:start], position, False), (text[start:end], start, True)):
                if not piece:
                    continue
                piece_ids, piece_spans = (
                    self.encode(piece) if is_control else self._plain.encode_piece(piece, ahead + offset)
                )
                if not is_control and not self.control_ids.isdisjoint(piece_ids):
                    raise TokenSpecError(
                        "the vocabulary spells a control token out of plain text; use encoding='hf'", field="encoding"
                    )
                token_ids += piece_ids
                if placed is not None and piece_spans is not None:
                    placed += [(a + offset, b + offset) for a, b in piece_spans]
                else:
                    placed = None
            position = end
        return token_ids, placed

    def encode_piece(self, piece: str, offset: int) -> tuple[list[int], CharSpans | None]:
        """Encode a piece from inside a text, without the prefix space SentencePiece puts before the first word.

        Something stands in front of the piece for that: a control token if there is one, else text it does not merge
        with.
        """
        if not offset or not self._prepends_space:
            return self.encode(piece)
        for anchor in self._anchors:
            ahead = self.ids(anchor)
            token_ids, spans = self.encode(anchor + piece)
            own = token_ids[len(ahead) :]
            fits = token_ids[: len(ahead)] == ahead
            if fits and spans is not None and self._has_blank(own) == piece.startswith(" "):
                moved = [(a - len(anchor), b - len(anchor)) for a, b in spans[len(ahead) :]]
                return own, moved
        return self.encode(piece)

    @cached_property
    def _anchors(self) -> tuple[str, ...]:
        special = [self.added[i] for i, token in self._added_entries.items() if getattr(token, "special", True)]
        return (*special[:1], "\n", ".")

    def _has_blank(self, token_ids: list[int]) -> bool:
        return bool(token_ids) and self._ordinary[0].get(token_ids[0], "").startswith("▁")

    @cached_property
    def added(self) -> dict[int, str]:
        """Text of every added token by id."""
        return {i: getattr(token, "content", str(token)) for i, token in self._added_entries.items()}

    @cached_property
    def control_ids(self) -> frozenset[int]:
        """Special added tokens, and those the template writes (all if it is unknown); never mere white space."""
        template = self._control_text
        return frozenset(
            i
            for i, token in self._added_entries.items()
            if self.added[i].strip()
            and (getattr(token, "special", True) or template is None or token.content in template)
        )

    @cached_property
    def bytes_by_id(self) -> TokenBytes | None:
        """Bytes of each id; None when the tokenizer shows no vocabulary, or one that spells tokens in no known way."""
        if not callable(getattr(self.tokenizer, "get_vocab", None)):
            return None

        def build() -> TokenBytes | None:
            ordinary, byte_level = self._ordinary
            is_known = byte_level or any("▁" in token for token in ordinary.values())
            return TokenBytes(ordinary, self.added, byte_level=byte_level) if is_known else None

        return cast("TokenBytes | None", self._shared("bytes", build))

    def token_bytes(self, token: int) -> bytes:
        """Bytes of an ordinary token; what the tokenizer decodes it to where its vocabulary cannot be read."""
        if self.bytes_by_id is None:
            return str(self.tokenizer.decode([token])).encode()
        return self.bytes_by_id[token] if token in self._ordinary[0] else b""

    def token_texts(self) -> list[str]:
        """Texts of the ordinary tokens that are whole characters, without repetition."""
        ordinary, byte_level = self._ordinary
        texts: dict[str, None] = {}
        for spelled in ordinary.values():
            try:
                texts[bytes_of_token(spelled, byte_level=byte_level).decode()] = None
            except UnicodeDecodeError:
                continue
        return [text for text in texts if text]

    @property
    def _ordinary(self) -> tuple[dict[int, str], bool]:
        """Spelling of the ordinary tokens, and whether they spell bytes."""

        def build() -> tuple[dict[int, str], bool]:
            spelled = {i: token for token, i in self.tokenizer.get_vocab().items() if i not in self.added}
            return spelled, is_byte_level(spelled.values())

        return cast("tuple[dict[int, str], bool]", self._shared("tokens", build))

    def has(self, token: str) -> bool:
        """Tell whether ``token`` is an added token of the tokenizer."""
        return token in self._id_by_text

    def id_of(self, token: str) -> int:
        """Id of an added token.

        Raises:
            TokenSpecError: when the tokenizer does not have it as one token.
        """
        found = self._id_by_text.get(token)
        if found is None:
            raise TokenSpecError(
                f"the tokenizer has no added token {token!r}; this family's wire format needs it", field="tokenizer"
            )
        return found

    @cached_property
    def _id_by_text(self) -> dict[str, int]:
        return {text: i for i, text in self.added.items()}

    def _shared(self, name: str, build: Callable[[], Any]) -> Any:
        """Compute a table once per tokenizer, and again when its vocabulary has grown."""
        size = len(self._added_entries)
        known = self._tables.get(name)
        if known is None or known[0] != size:
            known = self._tables[name] = (size, build())
        return known[1]

    @cached_property
    def _added_entries(self) -> dict[int, Any]:
        decoder = getattr(self.tokenizer, "added_tokens_decoder", None)
        if decoder is None:
            getter = getattr(self.tokenizer, "get_added_tokens_decoder", None)
            decoder = getter() if callable(getter) else {}
        return dict(decoder)

    @cached_property
    def _control_pattern(self) -> re.Pattern[str]:
        return any_of(self.added[i] for i in self.control_ids)

    def _literal_matches(self, text: str, spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
        """Control tokens inside maximal runs of text the template wrote by itself."""
        run_start = None
        for span in spans:
            if span.is_supplied:
                if run_start is not None:
                    yield from (m.span() for m in self._control_pattern.finditer(text, run_start, span.start))
                run_start = None
            elif run_start is None:
                run_start = span.start
        if run_start is not None:
            yield from (m.span() for m in self._control_pattern.finditer(text, run_start))

    @cached_property
    def _backend(self) -> Any:
        return getattr(self.tokenizer, "backend_tokenizer", self.tokenizer)

    @cached_property
    def _prepends_space(self) -> bool:
        return "Metaspace" in str(type(getattr(self._backend, "pre_tokenizer", None))) or (
            '"Prepend"' in self._serialised
        )

    @cached_property
    def _serialised(self) -> str:
        serialise = getattr(self._backend, "to_str", None)
        return str(self._shared("json", serialise)) if callable(serialise) else ""

    @cached_property
    def _plain(self) -> Encoder:
        """A twin of the tokenizer to which control tokens are plain text."""
        if not self._serialised:
            raise UnsupportedByReference(
                f"isolated encoding needs a tokenizer that can be serialised, {type(self.tokenizer).__name__} cannot",
                field="encoding",
            )

        def build() -> Encoder:
            import json

            from tokenizers import Tokenizer

            state = json.loads(self._serialised)
            # marked rather than removed: without some of them the others would be numbered anew
            state["added_tokens"] = [{**t, "special": t["id"] in self.control_ids} for t in state["added_tokens"]]
            state["post_processor"] = state["truncation"] = state["padding"] = None
            twin = Tokenizer.from_str(json.dumps(state))
            twin.encode_special_tokens = True
            return Encoder(twin)

        return cast("Encoder", self._shared(f"plain {sorted(self.control_ids)}", build))

    def _offsets(self, text: str, count: int) -> CharSpans | None:
        """Spans from the tokenizer's own offsets, None where it tracks none."""
        try:
            offsets = getattr(self._backend.encode(text, add_special_tokens=False), "offsets", None)
        except NotImplementedError:  # of fastokens
            return None
        if offsets is None or len(offsets) != count:
            return None
        return spans_from_offsets(offsets, len(text))


def any_of(tokens: Iterable[str]) -> re.Pattern[str]:
    """A pattern that matches these tokens, the longest of those that begin alike; nothing where there are none."""
    longest_first = sorted(tokens, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or "(?!)")
