"""Examples of hypothesis are not timed: on a busy machine a deadline fails what is right.

They are the same on every machine; ``tox -e soak`` searches for others.
"""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("searching", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
