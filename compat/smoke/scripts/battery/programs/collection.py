"""Every program, in the order they run."""

from battery.programs import (
    activating,
    attending,
    drawing,
    dropping,
    fitting,
    large,
    lasting,
    layering,
    normalizing,
    optimizing,
    predicting,
    recurring,
    saving,
    timing,
    training,
    updating,
)

MODULES = (
    predicting, activating, dropping, normalizing, recurring, optimizing, updating, layering, attending, drawing, training, fitting,
    saving, lasting, large, timing,
)  # fmt: skip


def all_programs(level):
    return [program for module in MODULES for program in module.programs() if level.runs(program.level)]
