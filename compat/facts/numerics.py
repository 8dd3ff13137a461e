"""What a TensorFlow computed on each of its devices, or how it died trying: the record of one smoke run."""

from __future__ import annotations

from dataclasses import dataclass

OUTCOMES = ("ran", "import-failed", "aborted", "hung", "out-of-time", "exited", "no-answer")
"""How a run can end: it answered; TensorFlow could not be imported; a signal ended it; one check did not come back in
its time; the time for all ran out between or within checks that came back in theirs; it ended with a code other than 0;
it ended well and said nothing."""

STATUSES = ("passes", "fails", "skipped", "crashed", "info")
"""Of one check. `info`: no fault, but worth saying, see REASONS. `skipped`: could not be asked here."""

REASONS = ("", "precision", "cpu", "order", "convention", "speed")
"""Why a check is an `info`: fewer significant bits than the type has; computed on the CPU for want of a kernel; another
answer when asked again; decided by convention (ties); how long it took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A device that TensorFlow lists."""

    name: str
    """As in ``GPU:0``."""
    kind: str
    description: str = ""
    """What its driver calls it; ``METAL`` for Apple's plugin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """An environment variable that changes what is computed."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One tensor of one operation against its float64 reference, or one run of the report's model."""

    id: str
    """Operation, shape, values and tensor, as in ``conv2d/k3_odd/int/dw``; with mode and device it is unique."""
    op: str
    mode: str
    """``eager``, ``graph``, ``predict`` or ``fit``."""
    device: str
    status: str
    """One of STATUSES."""
    error_in_bounds: float | None = None
    """Largest error in units of what a right answer may be off by. None where nothing was compared, and on a failed
    check whose answer was not finite or not of the right shape: JSON has no infinity, ``detail`` says which."""
    shape: str = ""
    dtype: str = "float32"
    reason: str = ""
    """One of REASONS."""
    code: str = ""
    """The TensorFlow expression that was computed, where it is one."""
    detail: str = ""
    """Worst index, found and wanted value, and what the bad elements have in common."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """The loss of the report's classifier, step by step."""

    device: str
    losses: tuple[float, ...]
    """As trained on the device; a loss that is no number is left out, and the curve ends there."""
    wanted: tuple[float, ...]
    """In float64."""
    limits: tuple[float, ...]
    """How far the loss of each step may be from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numerics:
    """One run of the smoke battery in a target interpreter."""

    outcome: str
    """One of OUTCOMES."""
    python: str | None = None
    tensorflow: str | None = None
    keras: str | None = None
    numpy: str | None = None
    devices: tuple[Device, ...] = ()
    variables: tuple[Variable, ...] = ()
    checks: tuple[Check, ...] = ()
    """All that were finished, also when the process died later."""
    comparisons: int | None = None
    """Tensors that were compared with their reference; a check tells the worst of several."""
    curves: tuple[Curve, ...] = ()
    import_seconds: float | None = None
    seconds: float | None = None
    """Of the checks, without the import."""
    memory_import: float | None = None
    """The most memory the process had held after the import, in MB."""
    memory_peak: float | None = None
    """And at the end."""
    signal: int | None = None
    exit_code: int | None = None
    last_check: str | None = None
    """What was under way when the process ended without an answer: ``import``, or a check with its mode and device."""
    last_seconds: float | None = None
    """For how long that had been under way, where the run was out of time."""
    time_limit: float | None = None
    """Seconds for all, where they ran out."""
    error: str | None = None
    """Why TensorFlow could not be imported, or the interpreter could not be started."""
    stderr_tail: tuple[str, ...] = ()
    key_line: str | None = None
    """The line of stderr that says most about a run that went wrong."""


def time_that_ran_out(numerics: Numerics) -> str:
    """Return how far a run came that was out of time: checks that were left are neither right nor wrong."""
    limit = f" of {numerics.time_limit:g} s" if numerics.time_limit is not None else ""
    count = len(numerics.checks)
    under_way = f", {numerics.last_check} under way" if numerics.last_check else ""
    since = f" for {numerics.last_seconds:.1f} s" if under_way and numerics.last_seconds is not None else ""
    return f"the time limit{limit} was reached after {count} check{'' if count == 1 else 's'}{under_way}{since}"
