"""Whether a TensorFlow environment works whole: one small user's day, each step answered on its own.

Stand-alone: run in the environment under test, by absolute path, standard library plus what is tested; CPython 3.8 syntax.
Answers one JSON object between the given cookie and the cookie reversed, and exits 0 whatever it found. Each step is
"ok", "not supported" (this TensorFlow never promised it), "not run" (an earlier step it needs failed) or one error line.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time

STEPS = (
    "imports",
    "fit",
    "save_h5",
    "load_h5",
    "save_keras",
    "load_keras",
    "savedmodel",
    "tensorboard_callback",
    "tensorboard_cli",
)
NOT_RUN = "not run"
NOT_SUPPORTED = "not supported"
CLASSES = 2
SAME_PREDICTIONS = 1e-4
"""Largest difference between probabilities of a model and of its saved copy: the same weights, perhaps another kernel."""


class Unsupported(Exception):
    """Raised by a step that this TensorFlow version does not offer."""


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--cookie", default="")
    cookie = parser.parse_args(argv).cookie
    forget_own_folder()
    folder = tempfile.mkdtemp(prefix="whole-")
    begun = time.time()
    try:
        answer = check(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    answer["seconds"] = round(time.time() - begun, 3)
    say(cookie, answer)


def forget_own_folder():
    """The user's programs do not have this folder on their path, so neither does what is imported here."""
    here = os.path.dirname(os.path.realpath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.realpath(entry or ".") != here]


def say(cookie, answer):
    sys.stdout.flush()
    text = cookie + json.dumps(answer) + cookie[::-1]
    sys.stdout.write("\n" + text + "\n")
    sys.stdout.flush()


def check(folder):
    answer = dict.fromkeys(STEPS, NOT_RUN)
    answer.update(kind="whole", python=sys.version.split()[0], tensorflow=None, keras=None, numpy=None)
    state = {"folder": folder}
    answer["imports"] = attempt(imports, state)
    answer.update(state.get("versions", {}))
    if answer["imports"] != "ok":
        return answer
    answer["fit"] = attempt(fit, state)
    if answer["fit"] == "ok":
        for form in ("h5", "keras"):
            answer["save_" + form] = attempt(save, state, form)
            answer["load_" + form] = after(answer["save_" + form], load, state, form)
        answer["savedmodel"] = attempt(savedmodel, state)
        answer["tensorboard_callback"] = attempt(tensorboard_callback, state)
    answer["tensorboard_cli"] = attempt(tensorboard_cli, state)
    return answer


def attempt(step, *given):
    """Run one step; SystemExit counts too, since command-line entry points end that way."""
    try:
        step(*given)
    except Unsupported:
        return NOT_SUPPORTED
    except (Exception, SystemExit) as error:
        return one_line(error)
    return "ok"


def after(earlier, step, *given):
    if earlier == "ok":
        return attempt(step, *given)
    return NOT_SUPPORTED if earlier == NOT_SUPPORTED else NOT_RUN


def one_line(error):
    text = " ".join(str(error).split()) or "no message"
    return (type(error).__name__ + ": " + text)[:400]


def imports(state):
    import tensorflow as tf  # first: where nothing is installed, this is the name to miss
    import numpy

    state["versions"] = {"tensorflow": tf.__version__, "numpy": numpy.__version__}
    layer = tf.keras.layers.Conv2D(1, 1)  # loaded lazily: a broken Keras shows only here
    package = sys.modules[type(layer).__module__.split(".")[0]]  # keras or tf_keras, whichever TensorFlow took
    state.update(tf=tf, np=numpy)
    state["versions"]["keras"] = package.__version__


def fit(state):
    """One epoch of a small image classifier; the loss must be a finite number."""
    tf, np = state["tf"], state["np"]
    keras = tf.keras
    model = keras.Sequential(
        [
            keras.layers.Input((12, 12, 3)),
            keras.layers.Conv2D(4, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dropout(0.25),
            keras.layers.Dense(CLASSES, activation="softmax"),
        ]
    )
    model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    draw = np.random.RandomState(0)
    images = draw.rand(16, 12, 12, 3).astype("float32")
    labels = np.eye(CLASSES, dtype="float32")[draw.randint(0, CLASSES, 16)]
    history = model.fit(images, labels, epochs=1, batch_size=8, verbose=0)
    if not np.isfinite(history.history["loss"][0]):
        raise ValueError("the loss of one epoch is %r" % history.history["loss"][0])
    state.update(model=model, images=images, labels=labels, wanted=model.predict(images, verbose=0))


def save(state, form):
    if form == "keras" and not has_keras_format(state["tf"]):
        raise Unsupported
    state["model"].save(os.path.join(state["folder"], "model." + form))


def has_keras_format(tf):
    """The `.keras` file came with TensorFlow 2.12; before, that name makes a SavedModel folder."""
    major, minor = (int(part) for part in tf.__version__.split(".")[:2])
    return (major, minor) >= (2, 12)


def load(state, form):
    copy = state["tf"].keras.models.load_model(os.path.join(state["folder"], "model." + form))
    same(state, copy.predict(state["images"], verbose=0))


def savedmodel(state):
    tf, folder = state["tf"], os.path.join(state["folder"], "saved")
    tf.saved_model.save(state["model"], folder)
    loaded = tf.saved_model.load(folder)  # kept: before 2.8 a signature does not keep the variables it reads alive
    serve = loaded.signatures["serving_default"]
    (name,) = serve.structured_input_signature[1]
    (answer,) = serve(**{name: tf.constant(state["images"])}).values()
    same(state, answer.numpy())


def same(state, found):
    worst = float(abs(state["wanted"] - found).max())
    if not worst <= SAME_PREDICTIONS:
        raise ValueError("the loaded model predicts otherwise, by %g" % worst)


def tensorboard_callback(state):
    logs = os.path.join(state["folder"], "logs")
    callback = state["tf"].keras.callbacks.TensorBoard(log_dir=logs, histogram_freq=1)
    state["model"].fit(state["images"], state["labels"], epochs=1, batch_size=8, verbose=0, callbacks=[callback])
    written = [name for _, _, names in os.walk(logs) for name in names if ".tfevents." in name]
    if not written:
        raise ValueError("the callback wrote no event file")


def tensorboard_cli(state):
    """What the `tensorboard` command does first: load its plugins, then answer its version."""
    import runpy

    kept = sys.argv
    sys.argv = ["tensorboard", "--version_tb"]
    try:
        runpy.run_module("tensorboard.main", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code not in (None, 0):
            raise RuntimeError("tensorboard --version_tb ended with %r" % (end.code,))
    finally:
        sys.argv = kept


if __name__ == "__main__":
    main()
