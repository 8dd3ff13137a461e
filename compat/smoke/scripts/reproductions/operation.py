"""Writes the reproduction of one tensor of one operation: inputs, what must come out, and the expression as it is."""

from battery.running import AGAIN, NO_KERNEL
from reproductions import arrays, judging

TEMPLATE = '''@HEADER@
import base64
import sys
import zlib

import numpy as np
import tensorflow as tf

DEVICE = sys.argv[1] if len(sys.argv) > 1 else @DEVICE@
MODE = sys.argv[2] if len(sys.argv) > 2 else @MODE@


def operation(@INPUTS@):
    return @CODE@


def function_on(device, gradients):
    """What is checked: `operation`, alone or with its gradients."""

    def call(inputs, upstream):
        with tf.device("/" + device):
            @INPUTS@@COMMA@ = [tf.identity(one) for one in inputs]
@BODY@
    return call if MODE == "eager" else tf.function(call, autograph=False, jit_compile=MODE == "xla" or None)


def listed(y):
    return list(y) if isinstance(y, (tuple, list)) else [y]


@JUDGED@

def worst_on(device):
    """All calls in their order: an answer left over from another call shows only so."""
    worst = None
    for gradients in @VARIANTS@:
        function = function_on(device, gradients)
        try:
            with tf.device("/" + device):  # else arguments go by way of the default device
                found = [function(DATA[name]["inputs"], DATA[name]["upstream"])[@INDEX@].numpy() for name in CALLS]
        except (tf.errors.OpError, ValueError):
            if worst is None:
                raise
            break  # the gradients alone cannot be computed: that is another fault
        judgements = [judged(one, DATA[name]) for name, one in zip(CALLS, found) if "expected" in DATA[name]]
        worst = max(judgements + ([worst] if worst else []), key=lambda judgement: judgement[0])
    return worst


def main():
    tf.config.set_soft_device_placement(False)  # what has no kernel here must say so, not run on the CPU
    there = [device.name.split("device:")[-1] for device in tf.config.list_logical_devices()]
    print("TensorFlow %s, NumPy %s, Python %s; %s" % (tf.__version__, np.__version__, sys.version.split()[0], there))
    if DEVICE not in there:
        return unanswered("TensorFlow lists no %s" % DEVICE)
    found = {}
    for device in dict.fromkeys((DEVICE, "CPU:0")):
        try:
            found[device], text = worst_on(device)
            print("%s, %s: largest error %.4g of its bound, %s" % (device, MODE, found[device], text))
        except (tf.errors.OpError, ValueError) as error:
            if device == DEVICE and not any(words in str(error) for words in NO_KERNEL):
                raise
            print("%s, %s: not computed: %s" % (device, MODE, str(error).splitlines()[0]))
    if DEVICE not in found:
        return unanswered("TensorFlow has no kernel for this on %s" % DEVICE)
    print("REPRODUCED: %s is wrong on %s" % (@TENSOR@, DEVICE) if found[DEVICE] > 1 else "not reproduced")
    return 1 if found[DEVICE] > 1 else 0


def unanswered(why):
    print(why, file=sys.stderr)
    return 2

@READER@

NO_KERNEL = @NO_KERNEL@
CALLS = @CALLS@
DATA = {@DATA@}

if __name__ == "__main__":
    sys.exit(main())
'''
FORWARD = "            return listed(operation(@INPUTS@))\n"
GRADIENTS = """            if not gradients:
                return listed(operation(@INPUTS@))
            sources = [@SOURCES@]
            with tf.GradientTape() as tape:
                tape.watch(sources)
                y = operation(@INPUTS@)
            found = tape.gradient(y, sources, output_gradients=upstream)
            return listed(y) + [tf.convert_to_tensor(one) for one in found]
"""


def script(case, label, tensor, mode, device, header):
    """The source. Raises NotPlainError where the check is not a comparison of plain arrays."""
    want = next(fill.wants[tensor] for fill in case.fills if judges(fill, label, tensor))
    calls, data = written(case, label, tensor)
    pieces = {
        "JUDGED": judging.source(want),
        "BODY": GRADIENTS if case.sources else FORWARD,
        "HEADER": header,
        "DEVICE": repr(device),
        "MODE": repr(mode),
        "NO_KERNEL": "(%s\n)" % "".join("\n    %r," % words for words in NO_KERNEL),
        "CODE": case.code,
        "COMMA": "," if len(case.inputs) == 1 else "",
        "SOURCES": ", ".join(case.inputs[: case.sources]),
        "INPUTS": ", ".join(case.inputs),
        "VARIANTS": repr(variants(case, tensor)),
        "INDEX": str(case.names.index(tensor)),
        "TENSOR": repr(tensor),
        "READER": arrays.READER,
        "CALLS": repr(calls),
        "DATA": data,
    }
    return filled(TEMPLATE, pieces)


def filled(text, pieces):
    """Each @NAME@ replaced, in order: a piece may hold the names that follow it."""
    for name, piece in pieces.items():
        text = text.replace("@%s@" % name, piece)
    return text


def judges(fill, label, tensor):
    return fill.label == label and tensor in fill.wants


def variants(case, tensor):
    """An inference graph lacks the gradients, and what is fused differs: outputs are checked with both."""
    if not case.sources:
        return (False,)
    return (False, True) if tensor in case.outputs else (True,)


def written(case, label, tensor):
    """The order of the calls, up to the last that is judged, which is made again; and their data as source."""
    last = max(i for i, fill in enumerate(case.fills) if judges(fill, label, tensor))
    fills = case.fills[: last + 1]
    known = list({id(fill): fill for fill in fills}.values())
    names = {id(fill): "%s %d" % (fill.label, i + 1) for i, fill in enumerate(known)}
    calls = [names[id(fill)] for fill in fills] + [names[id(fills[-1])]] * (AGAIN - 1)
    data = "".join("\n    %r: {%s\n    }," % (names[id(fill)], entry(fill, label, tensor)) for fill in known)
    return calls, data + "\n"


def entry(fill, label, tensor):
    found = [("inputs", listed(fill.inputs)), ("upstream", upstream(fill.upstream))]
    found += judging.rows(fill.wants[tensor]) if judges(fill, label, tensor) else []
    return "".join("\n        %r: %s," % row for row in found)


def upstream(given):
    if given is None:
        return "None"
    return listed(given) if isinstance(given, (list, tuple)) else arrays.source(given)


def listed(values):
    return "[%s]" % ", ".join(arrays.source(one) for one in values)
