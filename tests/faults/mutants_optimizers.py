"""Faults of Keras's optimizers and of ResourceApplyAdam. Stand-alone, CPython 3.8 syntax; see `planting`."""

import functools

import probes
from planting import register

adam = functools.partial(register, op="Adam", family="optimizers", probe=probes.keras_adam)
applied = functools.partial(register, op="ResourceApplyAdam", family="optimizers", probe=probes.apply_adam)
sgd = functools.partial(register, op="SGD", family="optimizers", probe=probes.keras_momentum)


def raw(variable):
    """The TensorFlow variable of Keras 3's."""
    return variable if callable(variable.value) else variable.value


def slot(optimizer, slots, variable):
    if hasattr(optimizer, "_get_variable_index"):
        return raw(slots[optimizer._get_variable_index(variable)])
    return raw(slots[optimizer._index_dict[optimizer._var_key(variable)]])  # Keras 2


class Step:
    """One update of one weight by Adam, its moments already moved on."""

    def __init__(self, tf, call):
        self.tf, self.optimizer, self.variable = tf, call["self"], raw(call["variable"])
        given = call._bound.arguments
        dtype, one = self.variable.dtype, self.optimizer
        self.rate = tf.cast(given.get("learning_rate", one.learning_rate), dtype)
        self.count, self.epsilon = tf.cast(one.iterations + 1, dtype), one.epsilon
        gradient = tf.cast(call.tensor("gradient"), dtype)
        m, v = slot(one, one._momentums, call["variable"]), slot(one, one._velocities, call["variable"])
        self.m = m.assign_add((gradient - m) * (1 - one.beta_1))
        self.v = v.assign_add((tf.square(gradient) - v) * (1 - one.beta_2))

    def corrections(self, count=None):
        count = self.count if count is None else count
        return 1 - self.optimizer.beta_1**count, 1 - self.optimizer.beta_2**count

    def update(self, count=None, epsilon=None):
        first, second = self.corrections(count)
        epsilon = self.epsilon if epsilon is None else epsilon
        return self.rate * self.tf.sqrt(second) / first * self.m / (self.tf.sqrt(self.v) + epsilon)


def plant_adam(site, wrong):
    """`wrong(step)` gives what is subtracted from the weight."""

    def around(call):
        if getattr(call["self"], "amsgrad", False):
            return call.run()
        step = Step(site.tf, call)
        step.variable.assign_sub(wrong(step))
        return None

    site.method(site.tf.keras.optimizers.Adam, "update_step", around)


@adam("adam_no_bias_corr", text="the moments are not corrected for having started at zero")
def uncorrected(site):
    plant_adam(site, lambda step: step.rate * step.m / (site.tf.sqrt(step.v) + step.epsilon))


@adam("adam_eps_inside", text="epsilon is added under the root")
def epsilon_inside(site):
    def wrong(step):
        first, second = step.corrections()
        return step.rate * site.tf.sqrt(second) / first * step.m / site.tf.sqrt(step.v + step.epsilon)

    plant_adam(site, wrong)


@adam("adam_eps_1e-8", text="epsilon is 1e-8")
def epsilon_smaller(site):
    plant_adam(site, lambda step: step.update(epsilon=1e-8))


@adam("adam_torch_eps", text="epsilon is added to the corrected root, as PyTorch does")
def epsilon_elsewhere(site):
    def wrong(step):
        first, second = step.corrections()
        return step.rate * (step.m / first) / (site.tf.sqrt(step.v / second) + step.epsilon)

    plant_adam(site, wrong)


@adam("adam_noncontig_skip", text="weights of four dimensions are not updated")
def not_written(site):
    plant_adam(site, lambda step: step.update() * (step.variable.shape.rank != 4))


@adam("adam_double", text="the update is applied twice")
def twice(site):
    plant_adam(site, lambda step: 2 * step.update())


@adam("adam_step_stuck", text="every step is the first")
def stuck(site):
    plant_adam(site, lambda step: step.update(count=1.0))


def plant_applied(site, **changes):
    def around(call):
        dtype = call.tensor("grad").dtype
        return call.run(**{name: site.tf.constant(value, dtype) for name, value in changes.items()})

    site.replace("gen_training_ops.resource_apply_adam", around)


@applied("applyadam_eps", text="epsilon is 1e-3")
def applied_epsilon(site):
    plant_applied(site, epsilon=1e-3)


@applied("applyadam_beta2", text="the second moment decays by 0.99")
def applied_decay(site):
    plant_applied(site, beta2=0.99)


@applied("applyadam_no_bias_corr", text="the moments are not corrected for having started at zero")
def applied_uncorrected(site):
    plant_applied(site, beta1_power=0.0, beta2_power=0.0)


@applied("applyadam_tail256", text="elements past the last multiple of 256 are not updated")
def applied_tail(site):
    def around(call):
        tf, handle, dtype = site.tf, call["var"], call.tensor("grad").dtype
        before = tf.identity(tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype))
        done = call.run()
        with tf.control_dependencies([before] + [done] * (done is not None)):
            after = tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype)
            size = tf.size(after)
            kept = tf.reshape(tf.range(size) < size // 256 * 256, tf.shape(after))
            return tf.raw_ops.AssignVariableOp(resource=handle, value=tf.where(kept, after, before))

    site.replace("gen_training_ops.resource_apply_adam", around)


@register(
    "clipnorm_ignored", op="clipnorm", family="optimizers", probe=probes.keras_clipnorm, text="clipnorm is ignored"
)
def unclipped(site):
    def around(call):
        return list(call["grads"]) if call["self"].clipnorm else call.run()

    site.method(site.tf.keras.optimizers.SGD, "_clip_gradients", around)


@sgd("sgd_momentum_089", text="a momentum is 0.89 whatever was asked for")
def other_momentum(site):
    def around(call):
        one = call["self"]
        if not one.momentum:
            return call.run()
        kept, one.momentum = one.momentum, 0.89
        try:
            return call.run()
        finally:
            one.momentum = kept

    site.method(site.tf.keras.optimizers.SGD, "update_step", around)


def plant_buffer(site, change):
    """After each step, the momentum buffer becomes what `change` makes of it."""

    def around(call):
        answer, one = call.run(), call["self"]
        if one.momentum:
            buffer = slot(one, one.momentums, call["variable"])
            buffer.assign(change(buffer))
        return answer

    site.method(site.tf.keras.optimizers.SGD, "update_step", around)


@sgd("sgd_momentum_fp16", text="the momentum buffer is float16")
def half_buffer(site):
    plant_buffer(site, lambda buffer: site.tf.cast(site.tf.cast(buffer, site.tf.float16), buffer.dtype))


@sgd("sgd_no_momentum", text="the momentum buffer is not kept")
def lost_buffer(site):
    plant_buffer(site, site.tf.zeros_like)
