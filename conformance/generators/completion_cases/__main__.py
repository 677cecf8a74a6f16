"""Write the corpus: `cd conformance && python -m generators.completion_cases [TARGET]`."""

from __future__ import annotations

import sys
from pathlib import Path

from generators.render_cases.write import write_cases

from . import cases_of

ROOT = Path(__file__).resolve().parents[3]

if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "fixtures" / "cases"
    for area in ("bridge", "parse"):
        print(f"{len(write_cases(cases_of(area), target / area))} cases in {area}")
