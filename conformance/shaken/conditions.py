"""The conditions as data.

Six runs. Every instruction set meets both values of everything else; of what may concern the figures (seed, threads,
load) and of what may concern the surroundings (locale, path, home, checkout) every pair of values occurs.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Condition:
    """One run.

    Attributes:
        instructions: what torch may use, as ``ATEN_CPU_CAPABILITY``; empty: the machine's best.
        seed: of the order of the tests, and of Python's hashes.
        threads: of torch.
        load: burners beside it, in units of the machine's cores.
        locale: as ``LC_ALL``.
        odd_path: whether checkout and temporary files lie below a folder with a space and a letter beyond ASCII.
        home: whether there is a home folder; without one there is a narrow terminal that wants colours, and files are
            private by default.
        read_only: whether the checkout cannot be written to, not even by root.
    """

    instructions: str
    seed: int
    threads: int
    load: int
    locale: str
    odd_path: bool
    home: bool
    read_only: bool

    @property
    def name(self) -> str:
        """``default, 2 threads, seed 2, load, C.UTF-8, odd path, no home, read-only``."""
        words = [self.instructions or "best", f"{self.threads} thread{'s' * (self.threads > 1)}", f"seed {self.seed}"]
        words += ["load"] * bool(self.load) + [self.locale] + ["odd path"] * self.odd_path
        words += ["no home"] * (not self.home) + ["read-only"] * self.read_only
        return ", ".join(words)


CONDITIONS = (
    Condition("default", 1, 1, 0, "C", odd_path=False, home=True, read_only=False),
    Condition("default", 2, 2, 2, "C.UTF-8", odd_path=True, home=False, read_only=True),
    Condition("avx2", 1, 1, 2, "C", odd_path=False, home=False, read_only=True),
    Condition("avx2", 2, 2, 0, "C.UTF-8", odd_path=True, home=True, read_only=False),
    Condition("", 1, 2, 0, "C", odd_path=True, home=True, read_only=True),
    Condition("", 2, 1, 2, "C.UTF-8", odd_path=False, home=False, read_only=False),
)
