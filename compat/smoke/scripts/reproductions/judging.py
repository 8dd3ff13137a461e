"""How a reproduction judges its answer, as source, and what of a Want it needs for that."""

from battery.wants import FEWEST_FOR_RMS, Want
from reproductions import arrays

TEMPLATE = '''def judged(found, fill):
    """The largest error in units of its bound, and where that is."""
    found, expected = np.asarray(found, np.float64), fill["expected"]
    if found.shape != expected.shape:
        return np.inf, "shape %s, expected %s" % (found.shape, expected.shape)
    with np.errstate(all="ignore"):
        error = np.where(np.isfinite(found), abs(found - expected), np.inf)
        over = error / np.maximum(fill["limit"], 1e-300)
    worst = np.unravel_index(over.argmax(), over.shape)
    ratio = float(over[worst])
@RULE@    place = ", ".join(str(int(i)) for i in worst)
    text = "at [%s]: found %.9g, expected %.9g; %d of %d values out of bounds"
    return ratio, text % (place, found[worst], expected[worst], (@WRONG@).sum(), error.size)
'''
EXACT = """    if error.any():  # only moves, chooses or counts values: any difference is a fault
        ratio = max(ratio, 2.0)
"""
RMS = """    with np.errstate(over="ignore"):
        rms = float(np.sqrt(np.mean((error / fill["scale"]) ** 2)))
    ratio = max(ratio, rms / fill["rms_limit"])  # every value a little off
"""
RULES = ("judge", "_ratio")


def source(want):
    """The function `judged` of a script. Raises NotPlainError where no plain array is compared."""
    if not plain(want):
        raise arrays.NotPlainError("a statement, not a comparison")
    rule = EXACT if want.exact else RMS if has_rms(want) else ""
    wrong = "error > 0" if want.exact else 'error > fill["limit"]'
    return TEMPLATE.replace("@RULE@", rule).replace("@WRONG@", wrong)


def rows(want):
    """What it looks up, as (name, source)."""
    found = [("expected", arrays.source(want.value)), ("limit", arrays.limits(want.limit))]
    if has_rms(want):
        found += [("scale", arrays.limits(want.scale)), ("rms_limit", repr(24 + 0.5 * want.products**0.5))]
    return found


def plain(want):
    """Whether it judges as Want does; what a subclass adds to the sentence is not needed here."""
    same = isinstance(want, Want) and all(getattr(type(want), name) is getattr(Want, name) for name in RULES)
    return same and want.value.size > 0


def has_rms(want):
    return want.scale is not None and want.value.size >= FEWEST_FOR_RMS
