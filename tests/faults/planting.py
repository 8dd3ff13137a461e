"""Plants one fault in a running TensorFlow, below its public interface, and takes it out again whole.

Stand-alone: NumPy and the TensorFlow module it is given, CPython 3.8 syntax; it runs inside the environment under test.

A fault is a function that is given a `Site`, registered with `@register`; it lives in a file `mutants_*.py` or
`breadth_*.py` beside this one (the word before the underscore names the set):

    from planting import register
    import probes

    @register("relu_no_mask", op="ReluGrad", text="the gradient passes everywhere", family="activation", probe=probes.relu)
    def relu_no_mask(site):
        site.replace("gen_nn_ops.relu_grad", lambda call: call.tensor("gradients"))

`Site` knows four ways to plant, all undone when `planted` ends, all effective eagerly and while a `tf.function` is traced:

* `site.replace(target, around)`  - `around(call)` answers in place of a function of TensorFlow ("gen_nn_ops.conv2d", a
  module of `tensorflow.python.ops` and a function, or a tuple of such names). For backward operations and everything whose
  gradient does not matter: the gradient is that of whatever `around` computes with.
* `site.output(target, wrong)`    - for forward operations: `wrong(call, y)` sees the right answer `y` and returns the wrong
  one (a structure like `y`, with None for a part that stays right). Backward, the original operation's gradient runs.
* `site.gradient(op, around)`     - replaces an entry of the gradient registry: `around(run, op, *upstream)`, where
  `run(op, *upstream)` is the right gradient function.
* `site.method(owner, name, around)` - a method of a class (Keras layers, optimizers): `around(call)`, `call["self"]`.

A `Call` gives the arguments by name, defaults filled in: `call["strides"]`, `call.tensor("input")`, and runs the original:
`call.run()`, or with changes `call.run(input=other)`. Where TensorFlow has no operation for a fault, `site.numpy(like,
function, *tensors)` computes it in NumPy: `function` gets float32 copies (integers as they are) and its answer gets the
dtype and static shape (unless given) of `like`. `site.draw` is a RandomState, fresh for each planting: a fault is repeatable.
While a fault computes, nothing it calls is faulty. State (stale results, counters) belongs into the plant function.

A probe is a function `probe(tf)` returning tensors that the fault must change, called eagerly and inside a `tf.function`;
what needs variables is `probe(tf, state)`, with `probe.prepare(tf)` making the state outside of any function.
`probe.tolerance` (default 2e-6 of the largest value) says what counts as a change. See `checking`.
"""

import contextlib
import functools
import glob
import importlib
import inspect
import os
import sys
import threading
import types

import numpy as np

FAULTS = {}
"""Every registered fault by name, in the order of registration."""
TABLE = "__planted__"
"""The name under which a module of TensorFlow keeps what its functions are replaced by."""


class Fault:
    """One entry of the catalogue."""

    def __init__(self, name, op, text, family, probe, plant):
        self.name, self.op, self.text, self.family, self.probe, self.plant = name, op, text, family, probe, plant
        self.set = plant.__module__.rsplit(".", 1)[-1].split("_")[0]


def register(name, op, text, family, probe=None):
    """Put a plant function into the catalogue."""

    def kept(plant):
        if name in FAULTS:
            raise ValueError("two faults are called " + name)
        FAULTS[name] = Fault(name, op, text, family, probe, plant)
        return plant

    return kept


def catalogue(sets=("mutants", "breadth")):
    """Import the fault files of these sets and return their faults."""
    here = os.path.dirname(os.path.abspath(__file__))
    if here not in sys.path:
        sys.path.insert(0, here)
    for one in sets:
        for path in sorted(glob.glob(os.path.join(here, one + "_*.py"))):
            importlib.import_module(os.path.basename(path)[:-3])
    return [fault for fault in FAULTS.values() if fault.set in sets]


@contextlib.contextmanager
def planted(tf, name, seed=0):
    """TensorFlow with one fault in it, until the end of the block."""
    site = Site(tf, seed)
    try:
        FAULTS[name].plant(site)
        yield site
    finally:
        site.clear()


class Call:
    """One call of a replaced function: its arguments by name, and the way to the original."""

    def __init__(self, tf, original, signature, given, named):
        self.tf, self._original = tf, original
        self._bound = signature.bind(*given, **named)
        self._bound.apply_defaults()

    def __getitem__(self, name):
        return self._bound.arguments[name]

    def tensor(self, name):
        return self.tf.convert_to_tensor(self[name])

    def run(self, **changes):
        arguments = dict(self._bound.arguments)
        self._bound.arguments.update(changes)
        try:
            return self._original(*self._bound.args, **self._bound.kwargs)
        finally:
            self._bound.arguments.update(arguments)


class Site:
    """Where a fault is planted: what was changed, and how it is put back."""

    def __init__(self, tf, seed=0):
        self.tf, self.draw = tf, np.random.RandomState(seed)
        self.lock = threading.Lock()
        self._undo, self._busy, self._answered = [], threading.local(), set()

    def clear(self):
        while self._undo:
            self._undo.pop()()

    def set(self, owner, name, value):
        """Replace an attribute, or an entry of a dictionary."""
        if isinstance(owner, dict):
            before = owner[name]
            owner[name] = value
            self._undo.append(lambda: owner.__setitem__(name, before))
        else:
            before = vars(owner)[name]
            setattr(owner, name, value)
            self._undo.append(lambda: setattr(owner, name, before))

    def replace(self, targets, around):
        for target in (targets,) if isinstance(targets, str) else targets:
            self._replace(target, around)

    def output(self, targets, wrong):
        def around(call):
            right = call.run()
            return self.in_place_of(right, wrong(call, right))

        self.replace(targets, around)

    def gradient(self, op, around):
        from tensorflow.python.framework import ops

        entry = ops._gradient_registry._registry[op]
        run = entry["type"]
        guarded = self._guarded(run, lambda *given: around(run, *given))
        self.set(entry, "type", guarded)

    def method(self, owner, name, around):
        """Of the class in `owner`'s ancestry that defines it, so that subclasses get it too."""
        owner = next(one for one in owner.__mro__ if name in vars(one))
        inside = vars(owner)[name]
        signature = inspect.signature(inside)

        @functools.wraps(inside)
        def outside(*given, **named):
            return around(Call(self.tf, inside, signature, given, named))

        self.set(owner, name, self.tf.autograph.experimental.do_not_convert(outside))

    def numpy(self, like, function, *tensors, shape=None):
        wanted = like.dtype.as_numpy_dtype

        def inside(*arrays):
            with np.errstate(all="ignore"):
                return np.array(function(*map(roomy, arrays)), dtype=wanted, order="C")

        answer = self.tf.numpy_function(inside, list(tensors), like.dtype)
        answer.set_shape(like.shape if shape is None else shape)
        return answer

    def in_place_of(self, right, wrong):
        """`wrong` forward, the gradient of `right` backward; structures part by part, None keeps a part."""
        if isinstance(right, (tuple, list)):
            parts = [self.in_place_of(r, w) for r, w in zip(right, wrong)]
            return type(right)(*parts) if hasattr(right, "_fields") else type(right)(parts)
        if wrong is None or wrong is right:
            return right
        if not right.dtype.is_floating:
            return wrong
        wrong = self.tf.ensure_shape(wrong, right.shape)

        @self.tf.custom_gradient
        def swap(_):
            return self.tf.identity(wrong), lambda upstream: upstream

        return swap(right)

    def _replace(self, target, around):
        module, name = target.rsplit(".", 1)
        module = importlib.import_module("tensorflow.python.ops." + module)
        first = plain(getattr(module, name))
        run = types.FunctionType(
            first.__code__, first.__globals__, first.__name__, first.__defaults__, first.__closure__
        )
        run.__kwdefaults__, signature = first.__kwdefaults__, inspect.signature(first)
        table = first.__globals__.setdefault(TABLE, {})
        if target in table:
            raise ValueError(target + " is replaced already")
        table[target] = self._guarded(run, lambda *given, **named: around(Call(self.tf, run, signature, given, named)))
        self._undo.append(lambda: table.pop(target))
        for copy in copies(module, first):
            self._recode(copy, stub(target))

    def _recode(self, function, code):
        """Swap the code inside the function object: whoever holds the object, under whatever name, gets the fault."""
        kept = function.__code__, function.__defaults__, function.__kwdefaults__
        function.__code__, function.__defaults__, function.__kwdefaults__ = code, None, None

        def back():
            function.__code__, function.__defaults__, function.__kwdefaults__ = kept

        self._undo.append(back)

    def _guarded(self, healthy, faulty):
        """While a fault computes, what it calls is healthy."""

        def outside(*given, **named):
            if getattr(self._busy, "inside", False):
                return healthy(*given, **named)
            self._busy.inside = True
            try:
                return faulty(*given, **named)
            finally:
                self._busy.inside = False

        return outside


def roomy(array):
    """A copy that may be written to, with reduced floats as float32."""
    array = np.array(array)
    return array.astype(np.float32) if array.dtype.name in ("float16", "bfloat16") else array


def plain(function):
    """The function under TensorFlow's decorators."""
    while getattr(function, "__wrapped__", None) is not None:
        function = function.__wrapped__
    return function


def copies(module, first):
    """The function and what `tf.raw_ops` made of it: a copy with the same code, held in a closure."""
    found = [first]
    for value in vars(module).values():
        for cell in getattr(value, "__closure__", None) or ():
            inside = cell.cell_contents
            if isinstance(inside, types.FunctionType) and inside.__code__ is first.__code__ and inside is not first:
                found.append(inside)
    return found


def stub(target):
    """Code without free variables that calls what the module's table has for the target."""
    space = {}
    exec("def stub(*given, **named):\n    return %s[%r](*given, **named)" % (TABLE, target), space)
    return space["stub"].__code__


def keras(tf, path):
    """A module of the Keras that TensorFlow took: "layers.normalization" of `keras.src` (3), `keras.src` (2)."""
    return importlib.import_module(tf.keras.layers.Dense.__module__.split(".layers.")[0] + "." + path)
