"""Float64 arrays that carry how far off a correct float32 computation of the same may be: running error analysis.

Each operation adds what its own rounding may cost to what its arguments may be off by (Wilkinson's running error bound;
Higham, Accuracy and Stability of Numerical Algorithms, section 3.3). Sums are allowed any order, so `n` terms cost n * u
of the sum of absolute values; division 2.5 ulp, square roots 3 ulp, exp 3 + 2|x| ulp are what Metal's fast math admits
(Metal Shading Language Specification, table 8.2), and an ulp is 2 u. Functions with values within [-1, 1] that are made of exp
and a division are given 16 u of 1. Recurrences and their gradients get a bound that grows as their errors can grow.
"""

import math

import numpy as np

from battery.wants import U, Want

SAFETY = 2
"""For terms of second order, and for products that an implementation multiplies in another order than written here."""
erf_of = np.vectorize(math.erf, otypes=[float])


class Bounded:
    """An array and a bound on the error of each element. Plain arrays and numbers beside it are float32 constants."""

    __slots__ = ("value", "error")
    __array_ufunc__ = None  # so that NumPy leaves `array + bounded` to us

    def __init__(self, value, error=0.0):
        self.value = np.asarray(value, np.float64)
        self.error = np.broadcast_to(np.asarray(error, np.float64), self.value.shape)

    @property
    def shape(self):
        return self.value.shape

    def want(self, op, axes=()):
        """As what an answer is judged by."""
        return Want(op, self.value, SAFETY * self.error + 1e-30, axes)

    def __add__(self, other):
        a, b = self, bounded(other)
        return Bounded(a.value + b.value, a.error + b.error + 2 * U * (abs(a.value) + abs(b.value)))

    def __neg__(self):
        return Bounded(-self.value, self.error)

    def __sub__(self, other):
        return self + -bounded(other)

    def __rsub__(self, other):
        return bounded(other) + -self

    def __mul__(self, other):
        a, b = self, bounded(other)
        value = a.value * b.value
        error = abs(a.value) * b.error + a.error * (abs(b.value) + b.error)
        return Bounded(value, error + 2 * U * abs(value))

    def __truediv__(self, other):
        a, b = self, bounded(other)
        value = a.value / b.value
        return Bounded(value, (a.error + abs(value) * b.error) / abs(b.value) + 5 * U * abs(value))

    def __rtruediv__(self, other):
        return bounded(other) / self

    def __matmul__(self, other):
        a, b = self, bounded(other)
        x, y = abs(a.value), abs(b.value)
        error = x @ (b.error + (a.shape[-1] + 2) * U * y) + a.error @ (y + b.error)
        return Bounded(a.value @ b.value, error)

    def __rmatmul__(self, other):
        return bounded(other) @ self

    __radd__, __rmul__ = __add__, __mul__

    def __getitem__(self, key):
        return Bounded(self.value[key], self.error[key])

    @property
    def T(self):
        return self.swapped(-1, -2)

    def swapped(self, i, j):
        return Bounded(self.value.swapaxes(i, j), self.error.swapaxes(i, j))

    def reshape(self, *shape):
        return Bounded(self.value.reshape(*shape), self.error.reshape(*shape))

    def sum(self, axis=None, keepdims=False):
        value = self.value.sum(axis=axis, keepdims=keepdims)
        terms = self.value.size / max(1, value.size)
        return Bounded(value, (self.error + terms * U * abs(self.value)).sum(axis=axis, keepdims=keepdims))

    def mean(self, axis=None, keepdims=False):
        total = self.sum(axis, keepdims)
        return total * (total.value.size / self.value.size)

    def function(self, value, slope, own):
        """A function of each element: its value, the size of its derivative there, and the error of its own."""
        return Bounded(value, slope * self.error + own)


def bounded(x):
    """Numbers are rounded to float32 by whoever uses them; arrays are float32 already."""
    if isinstance(x, Bounded):
        return x
    return Bounded(x, U * abs(x) if isinstance(x, float) and x != float(np.float32(x)) else 0.0)


def tanh(x):
    value = np.tanh(x.value)
    return x.function(value, 1 - value**2, 16 * U)


def sigmoid(x):
    value = 1 / (1 + np.exp(-x.value))
    return x.function(value, value * (1 - value), 16 * U)


def exp(x):
    value = np.exp(x.value)
    return x.function(value, value, 2 * U * (3 + 2 * abs(x.value)) * value)


def erf(x):
    return x.function(erf_of(x.value), 2 / math.sqrt(math.pi) * np.exp(-(x.value**2)), 16 * U)


def sqrt(x):
    """Also of plain numbers and arrays. A root of what may be 0 may be off by the root of that."""
    if not isinstance(x, Bounded):
        return np.sqrt(x)
    value = np.sqrt(np.maximum(x.value, 0))
    certain = x.value > x.error
    error = np.where(certain, x.error / np.where(certain, 2 * value, 1.0), np.sqrt(x.error))
    return Bounded(value, error + 6 * U * value)


def maximum(x, y):
    """Also of plain arrays."""
    if not isinstance(x, Bounded) and not isinstance(y, Bounded):
        return np.maximum(x, y)
    x, y = bounded(x), bounded(y)
    apart = x.value - y.value
    near = abs(apart) <= x.error + y.error  # where either may come out as the larger one
    error = np.where(near, np.maximum(x.error, y.error), np.where(apart > 0, x.error, y.error))
    return Bounded(np.maximum(x.value, y.value), error)


def size_of(x):
    """The absolute value, also of a plain array."""
    return Bounded(abs(x.value), x.error) if isinstance(x, Bounded) else abs(x)


def choose(condition, x, y):
    x, y = bounded(x), bounded(y)
    return Bounded(np.where(condition, x.value, y.value), np.where(condition, x.error, y.error))


def joined(parts, axis=-1):
    parts = [bounded(part) for part in parts]
    return Bounded(np.concatenate([p.value for p in parts], axis), np.concatenate([p.error for p in parts], axis))


def stacked(parts, axis):
    return Bounded(np.stack([p.value for p in parts], axis), np.stack([p.error for p in parts], axis))


def softmax(x):
    """Over the last axis; what comes out is divided by its sum, as everywhere."""
    e = exp(x - x.value.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def elu(x):
    return choose(x.value > 0, x, exp(x) - 1)


def gelu(x):
    return x * 0.5 * (1 + erf(x * math.sqrt(0.5)))


def leaky_relu(x, slope=0.2):
    return maximum(x, x * slope)


def relu6(x):
    return -maximum(-maximum(x, 0), -6)
