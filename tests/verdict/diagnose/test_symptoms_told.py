"""What people tell in their own words: a cause is suggested, never proved, and only where the facts allow it."""

import dataclasses

import pytest

from compat.verdict.diagnose.symptoms_spoken import WAYS
from compat.verdict.diagnose.symptoms_told import LONG, from_words
from tests.verdict.diagnose.telling import MATRIX, drawn, seen, top

PAIR = "tensorflow 2.15.0, tensorflow-metal 1.1.0, Apple M1, Python arm64"


def found(text, words=()):
    """Id and confidence of each cause; ``words`` are added to those read from the text."""
    pasted = seen(text)
    pasted = dataclasses.replace(pasted, words=pasted.words | set(words))
    return {cause.id: cause.confidence for cause in from_words(pasted, drawn(text), MATRIX)}


@pytest.mark.parametrize(
    "said",
    [
        "the loss explodes after a few epochs with metal, on Linux it does not",
        "my loss keeps climbing on the GPU",
        "Loss diverges. The very same notebook trains well on Colab",
        "strange losses since the plugin was installed",
        "the accuracy drops to chance",
        "predictions differ between metal and the processor",
        "the model never converges with metal",
        "garbage outputs with the plugin",
    ],
)
def test_wrong_numbers_on_the_gpu_send_to_a_measurement(said):
    assert found(f"{PAIR}\n{said}") == {"ISS043": "medium"}
    assert top(f"{PAIR}\n{said}")[::2] == ("ISS043", "medium")


@pytest.mark.parametrize(
    "said",
    [
        "the ReLU is ignored in the Dense layer",
        "relu is never applied",
        "relu gives nonsense, gelu instead is fine",
        "a graph of MatMul, BiasAdd and Relu",
        "after the relu layer some outputs are negative",
        "loss grows with relu, wrong results",
    ],
)
def test_where_relu_is_named_it_is_the_lost_relu_alone(said):
    assert found(f"{PAIR}\n{said}") == {"ISS041": "medium"}


@pytest.mark.parametrize(
    "said",
    [
        "120 ms/step with metal, 4 without",
        "an epoch takes minutes with the plugin and seconds without",
        "LSTM training is much slower with metal",
    ],
)
def test_slow_steps_are_the_cost_of_small_work(said):
    assert found(f"tensorflow 2.13.0, tensorflow-metal 1.0.1, Apple M2\n{said}") == {"ISS051": "medium"}


@pytest.mark.parametrize(
    "said",
    [
        "AdamW crashes: falling back to the legacy class",
        "unknown optimizer with adamw",
        "forced to the legacy optimizer",
    ],
)
def test_the_swapped_optimizers(said):
    assert found(f"tensorflow-macos 2.12.0, Apple M1\n{said}") == {"ISS038": "medium"}
    assert found(f"tensorflow 2.16.2, Apple M1\n{said}") == {}
    assert found(f"tensorflow 2.12.0 on Ubuntu\n{said}") == {}


@pytest.mark.parametrize("said", ["dlopen cygrpc", "import grpc: dlopen of cygrpc fails", "cygrpc: dlopen failed"])
def test_a_grpcio_that_does_not_load(said):
    assert found(f"grpcio 1.48.2, Apple M1\n{said}") == {"ISS033": "medium"}
    assert found(f"grpcio 1.48.2, Ubuntu\n{said}") == {}


@pytest.mark.parametrize(
    "said", ["importing tf_keras fails", "import error in tf_keras", "import of tf_keras is broken"]
)
def test_a_tf_keras_that_cannot_be_imported(said):
    assert found(f"tensorflow 2.16.1, tf-keras unpinned\n{said}") == {"ISS087": "medium"}


@pytest.mark.parametrize(
    "said",
    [
        "pip: conflicting requirements of jax and tensorflow on ml-dtypes",
        "poetry cannot lock: the dependency ml-dtypes of tensorflow and flax is incompatible",
        "tensorflow pins ml-dtypes, onnx requires a newer one, the resolver reports a conflict",
    ],
)
def test_a_conflict_over_ml_dtypes_told_in_words_is_a_guess(said):
    assert found(f"tensorflow 2.15.0\n{said}") == {"ISS031": "low"}
    assert found(f"tensorflow 2.17.0\n{said}") == {}


def test_the_module_by_its_own_name_is_likely():
    said = "the ml_dtypes that jax requires conflicts with tensorflow"

    assert found(f"tensorflow 2.14.0\n{said}") == {"ISS031": "medium"}


@pytest.mark.parametrize(
    "said", ["tensorflow says incompatible dtypes float32 and int64", "conflicting dtypes in a model that requires int"]
)
def test_dtypes_of_arrays_are_no_package(said):
    assert found(f"tensorflow 2.15.0\n{said}") == {}


@pytest.mark.parametrize(
    "said", ["the library hard-codes tensorflow", "tensorflow is hardcoded in setup.py", "it hardcodes tensorflow"]
)
def test_a_requirement_by_the_other_name(said):
    assert found(f"Apple M1\n{said}") == {"ISS069": "medium"}
    assert found(f"tensorflow 2.17.0, Apple M1\n{said}") == {}


@pytest.mark.parametrize(
    "said", ["missing dynamic library, cuda 11.8", "a shared library of cudnn", "dlopen of some libraries, CUDA"]
)
def test_cuda_libraries_that_are_missing_on_linux(said):
    assert found(f"tensorflow 2.16.1, WSL2 Ubuntu\n{said}") == {"ISS059": "medium"}
    assert found(f"{PAIR}\n{said}") == {}


@pytest.mark.parametrize(
    "said", ["zsh: killed python", "python is killed when it runs the import", "import: Killed: 9"]
)
def test_a_killed_process_is_but_a_guess(said):
    assert found(f"tensorflow 2.6.0, Apple M1\n{said}") == {"ISS067": "low"}


def test_a_figure_for_each_device_is_a_guess():
    text = "tensorflow 2.13.0, tensorflow-metal 1.0.1, Apple M2\n119 ms/step here, 1 ms/step there"

    assert found(text, {"gpu", "cpu"}) == {"ISS051": "low"}


def test_adam_on_an_amd_card():
    text = "tensorflow-macos 2.8.0, tensorflow-metal 0.4.0, Intel Mac, Radeon Pro 5300M\nAdam does not train"

    assert "ISS113" in found(text)
    assert "ISS113" not in found(text.replace("Radeon Pro 5300M", "Iris"))


@pytest.mark.parametrize("said", ["does not load", "won't load", "fails to load", "cannot load"])
def test_a_plugin_said_not_to_load_is_held_against_the_stated_pair(said):
    assert top(f"tensorflow 2.20.0, Apple M2\ntensorflow-metal 1.2.0 {said}")[0] == "ISS003"
    assert top(f"tensorflow 2.18.1, Apple M2\ntensorflow-metal 1.2.0 {said}")[2] == "low"


@pytest.mark.parametrize("said", ["prints 10.16", "productVersion is 10.16", "returns 10.16", "reports 10.16 here"])
def test_a_macos_that_calls_itself_10_16(said):
    assert top(f"macOS 12.4, Apple M1\nsw_vers -{said}")[::2] == ("ISS016", "medium")


def test_a_package_that_the_way_is_about_must_be_named():
    said = "it requires tensorflow, and that is not satisfied"

    assert found(f"tensorflow-macos 2.9.0, Apple M1\n{said}") == {"ISS069": "low"}
    assert found(f"Apple M1\n{said}") == {}


@pytest.mark.parametrize("where", ["Ubuntu 22.04, RTX 3090", "Windows 11", "macOS 13, Intel Core i9"])
def test_other_machines_do_not_lose_their_relu(where):
    assert "ISS041" not in found(f"tensorflow 2.15.0, {where}\nrelu gives wrong results")


def test_versions_outside_the_reports_leave_a_guess():
    assert found("tensorflow 2.17.0, tensorflow-metal 1.1.0, Apple M3\nmy loss climbs") == {"ISS041": "low"}


def test_a_special_case_whose_conditions_are_all_stated_is_meant():
    text = "tensorflow 2.16.2, tensorflow-metal 1.2.0, Apple M2, arm64\nstrange losses"

    assert found(text) == {"ISS126": "medium"}


def test_the_short_words_count_where_they_are_kept():
    assert found("tensorflow 2.15.0, Apple M1\nmy loss climbs") == {"ISS043": "low"}
    assert found("tensorflow 2.15.0, Apple M1\nmy loss climbs", {"gpu"}) == {"ISS043": "medium"}


def test_what_a_program_printed_outweighs_what_is_told():
    error = "ValueError: Shapes (None, 1) and (None, 10) are incompatible"

    assert found(f"{PAIR}\nthe loss explodes\n{error}") == {"ISS043": "low"}


def test_words_of_a_long_text_need_not_belong_together():
    many = {f"word_{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(LONG)}

    assert found(f"{PAIR}\nthe loss explodes", many) == {"ISS043": "low"}


@pytest.mark.parametrize(
    "said",
    [
        "the GPU is listed and all works, how do I use mixed precision?",
        "training is finished: loss: 0.1021 - accuracy: 0.9821 - val_loss: 0.2210",
        "how can I use a relu with a negative slope",
        "where do I find the release notes of the plugin?",
    ],
)
def test_nothing_is_made_of_what_is_no_fault(said):
    assert found(f"{PAIR}\n{said}") == {}


def test_a_way_of_speaking_names_known_problems_only_and_is_never_sure():
    known = {issue.id for issue in MATRIX.issues() if issue.withdrawn is None}

    assert {name for way in WAYS for name in (*way.first, way.otherwise, *way.guesses)} - known == set()
    assert {way.most for way in WAYS} == {"medium", "low"}
