"""Writes the reproduction of one output of `Model.predict`: the model's own source, its weights, inputs and answer."""

import inspect

from battery.programs import predicting
from reproductions import arrays, judging
from reproductions.operation import filled

NAME = "keras/predict"
"""The program that this one writes."""

TEMPLATE = """@HEADER@
import base64
import sys
import zlib

import numpy as np
import tensorflow as tf

DEVICE = sys.argv[1] if len(sys.argv) > 1 else @DEVICE@


@MODEL@

@JUDGED@

def predicted(device):
    with tf.device("/" + device):
        model = branches(tf)
        model.compile(jit_compile=False)
        model.set_weights(WEIGHTS)
        return model.predict(INPUTS, batch_size=4, verbose=0)[@INDEX@]


def main():
    there = [device.name.split("device:")[-1] for device in tf.config.list_logical_devices()]
    print("TensorFlow %s, NumPy %s, Python %s; %s" % (tf.__version__, np.__version__, sys.version.split()[0], there))
    if DEVICE not in there:
        print("TensorFlow lists no %s" % DEVICE, file=sys.stderr)
        return 2
    found = {}
    for device in dict.fromkeys((DEVICE, "CPU:0")):
        found[device], text = judged(predicted(device), FILL)
        print("%s, predict: largest error %.4g of its bound, %s" % (device, found[device], text))
    print("REPRODUCED: %s is wrong on %s" % (@TENSOR@, DEVICE) if found[DEVICE] > 1 else "not reproduced")
    return 1 if found[DEVICE] > 1 else 0

@READER@

INPUTS = [@INPUTS@
]
WEIGHTS = [@WEIGHTS@
]
FILL = {@FILL@
}

if __name__ == "__main__":
    sys.exit(main())
"""


def script(part, device, header):
    """The source for `int/conv2d`. Raises NotPlainError where there is no such output, or it is no plain array."""
    label, _, tensor = part.partition("/")
    for name, given, weights, wants in predicting.fills():
        if name == label and tensor in wants:
            return written(list(wants).index(tensor), given, weights, wants[tensor], tensor, device, header)
    raise arrays.NotPlainError("no output of its own")


def written(index, given, weights, want, tensor, device, header):
    pieces = {
        "JUDGED": judging.source(want),
        "HEADER": header,
        "DEVICE": repr(device),
        "MODEL": inspect.getsource(predicting.branches),
        "INDEX": str(index),
        "TENSOR": repr(tensor),
        "READER": arrays.READER,
        "INPUTS": lines(given),
        "WEIGHTS": lines(weights),
        "FILL": "".join("\n    %r: %s," % row for row in judging.rows(want)),
    }
    return filled(TEMPLATE, pieces)


def lines(values):
    return "".join("\n    %s," % arrays.source(one) for one in values)
