"""The data: drawn from NumPy's frozen generator, so that every machine sees the same."""

import zlib

import numpy as np

SEED = 0
"""Changed only to measure false alarms over other values; 0 is what users run."""


def draw_for(name, part=0):
    """The generator of one case: its values do not change when other cases come or go."""
    return np.random.RandomState((SEED * 1009 + zlib.crc32(name.encode()) + part) % 2**31)


def whole_numbers(draw, shape, highest):
    """Non-zero integers within +-highest, float32: a zero would hide a lost product."""
    values = draw.randint(-highest, highest, shape)
    return (values + (values >= 0)).astype(np.float32)


def real_numbers(draw, shape):
    """N(0, 1), float32 with a full mantissa and zero mean: rounding then does not grow with the number of terms."""
    return draw.standard_normal(shape).astype(np.float32)


def permutation(draw, shape, lowest=0):
    """Consecutive integers from `lowest` in random order, float32: no ties, neighbours differ by 1."""
    return (draw.permutation(int(np.prod(shape))) + lowest).reshape(shape).astype(np.float32)


def logits(draw, samples, classes):
    """Within 8 of each other: a fast exp degrades with the size of its argument."""
    return np.clip(1.5 * real_numbers(draw, (samples, classes)), -4, 4)


def rounded(values, bits):
    """Float32 values with only so many significant bits (8 for bfloat16, 11 for float16): exact in that type."""
    mantissa, exponent = np.frexp(values.astype(np.float64))
    return np.ldexp(np.round(mantissa * 2.0**bits) / 2.0**bits, exponent).astype(np.float32)
