"""Arrays as Python source: a number where one will do, else compressed bytes in base64, whole numbers in few bytes."""

import base64
import textwrap
import zlib

import numpy as np

SMALL = ("<i1", "<i2", "<i4")
WIDTH = 116

READER = '''
def array(dtype, shape, kept, text):
    """Values of `dtype`, kept as the compressed bytes of `kept`."""
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), kept).reshape(shape).astype(dtype)
'''
"""What a script needs to read them; imports base64, zlib and numpy as np."""


class NotPlainError(Exception):
    """Values that cannot be written as plain data."""


def source(values):
    """An expression for an array or a scalar; exact to the last bit. Raises NotPlainError for anything else."""
    values = np.asarray(values)
    if values.dtype.kind not in "fiub" or values.dtype.str[1:] not in ("f2", "f4", "f8") and values.dtype.kind == "f":
        raise NotPlainError("values of type %s" % values.dtype)
    kept = packed(values)
    text = base64.b64encode(zlib.compress(np.ascontiguousarray(kept).tobytes(), 9)).decode("ascii")
    body = text if len(text) < 60 else "\n" + "\n".join(textwrap.wrap(text, WIDTH)) + "\n"
    quote = '"' if body == text else '"""'
    return "array(%r, %r, %r, %s%s%s)" % (values.dtype.name, values.shape, kept.dtype.str, quote, body, quote)


def packed(values):
    """The same values in the fewest bytes that keep them, little-endian."""
    with np.errstate(all="ignore"):
        for kind in SMALL:
            if values.dtype.kind != "b" and values.dtype.itemsize > int(kind[2:]):
                small = values.astype(kind)
                if small.astype(values.dtype).tobytes() == values.tobytes():  # a negative zero would be lost
                    return small
        if values.dtype == np.float64 and values.astype("<f4").astype(values.dtype).tobytes() == values.tobytes():
            return values.astype("<f4")
    return values.astype(values.dtype.newbyteorder("<"))


def limits(limit):
    """An expression for what each element may be off: one number, or float32 rounded up."""
    limit = np.asarray(limit, np.float64)
    if not limit.size:
        return "0.0"
    if limit.min() == limit.max():
        return repr(float(limit.flat[0]))
    short = limit.astype(np.float32)
    return source(np.where(short < limit, np.nextafter(short, np.float32(np.inf)), short).astype(np.float64))
