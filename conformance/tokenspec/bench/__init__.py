"""Benchmarks: each area's own, and those of the suite itself. ``tokenspec bench`` runs them."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from tokenspec.areas import modules
from tokenspec.benchmark import Bench


@cache
def benches() -> dict[str, Bench]:
    """All benchmarks by name: of the areas, then of the suite."""
    own = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return {module.BENCH.name: module.BENCH for module in (*modules("bench"), *own)}
