"""One area, quickly: lint, types, its tests and its mutants. Run by ``tox -e area -- processors``.

What belongs to an area is found by folder: its own, ``conformance/tests/<folder>``, and the folders of the reference
that has its operation.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tokenspec.areas import areas
from tokenspec_reference.adapter import AREA_OF

ROOT = Path(__file__).resolve().parents[1]
QUICK = "not soak and not gpu and not wheel and not real and not servers and not node and not browser"


def steps(area: str) -> dict[str, list[str]]:
    """The commands of an area, in the order in which they find mistakes."""
    own = area.replace("-", "_")
    reference = AREA_OF.get(areas()[area].operation, own)
    source = _there(f"conformance/tokenspec/areas/{own}", f"reference/tokenspec_reference/{reference}")
    tests = _there(f"conformance/tests/{own}", f"reference/tests/{reference}")
    found = {
        "lint": ["-m", "ruff", "check", *source, *tests],
        "format": ["-m", "ruff", "format", "--check", *source, *tests],
        "types": ["-m", "mypy", *source],
        "tests": ["-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "-m", QUICK, *tests],
        "mutants": ["-m", "tokenspec", "mutants", "--area", area],
    }
    return found if tests else {name: step for name, step in found.items() if name != "tests"}


def _there(*folders: str) -> list[str]:
    return [folder for folder in folders if (ROOT / folder).is_dir()]


def main(arguments: list[str]) -> int:
    """Run the steps of each area named; the first that fails ends it."""
    unknown = [name for name in arguments if name not in areas()]
    if unknown or not arguments:
        print(f"name an area, as in: tox -e area -- processors. Known: {', '.join(areas())}.", file=sys.stderr)
        return 2
    for area in arguments:
        for name, step in steps(area).items():
            start = time.perf_counter()
            code = subprocess.run([sys.executable, *step], cwd=ROOT, check=False).returncode  # noqa: S603 - our own commands
            print(f"{area}: {name} {'failed' if code else 'passed'} in {time.perf_counter() - start:.1f} s", flush=True)
            if code:
                return code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
