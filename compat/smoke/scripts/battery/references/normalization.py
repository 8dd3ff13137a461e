"""Batch and layer normalization, forward and backward, in float64 with a bound on float32's error."""

from battery.references.bounded import Bounded, bounded, sqrt
from battery.wants import U


def moments(x, axes):
    """Mean and (biased) variance. As E[x^2] - E[x]^2, which is as legitimate, the variance is less exact."""
    mean = x.mean(axes, keepdims=True)
    apart = x - mean
    variance = (apart * apart).mean(axes, keepdims=True)
    terms = x.value.size / mean.value.size
    square = (x.value**2).mean(axis=axes, keepdims=True)
    return mean, Bounded(variance.value, variance.error + 2 * (terms + 2) * U * square)


def normalized(x, gamma, beta, epsilon, mean, variance):
    """The output, the normalized input, and the factor that normalizes."""
    inverse = 1 / sqrt(variance + epsilon)
    whitened = (x - mean) * inverse
    return whitened * gamma + beta, whitened, inverse


def trained(x, gamma, beta, epsilon, axes, dy):
    """Normalized by the input's own moments over `axes`; scale and shift go with the last axis.

    Gives the output, the gradients of input, scale and shift, and the two moments.
    """
    x, gamma, beta, dy = (bounded(array) for array in (x, gamma, beta, dy))
    mean, variance = moments(x, axes)
    y, whitened, inverse = normalized(x, gamma, beta, epsilon, mean, variance)
    d = dy * gamma
    dx = inverse * (d - d.mean(axes, keepdims=True) - whitened * (d * whitened).mean(axes, keepdims=True))
    others = tuple(range(len(x.shape) - 1))
    return y, [dx, (dy * whitened).sum(others), dy.sum(others)], mean, variance


def inferred(x, gamma, beta, epsilon, mean, variance):
    """Normalized by moments that are given."""
    x, gamma, beta, mean, variance = (bounded(array) for array in (x, gamma, beta, mean, variance))
    return normalized(x, gamma, beta, epsilon, mean, variance)[0]
