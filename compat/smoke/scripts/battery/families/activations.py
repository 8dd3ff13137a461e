"""Activations and basic mathematics alone, forward and backward, from the flat ends through the bend to the extremes."""

import numpy as np

from battery import bounds
from battery.case import Case, Fill
from battery.references.arithmetic import BINARY, UNARY
from battery.references.functions import ACTIVATIONS
from battery.values import draw_for, real_numbers
from battery.wants import ROWS, U, Want

SHAPE = (9, 257)
"""An odd number of elements, beyond 2048: the tails of every tile."""
EXTREMES = (20, -20, 30, -30, 88.8, -88.8, 100, -100, 1e-3, -1e-3, 1e-6, -1e-6)
"""Where exp overflows, vanishes, or what is computed by a difference loses its digits: the answer is finite everywhere."""
COMPILED_IN_QUICK = ("elu", "tanh", "sigmoid")
COLUMNS = 33


def cases():
    found = [activation(name, one) for name, one in ACTIVATIONS.items() if name != "none"]
    found += [unary(name, *row) for name, row in UNARY.items()]
    return found + [binary(name, one) for name, one in BINARY.items()]


def activation(name, function):
    identity = "activation/" + name

    def make():
        draw = draw_for(identity)
        x = np.clip(6 * real_numbers(draw, SHAPE), -20, 20)
        x.flat[: len(EXTREMES)] = EXTREMES
        return [function_fill(function, x, real_numbers(draw, SHAPE))]

    graph = "quick" if name in COMPILED_IN_QUICK else "standard"
    return Case(identity, function.op, "9x257", function.code % "x", "x", 1, make, "quick", graph)


def unary(name, function, interval):
    identity = "math/" + name

    def make():
        draw = draw_for(identity)
        return [function_fill(function, between(draw, SHAPE, *interval), real_numbers(draw, SHAPE))]

    return Case(identity, function.op, "9x257", function.code % "x", "x", 1, make, "standard")


def between(draw, shape, low, high):
    """Evenly, in logarithms where all are positive."""
    even = draw.uniform(0, 1, shape)
    values = low * (high / low) ** even if low > 0 else low + (high - low) * even
    return values.astype(np.float32)


def function_fill(function, x, upstream):
    wide = x.astype(np.float64)
    dx = upstream * function.slope(wide)
    if function.linear:
        wants = {
            "y": bounds.exact(function.op, function.value(wide), ROWS),
            "dx": bounds.exact(function.grad, dx, ROWS),
        }
        return Fill("exact", (x,), upstream, wants)
    limit = abs(upstream) * function.slope_error(wide) + 4 * U * abs(dx) + flushed(x)
    wants = {
        "y": Want(function.op, function.value(wide), function.error(wide) + flushed(x), ROWS),
        "dx": Want(function.grad, dx, limit, ROWS),
    }
    return Fill("bound", (x,), upstream, wants)


def flushed(x):
    """What a flushed denormal is off by, on the way or at the end: nothing that matters."""
    return 2.0**-120 * (1 + abs(x.astype(np.float64)))


def binary(name, operation):
    """Of a matrix and a row, whose gradient is summed over the rows: broadcasting is where gradients get lost."""
    identity = "math/" + name

    def make():
        draw = draw_for(identity)
        x = between(draw, (SHAPE[0], COLUMNS), 0.2, 5)
        w = draw.choice([-1, 1], COLUMNS).astype(np.float32) * between(draw, (COLUMNS,), 0.5, 3)
        return [binary_fill(operation, x, w, real_numbers(draw, x.shape))]

    return Case(identity, operation.op, "9x33, 33", operation.code, "xw", 2, make, "standard")


def binary_fill(operation, x, w, upstream):
    wide, row, dy = (a.astype(np.float64) for a in (x, w, upstream))
    dx, dw = (dy * partial(wide, row) for partial in operation.partials)
    dx_limit, dw_limit = (abs(dy) * error(wide, row) + 2 * U * abs(dy) for error in operation.partial_errors)
    dx_limit, dw_limit = dx_limit + 2 * U * abs(dx), dw_limit + 2 * U * abs(dw)
    summed = dw_limit.sum(axis=0) + U * (8 + len(x) ** 0.5) * abs(dw).sum(axis=0)
    wants = {
        "y": Want(operation.op, operation.value(wide, row), operation.error(wide, row), ROWS),
        "dx": Want(operation.op, dx, dx_limit, ROWS),
        "dw": Want(operation.op, dw.sum(axis=0), summed, ("feature",)),
    }
    return Fill("bound", (x, w), upstream, wants)
