"""A running server as a column: ``--impl http://127.0.0.1:8000``. It is asked what it serves before it is judged."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from tokenspec.adapters import Failed, NotSupported, Ok, Outcome, Refused, Unsupported
from tokenspec.adapters.addresses import AUTO, Askable, base_of, token_given
from tokenspec.adapters.capability import Capability
from tokenspec.adapters.foreign_text import foreign_text
from tokenspec.adapters.in_process import outcome_of
from tokenspec.columns.live.completions import parsed, streamed
from tokenspec.columns.live.dialects import DIALECTS, Dialect
from tokenspec.columns.live.same_row import other_template, other_vocabulary
from tokenspec.columns.live.wire import Declined, Silent, Wire
from tokenspec.columns.renderers import has_media
from tokenspec.errors import AdapterError, UnknownName, UsageError
from tokenspec.models import Row, load

SILENCES_IN_A_ROW = 3
"""After so many calls without an answer the server is not asked again."""
FIRST_SECONDS = 60.0
"""Seconds for what is asked before the first case: a server may load its tokenizer late."""

Operation = Callable[[dict[str, Any]], dict[str, Any]]


class LiveServer:
    """One server as a column. One thing is asked at a time; several workers ask side by side (``--jobs``)."""

    def __init__(self, text: str, askable: Askable) -> None:
        """Ask the server who it is.

        Raises:
            UsageError: its address may not be asked, or there is no such dialect.
            AdapterError: it does not answer, or is of no known kind.
        """
        if askable.dialect not in {AUTO, *DIALECTS}:
            raise UnknownName("dialect", askable.dialect, [AUTO, *DIALECTS])
        self.name = text
        self.wire = Wire(base_of(text, askable), token_given())
        self.rows: dict[str, Row] = {}
        self.goes_on: set[str] = set()
        self.silences, self.slow = 0, 0.0
        self.within(FIRST_SECONDS)
        self.announced: frozenset[str] = frozenset()
        try:
            self.dialect = self.recognised() if askable.dialect == AUTO else DIALECTS[askable.dialect]
            self.info = {
                "name": self.dialect.name,
                "version": foreign_text(self.version()),
                "homepage": self.dialect.homepage,
            }
            self.operations = self.able()
        except Silent as silent:
            raise AdapterError(f"--impl {text}: {silent}") from silent
        said = Capability(profile=self.dialect.profile)
        self.capabilities = {name: said for name in self.operations if name == "render"}

    def recognised(self) -> Dialect:
        """The dialect whose sign the server shows.

        Raises:
            UsageError: it shows none.
        """
        answers: dict[str, str] = {}
        for dialect in DIALECTS.values():
            path, sign = dialect.sign
            if path not in answers:
                answers[path] = re.sub(r"\s", "", self.text_at(path))
            if sign in answers[path]:
                return dialect
        raise UsageError(
            f"--impl {self.name}: a server answers, and is none of those that are known. "
            f"Name what it speaks: tokenspec run --dialect {' or '.join(DIALECTS)}"
        )

    def text_at(self, path: str) -> str:
        """The JSON at a path as text; empty where there is none."""
        try:
            return json.dumps(self.ask("GET", path))
        except Declined:
            return ""

    def version(self) -> str:
        """What it says of its version."""
        if self.dialect.version is None:
            return "not said"
        path, key = self.dialect.version
        try:
            return self.wire.shown(str(self.ask("GET", path).get(key, "not said")))
        except (Declined, AttributeError):
            return "not said"

    def able(self) -> dict[str, Operation]:
        """The operations it has: parsers are there where it reads completions and was started with some."""
        found: dict[str, Operation] = {"render": self.render}
        if self.dialect.completed is None:
            return found
        path, _ = self.dialect.completed
        try:
            self.ask("POST", path, {"generate_response": {"choices": [{"index": 0, "token_ids": [0]}]}})
        except Declined as declined:
            if self.dialect.parsers_said in declined.said and not declined.absent:
                found |= {"parse": self.parse, "parse_stream": self.parse_stream}
        return found

    def has(self, operation: str) -> bool:
        """Whether it can be asked this."""
        return operation in self.operations

    def load(self, model: str, assets: dict[str, Any]) -> Outcome | None:
        """Hold what is served against the row; what is not the row's is not judged as the row."""
        if self.silences >= SILENCES_IN_A_ROW:
            return self.given_up()
        if self.dialect.silent:
            return NotSupported(self.dialect.silent)
        if not assets["chat_template"]:
            return NotSupported("the row has no chat template")
        self.within(FIRST_SECONDS)
        row = load(model)
        self.rows[model] = row
        try:
            other = other_template(self.dialect, row, self.ask, self.render)
            other = other or other_vocabulary(self.dialect, row, self.ask)
            if not other and self.dialect.goes_on and goes_on(self.render, model):
                self.goes_on.add(model)
        except Exception as error:  # noqa: BLE001 - as in call
            return self.outcome_of(error)
        return NotSupported(other) if other else None

    def call(self, operation: str, case: str, request: dict[str, Any], timeout: float) -> Outcome:
        """Ask one thing. A server that is silent several times in a row is not asked again."""
        del case
        if operation not in self.operations:
            return NotSupported(f"no operation {operation}")
        if self.silences >= SILENCES_IN_A_ROW:
            return self.given_up()
        self.within(timeout)
        try:
            result = self.operations[operation](request)
        except Exception as error:  # noqa: BLE001 - whatever a server answers, it ends as an outcome
            return self.outcome_of(error)
        self.silences = 0
        return Ok(result)

    def outcome_of(self, error: Exception) -> Outcome:
        """What became of a request that has no result."""
        if isinstance(error, Silent):
            self.slow = error.outcome.slow if not self.silences or self.slow else 0.0
            self.silences += 1
            return error.outcome
        if isinstance(error, Declined):
            self.silences = 0
            return self.declined(error)
        if isinstance(error, KeyError | TypeError | IndexError | AttributeError):
            return Failed(f"{self.dialect.name} answered in another form than known: {type(error).__name__} {error}")
        return outcome_of(error)

    def declined(self, declined: Declined) -> Outcome:
        """A status from 400 on: a refusal of the input, but for what the server does not do, or breaks over."""
        for said, reason in self.dialect.unsupported:
            if said in declined.said:
                return NotSupported(reason)
        if declined.absent:
            return NotSupported(f"answers {declined.status}: {declined.said}")
        if declined.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not declined.said.startswith(self.dialect.refusals):
            return Failed(f"{self.wire.base} answered {declined.status}: {declined.said}")
        return Refused(f"http-{declined.status}", declined.said)

    def given_up(self) -> Outcome:
        """What every case gets after the last silence."""
        if self.slow:
            said = f"slow: {SILENCES_IN_A_ROW} answers in a row of {self.wire.base} were; it is not asked again"
            return Failed(said, slow=self.slow)
        said = f"{self.wire.base} was silent {SILENCES_IN_A_ROW} times in a row and is not asked again"
        return Failed(f"{said}; see its first error")

    def within(self, seconds: float) -> None:
        """What is asked from now on has so much time, however many requests it takes."""
        self.seconds, self.deadline = seconds, time.monotonic() + seconds

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """One request within the time of the call."""
        return self.wire.ask(method, path, body, self.deadline, self.seconds)

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ids of a conversation, or its text and then the ids of that.

        Raises:
            Unsupported: the request has what the dialect cannot say.
        """
        dialect, body = self.dialect, self.conversation(request)
        if dialect.chat_to_ids is not None:
            path, key = dialect.chat_to_ids
            return {"token_ids": self.ask("POST", path, body)[key]}
        if dialect.chat_to_text is None or dialect.text_to_ids is None:
            raise Unsupported(dialect.silent)
        path, key = dialect.chat_to_text
        text = self.ask("POST", path, body)[key]
        path, key = dialect.text_to_ids
        ids = self.ask("POST", path, {dialect.text_field: text, **dialect.text_options})[key]
        first = self.rows[request["model"]].vocabulary.decode(ids[:1])
        return {"token_ids": ids, "text": with_its_begin(text, first, self.rows[request["model"]])}

    def conversation(self, request: dict[str, Any]) -> dict[str, Any]:
        """The body that asks for a conversation."""
        messages = request["messages"] if isinstance(request["messages"], list) else []
        if any(map(has_media, messages)):
            raise Unsupported("needs the data of images, videos and sounds; the case only names them")
        if request["model"] in self.goes_on and ends_in_a_turn(messages, request["options"]):
            raise Unsupported(self.dialect.goes_on)
        options = {"add_generation_prompt": False, **request["options"]}
        body = {name: options.pop(name) for name in sorted(self.dialect.options & set(options))}
        if "chat_template" in options:
            if not self.dialect.given_template:
                raise Unsupported("takes no template with a conversation")
            body[self.dialect.given_template] = options.pop("chat_template")
        tools = {} if request["tools"] is None else {"tools": request["tools"]}
        keywords = {"chat_template_kwargs": options} if options else {}
        return {"messages": request["messages"], **tools, **body, **keywords}

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        """A completion as its parsers read it."""
        return parsed(request, self.stops(request["model"]), self.completed)

    def parse_stream(self, request: dict[str, Any]) -> dict[str, Any]:
        """A completion in chunks as its parsers read it."""
        return streamed(request, self.stops(request["model"]), self.completed)

    def completed(self, body: dict[str, Any]) -> Any:
        """Ask the parsers."""
        if self.dialect.completed is None:
            raise Unsupported("reads nothing but what it samples")
        return self.ask("POST", self.dialect.completed.path, body)

    def stops(self, model: str) -> frozenset[int]:
        """The ids that end a turn of the row."""
        row = self.rows[model]
        found = (row.vocabulary.convert_tokens_to_ids(token) for token in row.spec.wire.stop)
        return frozenset(id_ for id_ in found if id_ is not None)

    def close(self) -> None:
        """Close the connections."""
        self.wire.close()


def ends_in_a_turn(messages: list[Any], options: dict[str, Any]) -> bool:
    """Whether a conversation ends in an assistant turn that nobody asks to go on with."""
    last = messages[-1] if messages else None
    return isinstance(last, dict) and last.get("role") == "assistant" and not options.get("continue_final_message")


def goes_on(render: Operation, model: str) -> bool:
    """Whether a last assistant turn is left open, as if ``continue_final_message`` were asked for."""
    turns = [{"role": "user", "content": "One?"}, {"role": "assistant", "content": "Two."}]
    asked = {"model": model, "messages": turns, "tools": None}
    ends, open_ = (render({**asked, "options": options}) for options in ({}, {"continue_final_message": True}))
    return bool(ends == open_)


def with_its_begin(text: str, first: str, row: Row) -> str:
    """The text with the token that begins every text, where the server adds that to the ids alone."""
    begins = row.vocabulary.named("bos_token")
    return first + text if first == begins and not text.startswith(first) else text
