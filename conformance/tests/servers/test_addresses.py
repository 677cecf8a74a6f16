"""Which servers may be asked, and what a run says where none answers; nothing here needs a server."""

from __future__ import annotations

import socket

import pytest

from tokenspec.adapters.addresses import Askable, base_of, is_here
from tokenspec.adapters.resolve import resolve
from tokenspec.columns.live.dialects import DIALECTS
from tokenspec.columns.live.wire import Wire, message_of
from tokenspec.errors import AdapterError, UsageError


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("http://localhost:8000/v1/", "http://localhost:8000"),
        ("https://[::1]/models/a/v1", "https://[::1]/models/a"),
    ],
)
def test_this_machine_is_asked(given: str, base: str) -> None:
    assert base_of(given, Askable()) == base


@pytest.mark.parametrize("host", ["gpu7", "10.0.0.7", "0.0.0.0", "localhost.example.org", "127.0.0.1.example.org"])
def test_another_host_only_when_it_is_named(host: str) -> None:
    assert not is_here(host)
    with pytest.raises(UsageError, match=f"--allow-host {host}"):
        base_of(f"http://{host}:8000", Askable())
    assert base_of(f"http://{host}:8000", Askable(hosts=(host,))) == f"http://{host}:8000"


def test_a_password_in_an_address_is_refused_unprinted() -> None:
    with pytest.raises(UsageError, match="TOKENSPEC_TOKEN") as refused:
        base_of("http://me:secret@127.0.0.1:8000", Askable())
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("given", ["http://", "http://127.0.0.1:port", "http://[::1", "http://127.0.0.1:8000?a=b"])
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(UsageError):
        base_of(given, Askable())


def test_a_server_that_is_not_there_is_an_error_of_its_own() -> None:
    with socket.socket() as held:  # bound and not listening: connections are refused
        held.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{held.getsockname()[1]}"
        with pytest.raises(AdapterError, match=r"no answer from .* Is it running"):
            resolve(address)


def test_dialects_are_named() -> None:
    with pytest.raises(UsageError, match="llama-server"):
        resolve("http://127.0.0.1:1", Askable("llama-servers"))
    assert all(dialect.silent or dialect.chat_to_ids or dialect.chat_to_text for dialect in DIALECTS.values())


def test_the_token_is_not_printed() -> None:
    wire = Wire("http://127.0.0.1:1", "s3cret")
    assert wire.shown("Bearer s3cret is wrong\x1b[2J") == "Bearer [token] is wrong\\x1b[2J"
    wire.close()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": {"code": 400, "message": "no"}}', "no"),
        (b'{"detail": "Not Found"}', "Not Found"),
        (b"plain", "plain"),
        (b'{"detail": [1]}', "[1]"),
    ],
)
def test_what_an_error_says(body: bytes, said: str) -> None:
    assert message_of(body) == said
