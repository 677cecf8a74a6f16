"""An adapter that needs neither torch nor transformers: jinja2 writes the text, ``tokenizers`` gives the ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

from jinja2.ext import Extension, loopcontrols
from jinja2.nodes import Node
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

from tokenspec.adapters import Rejected, Unsupported


class GenerationTag(Extension):
    """``{% generation %}`` marks what an assistant says; it writes nothing."""

    tags: ClassVar[set[str]] = {"generation"}

    def parse(self, parser: Parser) -> list[Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def refuse(message: str) -> None:
    raise Rejected("template-raises", message)


def to_json(value: Any, ensure_ascii: bool = False, **options: Any) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, **options)


class LightRenderer:
    def info(self) -> dict[str, str]:
        return {"name": "light-renderer", "version": "0.1.0"}

    def load(self, model: str, assets: dict[str, Any]) -> None:
        del model
        folder = Path(assets["directory"])
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        named = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        self.named = {key: value for key, value in named.items() if key.endswith("_token")}
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols]
        )
        environment.filters["tojson"] = to_json
        environment.globals["raise_exception"] = refuse
        self.template = environment.from_string(assets["chat_template"])

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            text = self.template.render(
                messages=request["messages"], tools=request["tools"], **self.named, **request["options"]
            )
        except Exception as error:
            raise Rejected("template-raises", str(error)) from error
        return {"text": text, "token_ids": self.tokenizer.encode(text, add_special_tokens=False).ids}


class MetaspaceOnly(LightRenderer):
    """Knows one model, by its name."""

    def load(self, model: str, assets: dict[str, Any]) -> None:
        if model != "toy-metaspace":
            raise Unsupported(f"knows no model {model}")
        super().load(model, assets)


class Elsewhere:
    """Renders, but none of the models it is asked for."""

    def info(self) -> dict[str, str]:
        return {"name": "elsewhere", "version": "0.1.0"}

    def render(self, request: dict[str, Any]) -> dict[str, Any]:
        raise Unsupported(f"knows no model {request['model']}")


class Answers:
    """Says that it has an operation, so that somebody has to judge it."""

    def info(self) -> dict[str, str]:
        return {"name": "answers", "version": "0.1.0"}

    def segment(self, request: dict[str, Any]) -> dict[str, Any]:
        return request
