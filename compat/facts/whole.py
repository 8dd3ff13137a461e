"""Whether an environment works whole: a small user's day in it, step by step."""

from __future__ import annotations

from dataclasses import dataclass, fields

OK = "ok"
NOT_SUPPORTED = "not supported"
NOT_RUN = "not run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """Each step is ``ok``, ``not supported`` (this version never offered it), ``not run``, or one error line."""

    imports: str = NOT_RUN
    fit: str = NOT_RUN
    """One epoch of a Conv2D and MaxPool2D classifier."""
    save_h5: str = NOT_RUN
    load_h5: str = NOT_RUN
    """Loaded, and predicting the same; so with the other formats."""
    save_keras: str = NOT_RUN
    load_keras: str = NOT_RUN
    savedmodel: str = NOT_RUN
    tensorboard_callback: str = NOT_RUN
    tensorboard_cli: str = NOT_RUN
    python: str | None = None
    tensorflow: str | None = None
    keras: str | None = None
    numpy: str | None = None
    seconds: float | None = None

    @property
    def steps(self) -> tuple[tuple[str, str], ...]:
        """Each step with its answer, in the order they are done."""
        return tuple((step, getattr(self, step)) for step in STEPS)

    @property
    def broken(self) -> tuple[tuple[str, str], ...]:
        """The steps that went wrong, the first (most likely the cause) first."""
        return tuple((step, said) for step, said in self.steps if said not in (OK, NOT_SUPPORTED, NOT_RUN))

    @property
    def ok(self) -> bool:
        """Whether every step that this version offers worked."""
        return all(said in (OK, NOT_SUPPORTED) for _, said in self.steps)


STEPS = tuple(field.name for field in fields(Whole) if field.default == NOT_RUN)
"""The names of the steps, in order."""
