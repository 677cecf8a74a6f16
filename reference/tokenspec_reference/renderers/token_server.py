"""Servers that are sent ids and answer with ids: ``generate(TokenServer(url).complete, renderer, messages)``.

Needs the extra ``client``.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tokenspec_reference.errors import TokenSpecError
from tokenspec_reference.renderers.dialects import Dialect, dialect_named, read_completion
from tokenspec_reference.renderers.generate import Completion, GenerationRequest

if TYPE_CHECKING:
    import httpx2

CONNECTION_TRIES = 3
SAID_AT_MOST = 500


class ServerFailed(TokenSpecError):
    """The server could not be asked, or answered with something that is no completion; its words are in the text."""

    rejection_code = "server-failed"


class _Connection:
    """Where requests go, and what each of them carries; the two faces below send it."""

    def __init__(
        self,
        base_url: str,
        *,
        model: str | None = None,
        dialect: str = "tokens",
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        timeout: float = 600.0,
    ) -> None:
        """Nothing is sent before the first call.

        Args:
            base_url: of the server, with or without a last ``/v1``.
            model: its name on the server, where that serves several.
            dialect: ``tokens`` or ``completions`` (see ``dialects.py``).
            api_key: sent as bearer token; never printed.
            headers: sent with each request.
            body: further fields of each request's body, e.g. ``cache_salt`` or ``priority``.
            timeout: seconds until an answer must have come.

        Raises:
            TokenSpecError: an unknown dialect, or an address without ``http://`` or ``https://``.
        """
        if not base_url.startswith(("http://", "https://")):
            raise TokenSpecError(
                f"expected an address that begins with http:// or https://, got {base_url!r}", field="base_url"
            )
        self.base_url = base_url.rstrip("/").removesuffix("/v1")
        self.model = model
        self.dialect: Dialect = dialect_named(dialect)
        self._body = dict(body or {})
        self._headers = {**({"Authorization": f"Bearer {api_key}"} if api_key else {}), **(headers or {})}
        self._timeout = timeout

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_url!r}, model={self.model!r}, dialect={self.dialect.name!r})"

    def _options(self) -> dict[str, Any]:
        return {"base_url": self.base_url, "headers": self._headers, "timeout": self._timeout}

    def _request_body(self, request: GenerationRequest) -> dict[str, Any]:
        model = {"model": self.model} if self.model else {}
        return {**model, **self._body, **self.dialect.body_of(request)}

    def _decoded(self, answer: httpx2.Response) -> Any:
        if answer.status_code >= 400:
            raise ServerFailed(
                f"{self.base_url}{answer.url.path} answered {answer.status_code}: {answer.text[:SAID_AT_MOST]}",
                field="base_url",
            )
        try:
            return answer.json()
        except ValueError as unreadable:
            said = answer.text[:SAID_AT_MOST]
            raise ServerFailed(f"{self.base_url} did not answer with JSON: {said!r}", field="base_url") from unreadable

    def _unreachable(self, error: Exception) -> ServerFailed:
        what = f"{type(error).__name__} {error}".strip()
        return ServerFailed(f"no answer from {self.base_url} ({what})", field="base_url")

    def _longest_prompt(self, cards: Any) -> int | None:
        models = cards.get("data") if isinstance(cards, Mapping) else None
        for card in models if isinstance(models, list) else []:
            if isinstance(card, Mapping) and self.model in {None, card.get("id")}:
                length = card.get("max_model_len")
                return length if type(length) is int and length > 0 else None
        return None


class TokenServer(_Connection):
    """A server, asked one request at a time; close it, or use it in a ``with`` statement."""

    _client: httpx2.Client | None = None

    def complete(self, request: GenerationRequest) -> Completion:
        """Send a request and read its answer. Connecting is tried three times; a request that was sent, once.

        Raises:
            ServerFailed: no connection, no answer in time, a status from 400 on, or no JSON.
            MalformedCompletion: an answer that cannot be trained on.
        """
        return read_completion(self._ask("POST", self.dialect.path, json=self._request_body(request)), request)

    def max_prompt_len(self) -> int | None:
        """The longest prompt the served model takes, in tokens; None where the server does not say.

        Raises:
            ServerFailed: as for :meth:`complete`.
        """
        return self._longest_prompt(self._ask("GET", "/v1/models"))

    def _ask(self, method: str, path: str, **what: Any) -> Any:
        http = _http()
        if self._client is None:
            self._client = http.Client(transport=http.HTTPTransport(retries=CONNECTION_TRIES - 1), **self._options())
        try:
            return self._decoded(self._client.request(method, path, **what))
        except http.TransportError as error:
            raise self._unreachable(error) from error

    def close(self) -> None:
        """Close the connections. A later call opens new ones."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class AsyncTokenServer(_Connection):
    """The same, awaited: as many requests at once as the caller starts. Use it in an ``async with`` statement."""

    _client: httpx2.AsyncClient | None = None

    async def complete(self, request: GenerationRequest) -> Completion:
        """:meth:`TokenServer.complete`, awaited."""
        return read_completion(await self._ask("POST", self.dialect.path, json=self._request_body(request)), request)

    async def max_prompt_len(self) -> int | None:
        """:meth:`TokenServer.max_prompt_len`, awaited."""
        return self._longest_prompt(await self._ask("GET", "/v1/models"))

    async def _ask(self, method: str, path: str, **what: Any) -> Any:
        http = _http()
        if self._client is None:
            transport = http.AsyncHTTPTransport(retries=CONNECTION_TRIES - 1)
            self._client = http.AsyncClient(transport=transport, **self._options())
        try:
            return self._decoded(await self._client.request(method, path, **what))
        except http.TransportError as error:
            raise self._unreachable(error) from error

    async def aclose(self) -> None:
        """Close the connections. A later call opens new ones."""
        if self._client is not None:
            await self._client.aclose()
            self._client = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()


def _http() -> Any:
    try:
        import httpx2
    except ImportError as missing:
        raise TokenSpecError("needs httpx2: pip install 'tokenspec[client]'", field="base_url") from missing
    return httpx2
