"""A schema as a document: what stands at a JSON pointer, and where its references lead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from tokenspec_reference.fast_forward.errors import SchemaError

DATA = {"enum", "const", "default", "examples", "example"}
BY_NAME = {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
"""Keywords whose value has names in the place of keywords."""
SIBLINGS_IGNORED = ("draft-03", "draft-04", "draft-06", "draft-07")
MOST_LEVELS = 64  # of schemas in schemas, of references to references, and of values in values


def escaped(key: str) -> str:
    """A key as a part of a pointer.

    >>> escaped("a/b~")
    'a~1b~0'
    """
    return key.replace("~", "~0").replace("/", "~1")


class Document:
    """A schema and the places in it. ``identified`` are pointers by address, ``base`` the address at a pointer."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.identified: dict[str, str] = {"": "#"}
        self.bases: dict[str, str] = {"#": ""}
        dialect = root.get("$schema") if isinstance(root, Mapping) else None
        self.siblings_count = not (isinstance(dialect, str) and any(draft in dialect for draft in SIBLINGS_IGNORED))
        waiting: list[tuple[Any, str, str, int, bool]] = [(root, "#", "", 1, False)]
        while waiting:
            value, pointer, base, level, by_name = waiting.pop()
            if isinstance(value, list):
                waiting += [(item, f"{pointer}/{index}", base, level, False) for index, item in enumerate(value)]
            elif isinstance(value, Mapping):
                if level > MOST_LEVELS and not by_name:
                    raise SchemaError(f"nested deeper than {MOST_LEVELS} levels", field=pointer)
                base = base if by_name else self._identify(value, pointer, base)
                waiting += [
                    (item, f"{pointer}/{escaped(key)}", base, level + (not by_name), not by_name and key in BY_NAME)
                    for key, item in value.items()
                    if isinstance(key, str) and (by_name or key not in DATA)
                ]

    def _identify(self, schema: Mapping[str, Any], pointer: str, base: str) -> str:
        address = schema.get("$id", schema.get("id"))
        if isinstance(address, str):
            whole = urljoin(base, address)
            self.identified.setdefault(whole if urldefrag(whole).fragment else urldefrag(whole).url, pointer)
            base = urldefrag(whole).url
        self.bases[pointer] = base
        for keyword in ("$anchor", "$dynamicAnchor"):
            if isinstance(schema.get(keyword), str):
                self.identified.setdefault(f"{base}#{schema[keyword]}", pointer)
        return base

    def at(self, pointer: str) -> Any:
        """What stands at a pointer that is there."""
        return self._found(self.root, pointer[2:].split("/") if len(pointer) > 1 else [])

    def target(self, reference: Any, pointer: str) -> str:
        """The pointer of what a ``$ref`` at ``pointer`` names.

        Raises:
            SchemaError: it is no text, leads out of the document, or to nothing.
        """
        if not isinstance(reference, str):
            raise SchemaError("expected text", field=f"{pointer}/$ref")
        whole = urljoin(self.bases.get(pointer, ""), reference)
        if whole in self.identified:
            return self.identified[whole]
        address, fragment = urldefrag(whole)
        start = self.identified.get(address)
        if start is None and reference.startswith("#"):
            start = "#"
        if start is None or not (fragment == "" or fragment.startswith("/")):
            raise SchemaError(
                f"{reference} does not exist; references inside the schema are supported", field=f"{pointer}/$ref"
            )
        found = f"{start}{unquote(fragment)}"
        try:
            self.at(found)
        except LookupError:
            raise SchemaError(f"{reference} does not exist", field=f"{pointer}/$ref") from None
        return found

    @staticmethod
    def _found(value: Any, parts: list[str]) -> Any:
        for part in parts:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(value, Mapping) and key in value:
                value = value[key]
            elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            else:
                raise LookupError(key)
        return value
