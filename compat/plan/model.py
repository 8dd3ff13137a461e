"""What a person may wish for, and what can be decided about it."""

from __future__ import annotations

from dataclasses import dataclass

from compat.matrix.model import LockEntry, Target


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the user asked for; what is None is ours to choose."""

    gpu: bool | None = None
    tensorflow: str | None = None
    """A PEP 440 set (``==2.18.1``, ``>=2.16``)."""
    python: str | None = None
    """``3.12``."""

    def constraints(self) -> tuple[str, ...]:
        """Return the names of the parts the user fixed, in the order in which we would rather give them up."""
        given = {"python": self.python, "tensorflow": self.tensorflow, "gpu": self.gpu or None}
        return tuple(name for name, value in given.items() if value is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """How TensorFlow reaches a GPU in a candidate."""

    kind: str
    """``plugin`` (a PluggableDevice) or ``cuda`` (the ``and-cuda`` extra)."""
    distribution: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """How well a candidate is known, and from where."""

    tier: str
    reports: int = 0
    """Public reports of exactly this pair working."""
    on_this_chip: int = 0
    errors: tuple[str, ...] = ()
    """Known issues of severity error that apply here, by id."""
    warnings: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One combination that nothing known forbids."""

    target: Target
    distribution: str
    """The one whose wheel carries the code (``tensorflow-macos`` up to 2.15.0 on Apple silicon)."""
    tensorflow: str
    accelerator: Accelerator | None
    evidence: Evidence
    lock: LockEntry | None
    """The shipped pins; without one, ``requirements`` are resolved when it is built."""
    requirements: tuple[str, ...]
    """The pair and its repairs, as requirements."""

    @property
    def python(self) -> str:
        """Its Python, ``3.12``."""
        return self.target.python

    @property
    def title(self) -> str:
        """``TensorFlow 2.18.1 + tensorflow-metal 1.2.0, Python 3.12``."""
        gpu = ", CPU"
        if self.accelerator is not None:
            plugin = f" + {self.accelerator.distribution} {self.accelerator.version}"
            gpu = " with CUDA" if self.accelerator.kind == "cuda" else plugin
        return f"TensorFlow {self.tensorflow}{gpu}, Python {self.python}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to build: the best candidate, and what to try when it fails its own verification."""

    best: Candidate
    fallbacks: tuple[Candidate, ...]
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One link of the chain that makes a wish impossible."""

    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A nearby wish that can be met."""

    text: str
    candidate: Candidate | None
    """None for one that tfcompat does not build (a third party's plugin)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a wish cannot be met, in the fewest facts that prove it, and what can."""

    conflict: tuple[str, ...]
    """The parts of the wish that cannot go together."""
    causes: tuple[Cause, ...]
    options: tuple[Option, ...]


Decision = Plan | Refusal
