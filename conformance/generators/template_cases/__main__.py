"""Write the corpus: `cd conformance && python -m generators.template_cases [TARGET]`, then `tokenspec bless`."""

from __future__ import annotations

import sys
from pathlib import Path

from generators.render_cases.write import write_cases
from generators.template_cases import all_cases

ROOT = Path(__file__).resolve().parents[3]

if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "fixtures" / "cases" / "template-engine"
    print(f"{len(write_cases(all_cases(), target))} cases in {target.name}")
