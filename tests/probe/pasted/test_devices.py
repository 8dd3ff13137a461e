"""Lines that say that no GPU is found, as programs print and as people tell it."""

import pytest

from compat.probe.pasted.devices import no_gpu
from compat.probe.pasted.lines import Log


@pytest.mark.parametrize(
    "line",
    [
        "Num GPUs Available: 0",
        "GPUs: []",
        "GPUs available: []",
        "the GPU list is empty",
        "GPU is not available",
        "GPU NOT detected",
        "there is no GPU",
        "TensorFlow can't see my GPU",
        "TF doesn't detect a GPU",
        "it does not find the GPU",
        "training runs only on the CPU",
        "CPU only",
    ],
)
def test_a_line_that_says_so_is_kept(line):
    assert no_gpu(Log(f"before\n{line}\nafter".encode())).text == line


def test_an_empty_list_below_the_question_is_one():
    assert no_gpu(Log(b">>> tf.config.list_physical_devices('GPU')\n[]\n")) is not None


@pytest.mark.parametrize(
    "line",
    [
        "GPUs: [PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU')]",
        "Num GPUs Available:  1",
        "GPU:0 is used",
        "no GPU problems here",
        "Cannot dlopen some GPU libraries",
        "without a GPU it worked fine",
        "a CPU-only wheel",
    ],
)
def test_other_lines_about_gpus_are_not(line):
    assert no_gpu(Log(line.encode())) is None
