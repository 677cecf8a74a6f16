"""The real client code against a fake pip and a fake npm: processes, links, sizes, failures."""

import hashlib
import sys
from pathlib import Path

import pytest

from tokenspec.models import clients
from tokenspec.models.errors import FetchError, IntegrityError
from tokenspec.models.spec import Carrier

CONTENT = b"archive" * 100_000


def carrier(client: str, archive: str, **changes) -> Carrier:
    """A carrier of CONTENT."""
    fields = {"bytes": len(CONTENT), "sha256": hashlib.sha256(CONTENT).hexdigest(), "licence": "own"}
    return Carrier(id="c", client=client, requirement="pkg==1.0.0", archive=archive, **(fields | changes))


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Install a Python program as pip and npm; it sees its arguments in ``argv`` and the content's path in ``content``."""
    content = tmp_path / "content.bin"
    content.write_bytes(CONTENT)

    def install(body: str) -> None:
        program = tmp_path / "client.py"
        program.write_text(
            "import os, shutil, sys, time\nfrom pathlib import Path\n"
            f"argv, content, log = sys.argv[1:], {str(content)!r}, Path({str(tmp_path / 'log')!r})\n"
            "log.write_text(' '.join(argv))\n" + body
        )
        command = (sys.executable, str(program))
        monkeypatch.setattr(clients, "pip_command", lambda: command)
        monkeypatch.setattr(clients, "npm_command", lambda: command)

    install.log = tmp_path / "log"
    install.content = content
    return install


def folder_of(tmp_path: Path) -> Path:
    """An empty folder to fetch into."""
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


def test_a_wheel_comes_by_pip_download(fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "POLL", 0.01)
    seen = tmp_path / "seen"
    fake("shutil.copy(content, os.environ['TMPDIR'] + '/part')\n"
         f"while not os.path.exists({str(seen)!r}): time.sleep(0.01)\n"
         "os.rename(os.environ['TMPDIR'] + '/part', argv[argv.index('--dest') + 1] + '/pkg-1.whl')")  # fmt: skip
    sizes: list[int] = []

    def grown(size: int) -> None:
        sizes.append(size)
        if len(sizes) > 2:
            seen.touch()

    wheel = carrier("pip-wheel", "pkg-1.whl", client_options=("--platform", "any"))
    archive = clients.fetch_archive(wheel, folder_of(tmp_path), grown)
    assert archive.read_bytes() == CONTENT
    assert sizes[-1] == len(CONTENT)
    assert len(sizes) > 2
    said = fake.log.read_text()
    assert said.startswith("download --no-deps --only-binary :all: ")
    assert said.endswith("pkg==1.0.0")
    assert "--platform any" in said


def test_a_source_archive_is_streamed_from_pips_link_and_never_built(fake, tmp_path: Path) -> None:
    fake("name = Path(content).with_name('pkg-1.tar.gz')\nshutil.copy(content, name)\n"
         "print('  Found link ' + name.with_name('pkg-2.tar.gz').as_uri() + '#sha256=00 (from x), version: 2')\n"
         "print('  Found link ' + name.as_uri() + '#sha256=00 (from x), version: 1')")  # fmt: skip
    sizes: list[int] = []
    archive = clients.fetch_archive(carrier("pip-sdist", "pkg-1.tar.gz"), folder_of(tmp_path), sizes.append)
    assert archive.read_bytes() == CONTENT
    assert sizes == sorted(sizes)
    assert fake.log.read_text() == "-vvv --no-input --retries 2 index versions pkg"


@pytest.mark.parametrize("link", ["ftp://h/pkg-1.tar.gz", "http://h/pkg-1.tar.gz", "file:///x/other-1.tar.gz"])
def test_only_safe_links_to_the_named_archive_are_followed(fake, tmp_path: Path, link: str) -> None:
    fake(f"print('  Found link {link} (from x), version: 1')")
    with pytest.raises(FetchError, match=r"the package index of pip lists no pkg-1\.tar\.gz"):
        clients.fetch_archive(carrier("pip-sdist", "pkg-1.tar.gz"), folder_of(tmp_path), lambda _: None)


def test_a_stream_stops_one_byte_after_the_pinned_size(fake, tmp_path: Path) -> None:
    fake("name = Path(content).with_name('pkg-1.tar.gz')\nshutil.copy(content, name)\n"
         "print('Found link ' + name.as_uri() + ' (from x)')")  # fmt: skip
    small = carrier("pip-sdist", "pkg-1.tar.gz", bytes=1000)
    folder = folder_of(tmp_path)
    with pytest.raises(IntegrityError, match="1001 bytes, pinned are 1000"):
        clients.fetch_archive(small, folder, lambda _: None)


def test_npm_packs_without_scripts_and_with_its_cache_in_the_folder(fake, tmp_path: Path) -> None:
    fake("shutil.copy(content, argv[argv.index('--pack-destination') + 1] + '/pkg-1.tgz')")
    folder = folder_of(tmp_path)
    clients.fetch_archive(carrier("npm", "pkg-1.tgz"), folder, lambda _: None)
    said = fake.log.read_text()
    assert said.startswith("pack pkg==1.0.0 --loglevel error --ignore-scripts")
    assert f"--cache {folder / 'npm-cache'}" in said


def test_the_clients_own_error_line_is_quoted(fake, tmp_path: Path) -> None:
    fake("print('WARNING: noise', file=sys.stderr)\nprint('ERROR: No matching distribution', file=sys.stderr)\n"
         "print('[notice] more noise', file=sys.stderr)\nsys.exit(1)")  # fmt: skip
    with pytest.raises(FetchError, match=r"^c: ERROR: No matching distribution$"):
        clients.fetch_archive(carrier("pip-wheel", "pkg-1.whl"), folder_of(tmp_path), lambda _: None)


def test_a_client_that_says_nothing_is_still_an_error(fake, tmp_path: Path) -> None:
    fake("sys.exit(3)")
    with pytest.raises(FetchError, match=r"^c: no output$"):
        clients.fetch_archive(carrier("npm", "pkg-1.tgz"), folder_of(tmp_path), lambda _: None)


def test_a_client_that_leaves_another_file_is_an_error(fake, tmp_path: Path) -> None:
    fake("shutil.copy(content, argv[argv.index('--dest') + 1] + '/pkg-2.whl')")
    with pytest.raises(FetchError, match=r"did not leave pkg-1\.whl behind"):
        clients.fetch_archive(carrier("pip-wheel", "pkg-1.whl"), folder_of(tmp_path), lambda _: None)


def test_a_client_that_hangs_is_ended(fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "TIMEOUT", 0.2)
    fake("time.sleep(60)")
    with pytest.raises(FetchError, match="gave no answer within 0 s"):
        clients.fetch_archive(carrier("pip-wheel", "pkg-1.whl"), folder_of(tmp_path), lambda _: None)


def test_a_client_that_is_not_installed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "npm_command", lambda: None)
    monkeypatch.setattr(clients, "pip_command", lambda: ("/nonexistent/pip",))
    with pytest.raises(FetchError, match="c: npm is not installed"):
        clients.fetch_archive(carrier("npm", "pkg-1.tgz"), folder_of(tmp_path), lambda _: None)
    with pytest.raises(FetchError, match="cannot be run"):
        clients.fetch_archive(carrier("pip-wheel", "pkg-1.whl"), tmp_path / "into", lambda _: None)
