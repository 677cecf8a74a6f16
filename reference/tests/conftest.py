"""Examples of hypothesis are not timed: on a busy machine a deadline fails what is right."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
