"""One server asked over HTTP: time limits, sizes, and what its silence is called. Needs the extra ``client``."""

from __future__ import annotations

import json
import time
from http import HTTPStatus
from typing import Any

from tokenspec.adapters import Failed
from tokenspec.adapters.foreign_text import foreign_text
from tokenspec.adapters.patience import LEAST
from tokenspec.adapters.pipe import MAX_LINE
from tokenspec.errors import AdapterError

CONNECTION_TRIES = 3
"""Only connecting is tried again: a request that was sent may have been answered."""
SAID_AT_MOST = 400
ABSENT = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED})
CLOSED = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
BUSY = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})


class Silent(Exception):
    """The server gave no answer that says anything of an input: it is gone, slow, busy, or speaks no JSON."""

    def __init__(self, message: str, *, slow: float = 0.0, gone: bool = False) -> None:
        """``slow``: the seconds it had; ``gone``: it cannot be reached at all."""
        super().__init__(message)
        self.outcome = Failed(message, slow=slow)
        self.gone = gone


class Declined(Exception):
    """The server answered with a status from 400 on, of this request."""

    def __init__(self, status: int, said: str) -> None:
        """``said`` is what it wrote, shortened, without the token."""
        super().__init__(said)
        self.status = status
        self.said = said

    @property
    def absent(self) -> bool:
        """Whether there is nothing at this path."""
        return self.status in ABSENT


class Wire:
    """Requests to one server, one at a time."""

    def __init__(self, base: str, token: str) -> None:
        """Nothing is sent yet.

        Raises:
            AdapterError: the client library is not installed.
        """
        try:
            import httpx2
        except ImportError as missing:
            raise AdapterError(f"--impl {base}: needs httpx2. Run: pip install 'tokenspec[client]'") from missing
        self.base, self._token, self._http = base, token, httpx2
        self._client = httpx2.Client(
            base_url=base,
            headers={"Authorization": f"Bearer {token}"} if token else {},
            transport=httpx2.HTTPTransport(retries=CONNECTION_TRIES - 1),
            trust_env=False,  # no proxy between this machine and itself, no credentials from a file
        )

    def ask(self, method: str, path: str, body: Any, deadline: float, seconds: float) -> Any:
        """The JSON that answers before the ``deadline`` of the monotonic clock; ``seconds`` is what is said of it.

        Raises:
            Silent: nothing came that can be read.
            Declined: the server says no.
        """
        content = b"" if body is None else json.dumps(body, allow_nan=False).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        try:
            status, data = self.exchange(method, path, content, headers, deadline)
        except self._http.TimeoutException as error:
            raise Silent(f"slow: no answer from {self.base} within {seconds:g} s", slow=seconds) from error
        except self._http.ConnectError as error:
            what = f"no answer from {self.base}: {self.shown(str(error))}. Is it running?"
            raise Silent(what, gone=True) from error
        except self._http.TransportError as error:
            what = self.shown(str(error)) or type(error).__name__
            raise Silent(f"{self.base} ended the connection without an answer: {what}", gone=True) from error
        said = self.shown(data[: 2 * SAID_AT_MOST].decode("utf-8", "replace"))
        if status in CLOSED:
            raise Silent(f"{self.base} answered {status}: {said}. A token is read from TOKENSPEC_TOKEN")
        if status in BUSY:
            raise Silent(f"{self.base} answered {status}: {said}")
        if status >= HTTPStatus.BAD_REQUEST:
            raise Declined(status, self.shown(message_of(data)))
        try:
            return json.loads(data)
        except (ValueError, RecursionError) as error:
            raise Silent(f"{self.base}{path} did not answer with JSON: {said!r}") from error

    def exchange(
        self, method: str, path: str, content: bytes, headers: dict[str, str], deadline: float
    ) -> tuple[int, bytes]:
        """Status and body; the time is that of the whole answer, a server that trickles is slow too."""
        data, left = bytearray(), max(LEAST, deadline - time.monotonic())
        with self._client.stream(method, path, content=content, headers=headers, timeout=left) as answer:
            for piece in answer.iter_bytes():
                data += piece
                if len(data) > MAX_LINE:
                    raise Silent(f"{self.base}{path} answered with more than {MAX_LINE // 2**20} MiB")
                if time.monotonic() > deadline:
                    raise self._http.ReadTimeout("the whole answer")
        return answer.status_code, bytes(data)

    def shown(self, text: str) -> str:
        """Text of the server as it may be printed: shortened, escaped, without the token."""
        hidden = text.replace(self._token, "[token]") if self._token else text
        return foreign_text(hidden[:SAID_AT_MOST].strip())

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def message_of(data: bytes) -> str:
    """What an error says: OpenAI's ``error.message``, FastAPI's ``detail``, or the body as it is."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return data.decode("utf-8", "replace")
    for key in ("error", "message", "detail"):
        if isinstance(found, dict) and key in found:
            found = found[key]
    return found if isinstance(found, str) else json.dumps(found)
