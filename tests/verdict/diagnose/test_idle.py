"""No GPU is found: Windows, Linux and Macs each have their own reason."""

import pytest

from tests.verdict.diagnose.telling import told, top


@pytest.mark.parametrize(
    "text, rule, confidence",
    [
        ("Windows 11, TensorFlow 2.15.0\nNum GPUs Available:  0", "MAC101", "medium"),
        ("Windows 11\npip install tensorflow-gpu==2.12.0\nGPU not found", "MAC101", "medium"),
        ("Windows 11\nTensorflow sees no GPU: GPUs: []", "MAC101", "low"),
        ("Windows 11 with WSL2 Ubuntu 22.04, tensorflow 2.17.0\nGPU not detected", "MAC107", "medium"),
        ("Ubuntu 22.04, tensorflow 2.18.0\nthe GPU list is empty", "MAC107", "medium"),
        ("Ubuntu 22.04 in docker, tensorflow 2.18.0\nno GPU", "MAC107", "low"),
        ("Mac Studio M1 Ultra, Python 3.13\nCPU only", "PY205", "medium"),
        ("Mac M4, Python 3.12, tensorflow 2.18.1, no GPU found", "TF306", "low"),
        ("Mac M4, Python 3.13\nthere is no wheel", "PY205", "low"),
    ],
)
def test_the_reason_is_the_systems(text, rule, confidence):
    assert top(text)[1:] == (rule, confidence)


@pytest.mark.parametrize(
    "text",
    [
        "Windows 10, tensorflow 2.10.0, GPU not found",
        "Windows 10\npip install tensorflow-gpu==2.10.0\nGPU not found",
        "Mac M4, Python 3.12, tensorflow 2.18.1, tensorflow-metal 1.2.0\nno GPU found",
        "tensorflow 2.18.0\nno GPU found",
    ],
)
def test_what_does_not_follow_is_not_said(text):
    assert told(text).causes == ()


def test_a_text_that_ends_with_an_error_is_not_about_the_gpu_first_of_all():
    assert top("Windows 11, TensorFlow 2.15.0\nGPU not found\nValueError: x")[2] == "low"


def test_a_plugin_seen_at_work_has_a_gpu():
    found = told("Metal device set to: Apple M1\nPython 3.13, CPU only").causes

    assert all(cause.rule != "PY205" for cause in found)


def test_on_a_mac_the_list_of_packages_is_asked_for():
    assert "python -m pip list" in told("Mac M1, Python 3.11\nGPU not detected").send
