"""Any Jinja chat template as a renderer: text as transformers renders it, attribution by provenance.

Reading order: ``provenance`` (strings with runs), ``values`` (the caller's values), ``printing``, ``json_text`` and
``formatting`` (values to text), ``sandbox``, ``marks``, ``tracking`` and ``filters`` (Jinja), ``printer``,
``ownership``, ``sampled``, ``wire`` and ``spans`` (printed pieces to attribution), ``renderer``.
"""

from .limits import InvalidTemplate, Limits, TemplateLimitExceeded
from .provenance import Origin
from .reads import reads
from .renderer import TemplateRenderer
from .spans import Provenance
from .wire import Wire

__all__ = [
    "InvalidTemplate",
    "Limits",
    "Origin",
    "Provenance",
    "TemplateLimitExceeded",
    "TemplateRenderer",
    "Wire",
    "reads",
]
