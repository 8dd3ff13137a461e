"""``tfcompat smoke``: no TensorFlow is no result; one that dies is a result, and says how it died."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest

from compat.errors import UsageError
from compat.facts.numerics import Check, Device, Numerics
from compat.smoke.reproduce import Known, Listed
from tests.cli.running import distribution, environment, refused


@pytest.fixture
def tensorflow(tmp_path):
    """An environment whose TensorFlow does what a test writes into it."""
    site = environment(tmp_path / "env")
    distribution(site, "tensorflow", "2.18.1")

    def does(body):
        (site / "tensorflow.py").write_text(body)
        return tmp_path / "env"

    return does


def test_no_tensorflow_no_smoke(told, tmp_path):
    environment(tmp_path / "env")
    result = told("smoke", "--venv", tmp_path / "env")

    refused((result[0], result[1], result[2][-2:]), 3, "TensorFlow is not installed")
    refused(told("smoke", "-q", "--venv", tmp_path / "env"), 3, "TensorFlow is not installed")


@pytest.mark.parametrize(
    "body, outcome, said",
    [
        ("raise ImportError('Symbol not found: _x')", "import-failed", "Symbol not found: _x"),
        ("import os; os.abort()", "aborted", ""),
        ("import os; os._exit(7)", "exited", ""),
    ],
    ids=["import error", "abort", "exit"],
)
def test_a_tensorflow_that_dies_is_a_finding_on_stdout(told, tensorflow, body, outcome, said):
    folder = tensorflow(body)
    code, out, lines = told("smoke", "--venv", folder)

    assert code == 1
    assert outcome in out.splitlines()[0]
    assert said in out
    assert lines in (["running the numerical smoke test"], [])
    value = json.loads(told("smoke", "--venv", folder, "--format", "json")[1])
    assert (value["ok"], value["outcome"], value["checks"]) == (False, outcome, [])


def test_a_tensorflow_that_takes_longer_than_it_was_given_is_given_up_as_that(told, tensorflow):
    folder = tensorflow("import time; time.sleep(60)")
    code, out, _ = told("smoke", "-q", "--timeout", "1", "--venv", folder)

    assert code == 1
    assert "the time limit of 1 s was reached after 0 checks, import under way for " in out
    assert "hung" not in out
    assert out.splitlines()[-1].startswith(f"tfcompat smoke --venv {folder} --timeout 2 gives it more time")


@pytest.mark.parametrize("status, code", [("passes", 0), ("info", 0), ("skipped", 0), ("fails", 1), ("crashed", 1)])
def test_the_exit_code_is_the_batterys(told, tensorflow, monkeypatch, status, code):
    asked = []

    def answered(interpreter, *, tell, **wanted):
        asked.append(wanted)
        check = {"op": "Conv2D", "mode": "eager", "device": "GPU:0"}
        right = Check(id="a", status="passes", **check)
        return Numerics(outcome="ran", checks=(right, Check(id="conv2d", status=status, **check)))

    monkeypatch.setattr("compat.smoke.run.run_smoke", answered)
    words = ("smoke", "--venv", tensorflow(""), "--device", "GPU:0", "--level", "standard", "--timeout", "7")

    assert told(*words)[0] == code
    assert json.loads(told(*words, "--format", "json")[1])["ok"] is (code == 0)
    assert asked[0] == {"devices": ("GPU:0",), "level": "standard", "timeout": 7.0}


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--mode", "eager"), "--mode says how --repro calls"),
        (("--batch-size", "8"), "--batch-size is of the timing"),
        (("--batch-size", "8", "--level", "standard"), "--batch-size is of the timing"),
        (("--batch-size", "0", "--level", "full"), "invalid value for '--batch-size'"),
        (("--level", "exhaustive"), "invalid value for '--level'"),
        (("--format", "xml"), "invalid value for '--format'"),
        (("--device", "the big one"), "--device 'the big one' is no device"),
        (("--device", "GPU:zero"), "--device 'GPU:zero' is no device"),
        (("--repro", "a/b", "--only", "a"), "--repro is of one check, --only says what runs"),
        (("--repro", "a/b", "--level", "full"), "--repro is of one check, --level says what runs"),
        (("--repro", "a/b", "--list"), "--repro is of one check, --list says what runs"),
        (("--repro", "a/b", "--format", "html"), "--repro prints a program"),
        (("--repro", "a/b", "--device", "CPU", "--device", "GPU"), "--repro makes a program for one device"),
        (("--repro", " "), "--repro needs the id of a check"),
        (("--repro", "a/b", "--mode", "fast"), "invalid value for '--mode'"),
        (("--list", "--format", "html"), "--list is told as columns or json"),
        (("--list", "--device", "CPU"), "--list shows what would run on any device"),
        (("--output", "/"), "/ is a folder"),
        (("-o", "/no/such/folder/report.html"), "there is no folder /no/such/folder"),
        (("-o", "/dev/fd/report.html"), "cannot write /dev/fd/report.html"),
        (("--timeout", "0"), "invalid value for '--timeout'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_words_that_make_no_sense_are_refused_before_anything_runs(told, monkeypatch, words, what):
    monkeypatch.setattr("compat.cli.session.look", lambda *given, **named: pytest.fail("it looked"))

    refused(told("smoke", *words), 2, what)


@pytest.fixture
def answering(monkeypatch):
    """A battery that answers what a test gives it, and keeps how it was asked."""
    asked = []

    def answers(*checks, **rest):
        def run(interpreter, *, tell, **wanted):
            tell("numerical smoke test: 1 checks done")
            asked.append(wanted)
            return Numerics(outcome="ran", checks=checks, **rest)

        monkeypatch.setattr("compat.smoke.run.run_smoke", run)
        return asked

    return answers


def check(name="conv2d/k3_odd/int/y", status="passes", mode="graph", device="GPU:0", **rest):
    return Check(id=name, op="Conv2D", status=status, mode=mode, device=device, **rest)


def test_full_has_an_hour_and_the_users_batch_size(told, tensorflow, answering):
    asked = answering(check())
    told("smoke", "--venv", tensorflow(""), "--level", "full", "--batch-size", "48")

    assert asked == [{"devices": None, "level": "full", "timeout": 3600.0, "batch_size": 48}]


@pytest.mark.parametrize("named", ["--venv", "--python"])
def test_what_is_said_to_run_next_names_the_same_environment_and_device(told, tensorflow, answering, tmp_path, named):
    answering(check(status="fails", error_in_bounds=9.0, device="GPU:1"), check(status="fails", device="CPU:0"))
    folder = tmp_path / "it's mine"
    folder.symlink_to(tensorflow(""))
    chosen = folder if named == "--venv" else folder / "bin" / "python"
    out = told("smoke", named, chosen)[1]

    command = next(line for line in out.splitlines() if "prints a program" in line).partition(" prints")[0]
    name = "conv2d/k3_odd/int/y"
    assert shlex.split(command) == ["tfcompat", "smoke", named, str(chosen), "--repro", name, "--device", "GPU:1"]


def test_a_command_on_a_page_to_hand_on_is_whole_without_the_home_folder(told, tensorflow, answering, monkeypatch):
    answering(check(status="fails", error_in_bounds=9.0))
    folder = tensorflow("")
    monkeypatch.setenv("HOME", str(folder.parent))
    out = told("smoke", "--venv", folder, "--format", "html")[1]

    assert "tfcompat smoke --venv ~/env --repro conv2d/k3_odd/int/y --device GPU:0" in out
    assert str(folder.parent) not in out


def test_a_hint_names_the_environment_too(told, tensorflow, listed, answering):
    answering(check())
    folder = tensorflow("")

    every = f"hint: `tfcompat smoke --venv {folder} --list` shows all"
    assert told("smoke", "--only", "conv3d", "--venv", folder)[2] == [
        "tfcompat: no check begins with 'conv3d'", every
    ]  # fmt: skip
    assert told("smoke", "--list", "--only", "conv3d", "--venv", folder)[2][-1] == every
    assert told("smoke", "--repro", " ", "--venv", folder)[2][-1] == every


CPU_AND_GPU = (Device(name="CPU:0", kind="CPU"), Device(name="GPU:0", kind="GPU"))


@pytest.mark.parametrize("device", ["GPU:9", "gpu:9"])
def test_a_device_that_is_not_there_could_not_be_looked_at(told, tensorflow, answering, device):
    answering(check("device", "skipped", "eager", device="GPU:9"), devices=CPU_AND_GPU)
    result = told("smoke", "-q", "--device", "cpu", "--device", device, "--venv", tensorflow(""))

    refused(result, 3, "TensorFlow lists no device GPU:9 here, only CPU:0, GPU:0")
    assert result[2][1] == "hint: --device GPU:0"


def test_devices_that_are_there_are_measured_however_they_are_written(told, tensorflow, answering):
    answering(check(), check(device="CPU:0"), devices=CPU_AND_GPU)

    assert told("smoke", "--device", "gpu", "--device", "CPU:0", "--venv", tensorflow(""))[0] == 0


def test_a_file_that_cannot_be_written_is_refused_before_the_battery_runs(told, tensorflow, answering, monkeypatch):
    asked, folder = answering(check()), tensorflow("")

    def full(**_given):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("compat.cli.smoking.TemporaryFile", full)
    for words in ((), ("--format", "html"), ("--list",), ("--repro", "conv2d/k3")):
        refused(told("smoke", *words, "-o", folder / "a", "--venv", folder), 2, "No space left on device")
    assert asked == []
    assert told("smoke", "-o", "/dev/null", "--venv", folder)[0] == 0


def test_html_goes_to_stdout_or_whole_into_a_file(told, tensorflow, answering, tmp_path):
    answering(check())
    words = ("smoke", "-q", "--venv", tensorflow(""), "--format", "html")
    code, out, _ = told(*words)

    assert code == 0
    assert out.startswith("<!DOCTYPE html>")
    assert "No numerical fault found by 1 check" in out
    assert told(*words, "--output", tmp_path / "a.html") == (0, "", [])
    assert (tmp_path / "a.html").read_text("utf-8") == out


def test_what_is_handed_on_does_not_name_the_home_folder(told, tensorflow, answering):
    answering(check("a", "fails", detail=f"in {Path.home()}/secret/plugin.so"))
    folder = tensorflow("")

    for form in ("html", "json"):
        out = told("smoke", "--venv", folder, "--format", form)[1]
        assert "/secret/plugin.so" in out
        assert f"{Path.home()}/secret" not in out


@pytest.fixture
def listed(monkeypatch):
    rows = (
        Listed(id="conv2d/k3", family="conv2d", ops=("Conv2D",), levels=(("eager", "quick"), ("graph", "standard"))),
        Listed(id="conv1d/wide", family="conv1d", ops=("Conv2D",), levels=(("graph", "full"),)),
    )
    monkeypatch.setattr(
        "compat.smoke.reproduce.listing",
        lambda interpreter, level="full", **_: rows if level == "full" else rows[:1],
    )


def test_the_list_is_columns_or_json_and_runs_nothing(told, tensorflow, listed, answering):
    asked, folder = answering(check()), tensorflow("")

    assert told("smoke", "--list", "--venv", folder)[:2] == (
        0,
        "conv2d/k3    eager quick, graph standard        Conv2D\nconv1d/wide  graph full                         Conv2D\n",
    )
    assert len(told("smoke", "--list", "--level", "quick", "--venv", folder)[1].splitlines()) == 1
    assert told("smoke", "--list", "--only", "conv1", "--venv", folder)[1].startswith("conv1d/wide")
    refused(told("smoke", "--list", "--only", "conv3d", "--venv", folder), 2, "no check begins with 'conv3d'")
    value = json.loads(told("smoke", "--list", "--format", "json", "--venv", folder)[1])
    assert value[0] | {"code": ""} == {
        "id": "conv2d/k3", "family": "conv2d", "ops": ["Conv2D"], "levels": {"eager": "quick", "graph": "standard"},
        "shape": "", "dtype": "", "code": "",
    }  # fmt: skip
    assert asked == []


def test_only_is_a_check_that_the_level_runs(told, tensorflow, listed, answering):
    asked, folder = answering(check()), tensorflow("")

    refused(told("smoke", "--only", "conv3d", "--venv", folder), 2, "no check begins with 'conv3d'")
    code, out, lines = told("smoke", "--only", "conv1d", "--venv", folder)
    refused((code, out, lines), 2, "conv1d does not run at level quick")
    assert lines[1] == "hint: add --level full"
    assert asked == []
    assert told("smoke", "--only", "conv2d/k3/int/y", "--venv", folder)[0] == 0
    assert asked[0]["only"] == "conv2d/k3/int/y"


@pytest.fixture
def made(monkeypatch):
    """How a reproduction was asked for."""
    asked = {}
    levels = {"conv2d/k3": (("eager", "quick"), ("graph", "standard")), "train/seed": (("fit", "standard"),)}

    def find(interpreter, name):
        if name not in levels:
            raise UsageError(f"there is no check {name!r}", hint="did you mean conv2d/k3?")
        return Known(id=name, op="Conv2D", levels=levels[name])

    def reproduction(interpreter, name, **given):
        asked.update(given, name=name)
        return "# a program\n"

    monkeypatch.setattr("compat.smoke.reproduce.find", find)
    monkeypatch.setattr("compat.smoke.reproduce.reproduction", reproduction)
    return asked


def test_a_reproduction_is_of_the_mode_and_device_in_which_it_fails_here(told, tensorflow, answering, made):
    bad = check("conv2d/k3/int/dw", "fails", "eager", error_in_bounds=33, detail="all in the last row")
    devices = (Device(name="CPU:0", kind="CPU"), Device(name="GPU:0", kind="GPU", description="METAL"))
    devices += (Device(name="GPU:1", kind="GPU"),)
    asked = answering(check(device="CPU:0"), bad, devices=devices, numpy="2.0.2", keras="3.5", python="3.11.7")
    code, out, lines = told("smoke", "--repro", "conv2d/k3", "--venv", tensorflow(""))

    assert (code, out) == (0, "# a program\n")
    assert asked == [{"devices": None, "level": "standard", "timeout": 300.0, "only": "conv2d/k3"}]
    assert (made["name"], made["mode"], made["device"]) == ("conv2d/k3/int/dw", "eager", "GPU:0")
    assert made["said"][0].endswith("with tensorflow 2.18.1, NumPy 2.0.2, Keras 3.5, Python 3.11.7")
    assert "CPU:0, GPU:0 METAL, GPU:1" in made["said"]
    seen = "Here it fails on GPU:0 (eager): error 33 of its bound; all in the last row"
    assert made["said"][-1] == seen
    assert lines[-1] == seen


def test_one_that_does_not_fail_here_is_compiled_for_the_last_device(told, tensorflow, answering, made):
    answering(check(), devices=(Device(name="CPU:0", kind="CPU"), Device(name="GPU:0", kind="GPU")))
    told("smoke", "--repro", "conv2d/k3", "--venv", tensorflow(""))

    assert (made["name"], made["mode"], made["device"]) == ("conv2d/k3", "graph", "GPU:0")
    assert made["said"][-1] == "Here it does not fail: no numerical fault found by 1 check on GPU:0"


@pytest.mark.parametrize(("device", "expected"), [("gpu", "GPU:0"), ("GPU:1", "GPU:1"), ("cpu", "CPU:0")])
def test_mode_and_device_are_the_users_where_given(told, tensorflow, answering, made, device, expected):
    answering(check("conv2d/k3/int/y", "fails", "graph"))
    words = ("--repro", "conv2d/k3", "--mode", "xla", "--device", device)
    told("smoke", *words, "--venv", tensorflow(""))

    assert (made["mode"], made["device"]) == ("xla", expected)


def test_an_unknown_id_runs_nothing_and_suggests_another(told, tensorflow, answering, made):
    asked = answering(check())
    code, out, lines = told("smoke", "--repro", "conv2d/k4", "--venv", tensorflow(""))

    refused((code, out, lines), 2, "there is no check 'conv2d/k4'")
    assert lines[1] == "hint: did you mean conv2d/k3?"
    assert asked == []


def test_a_program_has_the_mode_that_it_has(told, tensorflow, answering, made):
    asked, folder = answering(check()), tensorflow("")

    words = ("smoke", "--repro", "train/seed", "--venv", folder)
    refused(told(*words, "--mode", "eager"), 2, "train/seed is a program that runs in mode fit")
    assert asked == []
    assert told(*words)[0] == 0
    assert made["mode"] == "graph"


def test_without_numpy_there_is_nothing_to_make_it_of(told, tensorflow, answering):
    answering(check())

    what = "the checks cannot be listed in this environment: ModuleNotFoundError: No module named 'numpy'"
    refused(told("smoke", "--repro", "conv2d/k3_odd/int/dw", "--venv", tensorflow("")), 3, what)
    refused(told("smoke", "--list", "--venv", tensorflow("")), 3, what)


def test_a_tensorflow_that_cannot_be_imported_still_gets_its_program(told, tensorflow, monkeypatch, tmp_path):
    (tmp_path / "site").mkdir()
    for part in Path(np.__file__).parents[1].glob("numpy*"):  # not the whole site: what stands beside it may hide ours
        (tmp_path / "site" / part.name).symlink_to(part)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "site"))
    folder = tensorflow("raise ImportError('Symbol not found: _x')")
    code, out, _ = told("smoke", "--repro", "conv2d/k3_odd/int/dw", "--venv", folder)

    assert code == 0
    assert "Symbol not found: _x" in out.partition("import base64")[0]
    assert "tf.nn.conv2d(x, w" in out
