"""A world of one's own: a fixtures root with one small row, a fake package registry and an empty cache."""

from __future__ import annotations

import base64
import io
import json
import tarfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from tokenspec.models import rows
from tokenspec.models.cache import sha256
from tokenspec.models.fingerprint import ids_digest, vector_texts

TEMPLATE = "{% for m in messages %}<|a|>{{ m.content }}<|b|>{% endfor %}\n"
ADDED = ((300, "<|a|>", "special"), (301, "<|b|>", ""))


def ranks() -> bytes:
    """A tiktoken file: all bytes, then a few merges."""
    tokens = [bytes([byte]) for byte in range(256)] + [b"he", b"ll", b"hell", b"hello", b" w", b"or", b" wor"]
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in enumerate(tokens))


def wheel(members: dict[str, bytes]) -> bytes:
    """A zip archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as bundle:
        for name, content in members.items():
            bundle.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def sdist(members: dict[str, bytes]) -> bytes:
    """A tar.gz archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as bundle:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            bundle.addfile(info, io.BytesIO(content))
    return out.getvalue()


@dataclass
class World:
    """What the tests turn and look at."""

    root: Path
    cache: Path
    registry: Path
    downloads: list[str] = field(default_factory=list)
    tokenizer: bytes = b""

    @property
    def models(self) -> Path:
        """The folder of row files."""
        return self.root / "fixtures" / "models"

    def carrier(self, name: str, archive: str, content: bytes, client: str = "pip-wheel") -> None:
        """Publish an archive and pin it."""
        (self.registry / archive).write_bytes(content)
        (self.models / "carriers" / f"{name}.toml").write_text(
            f'id = "{name}"\nclient = "{client}"\nrequirement = "{name}==1"\narchive = "{archive}"\n'
            f'bytes = {len(content)}\nsha256 = "{sha256(content)}"\nlicence = "own"\n'
        )
        self.forget()

    def row(self, name: str = "tiny", *, change: dict[str, str] | None = None) -> str:
        """Write the row file; ``change`` replaces pieces of its text."""
        vocabulary, template = ranks(), TEMPLATE.encode()
        text = f"""
id = "{name}"
family = "template"
status = "real"
summary = "A small row"
features = ["system"]
oracle = "transformers"
licence = "own"
evidence = "own"

[wire]
assistant_open = ["<|a|>"]
assistant_close = ["<|b|>"]
stop = ["<|b|>"]

[tokenizer]
pipeline = "cl100k"
sha256 = "{sha256(self.tokenizer)}"
added_in_vocabulary = true
added = {json.dumps(ADDED)}

[tokenizer.config]
eos_token = "<|b|>"

[[tokenizer.source]]
kind = "registry"
carrier = "ranks"
member = "pkg/ranks.tiktoken"
sha256 = "{sha256(vocabulary)}"
bytes = {len(vocabulary)}
format = "tiktoken"

[[tokenizer.source]]
kind = "registry"
carrier = "finished"
member = "package/tokenizer.json"
sha256 = "{sha256(self.tokenizer)}"
bytes = {len(self.tokenizer)}
format = "hf"

[template]
sha256 = "{sha256(template.strip())}"

[[template.source]]
kind = "registry"
carrier = "templates"
member = "t/tiny.jinja"
sha256 = "{sha256(template)}"
bytes = {len(template)}

[special]
"<|a|>" = 300
"<|b|>" = 301

[fingerprint]
vectors = "{vectors_of(self.tokenizer)}"

[hub]
repo = "org/tiny"
revision = "{"a" * 40}"
"""
        for old, new in (change or {}).items():
            assert old in text
            text = text.replace(old, new)
        (self.models / f"{name}.toml").write_text(text)
        self.forget()
        return name

    def forget(self) -> None:
        """Drop what the process has read of rows and carriers."""
        for cached in (rows.committed_specs, rows.carriers, rows.load):
            cached.cache_clear()

    def files(self) -> list[Path]:
        """Every file of the cache but locks."""
        return [path for path in self.cache.rglob("*") if path.is_file() and path.suffix != ".lock"]


def vectors_of(tokenizer: bytes) -> str:
    """The fingerprint of a tokenizer over the project's vector texts."""
    from tokenizers import Tokenizer as Loaded

    loaded = Loaded.from_str(tokenizer.decode())
    return ids_digest(loaded.encode(text, add_special_tokens=False).ids for text in vector_texts()[1])
