"""What is done to which old state, which fault it meets, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
MACHINE = ROOT / "tests" / "data" / "machines" / "seed-m1-loss-explosion.json"
NAME = "env"
PRIVATE = f".{NAME}.tfcompat"
PINS = f"{NAME}.requirements.txt"
CREATE = ("fix", "--create-venv", NAME, "--yes", "--offline", "--facts", str(MACHINE))
ONLINE = tuple(word for word in CREATE if word != "--offline")
IN_PLACE = ("fix", "--in-place", NAME, "--yes", "--offline")
ROLLBACK = ("fix", "--rollback", NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What is done to which old state."""

    name: str
    words: tuple[str, ...]
    old: str = ""
    """The version of ``demo`` that stands there before; none: nothing does."""
    new: str
    """The version the plan wants, or the one that is put back."""
    precious: str = ""
    """The version whose environment is the user's own: it must be there, byte for byte, whatever happens."""
    before: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What makes the old state: versions and commands, in order; the version alone is the user's own."""


STAGES = {
    stage.name: stage
    for stage in (
        Stage(name="create", words=CREATE, new="2.0"),
        Stage(name="replace", words=CREATE, old="1.0", new="2.0", before=(("1.0", CREATE),)),
        Stage(name="in-place", words=IN_PLACE, old="1.0", new="2.0", precious="1.0", before=(("1.0", ()),)),
        Stage(name="in-place-again", words=IN_PLACE, old="2.0", new="3.0", before=(("1.0", ()), ("2.0", IN_PLACE))),
        Stage(
            name="rollback",
            words=ROLLBACK,
            old="2.0",
            new="1.0",
            precious="1.0",
            before=(("1.0", ()), ("2.0", IN_PLACE)),
        ),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What happens, and at which step of ours; ``at`` None: nothing does."""

    act: str = ""
    """``kill``, ``signal:2``, ``errno:28``."""
    at: int | None = None
    lasting: bool = False
    """The error comes again at every later step it can come at."""
    exchange: bool = True
    """Whether two names can be exchanged at once here."""
    uv: str = ""
    """Another program in uv's place; ``none``: there is no uv."""
    python: str = ""
    """What to build with, in place of the interpreter at hand."""
    wait: float = 60.0
    """Seconds the run waits for a lock."""


@dataclass(slots=True, kw_only=True)
class Ended:
    """How a run ended, and what it said."""

    code: int
    steps: tuple[str, ...]
    said: str

    @property
    def step(self) -> str:
        """The step it came to last."""
        return self.steps[-1] if self.steps else "before the first"

    @property
    def last_word(self) -> str:
        """Its error line."""
        return next((line for line in reversed(self.said.splitlines()) if line.startswith("tfcompat:")), "")


@dataclass(slots=True, kw_only=True)
class Outcome:
    """What became of one run and of the next."""

    ended: Ended
    state: str
    """``old``, ``new``, ``between`` (the name is empty, the old one beside it), or ``broken``."""
    problems: list[str] = field(default_factory=list)
