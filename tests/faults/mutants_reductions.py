"""Faults of Sum, ArgMax and Transpose. Stand-alone, CPython 3.8 syntax; see `planting`."""

import functools

import numpy as np
import precision
import probes
from planting import register

total = functools.partial(register, op="Sum", family="reductions")


def plant(site, kind, wrong):
    """`wrong(y, terms)` in NumPy for sums of a kind of numbers, `terms` being [what is summed, what is kept]."""

    def inside(y, x, axes):
        axes = [int(axis) % max(1, x.ndim) for axis in np.atleast_1d(axes)]
        if not axes or not x.size:
            return y
        terms = np.moveaxis(x, axes, list(range(len(axes)))).reshape(int(np.prod([x.shape[a] for a in axes])), -1)
        return wrong(y.reshape(-1), terms).reshape(y.shape)

    def around(call, y):
        return site.numpy(y, inside, y, call.tensor("input"), call.tensor("axis")) if kind(y.dtype) else None

    site.output("gen_math_ops._sum", around)


def floating(dtype):
    return dtype.is_floating


@total("sum_fp16", probe=probes.sums, text="the sum is kept in float16")
def half(site):
    plant(site, floating, lambda y, terms: precision.half_sum(terms))


@total("sum_last_block", probe=probes.sums, text="of more than 1024 terms, those past the last multiple are lost")
def last_block(site):
    def wrong(y, terms):
        return terms[: len(terms) // 1024 * 1024].sum(axis=0) if len(terms) > 1024 else y

    plant(site, floating, wrong)


@total(
    "sum_saturates",
    probe=probes.sums,
    text="terms are added one after the other, and after 65536 of them the sum no longer moves",
)
def stagnates(site):
    plant(site, floating, lambda y, terms: np.add.accumulate(terms[:65536], axis=0)[-1])


@total("sum_int64_trunc", probe=probes.integer_sums, text="sums of int64 are computed in int32")
def truncated(site):
    plant(
        site, lambda dtype: dtype == site.tf.int64, lambda y, terms: terms.astype(np.int32).sum(axis=0, dtype=np.int32)
    )


@total(
    "sum_int32_saturate", probe=probes.integer_sums, text="sums of int32 stop at the largest number instead of wrapping"
)
def saturated(site):
    ends = np.iinfo(np.int32)

    def wrong(y, terms):
        return np.clip(terms.sum(axis=0, dtype=np.int64), ends.min, ends.max)

    plant(site, lambda dtype: dtype == site.tf.int32, wrong)


@register("argmax_uint16", op="ArgMax", family="reductions", probe=probes.argmax, text="the index is kept in 16 bits")
def short_index(site):
    site.output("gen_math_ops.arg_max", lambda call, y: site.numpy(y, lambda y: y % 65536, y))


@register(
    "transpose_noop",
    op="Transpose",
    family="reductions",
    probe=probes.transpose,
    text="transposing four dimensions only renames the shape",
)
def relabelled(site):
    def around(call, y):
        x = call.tensor("x")
        return site.tf.reshape(x, site.tf.shape(y)) if x.shape.rank == 4 else None

    site.output("gen_array_ops.transpose", around)
