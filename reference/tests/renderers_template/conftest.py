"""The oracle, scenarios and constructs of this folder are plain modules beside the tests."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
