"""The terminal report: root cause first, consequences folded, one line a check, meaning never by colour alone."""

import re

import pytest

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment
from compat.facts.interpreter import Interpreter
from compat.facts.known import Unknown
from compat.facts.machine import Machine
from compat.facts.numerics import Check, Numerics
from compat.report.columns import columns
from compat.report.document import Document, depth, machine_line, smoke_line, tensorflow_line
from compat.report.style import Style
from compat.verdict.finding import Evidence, Finding, Remedy, Severity, Status, Verdict


def finding(id, status=Status.FAILS, severity=Severity.ERROR, **rest):  # noqa: A002
    return Finding(id=id, status=status, severity=severity, message=rest.pop("message", f"message of {id}"), **rest)


def document(*findings, facts=None, strict=False):
    return Document(
        facts=facts or Facts(),
        verdict=Verdict(findings=findings, matrix_date="2026-11-30"),
        tool_version="0.1.0",
        strict=strict,
    )


PLAIN = Style(width=100)


def test_a_failing_check_says_what_it_saw_and_what_to_do():
    text = columns(
        document(
            finding(
                "TF311",
                evidence=(Evidence(fact="numpy 2.2.6", source="measured here"),),
                remedy=Remedy(text="use NumPy 1", commands=('uv pip install "numpy<2"',)),
                verify="tfcompat doctor",
            )
        ),
        PLAIN,
    )

    assert "✗ TF311  message of TF311" in text
    assert "seen: numpy 2.2.6 (measured here)" in text
    assert "do:   use NumPy 1" in text
    assert '$ uv pip install "numpy<2"' in text
    assert "then: tfcompat doctor" in text
    assert text.endswith("1 error, root cause: TF311\n")


def test_consequences_fold_under_their_cause_without_its_remedies():
    cause = finding("BIN401")
    consequence = finding("NUM601", caused_by="BIN401", remedy=Remedy(commands=("never shown",)))
    text = columns(document(cause, consequence), PLAIN)

    assert "\n  ✗ NUM601  message of NUM601\n" in text
    assert "never shown" not in text
    assert "2 errors, root cause: BIN401" in text


def test_passes_are_counted_and_listed_only_when_asked():
    passed = finding("PY201", Status.PASSES, Severity.INFO)

    assert "✓ 1 check passed" in columns(document(passed), PLAIN)
    assert "✓ PY201  message of PY201" in columns(document(passed), Style(verbose=True))


def test_what_could_not_be_answered_is_said():
    text = columns(document(finding("MAC104", Status.UNKNOWN, Severity.INFO)), PLAIN)

    assert "? 1 could not be answered (add -v to see why): MAC104" in text


def test_quiet_tells_only_what_is_wrong():
    quiet = Style(quiet=True)
    good = columns(document(finding("PY201", Status.PASSES, Severity.INFO)), quiet)
    info = columns(document(finding("TF306", severity=Severity.INFO)), quiet)

    assert good == "no fault found\n"
    assert "TF306" not in info


def test_without_unicode_every_character_is_ascii():
    text = columns(document(finding("TF311", message="3.9–3.12 ✓")), Style(unicode=False))

    assert text.isascii()
    assert "x TF311" in text


def test_colours_only_paint():
    row = document(finding("TF311"), finding("TF306", severity=Severity.WARNING))
    painted = columns(row, Style(colour=True))

    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[[\d;]*m", "", painted) == columns(row, Style())


def test_terminal_escapes_from_the_environment_are_defused():
    text = columns(document(finding("TF321", message="name \x1b[2Jevil\nsecond")), PLAIN)

    assert "\x1b" not in text
    assert "evil second" in text


def test_lines_are_wrapped_to_the_terminal():
    text = columns(document(finding("TF311", message="word " * 60)), Style(width=60))

    assert max(len(line) for line in text.splitlines()) <= 60


@pytest.mark.parametrize(
    "findings, last",
    [
        ((), "no fault found"),
        ((finding("TF306", severity=Severity.WARNING),), "no errors, 1 warning"),
        ((finding("A1"), finding("A2")), "2 errors, root cause: A1"),
    ],
)
def test_the_last_line_is_the_verdict(findings, last):
    assert columns(document(*findings), PLAIN).splitlines()[-1] == last


def test_the_matrix_is_dated_only_where_a_verdict_depended_on_it():
    assert "matrix data of 2026-11-30" in columns(document(finding("TF306", matrix_used=True)), PLAIN)
    assert "matrix data of" not in columns(document(finding("TF306")), PLAIN)


def test_a_loop_among_causes_ends():
    a, b = finding("A1", caused_by="B1"), finding("B1", caused_by="A1")

    assert depth(a, (a, b)) == 2


def test_the_machine_in_one_line():
    machine = Machine(
        os="macos",
        os_version="14.5",
        architecture="arm64",
        chip="Apple M1 Pro",
        model="MacBookPro18,3",
        translated=True,
    )

    assert machine_line(Facts(machine=machine)) == "MacBookPro18,3, Apple M1 Pro, macOS 14.5, arm64, under Rosetta"
    assert machine_line(Facts()) == "unknown system"


def test_containers_and_wsl_are_named():
    machine = Machine(os="linux", os_version="22.04", architecture="x86_64", container="docker", wsl=2)

    assert machine_line(Facts(machine=machine)) == "Linux 22.04, x86_64, in a docker container, WSL2"


def test_tensorflow_and_its_plugin_in_one_line():
    rows = tuple(
        Distribution(name=name, version=version, location="x")
        for name, version in (("tensorflow", "2.18.1"), ("tensorflow-metal", "1.2.0"))
    )

    assert tensorflow_line(Facts(environment=Environment(kind="venv", path="x", distributions=rows))) == (
        "tensorflow 2.18.1 + tensorflow-metal 1.2.0"
    )
    assert tensorflow_line(Facts(environment=Environment(kind="venv", path="x"))) == "not installed"
    assert tensorflow_line(Facts()) == "not looked at"


def check(status, device="CPU:0"):
    return Check(id="c", op="o", mode="eager", device=device, status=status)


@pytest.mark.parametrize(
    "numerics, line",
    [
        (Unknown("switched off"), "not run (switched off)"),
        (Numerics(outcome="hung", key_line="stuck"), "hung: stuck"),
        (Numerics(outcome="out-of-time", time_limit=5), "the time limit of 5 s was reached after 0 checks"),
        (
            Numerics(outcome="ran", checks=(check("passes"), check("passes", "GPU:0"))),
            "no numerical fault found by 2 checks on CPU:0, GPU:0",
        ),
        (
            Numerics(outcome="ran", checks=(check("passes"), check("fails", "GPU:0"))),
            "1 of 2 numerical checks failed on CPU:0, GPU:0",
        ),
    ],
)
def test_the_smoke_test_in_one_line(numerics, line):
    assert smoke_line(Facts(numerics=numerics)) == line


def test_the_interpreter_is_named_or_said_to_be_unknown():
    interpreter = Interpreter(path="/x/python", version="3.11.4", implementation="cpython", machine="arm64")

    assert "CPython 3.11.4, arm64, /x/python" in columns(document(facts=Facts(interpreter=interpreter)), PLAIN)
    assert "not looked at (gone)" in columns(document(facts=Facts(interpreter=Unknown("gone"))), PLAIN)
