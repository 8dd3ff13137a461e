"""What a check of single operations is made of: an expression, the data that go in, and what must come out."""

import re

ACTIVATION = re.compile(r"relu|elu|tanh|sigmoid|gelu|swish|soft|silu")
PATTERN = re.compile(r"mul|conv|norm|bias_add|gelu|swish")
"""What a graph compiler takes for more than one operation, with an activation behind or within."""


CONVENTION = "convention"


class Fill:
    """One set of data: inputs, the gradient that comes from above, and what must come out.

    `inputs` are arrays in the order of the case's `inputs`; `upstream` is the gradient with respect to the output (an
    array, or a list of one per output), None where no gradient is taken; `wants` maps each output and gradient that is
    judged to its Want. `label` says how the data were drawn: "int", "real", "exact", "bound", "stat", "extreme"...
    CONVENTION marks a fill that asks which of several right answers is given: another than TensorFlow's is no fault.
    """

    def __init__(self, label, inputs, upstream, wants):
        self.label, self.inputs, self.upstream, self.wants = label, inputs, upstream, wants


class Case:
    """One operation on one shape.

    `code` is a Python expression of `tf` and the names in `inputs`, as a user would write it: it is what is computed,
    what a report shows and what a reproduction contains. Gradients are taken for the first `sources` inputs and are
    called "d" + the input's name; `outputs` names what the expression gives (one tensor, or a tuple of as many).

    `make()` builds the fills. `level` is the lowest level that runs the case, `graph` the lowest that also compiles it.
    `across(answers)`, where given, judges what no single answer shows (two draws that must differ): `answers` is a list
    of (label, {name: array}), one for each call in order, and it yields (part, op, ratio, detail). `random` operations
    may answer differently each time, `alone` keeps a case out of compiled groups (shapes that change between fills).
    """

    def __init__(self, name, op, shape, code, inputs, sources, make, level="quick", graph=None, outputs=("y",),
                 across=None, random=False, alone=False, dtype="float32"):  # fmt: skip
        self.name, self.op, self.shape, self.code, self.dtype = name, op, shape, code, dtype
        self.inputs, self.sources, self.outputs = tuple(inputs), sources, tuple(outputs)
        self.level, self.graph = level, graph or level
        self.across, self.random, self.alone = across, random, alone
        self.expression = eval("lambda %s: %s" % (", ".join(("tf",) + self.inputs), code))
        self._make, self._fills = make, None

    @property
    def family(self):
        return self.name.split("/")[0]

    @property
    def fusible(self):
        """Whether a graph compiler fuses more without the gradients, which may need what stands before an activation."""
        return bool(ACTIVATION.search(self.code) and PATTERN.search(self.code))

    @property
    def skeleton(self):
        """The expression without its numbers: cases that share it differ in shape alone."""
        return self.op, self.dtype, self.sources, re.sub(r"[\d.]+", "", self.code)

    @property
    def names(self):
        """What a call with gradients gives, in order."""
        return self.outputs + tuple("d" + name for name in self.inputs[: self.sources])

    @property
    def fills(self):
        """Built once, at first use, and shared by all modes and devices."""
        if self._fills is None:
            self._fills = self._make()
        return self._fills
