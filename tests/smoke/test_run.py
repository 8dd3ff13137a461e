"""Every way a smoke run can end is its own outcome, with what was under way and the telling line."""

from __future__ import annotations

import json
import os
import signal

import pytest

from compat import process
from compat.facts.codec import decode, encode
from compat.facts.numerics import OUTCOMES, Check, Numerics, time_that_ran_out
from compat.smoke import child
from compat.smoke.run import run_smoke
from tests.ending import WALL, ending
from tests.smoke.fakes import interpreter

RAN = """
say({"kind": "ran", "python": "3.11.7", "tensorflow": "2.18.1", "numpy": "2.0.2", "keras": None, "checks": [CHECK],
     "devices": [{"name": "GPU:0", "kind": "GPU", "description": "METAL"}], "variables": {"XLA_FLAGS": "x"},
     "import_seconds": 2, "seconds": 1.5})
"""
DIES = {
    "aborts": ("os.abort()", "aborted", signal.SIGABRT),
    "segfaults": ("os.kill(os.getpid(), signal.SIGSEGV)", "aborted", signal.SIGSEGV),
    "meets an illegal instruction": ("os.kill(os.getpid(), signal.SIGILL)", "aborted", signal.SIGILL),
    "exits with a code": ("os._exit(3)", "exited", None),
    "ends well and says nothing": ("print('hello')", "no-answer", None),
}


def test_an_answer_becomes_the_record(tmp_path):
    found = run_smoke(interpreter(tmp_path, RAN), timeout=30)

    assert found.outcome == "ran"
    assert (found.tensorflow, found.keras, found.import_seconds) == ("2.18.1", None, 2.0)
    assert found.devices[0].description == "METAL"
    assert found.variables[0].name == "XLA_FLAGS"
    assert [check.id for check in found.checks] == ["conv2d/k3_odd/int/y"]


def test_the_answer_is_found_among_noise(tmp_path):
    noise = 'print("{\\"kind\\": \\"ran\\"}"); print(sys.argv); ' + RAN.strip() + '\nprint("bye", given.cookie)'

    assert run_smoke(interpreter(tmp_path, noise), timeout=30).tensorflow == "2.18.1"


def test_a_process_that_answers_and_dies_while_closing_has_answered(tmp_path):
    assert run_smoke(interpreter(tmp_path, RAN + "\nos.abort()"), timeout=30).outcome == "ran"


@pytest.mark.parametrize("name", DIES)
def test_a_death_keeps_the_finished_checks_and_names_the_one_under_way(tmp_path, name):
    death, outcome, number = DIES[name]

    body = f"progress({{**START, 'id': 'import', 'mode': ''}}, {{**START, 'mode': 'eager'}}, RESULT, START)\n{death}"

    found = run_smoke(interpreter(tmp_path, body), timeout=30)

    assert found.outcome == outcome
    assert found.signal == number
    assert found.last_check == "conv2d/k3_odd (graph on GPU:0)"
    assert [check.id for check in found.checks] == ["conv2d/k3_odd/int/y"]


def test_a_hang_is_killed_at_the_time_limit_with_its_children(tmp_path):
    body = """
held = open(sys.argv[0] + ".held", "w")
progress(START)
os.fork()
time.sleep(600)
"""
    os.mkfifo(tmp_path / "python.held")
    held = os.open(tmp_path / "python.held", os.O_RDONLY | os.O_NONBLOCK)

    with ending(wall=WALL):
        found = run_smoke(interpreter(tmp_path, body), timeout=2, step=0.25)

    assert found.outcome == "hung"  # a check may take 0.25 s, and its own watch did not end it
    assert (found.exit_code, found.time_limit) == (None, None)
    assert found.last_check == "conv2d/k3_odd (graph on GPU:0)"
    os.set_blocking(held, True)
    with ending(wall=WALL):
        assert os.read(held, 1) == b""  # the end comes when nobody has it open for writing any more
    os.close(held)


SLOW = """
progress({**START, "id": "import", "mode": ""}, START)
for _ in range(300):
    time.sleep(0.1)
    progress(RESULT, START)
"""


def test_time_that_runs_out_while_every_check_comes_back_is_no_hang(tmp_path):
    found = run_smoke(interpreter(tmp_path, SLOW), timeout=2, step=1.5)

    assert (found.outcome, found.time_limit) == ("out-of-time", 2)
    assert (found.exit_code, found.signal) == (None, None)  # it was ended, it did not end
    assert 1 <= len(found.checks) <= 20
    assert found.last_check == "conv2d/k3_odd (graph on GPU:0)"
    assert found.last_seconds is not None
    assert found.last_seconds < 1.5
    told = f"the time limit of 2 s was reached after {len(found.checks)} checks, {found.last_check} under way for "
    assert time_that_ran_out(found).startswith(told)


@pytest.mark.parametrize("body", ["time.sleep(60)", "progress({**START, 'id': 'import', 'mode': ''})\ntime.sleep(60)"])
def test_an_import_may_take_twice_as_long_as_a_check(tmp_path, body):
    fake = interpreter(tmp_path, body)

    assert run_smoke(fake, timeout=1.5, step=1).outcome == "out-of-time"
    assert run_smoke(fake, timeout=1.5, step=0.5).outcome == "hung"


def test_a_watch_that_spoke_without_ending_the_child_has_seen_a_hang(tmp_path):
    body = f"progress(START)\n{STUCK.partition('os._exit')[0]}time.sleep(60)"

    assert run_smoke(interpreter(tmp_path, body), timeout=2).outcome == "hung"


def test_time_that_ran_out_in_a_compiled_group_is_not_spent_twice(tmp_path):
    count = "open(os.path.dirname(sys.argv[0]) + '/runs', 'a').write('x')"

    found = run_smoke(interpreter(tmp_path, f"{count}\n{GROUP}\ntime.sleep(60)"), timeout=1.5)

    assert found.outcome == "out-of-time"
    assert (tmp_path / "runs").read_text() == "x"


def test_a_culprit_is_looked_for_in_the_time_that_is_left(tmp_path, monkeypatch):
    body = f"{GROUP}\ntime.sleep(600 if apart else 0.5)\nos.abort()"
    limits = []

    def noting(argv, *, timeout, **rest):
        limits.append(timeout)
        return process.run(argv, timeout=timeout, **rest)

    monkeypatch.setattr(child, "run", noting)
    found = run_smoke(interpreter(tmp_path, body), timeout=3)

    assert (found.outcome, found.last_check) == ("aborted", "conv2d (graph on GPU:0)")
    first, second = limits
    assert first == 3
    assert 1 <= second <= 2.5


@pytest.mark.parametrize("answer", ["{", "[1]", '{"kind": 5}', '{"kind": "ran", "checks": 7}'])
def test_an_answer_that_makes_no_sense_is_no_answer(tmp_path, answer):
    assert run_smoke(interpreter(tmp_path, f"say({answer!r})"), timeout=30).outcome == "no-answer"


def test_progress_cut_short_by_the_death_is_left_out(tmp_path):
    body = "progress(START)\nopen(given.progress, 'ab').write(b'{\"event\": \"sta\\xff')\nos.abort()"

    assert run_smoke(interpreter(tmp_path, body), timeout=30).last_check == "conv2d/k3_odd (graph on GPU:0)"


def test_a_failed_import_tells_the_plugin_error_not_the_noise_before_it(tmp_path):
    said = "NotFoundError: dlopen(libmetal_plugin.dylib, 0x0006): Symbol not found: _TF_AssignVariable"
    body = f"""
print("2024-01-01 I tensorflow/core/platform/cpu_feature_guard.cc:182] optimized with error checks", file=sys.stderr)
say({{"kind": "import-failed", "error": {said!r}, "python": "3.11.7"}})
"""

    found = run_smoke(interpreter(tmp_path, body), timeout=30)

    assert found.outcome == "import-failed"
    assert found.error == found.key_line == said


@pytest.mark.parametrize("path", ["nothing/here/python", "/dev/null", "/"])
def test_an_interpreter_that_cannot_be_started_is_an_outcome_and_says_why(path):
    found = run_smoke(path, timeout=30)

    assert found.outcome == "exited"
    assert found.error
    assert found.last_check is None


def test_the_child_starts_in_an_empty_folder_and_has_no_current_folder_on_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", f":mine:.:{tmp_path}/other")
    body = "say({'kind': 'ran', 'error': repr((os.listdir('.'), os.environ['PYTHONPATH'].split(':')))})"

    found = run_smoke(interpreter(tmp_path, body), timeout=30)

    assert found.error == repr(([], [f"{tmp_path}/mine", f"{tmp_path}/other"]))


def test_the_arguments_reach_the_script(tmp_path):
    fake = interpreter(tmp_path, "say({'kind': 'ran', 'error': ' '.join([os.path.basename(given.script), *rest])})")

    found = run_smoke(fake, devices=("CPU", "GPU:0"), level="standard", only="conv2d", batch_size=64, timeout=30)

    assert found.error == "numerics.py --level standard --limit 60.0 --devices CPU,GPU:0 --batch-size=64 --only=conv2d"


STUCK = (
    "sys.stderr.write('Timeout (0:01:00)!\\nThread 0x1 (most recent call first):\\n'); sys.stderr.flush(); os._exit(1)"
)


def test_a_check_that_the_child_gave_up_on_has_hung(tmp_path):
    found = run_smoke(interpreter(tmp_path, f"progress(START)\n{STUCK}"), timeout=30)

    assert (found.outcome, found.exit_code) == ("hung", None)
    assert found.last_check == "conv2d/k3_odd (graph on GPU:0)"


def test_a_plain_exit_with_one_is_no_hang(tmp_path):
    found = run_smoke(interpreter(tmp_path, "progress(START)\nos._exit(1)"), timeout=30)

    assert (found.outcome, found.exit_code) == ("exited", 1)


GROUP = """
apart = "--apart" in rest
members = ["conv2d/a", "conv2d/b"]
progress({**START, "id": "conv2d/b" if apart else "conv2d", "members": ["conv2d/b"] if apart else members})
"""


def test_a_death_among_cases_compiled_together_is_looked_for_one_by_one(tmp_path):
    found = run_smoke(interpreter(tmp_path, f"{GROUP}\nos.abort()"), timeout=30)

    assert (found.outcome, found.last_check) == ("aborted", "conv2d/b (graph on GPU:0)")


def test_a_death_that_does_not_happen_again_keeps_the_group(tmp_path):
    found = run_smoke(interpreter(tmp_path, f"{GROUP}\nif not apart: os.abort()\n{RAN}"), timeout=30)

    assert (found.outcome, found.last_check) == ("aborted", "conv2d (graph on GPU:0)")


def test_only_the_group_is_run_again(tmp_path):
    told = "open(os.path.dirname(sys.argv[0]) + '/told', 'a').write(' '.join(rest) + ';')"

    run_smoke(interpreter(tmp_path, f"{GROUP}\n{told}\nos.abort()"), step=7, timeout=30)

    first, again, _ = (tmp_path / "told").read_text().split(";")
    assert again == f"{first} --apart --only=conv2d/a,conv2d/b"


def test_a_death_keeps_the_variables_that_were_set(tmp_path):
    begin = "progress({**START, 'id': 'import', 'mode': '', 'variables': {'XLA_FLAGS': '--x'}}, START)"

    found = run_smoke(interpreter(tmp_path, f"{begin}\nos.abort()"), timeout=30)

    assert [(one.name, one.value) for one in found.variables] == [("XLA_FLAGS", "--x")]
    assert run_smoke(interpreter(tmp_path, "progress(START)\nos.abort()"), timeout=30).variables == ()


def test_given_variables_replace_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    fake = interpreter(tmp_path, "say({'kind': 'ran', 'error': os.environ.get('KERAS_BACKEND', 'none')})")

    assert run_smoke(fake, timeout=30).error == "jax"
    assert run_smoke(fake, timeout=30, environment={"PATH": "/bin"}).error == "none"


def test_a_flood_on_both_streams_is_bounded_and_the_answer_behind_it_found(tmp_path):
    flood = "for _ in range(300):\n    sys.stderr.write('x' * 99999 + '\\n'); sys.stdout.write('y' * 99999 + '\\n')\n"

    found = run_smoke(interpreter(tmp_path, flood + RAN), timeout=60)

    assert found.outcome == "ran"
    assert len(found.stderr_tail) <= 40
    assert all(len(line) <= 400 for line in found.stderr_tail)


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_record_survives_json(outcome):
    check = Check(id="a/b", op="Conv2D", mode="eager", device="CPU:0", status="fails", error_in_bounds=None)
    record = Numerics(outcome=outcome, checks=(check,), signal=6, stderr_tail=("a",), seconds=0.5)

    assert decode(Numerics, json.loads(json.dumps(encode(record), allow_nan=False))) == record
