"""Which line of a long stderr tells the cause; real texts, as TensorFlow and Python print them."""

from __future__ import annotations

import pytest

from compat.smoke.child import between, key_line, located, tail

BANNER = (
    "2024-05-02 10:00:00.1 I tensorflow/core/util/port.cc:113] oneDNN custom operations are on. You may see slightly "
    "different numerical results due to floating-point round-off errors from different computation orders."
)
LINES = {
    "symbol": "tensorflow.python.framework.errors_impl.NotFoundError: dlopen(/v/tensorflow-plugins/libmetal_plugin.dylib, "
    "0x0006): Symbol not found: _TF_AssignVariable",
    "library": "  Library not loaded: @rpath/_pywrap_tensorflow_internal.so",
    "elf symbol": "tensorflow.python.framework.errors_impl.NotFoundError: /v/libp.so: undefined symbol: TF_AssignVariable",
    "architecture": "ImportError: dlopen(/v/x.so, 0x0002): tried: '/v/x.so' (mach-o file, but is an incompatible "
    "architecture (have 'x86_64', need 'arm64e' or 'arm64'))",
    "check": "2024-05-02 10:00:01.1 F tensorflow/c/c_api_experimental.cc:739] Non-OK-status: status",
    "numpy": "A module that was compiled using NumPy 1.x cannot be run in",
    "illegal": "Illegal instruction: 4",
    "segfault": "Fatal Python error: Segmentation fault",
    "metal": "-[MTLDebugComputeCommandEncoder setBuffer:offset:atIndex:]:379: failed assertion `offset out of range'",
    "python": "ModuleNotFoundError: No module named 'tensorflow'",
}


@pytest.mark.parametrize("name", LINES)
def test_the_cause_is_found_between_a_banner_and_a_traceback(name):
    frames = (
        'Traceback (most recent call last):\n  File "/v/tensorflow/__init__.py", line 438, in <module>\n    _ll.load()'
    )
    after = "Current thread 0x0001 (most recent call first):\n  <no Python frame>"

    found = key_line(f"{BANNER}\n{frames}\n{LINES[name]}\n{after}\n")

    assert found == LINES[name].strip()


def test_the_cause_outranks_the_crash_that_follows_it():
    assert key_line(f"{LINES['check']}\n{LINES['segfault']}\n") == LINES["check"]


@pytest.mark.parametrize(
    "banner",
    [
        "2024-05-02 10:00:00.1: I metal_plugin/src/device/metal_device.cc:1154] Metal device set to: Apple M2",
        "I0000 00:00:1733.45 pluggable_device_factory.cc:306] Could not identify NUMA node of platform GPU ID 0, METAL",
        "Metal device set to: Apple M1",
        "To enable the following instructions: AVX2 FMA, in other operations, rebuild TensorFlow with other flags.",
    ],
)
def test_what_every_start_says_is_no_cause(banner):
    assert key_line(f"{banner}\n{LINES['segfault']}\n") == LINES["segfault"]
    assert key_line(f"one\n{banner}\n") == "one"
    assert key_line(banner) is None


def test_where_python_stood_is_no_cause():
    frames = (
        'Timeout (0:01:00)!\nThread 0x0001 (most recent call first):\n  File "/v/Metal/errors.py", line 3 in call\n'
    )

    assert key_line(frames) is None
    assert key_line(f"one\n{frames}") == "one"


def test_a_processor_without_avx_is_a_cause():
    line = "The TensorFlow library was compiled to use AVX instructions, but these aren't available on your machine."

    assert key_line(f"one\n{line}\nAborted\n") == line


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-30 14:47:41.155583: F external/local_xla/xla/parse_flags_from_env.cc:224] Unknown flags in TF_XLA_FLAGS: --x",
        "2023-08-01 10:00:00.000000: F tensorflow/core/platform/statusor.cc:33] Attempting to fetch value instead of x",
    ],
)
def test_what_tensorflow_dies_of_is_told_wherever_the_file_lies(line):
    assert key_line(f"{line}\nFatal Python error: Aborted\nCurrent thread 0x1 (most recent call first):\n") == line


def test_an_empty_stderr_has_no_key_line():
    assert key_line("\n \n") is None


def test_where_nothing_is_telling_the_last_line_is_taken():
    assert key_line("one\ntwo\n\n") == "two"


def test_terminal_escapes_do_not_reach_the_record():
    assert "\x1b" not in "".join((*tail("\x1b[31mred\x1b[0m\n"), key_line("\x1b[31mred") or ""))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('noise\nabc{"a": 1}cba\nnoise', {"a": 1}),
        ('argv abc abc{"a": 1}cba abc', {"a": 1}),
        ('abc{"a": 1}', None),
        ('{"a": 1}cba', None),
        ("", None),
    ],
)
def test_only_what_stands_between_cookie_and_its_reverse_is_the_answer(text, answer):
    assert between(text, "abc") == answer


def test_a_relative_interpreter_is_found_from_the_childs_folder_and_a_link_stays_a_link(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "python").symlink_to("/bin/sh")

    assert located("./python") == f"{tmp_path}/python"
    assert located("python3") == "python3"
