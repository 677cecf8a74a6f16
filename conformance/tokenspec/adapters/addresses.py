"""Which servers may be asked, and how: ``--impl http://127.0.0.1:8000``, on this machine unless a host is named."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from tokenspec.errors import UsageError

TOKEN = "TOKENSPEC_TOKEN"  # noqa: S105 - the name of the variable that holds it
AUTO = "auto"
SCHEMES = ("http://", "https://")


@dataclass(frozen=True)
class Askable:
    """What the command line says of servers.

    Attributes:
        dialect: the name of one, or ``auto``: the server is asked what it is.
        hosts: the hosts beside this machine that may be asked.
    """

    dialect: str = AUTO
    hosts: tuple[str, ...] = ()


THIS_MACHINE = Askable()


def is_address(text: str) -> bool:
    """Whether an ``--impl`` is the address of a server."""
    return text.startswith(SCHEMES)


def base_of(text: str, askable: Askable) -> str:
    """The address requests go to: ``http://127.0.0.1:8000``, without a last ``/`` or ``/v1``.

    Raises:
        UsageError: it names no host, another host than may be asked, or holds a name and a password.
    """
    try:
        parts: SplitResult = urlsplit(text)
        host = parts.hostname or ""
        port = parts.port
    except ValueError as error:
        raise UsageError(f"--impl: no address: {error}. Give one like http://127.0.0.1:8000") from error
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            f"--impl: the address of {host} holds a name or a password, which would be printed. "
            f"Leave it out and put a token into the environment variable {TOKEN}"
        )
    if not host or parts.query or parts.fragment:
        raise UsageError(f"--impl {text}: give scheme, host and port alone, like http://127.0.0.1:8000")
    if not (is_here(host) or host in askable.hosts):
        raise UsageError(
            f"--impl {text}: {host} is not this machine. What is judged, and the token, would be sent there. "
            f"If that is meant: tokenspec run --impl {text} --allow-host {host}"
        )
    netloc = f"[{host}]" if ":" in host else host
    path = parts.path.rstrip("/").removesuffix("/v1")
    return f"{parts.scheme}://{netloc}{'' if port is None else f':{port}'}{path}"


def is_here(host: str) -> bool:
    """Whether a host is this machine, by its name or its number; no name is looked up."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def token_given() -> str:
    """What the server is shown; empty where the environment names none."""
    return os.environ.get(TOKEN, "").strip()
