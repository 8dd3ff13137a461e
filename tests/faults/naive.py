"""The rules of thumb people compare numbers with, to be measured beside the battery. NumPy only, stand-alone."""

import numpy as np

RULES = {
    # name: (relative, absolute) tolerance
    "np.allclose defaults": (1e-5, 1e-8),
    "rtol 1e-3": (1e-3, 1e-8),
    "rtol = atol = 1e-3": (1e-3, 1e-3),
}


def differs(found, wanted):
    """The names of the rules that call an array wrong."""
    found, wanted = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    if found.shape != wanted.shape:
        return list(RULES)
    return [name for name, (rtol, atol) in RULES.items() if not np.allclose(found, wanted, rtol, atol)]


LOSS_RULES = ("the loss goes down", "the last loss is within 10 %")
LISTING = "the device is listed"
"""Says nothing of what a device computes: none of the faults changes it."""


def by_losses(losses, wanted):
    """The verdict of each loss rule: True where it calls the training wrong. Losses by step, and those in float64."""
    losses, wanted = np.asarray(losses, np.float64), np.asarray(wanted, np.float64)
    finite = bool(np.isfinite(losses).all())
    return {
        LOSS_RULES[0]: not (finite and losses[-4:].mean() < losses[:4].mean()),
        LOSS_RULES[1]: not (finite and abs(losses[-1] - wanted[-1]) <= 0.1 * wanted[-1]),
    }
