"""Faults of BiasAddGrad. Stand-alone, CPython 3.8 syntax; see `planting`."""

import functools

import precision
import probes
from planting import register

bias = functools.partial(register, op="BiasAddGrad", family="bias", probe=probes.bias)


def plant(site, wrong):
    """`wrong(db, rows)` in NumPy, where `rows` is the upstream gradient as [everything else, channel]."""

    def around(call, db):
        return site.numpy(db, lambda db, dy: wrong(db, dy.reshape(-1, dy.shape[-1])), db, call.tensor("out_backprop"))

    site.output("gen_nn_ops.bias_add_grad", around)


@bias("db_missing", text="the bias gradient is zero")
def missing(site):
    plant(site, lambda db, rows: db * 0)


@bias("db_last_row", text="the last row is not reduced")
def last_row(site):
    plant(site, lambda db, rows: rows[:-1].sum(axis=0))


@bias("db_fp16", text="the sum is kept in float16")
def half(site):
    plant(site, lambda db, rows: precision.half_sum(rows))


@bias("db_channel_tail4", text="channels past the last multiple of four are zero")
def channel_tail(site):
    def wrong(db, rows):
        db[len(db) // 4 * 4 or len(db) :] = 0
        return db

    plant(site, wrong)
