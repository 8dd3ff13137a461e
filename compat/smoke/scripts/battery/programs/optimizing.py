"""Optimizers, some steps with given gradients, against the closed form in float64.

The bound is that of a correct float32 computation of the same formula (references.bounded). Keras's own optimizers are a
dozen small operations a variable, its legacy ones call TensorFlow's fused kernels, which `updating` judges. Eagerly each
optimizer runs by itself; compiled, all of them share one function, since tracing is the cost.
"""

import numpy as np

from battery.programs import rules
from battery.programs.program import Program, apart, claimed, judged
from battery.references.bounded import Bounded
from battery.references.optimizers import rounded
from battery.values import draw_for

UPDATES = 3
VARIABLES = {
    # name: (shape, gradient scale, whether it starts at 0, where the update keeps its full relative precision)
    "kernel": ((3, 3, 5, 7), 1.0, False),  # rank 4, and a rest beyond a multiple of 256
    "tiny": ((130,), 1e-7, True),  # where epsilon is placed matters here
    "large": ((33,), 10.0, False),
    "square": ((9, 9), 1.0, False),  # whose transpose is of the same shape
}
WHEN_COMPILED = ("kernel", "tiny")
"""At most: each takes a dozen operations to trace."""


def programs():
    found = []
    for rule in rules.RULES:
        found.append(Program("optimizer/" + rule.name, rule.op, "eager", alone(rule), rule.level))
    return found + [
        Program("optimizer", "Adam", "graph", together("optimizer/", "standard"), "standard"),
        Program("optimizer/variants", "Adam", "graph", together("optimizer/variants/", "full"), "full"),
    ]


def alone(rule):
    def check(session):
        optimizer = made(session, rule)
        if optimizer is None:
            return
        starts, gradients = drawn(rule.variables or tuple(VARIABLES))
        variables = prepared(session, optimizer, starts)
        for step in gradients:
            step = [session.tf.constant(g) for g in step.values()]
            optimizer.apply_gradients(list(zip(step, variables)))
        for part in compared(session, rule, optimizer, "", variables, starts, gradients):
            yield part

    return check


def together(prefix, level):
    """All of a level in one function; should it fail, each in its own."""

    def check(session):
        rules_here = [rule for rule in rules.RULES if rule.compiled == level]
        chosen = [rule for rule in rules_here if session.recorder.wants(prefix + rule.name)]
        return apart(chosen, lambda some: compiled(session, some), lambda rule: (rule.name, rule.op))

    return check


def compiled(session, chosen):
    ready = []
    for rule in chosen:
        optimizer = made(session, rule)
        if optimizer is not None:
            starts, gradients = drawn(rule.variables or WHEN_COMPILED)
            ready.append((rule, optimizer, prepared(session, optimizer, starts), starts, gradients))

    def apply(steps):
        for (_, optimizer, variables, _, _), step in zip(ready, steps):
            optimizer.apply_gradients(list(zip(step, variables)))  # may return an operation: not ours to return

    function = session.compiled(apply)
    for number in range(UPDATES):
        function([[session.tf.constant(g) for g in gradients[number].values()] for *_, gradients in ready])
    for rule, optimizer, variables, starts, gradients in ready:
        for part in compared(session, rule, optimizer, rule.name + "/", variables, starts, gradients):
            yield part


def made(session, rule):
    """The optimizer, or None where this generation of Keras has none."""
    try:
        optimizer = rule.make(session.tf)
    except (AttributeError, ImportError, TypeError):
        return None
    return None if older(optimizer) and rule.older is rules.NOT_JUDGED else optimizer


def older(optimizer):
    """Whether it is of Keras up to 2.10."""
    return "optimizer_v2" in type(optimizer).__module__


def prepared(session, optimizer, starts):
    variables = [session.tf.Variable(start) for start in starts.values()]
    # Variables that are made while a function is traced make it be traced twice, which Keras 2's Nadam counts as two steps.
    if hasattr(optimizer, "build"):
        optimizer.build(variables)
    elif hasattr(optimizer, "_create_all_weights"):  # the legacy ones of Keras 2
        optimizer._create_all_weights(variables)
    return variables


def drawn(names):
    """First values, and the gradients of each step, by name."""
    draw = draw_for("optimizer")
    starts = {name: np.zeros(s) if zero else draw.randn(*s) for name, (s, _, zero) in VARIABLES.items()}
    gradients = [{name: scale * draw.randn(*s) for name, (s, scale, _) in VARIABLES.items()} for _ in range(UPDATES)]
    for step in gradients:
        for g in step.values():
            g.flat[0] = 0  # this element must not move
    return only(names, starts), [only(names, step) for step in gradients]


def only(names, arrays):
    return {name: arrays[name].astype(np.float32) for name in names}


def compared(session, rule, optimizer, prefix, variables, starts, gradients):
    formula = rule.older if older(optimizer) else rule.reference
    wants = closed_form(rule, formula, starts, gradients)
    for (name, start), want, variable in zip(starts.items(), wants, variables):
        answer = variable.numpy()
        if answer.flat[0] != start.flat[0] and not rule.decays:
            text = "an element without gradient has moved"
            yield claimed(session, prefix + name, rule.op, str(start.shape), False, text)
        else:
            yield judged(session, prefix + name, want, answer)


def closed_form(rule, formula, starts, gradients):
    """Of all variables as one, since but for clipping every element goes its own way."""
    sizes = [start.size for start in starts.values()]
    parts = [slice(end - size, end) for size, end in zip(sizes, np.cumsum(sizes))]
    reference, weights = formula(rounded), Bounded(flat(starts))
    for number, step in enumerate(gradients):
        if rule.schedule is not None:
            reference.rate = rounded(rule.schedule(number), 0.01)
        (weights,) = reference.apply([weights], [rule.clip(Bounded(flat(step)), parts)])
    return [weights[part].reshape(start.shape).want(rule.op) for part, start in zip(parts, starts.values())]


def flat(arrays):
    return np.concatenate([array.ravel() for array in arrays.values()])
