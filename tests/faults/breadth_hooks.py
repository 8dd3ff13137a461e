"""Plant a wrong kernel: replace what one TensorFlow operation computes, below the public API.

A hook sees the finished operation (inputs, attributes, true outputs) and returns what the broken device would have
returned. It works whoever called the operation: Keras 2 or 3, `tf.raw_ops`, a gradient function, a loop body.

- Eagerly, the fast path is declined for a hooked operation, so that Python's slow path runs it: the outputs handed on,
  and those the tape records, are the wrong ones, and the operation keeps its own registered gradient.
- In a graph the wrong value replaces the true one behind an `IdentityN` whose gradient leads to the true operation.
- Functions traced for `tf.data` run on the host and are never touched.

Nothing of this is TensorFlow's public interface; each name was tried on TensorFlow 2.12 to 2.21.
Stand-alone: Python 3.8 syntax, needs TensorFlow only.
"""

import contextlib
import inspect
import sys
import threading

import numpy as np
import planting

try:
    import tensorflow as tf
    from tensorflow.python import pywrap_tfe
    from tensorflow.python.eager import core, execute
    from tensorflow.python.framework import op_def_library, op_def_registry, ops

    try:
        from tensorflow.python.eager import record as _record
    except ImportError:  # TensorFlow 2.12
        from tensorflow.python.eager import tape as _record
except ImportError:

    class _Absent(object):
        """Stands in for TensorFlow where the catalogue is only listed."""

        def __getattr__(self, name):
            return self

        def __call__(self, *args, **kwargs):
            return self

    tf = _Absent()

EAGER, GRAPH, BOTH = "eager", "graph", "both"

MODES = {}
"""Where each fault of the set shows: eagerly, in compiled graphs, or both."""


def fault(op, family, show, modes=BOTH):
    """Register the decorated `plant(breakage)`; its name is the fault's name, its docstring the fault's one sentence."""

    def kept(plant):
        def planter(site):
            breakage = Breakage(site)
            plant(breakage)

        planter.__module__, planter.__name__ = plant.__module__, plant.__name__
        text = " ".join(plant.__doc__.split())
        MODES[plant.__name__] = modes
        planting.register(plant.__name__, op, text, family, show)(planter)
        return plant

    return kept


def kernel(*operations, **options):
    """Register the decorated function as a wrong kernel of these operations.

    The function takes a `Call` and returns the wrong outputs (one tensor, a list) or None to stay right.
    Options: family, show, modes (as `fault`), op (the name shown, by default the first operation).
    """
    modes = options.get("modes", BOTH)

    def kept(wrong):
        def plant(breakage):
            for operation in operations:
                breakage.hook(operation, wrong, modes)

        plant.__name__, plant.__doc__, plant.__module__ = wrong.__name__, wrong.__doc__, wrong.__module__
        fault(options.get("op", operations[0]), options["family"], options["show"], modes)(plant)
        return wrong

    return kept


def quick_kernel(name, operations, family, text, show, wrong, modes=BOTH, module=None):
    """`kernel` for a wrong kernel of one line."""
    operations = (operations,) if isinstance(operations, str) else operations

    def one_line(call):
        return wrong(call)

    one_line.__name__, one_line.__doc__ = name, text
    one_line.__module__ = module or sys._getframe(1).f_globals["__name__"]
    kernel(*operations, family=family, show=show, modes=modes)(one_line)


class Call(object):
    """A finished operation as a hook sees it."""

    def __init__(self, op, inputs, attrs, outputs, compiled):
        self.op, self.inputs, self.outputs, self.compiled = op, list(inputs), list(outputs), compiled
        self._attrs = attrs

    def attr(self, name):
        """The attribute's value; strings as str, types as DType."""
        value = self._attrs(name)
        if isinstance(value, bytes):
            return value.decode()
        if isinstance(value, (list, tuple)):
            return list(value)
        return value

    def dtype(self, index=0):
        return self.inputs[index].dtype.base_dtype

    def named(self):
        """The inputs by the names of the operation's definition (a list where the definition says so)."""
        names, position = {}, 0
        for arg in op_def_registry.get(self.op).input_arg:
            if arg.number_attr or arg.type_list_attr:
                count = self.attr(arg.number_attr) if arg.number_attr else len(self.attr(arg.type_list_attr))
                names[arg.name] = self.inputs[position : position + count]
                position += count
            else:
                names[arg.name] = self.inputs[position]
                position += 1
        return names

    def value(self, name):
        """The input's value where it is known when the operation is built (None otherwise)."""
        return tf.get_static_value(self.named()[name])

    def again(self, **changes):
        """The outputs of the healthy operation with some inputs or attributes changed."""
        definition = op_def_registry.get(self.op)
        implied = set()
        for arg in definition.input_arg:
            implied.update((arg.type_attr, arg.number_attr, arg.type_list_attr))
        arguments = self.named()
        for attr in definition.attr:
            if attr.name not in implied and not attr.name.startswith("_"):
                arguments[attr.name] = self._attrs(attr.name)
        arguments.update(changes)
        result = getattr(tf.raw_ops, self.op)(**_spelled(self.op, arguments))
        if isinstance(result, tuple):
            return list(result)
        return result if isinstance(result, list) else [result]

    def called_by(self, *names):
        """Whether a Python function of one of these names is on the stack."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_name in names:
                return True
            frame = frame.f_back
        return False

    def producer(self, index=0):
        """The type and the inputs of the operation that made the input (graphs only; ("", []) eagerly)."""
        if not self.compiled:
            return "", []
        operation = self.inputs[index].op
        return operation.type, list(operation.inputs)


def _spelled(op, arguments):
    """The arguments under the names of `tf.raw_ops`, which renames a few."""
    wanted = [name for name in inspect.signature(getattr(tf.raw_ops, op)).parameters if name != "name"]
    strangers = [name for name in arguments if name not in wanted]
    missing = [name for name in wanted if name not in arguments]
    renamed = dict(zip(strangers, missing))
    return {renamed.get(name, name): value for name, value in arguments.items()}


class _State(threading.local):
    silent = 0


_STATE = _State()
_HOOKS = {}
_REWRITES = {}


@contextlib.contextmanager
def silence():
    """Inside, operations are healthy (so that a hook can compute with them)."""
    _STATE.silent += 1
    try:
        yield
    finally:
        _STATE.silent -= 1


def healthy(function):
    """The function with every hook silenced while it runs."""

    def silenced(*args, **kwargs):
        with silence():
            return function(*args, **kwargs)

    return silenced


def _hooked(table, op, mode):
    return [hook for hook, modes in table.get(op, ()) if modes in (mode, BOTH)] if not _STATE.silent else []


def _as_list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _corrupted(call, hooks):
    with silence(), _record.stop_recording():
        for hook in hooks:
            wrong = hook(call)
            if wrong is not None:
                call.outputs = _as_list(wrong)
    return call.outputs


def _argument_names(op):
    return [arg.name for arg in op_def_registry.get(op).input_arg]


def _lead_to_the_truth(op, *grads):
    half = len(grads) // 2
    return [None] * half + list(grads[:half])


def _register_the_lead():
    try:
        ops.RegisterGradient("FaultStandsInForTruth")(_lead_to_the_truth)
    except KeyError:  # registered by an earlier import
        pass


def _stand_in(graph, true, wrong):
    """The wrong tensors, differentiated as if they were the true ones."""
    wrong = [tf.cast(w, t.dtype) for w, t in zip(wrong, true)]
    for w, t in zip(wrong, true):
        w.set_shape(t.shape)
    with graph.gradient_override_map({"IdentityN": "FaultStandsInForTruth"}):
        return tf.raw_ops.IdentityN(input=wrong + list(true))[: len(wrong)]


class _Machinery(object):
    """The patches themselves; installed while at least one fault is planted."""

    def __init__(self):
        self.fast = pywrap_tfe.TFE_Py_FastPathExecute
        self.slow = execute.execute
        self.build = op_def_library._apply_op_helper
        from tensorflow.python.data.ops import structured_function

        self.structured = structured_function.StructuredFunctionWrapper
        self.trace_data = self.structured.__init__

    def install(self):
        pywrap_tfe.TFE_Py_FastPathExecute = self.fast_path
        execute.execute = self.slow_path
        op_def_library._apply_op_helper = self.graph_path
        trace_data = self.trace_data

        def on_the_host(wrapper, *args, **kwargs):
            with silence():
                return trace_data(wrapper, *args, **kwargs)

        self.structured.__init__ = on_the_host

    def remove(self):
        pywrap_tfe.TFE_Py_FastPathExecute = self.fast
        execute.execute = self.slow
        op_def_library._apply_op_helper = self.build
        self.structured.__init__ = self.trace_data

    def fast_path(self, context, op, name, *args):
        if not _STATE.silent and (_hooked(_HOOKS, op, EAGER) or _hooked(_REWRITES, op, EAGER)):
            raise core._FallbackException("hooked")
        return self.fast(context, op, name, *args)

    def slow_path(self, op_name, num_outputs, inputs, attrs, ctx, name=None):
        op = op_name.decode() if isinstance(op_name, bytes) else op_name
        for rewrite in _hooked(_REWRITES, op, EAGER):
            inputs, attrs = self.rewritten(op, rewrite, inputs, attrs)
        outputs = self.slow(op_name, num_outputs, inputs, attrs, ctx, name)
        hooks = _hooked(_HOOKS, op, EAGER)
        if not hooks:
            return outputs
        known = dict(zip((attrs or ())[::2], (attrs or ())[1::2]))
        call = Call(op, inputs, known.__getitem__, _as_list(outputs), False)
        true = list(call.outputs)
        return [tf.cast(w, t.dtype) for w, t in zip(self.settled(call, hooks), true)]

    @staticmethod
    def settled(call, hooks):
        return _corrupted(call, hooks)

    @staticmethod
    def rewritten(op, rewrite, inputs, attrs):
        names = _argument_names(op)
        values = dict(zip(names, inputs))
        values.update(zip((attrs or ())[::2], (attrs or ())[1::2]))
        with silence(), _record.stop_recording():
            rewrite(values)
        inputs = [values[name] for name in names]
        flat = []
        for name in (attrs or ())[::2]:
            flat += [name, values[name]]
        return inputs, tuple(flat)

    def graph_path(self, op_type_name, name=None, **keywords):
        for rewrite in _hooked(_REWRITES, op_type_name, GRAPH):
            with silence(), _record.stop_recording():
                rewrite(keywords)
        structure, stateful, op, outputs = self.build(op_type_name, name=name, **keywords)
        hooks = _hooked(_HOOKS, op_type_name, GRAPH)
        if not hooks or op is None:
            return structure, stateful, op, outputs
        true = list(outputs)
        call = Call(op_type_name, op.inputs, op.get_attr, true, True)
        with op.graph.as_default():
            wrong = _corrupted(call, hooks)
            if any(w is not t for w, t in zip(wrong, true)):
                with silence(), _record.stop_recording():
                    outputs = _stand_in(op.graph, true, wrong)
        return structure, stateful, op, outputs


class Breakage(object):
    """What a fault's plant function is given: ways to break TensorFlow that end with the site's planting."""

    installed = []

    def __init__(self, site):
        self.site = site
        if not Breakage.installed:
            _register_the_lead()
            machinery = _Machinery()
            machinery.install()
            Breakage.installed.append(machinery)
            site._undo.append(self._remove)

    @staticmethod
    def _remove():
        Breakage.installed.pop().remove()

    def hook(self, op, wrong, modes=BOTH):
        """Let `wrong(call)` decide the outputs of the operation."""
        self._enter(_HOOKS, op, wrong, modes)

    def rewrite(self, op, change, modes=BOTH):
        """Let `change(values)` alter, in place, the inputs and attributes (by name) before the operation runs."""
        self._enter(_REWRITES, op, change, modes)

    def _enter(self, table, op, what, modes):
        if op_def_registry.get(op) is None:
            return
        entry = (what, modes)
        table.setdefault(op, []).append(entry)
        self.site._undo.append(lambda: table[op].remove(entry))

    def replace(self, owner, name, make):
        """Replace the attribute of a module or class by `make(original)`."""
        self.site.set(owner, name, tf.autograph.experimental.do_not_convert(make(vars(owner)[name])))

    def keras(self, path):
        """A module of the Keras in use (None where that Keras has none of the name)."""
        try:
            return planting.keras(tf, path)
        except ImportError:
            return None


def keras_three():
    """Whether `tf.keras` is Keras 3."""
    return ".src.layers.core.dense" in tf.keras.layers.Dense.__module__ and hasattr(tf.keras, "ops")


def as_tensor(variable):
    """The value of a variable, of either Keras."""
    value = variable.value if hasattr(variable, "value") else variable
    return tf.identity(value() if callable(value) else value)


# Ways to be wrong


def spoil(tensor, axis, keep, value=None):
    """Where `keep(positions, length)` is false along the axis, the tensor holds zeros (or `value`)."""
    shape = [1] * tensor.shape.rank
    length = tf.shape(tensor)[axis]
    shape[axis] = -1
    mask = tf.reshape(keep(tf.range(length), length), shape)
    return tf.where(mask, tensor, tf.zeros_like(tensor) if value is None else tf.cast(value, tensor.dtype))


def without_last(tensor, axis, odd_only=True):
    """The last position along the axis is zero (where the length is odd)."""

    def keep(position, length):
        lost = (length % 2 == 1) & (length > 1) if odd_only else length > 1
        return (position < length - 1) | ~lost

    return spoil(tensor, axis, keep)


def stale_tail(tensor, axis, block):
    """Positions of the last, incomplete block along the axis repeat the last value of the block before."""
    length = tf.shape(tensor)[axis]
    whole = length // block * block
    position = tf.range(length)
    source = tf.where((position < whole) | (whole == 0), position, tf.maximum(whole - 1, 0))
    return tf.gather(tensor, source, axis=axis)


def wrapped(tensor, axis, limit):
    """Positions from `limit` on hold what belongs `limit` places before."""
    return tf.gather(tensor, tf.range(tf.shape(tensor)[axis]) % limit, axis=axis)


def is_float(tensor):
    return tensor.dtype.base_dtype.is_floating


# Shows: what a fault must change


def normal(*shape, **options):
    draw = np.random.RandomState(options.get("seed", 0)).standard_normal(shape)
    return draw.astype(options.get("dtype", np.float32))


def whole(*shape, **options):
    low, high = options.get("low", -9), options.get("high", 10)
    draw = np.random.RandomState(options.get("seed", 0)).randint(low, high, shape)
    return draw.astype(options.get("dtype", np.int32))


def forward(function, *arrays):
    """The show of a function that has no gradient."""

    def show(tf):
        found = function(*[tf.constant(array) for array in arrays])
        return [tf.cast(part, tf.float64) for part in _as_list(found)]

    return show


def exactly(show):
    """The show, in which any difference counts."""
    show.tolerance = 1e-12
    return show


def both_ways(function, *arrays):
    """The show of a function of float arrays and of its gradients for a fixed upstream."""

    def show(tf):
        inputs = [tf.constant(array) for array in arrays]
        return backwards(lambda: function(*inputs), inputs)

    return show


def backwards(compute, sources):
    with tf.GradientTape() as tape:
        tape.watch(sources)
        y = compute()
    upstream = tf.cast(tf.reshape(tf.cos(tf.range(tf.cast(tf.size(y), tf.float32))), tf.shape(y)), y.dtype)
    found = tape.gradient(y, sources, output_gradients=upstream)
    zeros = [tf.zeros_like(source) if part is None else part for source, part in zip(sources, found)]
    return [y] + [tf.convert_to_tensor(part) for part in zeros]


def apart(run):
    """The show of something that makes variables: `run(compiled)` returns arrays; called eagerly, in a thread of its own.

    The probe is also traced in a `tf.function`, whose rules about variables hold in its thread only.
    """

    def show(tf):
        compiled, answer = not tf.executing_eagerly(), []

        def inside():
            try:
                answer.append([np.asarray(part) for part in run(compiled)])
            except BaseException as error:  # carried over to the caller's thread
                answer.append(error)

        thread = threading.Thread(target=inside)
        thread.start()
        thread.join()
        if isinstance(answer[0], BaseException):
            raise answer[0]
        return [tf.constant(part) for part in answer[0]]

    return show


def compiled_if(compiled, function):
    return tf.function(function, autograph=False) if compiled else function


def randomize(layer):
    """Give the layer's weights random values (positive ones to variances)."""
    values = [normal(*w.shape, seed=3 + k) * 0.5 + 0.1 for k, w in enumerate(layer.get_weights())]
    names = [getattr(w, "path", w.name) for w in layer.weights]
    layer.set_weights([abs(v) + 0.2 if "variance" in name else v for v, name in zip(values, names)])
    return layer


def variables_of(layer):
    return [w if isinstance(w, tf.Variable) else w.value for w in layer.trainable_weights]


def through_layer(make, *shape, **options):
    """The show of a Keras layer with random weights: its output, and the gradients of input and weights."""

    def run(compiled):
        layer = make(tf.keras.layers)
        x = tf.constant(options.get("x", normal(*shape)))
        arguments = {key: tf.constant(options[key]) for key in ("mask", "attention_mask") if key in options}
        arguments.update(options.get("arguments", {}))
        operands = [x] * options.get("times", 1)
        layer(*operands, **arguments)
        randomize(layer)

        def compute(x):
            sources = ([x] if is_float(x) else []) + variables_of(layer)
            return backwards(lambda: layer(*([x] * len(operands)), **arguments), sources)

        return compiled_if(compiled, compute)(x)

    return apart(run)
