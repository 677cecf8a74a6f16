"""Any Jinja chat template as a renderer: text as transformers renders it, attribution by provenance.

Reading order: ``provenance`` (strings with runs), ``values``, ``printing``, ``json_text``, ``sandbox``, ``tracking``,
``ownership``, ``sampled``, ``renderer``.
"""

from .limits import InvalidTemplate, Limits, TemplateLimitExceeded
from .provenance import Origin
from .renderer import Provenance, TemplateRenderer
from .sampled import Wire
from .tracking import reads

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
