"""Random numbers and dropout: they must not repeat (tensorflow#53505, #56122), and must be distributed as they should.

Equality with the CPU's stream is never asked for; of the stateless operations, that the same seed gives the same numbers.
"""

import math

import numpy as np

from battery.case import Case, Fill
from battery.references import chance
from battery.values import draw_for, real_numbers
from battery.wants import U, Claim

N = 3 * 2**13
SHARES = (0.1, 0.2, 0.3, 0.4)


def uniform(values):
    return max(
        chance.UNIFORM.judge(values), chance.worst_of(list(chance.bits(values)) + [chance.distinct(values)])
    )  # the worse of both


def shuffled(values):
    """Every number once, in an order that has nothing to do with the one before."""
    if not np.array_equal(np.sort(values), np.arange(len(values))):
        return math.inf, "values are lost or come twice"
    middle = (len(values) - 1) / 2.0
    z = ((values - middle) * (np.arange(len(values)) - middle)).sum() / ((len(values) ** 3 - len(values)) / 12.0)
    return chance.worst_of([("correlation with the old order", z * math.sqrt(len(values) - 1))])


DRAWS = {
    # name: (operation, code, shape, statement, level, level compiled)
    "uniform": ("RandomUniform", "tf.random.uniform([%d])" % N, (N,), uniform, "quick", "quick"),
    "uniform_wide": (
        "RandomUniform",
        "(tf.random.uniform([3, 8, 1024], -3.0, 5.0) + 3.0) / 8.0",
        (3, 8, 1024),
        lambda values: chance.UNIFORM.judge(np.minimum(values, 1 - 2.0**-24)),  # rounding may reach the upper end
        "standard",
        "standard",
    ),
    "normal": (
        "RandomStandardNormal",
        "tf.random.normal([%d])" % N,
        (N,),
        lambda values: max(chance.NORMAL.judge(values), chance.worst_of([chance.distinct(values)])),
        "quick",
        "standard",
    ),
    "normal_scaled": (
        "RandomStandardNormal",
        "tf.random.normal([24, 1024], 2.0, 0.5)",
        (24, 1024),
        lambda values: chance.NORMAL.judge((values - 2.0) / 0.5),
        "standard",
        "standard",
    ),
    "truncated": (
        "TruncatedNormal",
        "tf.random.truncated_normal([%d])" % N,
        (N,),
        chance.TRUNCATED.judge,
        "standard",
        "standard",
    ),
    "whole": (
        "RandomUniformInt",
        "tf.random.uniform([%d], -5, 12, tf.int32)" % N,
        (N,),
        lambda values: chance.whole(values, -5, 12),
        "quick",
        "standard",
    ),
    "categories": (
        "Multinomial",
        "tf.random.categorical(tf.math.log([[0.1, 0.2, 0.3, 0.4]]), %d)" % N,
        (1, N),
        lambda values: chance.counted(values, SHARES),
        "standard",
        "standard",
    ),
    "bernoulli": (
        "RandomUniform",
        "tf.cast(tf.random.uniform([%d]) < 0.3, tf.int32)" % N,
        (N,),
        lambda values: chance.counted(values, (0.7, 0.3)),
        "standard",
        "standard",
    ),
    "shuffle": ("RandomShuffle", "tf.random.shuffle(tf.range(1031))", (1031,), shuffled, "standard", "standard"),
    "gamma_half": (
        "RandomGamma",
        "tf.random.gamma([%d], 0.5)" % N,
        (N,),
        chance.GAMMA_HALF.judge,
        "standard",
        "standard",
    ),
    "gamma": ("RandomGamma", "tf.random.gamma([%d], 3.0)" % N, (N,), chance.GAMMA3.judge, "standard", "standard"),
}
SCALARS = {
    # name: (operation, code, level, level compiled)
    "scalars": ("RandomUniform", "tf.random.uniform([])", "quick", "standard"),
    "few_normals": ("RandomStandardNormal", "tf.random.normal([])", "standard", "standard"),
}
STATELESS = {
    # name: (operation, code, statement, level, level compiled)
    "stateless_uniform": (
        "StatelessRandomUniformV2",
        "tf.random.stateless_uniform([%d], s)" % N,
        uniform,
        "quick",
        "standard",
    ),
    "stateless_normal": (
        "StatelessRandomNormalV2",
        "tf.random.stateless_normal([%d], s)" % N,
        chance.NORMAL.judge,
        "standard",
        "standard",
    ),
    "stateless_truncated": (
        "StatelessTruncatedNormalV2",
        "tf.random.stateless_truncated_normal([%d], s)" % N,
        chance.TRUNCATED.judge,
        "standard",
        "standard",
    ),
    "stateless_whole": (
        "StatelessRandomUniformIntV2",
        "tf.random.stateless_uniform([%d], s, -5, 12, tf.int32)" % N,
        lambda values: chance.whole(values, -5, 12),
        "standard",
        "standard",
    ),
}


def cases():
    found = [drawing(name, *row) for name, row in DRAWS.items()]
    found += [scalars(name, *row) for name, row in SCALARS.items()]
    found += [stateless(name, *row) for name, row in STATELESS.items()]
    return found + [
        dropout("quarter", 0.25, (8, 24, 32, 16), "quick"),
        dropout("half", 0.5, (768, 128), "standard"),
        dropout_of_images(),
    ]


def drawing(name, op, code, shape, statement, level, graph):
    identity = "random/" + name

    def make():
        return [Fill("stat", (), None, {"y": Claim(op, shape, statement)})] * 2  # drawn three times

    def across(answers):
        return fresh(op, [arrays["y"] for _, arrays in answers])

    text = "x".join(map(str, shape))
    return Case(identity, op, text, code, "", 0, make, level, graph, across=across, random=True)


def fresh(op, arrays):
    """No call gives what another gave."""
    alike = sum(np.array_equal(a, b) for k, a in enumerate(arrays) for b in arrays[:k])
    yield "fresh", op, (2.0 if alike else 0.0), "the same numbers again: %d pairs of %d calls" % (alike, len(arrays))


def scalars(name, op, code, level, graph):
    """One number in each of ten calls; within one compiled function XLA may draw it once, and rightly so."""

    def make():
        want = Claim(op, (), lambda value: (float(abs(value) > 8), "%.9g is out of range" % value))
        return [Fill("stat", (), None, {"y": want})] * 9

    return Case("random/" + name, op, "scalar", code, "", 0, make, level, graph, across=varied(op), random=True)


def varied(op):
    def across(answers):
        several = len({float(arrays["y"]) for _, arrays in answers})
        ratio = 0.0 if several >= len(answers) - 1 else 2.0  # two alike happen once in 200,000 times, three never
        yield "fresh", op, ratio, "only %d different numbers in %d draws" % (several, len(answers))

    return across


def stateless(name, op, code, statement, level, graph):
    """Called with three seeds, and with the last one again."""

    def make():
        return [Fill("stat", (np.array(seed, np.int32),), None, {"y": Claim(op, (N,), statement)}) for seed in SEEDS]

    def across(answers):
        *others, last, again = (arrays["y"] for _, arrays in answers)
        alike = np.array_equal(last, again)
        yield "same_seed", op, (0.0 if alike else 2.0), "the same seed gives other numbers"
        for found in fresh(op, others + [last]):
            yield ("other_seed",) + found[1:]

    return Case("random/" + name, op, str(N), code, "s", 0, make, level, graph, across=across, random=True)


SEEDS = ((3, 14), (3, 92), (15, 92))
"""Each half of a seed counts."""


def dropout(name, rate, shape, level):
    identity = "dropout/" + name

    def make():
        draw = draw_for(identity)
        x, dy = real_numbers(draw, shape), real_numbers(draw, shape)
        x, dy = (np.where(v == 0, np.float32(1), v) for v in (x, dy))
        wants = {
            "y": Claim("RandomUniform", shape, dropped(x, rate)),
            "dx": Claim("Mul", shape, dropped(dy, rate, False)),
        }
        return [Fill("stat", (x,), dy, wants)] * 2

    code = "tf.nn.dropout(x, %r)" % rate
    return Case(
        identity,
        "RandomUniform",
        "x".join(map(str, shape)),
        code,
        "x",
        1,
        make,
        level,
        "standard",
        across=masks,
        random=True,
    )


def dropped(x, rate, counted=True):
    """Kept values are x / (1 - rate), and they are kept at random (which need not be `counted` twice)."""
    expected = x / np.float32(1 - rate)
    limit = np.float32(32 * U) * np.abs(expected)

    def judging(found):
        mask = found != 0
        off = float((np.abs(found - expected) * mask / limit).max())
        if off > 1 or not counted:
            return off, "kept values are not divided by %g" % (1 - rate)
        return max(chance.kept(mask, rate), (off, ""))

    return judging


def masks(answers):
    """The gradient passes where the value did, and each call decides anew."""
    kept = [arrays["y"] != 0 for _, arrays in answers]
    for mask, (_, arrays) in zip(kept, answers):
        if "dx" in arrays:
            differs = int((mask != (arrays["dx"] != 0)).sum())
            yield "gradient_mask", "Mul", float(2 * differs), "%d gradients pass where the value was dropped" % differs
    for first, second in zip(kept[:-1], kept[1:]):
        yield fresh_mask(first, second)


def fresh_mask(first, second):
    p, q, both = first.mean(), second.mean(), (first & second).mean()
    spread = math.sqrt(max(p * (1 - p) * q * (1 - q), 1e-12))
    z = (both - p * q) / spread * math.sqrt(first.size)
    ratio, detail = chance.worst_of([("correlation of the masks of two calls", z)])
    return "fresh", "RandomUniform", ratio, detail


def dropout_of_images():
    """One decision for each image and channel, as spatial dropout takes it."""
    rate, shape = 0.25, (64, 3, 5, 64)

    def make():
        x = real_numbers(draw_for("dropout/spatial"), shape)
        x = np.where(x == 0, np.float32(1), x)
        return [Fill("stat", (x,), None, {"y": Claim("RandomUniform", shape, judging)})] * 2

    def judging(found):
        mask = found != 0
        if (mask != mask[:, :1, :1]).any():
            return math.inf, "an image's channel is dropped in part"
        return chance.kept(mask[:, 0, 0], rate)

    code = "tf.nn.dropout(x, 0.25, noise_shape=[64, 1, 1, 64])"

    def across(answers):
        return masks([(label, {"y": arrays["y"][:, 0, 0]}) for label, arrays in answers])

    text = "64x3x5x64"
    return Case("dropout/spatial", "RandomUniform", text, code, "x", 0, make, "standard", across=across, random=True)
