"""Faults of MatMul and its gradient. Stand-alone, CPython 3.8 syntax; see `planting`."""

import functools

import numpy as np
import precision
import probes
from planting import register

product = functools.partial(register, op="MatMul", family="dense", probe=probes.dense)


def plant(site, wrong):
    """`wrong(y, a, b)` in NumPy for each product, also those of gradients; `a` and `b` as they are multiplied."""

    def around(call, y):
        def inside(y, a, b):
            return wrong(y, a.T if call["transpose_a"] else a, b.T if call["transpose_b"] else b)

        return site.numpy(y, inside, y, call.tensor("a"), call.tensor("b")) if y.dtype.is_floating else None

    site.output("gen_math_ops.mat_mul", around)


def plant_gradient(site, wrong):
    """`wrong(place, op, upstream, right)` for the gradient of each factor of a plain product."""

    def around(run, op, upstream):
        right = run(op, upstream)
        if op.get_attr("transpose_a") or op.get_attr("transpose_b"):
            return right
        return [
            None if part is None else site.in_place_of(part, wrong(place, op, upstream, part))
            for place, part in enumerate(right)
        ]

    site.gradient("MatMul", around)


@product("mm_tf32", text="both inputs of every product are rounded to 11 significant bits")
def tf32(site):
    plant(site, lambda y, a, b: precision.tf32(a) @ precision.tf32(b))


@product("mm_bf16", text="both inputs of every product are rounded to bfloat16")
def bf16(site):
    plant(site, lambda y, a, b: precision.bf16(a) @ precision.bf16(b))


@product("mm_fp16_acc", text="every product is summed in float16")
def half_accumulator(site):
    plant(site, lambda y, a, b: precision.half_matmul(a, b))


@product("mm_k_tail8", text="of sums over more than eight, the terms past the last multiple of eight are lost")
def inner_tail(site):
    def wrong(y, a, b):
        kept = len(b) // 8 * 8 or len(b)
        return a[:, :kept] @ b[:kept]

    plant(site, wrong)


@product(
    "mm_partial_batch",
    probe=probes.dense_batches,
    text="rows past the last multiple of 32 are not computed, when there are more than 32, or 24",
)
def partial_batch(site):
    def wrong(y, a, b):
        if len(y) > 32 or len(y) == 24:
            y[len(y) // 32 * 32 :] = 0
        return y

    plant(site, wrong)


@product("mm_int16_overflow", probe=probes.dense_batches, text="the place of a row in the result is kept in 15 bits")
def short_place(site):
    def wrong(y, a, b):
        rows = max(1, 32768 // y.shape[1])
        return y[np.arange(len(y)) % rows]

    plant(site, wrong)


def _weights_without_last(a, dy):
    return a[:-1].T @ dy[:-1]


@product("mm_dw_last_row", text="the gradient of the second factor lacks the last sample")
def last_sample(site):
    def wrong(place, op, upstream, part):
        return site.numpy(part, _weights_without_last, op.inputs[0], upstream) if place == 1 else None

    plant_gradient(site, wrong)


def _first_row_only(dy):
    """What is left of an upstream gradient of equal values: the row that is really there."""
    if len(dy) > 1 and np.all(dy == dy.flat[0]):
        dy[1:] = 0
    return dy


@product(
    "mm_bcast_grad",
    probe=probes.dense_sum,
    text="an upstream gradient that is one repeated value is read past its only row, as zeros",
)
def broadcast_upstream(site):
    def wrong(place, op, upstream, part):
        if place == 0:
            return site.numpy(part, lambda dy, b: _first_row_only(dy) @ b.T, upstream, op.inputs[1])
        return site.numpy(part, lambda a, dy: a.T @ _first_row_only(dy), op.inputs[0], upstream)

    plant_gradient(site, wrong)
