"""What random numbers must look like: every statement is a deviation in standard errors, and 6.5 of them are allowed.

By chance a statement fails once in 10^10 (twice the tail of the normal law beyond 6.5), so all of them together never do.
"""

import math

import numpy as np

ALLOWED = 6.5
LAGS = (1, 2, 4, 16, 64, 4096)
"""Neighbours, vectors of a thread, rows, blocks: where generators that count wrongly repeat themselves."""


class Law:
    """A distribution: its first moments, its range, and how much of it lies between `edges`."""

    def __init__(self, mean, deviation, kurtosis, lowest, highest, edges, below):
        self.mean, self.deviation, self.kurtosis = mean, deviation, kurtosis
        self.lowest, self.highest, self.edges = lowest, highest, np.asarray(edges, np.float64)
        self.shares = np.diff(np.concatenate([[0.0], [below(edge) for edge in edges], [1.0]]))

    def judge(self, values):
        """(ratio, detail) of the worst statement about a sequence of draws."""
        values = np.asarray(values, np.float64).ravel()
        outside = (values < self.lowest) | (values > self.highest)
        if outside.any():
            worst = values[outside][0]
            return math.inf, "%d values outside [%g, %g], as %.9g" % (outside.sum(), self.lowest, self.highest, worst)
        return worst_of(list(self.statements(values)))

    def statements(self, values):
        n, standard = values.size, (values - self.mean) / self.deviation
        yield "mean", standard.mean() * math.sqrt(n)
        yield "variance", ((standard**2).mean() - 1) * math.sqrt(n / (self.kurtosis - 1))
        for statement in correlations(standard):
            yield statement
        counts = np.bincount(np.searchsorted(self.edges, values, "right"), minlength=len(self.shares))
        for k, (count, share) in enumerate(zip(counts, self.shares)):
            yield "share of part %d" % k, (count - n * share) / math.sqrt(n * share * (1 - share))


def correlations(standard, lags=LAGS):
    """Of a sequence of mean 0 and variance 1 with itself, some places later."""
    for lag in lags:
        if lag < standard.size // 2:
            product = (standard[:-lag] * standard[lag:]).sum()  # a dot product would wake the threads of BLAS
            yield "correlation at lag %d" % lag, product / math.sqrt(standard.size - lag)


def worst_of(statements):
    name, z = max(statements, key=lambda statement: abs(statement[1]))
    return abs(z) / ALLOWED, "%s is off by %.1f standard errors" % (name, z)


def normal_below(x):
    return 0.5 * (1 + math.erf(x / math.sqrt(2)))


def truncated_below(x):
    tail = normal_below(-2)
    return min(max((normal_below(x) - tail) / (1 - 2 * tail), 0.0), 1.0)


def gamma3_below(x):
    """Of shape 3, in closed form."""
    return 1 - math.exp(-x) * (1 + x + x * x / 2)


def truncated_moments():
    """Variance and kurtosis of the normal law cut at two deviations, by partial integration."""
    density, inside = math.exp(-2) / math.sqrt(2 * math.pi), 1 - 2 * normal_below(-2)
    square = 1 - 4 * density / inside
    return square, (3 * square - 16 * density / inside) / square**2


SQUARE, KURTOSIS = truncated_moments()
HALVES = np.arange(-5, 6) / 2.0
UNIFORM = Law(0.5, math.sqrt(1 / 12.0), 1.8, 0.0, 1 - 2.0**-24, np.arange(1, 16) / 16.0, lambda x: x)
NORMAL = Law(0.0, 1.0, 3.0, -8.0, 8.0, HALVES, normal_below)
TRUNCATED = Law(0.0, math.sqrt(SQUARE), KURTOSIS, -2.0, 2.0, np.arange(-3, 4) / 2.0, truncated_below)
GAMMA_HALF = Law(
    0.5, math.sqrt(0.5), 30.0, 0.0, 40.0, [0.01, 0.05, 0.1, 0.2, 0.5, 1, 2], lambda x: math.erf(math.sqrt(x))
)
"""Its kurtosis is 15; twice that keeps the tail of so skewed a statement where the normal law has it."""
GAMMA3 = Law(3.0, math.sqrt(3), 5.0, 0.0, 60.0, [0.5, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8], gamma3_below)


def bits(values, count=20):
    """How often each of the leading binary digits of numbers in [0, 1) is set."""
    digits = np.floor(np.asarray(values, np.float64).ravel() * 2.0**count).astype(np.int64)
    for k in range(count):
        ones = int(((digits >> k) & 1).sum())
        yield "binary digit %d" % (count - k), (2 * ones - digits.size) / math.sqrt(digits.size)


def distinct(values, possible=2.0**23):
    """How many draws repeat an earlier one, against the birthdays of so many possible values."""
    values = np.asarray(values).ravel()
    repeats = values.size - np.unique(values).size
    expected = values.size**2 / (2 * possible)
    return "number of repeats (%d)" % repeats, max(0.0, repeats - expected) / math.sqrt(expected + 1)


def whole(values, lowest, highest):
    """(ratio, detail) of whole numbers drawn evenly from [lowest, highest)."""
    values = np.asarray(values, np.int64).ravel()
    if values.min() < lowest or values.max() >= highest:
        return math.inf, "values from %d to %d, should be [%d, %d)" % (values.min(), values.max(), lowest, highest)
    return counted(values - lowest, [1.0 / (highest - lowest)] * (highest - lowest))


def counted(values, shares):
    """(ratio, detail) of draws from len(shares) classes, with their correlations."""
    values, shares = np.asarray(values).ravel(), np.asarray(shares, np.float64)
    n, counts = values.size, np.bincount(values, minlength=len(shares))
    found = [("class %d" % k, (c - n * p) / math.sqrt(n * p * (1 - p))) for k, (c, p) in enumerate(zip(counts, shares))]
    places = np.arange(len(shares))
    mean = (shares * places).sum()
    deviation = math.sqrt((shares * (places - mean) ** 2).sum())
    return worst_of(found + list(correlations((values - mean) / deviation)))


def kept(mask, rate):
    """(ratio, detail) of what a dropout kept: rate, correlations, and the rate of each slice along each axis.

    The largest of many slices may be off by half a standard error more.
    """
    p = 1 - rate
    standard = (mask.astype(np.float32) - np.float32(p)) * np.float32(1 / math.sqrt(p * rate))
    found = [("rate of kept values", standard.sum() / math.sqrt(mask.size))]
    found += correlations(standard.ravel())
    for axis in range(mask.ndim):
        slices = standard.sum(axis=tuple(k for k in range(mask.ndim) if k != axis))
        z = slices / math.sqrt(mask.size // mask.shape[axis])
        found.append(("rate along axis %d" % axis, abs(z).max() * ALLOWED / 7))
    return worst_of(found)
