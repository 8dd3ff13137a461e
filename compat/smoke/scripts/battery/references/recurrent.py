"""Keras's recurrent layers and their gradients, step by step by hand, in float64 with a bound on float32's error.

Each layer takes a sequence (samples, steps, features), a kernel, a recurrent kernel and a bias, in the layout of Keras's
weights, and gives the outputs of all steps and `back(dy)`: the gradients of the sequence and of the three weights.
Where `mask` (samples, steps) is False, the state of a sample stays and its last output is repeated, as Keras has it.
"""

import numpy as np

from battery.references.bounded import Bounded, bounded, choose, joined, sigmoid, stacked, tanh


def simple_rnn(x, kernel, recurrent, bias, mask=None):
    """h = tanh(x W + h U + b)."""
    x, kernel, recurrent, bias = (bounded(array) for array in (x, kernel, recurrent, bias))

    def step(given, state):
        h = state[0]
        y = tanh(given @ kernel + h @ recurrent + bias)

        def back(dstate):
            before = dstate[0] * (1 - y * y)
            return before @ kernel.T, [before @ recurrent.T], [given.T @ before, h.T @ before, before.sum(axis=0)]

        return [y], back

    return unrolled(step, x, mask, [recurrent.shape[0]], (kernel, recurrent, bias))


def lstm(x, kernel, recurrent, bias, mask=None):
    """Gates in Keras's order: input, forget, candidate, output. The state is (output, cell)."""
    x, kernel, recurrent, bias = (bounded(array) for array in (x, kernel, recurrent, bias))

    def step(given, state):
        h, c = state
        i, f, g, o = split(given @ kernel + h @ recurrent + bias, 4)
        i, f, g, o = sigmoid(i), sigmoid(f), tanh(g), sigmoid(o)
        cell = f * c + i * g
        bent = tanh(cell)

        def back(dstate):
            dh, dcell = dstate
            dcell = dcell + dh * o * (1 - bent * bent)
            gates = [dcell * g * i * (1 - i), dcell * c * f * (1 - f), dcell * i * (1 - g * g), dh * bent * o * (1 - o)]
            before = joined(gates)
            weights = [given.T @ before, h.T @ before, before.sum(axis=0)]
            return before @ kernel.T, [before @ recurrent.T, dcell * f], weights

        return [o * bent, cell], back

    return unrolled(step, x, mask, [recurrent.shape[0]] * 2, (kernel, recurrent, bias))


def gru(x, kernel, recurrent, bias, mask=None, reset_after=True):
    """Gates in Keras's order: update, reset, candidate; with `reset_after` the bias has a row for the recurrent part."""
    x, kernel, recurrent, bias = (bounded(array) for array in (x, kernel, recurrent, bias))
    first, second = (bias[0], bias[1]) if reset_after else (bias, 0 * bias)
    units = recurrent.shape[0]

    def step(given, state):
        h = state[0]
        xz, xr, xg = split(given @ kernel + first, 3)
        hz, hr = split(h @ recurrent[:, : 2 * units] + second[: 2 * units], 2)
        z, r = sigmoid(xz + hz), sigmoid(xr + hr)
        last, row = recurrent[:, 2 * units :], second[2 * units :]
        inner = h @ last + row if reset_after else r * h
        g = tanh(xg + (r * inner if reset_after else inner @ last))

        def back(dstate):
            dy = dstate[0]
            dg = dy * (1 - z) * (1 - g * g)
            dz = dy * (h - g) * z * (1 - z)
            dinner = dg * r if reset_after else dg @ last.T
            dr = (dg * inner if reset_after else dinner * h) * r * (1 - r)
            early, dx = joined([dz, dr]), joined([dz, dr, dg])
            dh = dy * z + early @ recurrent[:, : 2 * units].T + (dinner @ last.T if reset_after else dinner * r)
            dlast = h.T @ dinner if reset_after else inner.T @ dg
            dfirst = dx.sum(axis=0)
            dbias = stacked([dfirst, joined([early, dinner]).sum(axis=0)], 0) if reset_after else dfirst
            return dx @ kernel.T, [dh], [given.T @ dx, joined([h.T @ early, dlast]), dbias]

        return [z * h + (1 - z) * g], back

    return unrolled(step, x, mask, [units], (kernel, recurrent, bias))


def unrolled(step, x, mask, widths, weights):
    """All steps in order; the first part of the state is the output."""
    samples, steps = x.shape[:2]
    state, outputs, backs = [Bounded(np.zeros((samples, width))) for width in widths], [], []
    for t in range(steps):
        new, back = step(x[:, t], state)
        live = np.ones((samples, 1), bool) if mask is None else mask[:, t : t + 1]
        state = [choose(live, after, before) for after, before in zip(new, state)]
        outputs.append(state[0])
        backs.append((live, back))

    def back(dy):
        dstate = [Bounded(np.zeros((samples, width))) for width in widths]
        total, dx = [Bounded(np.zeros(w.shape)) for w in weights], [None] * steps
        for t in reversed(range(steps)):
            live, one = backs[t]
            dstate = [dstate[0] + dy[:, t]] + dstate[1:]
            dx[t], dbefore, parts = one([choose(live, d, 0.0) for d in dstate])
            total = [a + b for a, b in zip(total, parts)]
            dstate = [d + choose(live, 0.0, kept) for d, kept in zip(dbefore, dstate)]
        return [stacked(dx, 1)] + total

    return stacked(outputs, 1), back


def split(x, count):
    width = x.shape[-1] // count
    return [x[..., i * width : (i + 1) * width] for i in range(count)]


def backwards(layer, x, *weights):
    """The layer over the reversed sequence (`go_backwards`): its outputs in the order it made them."""
    y, back = layer(x[:, ::-1], *weights)

    def reversed_back(dy):
        dx, *rest = back(dy)
        return [dx[:, ::-1]] + rest

    return y, reversed_back
