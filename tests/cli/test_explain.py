"""``tfcompat explain``: ids, files, streams and texts; exit codes; the same answer by either way in."""

import json
import os

import pytest

from compat.__main__ import main
from compat.cli.explain import diagnose_text
from compat.matrix.load import load
from tests.cli.running import command, refused

TEXT = "tensorflow 2.18.0, tensorflow-metal 1.1.0\nNotFoundError: dlopen(x/libmetal_plugin.dylib, 6): Symbol not found: __ZN3tsl8internal10LogMessageC1EPKcii"


@pytest.fixture
def told(capsys):
    def run(*words):
        code = main(["explain", *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err.splitlines()

    return run


@pytest.mark.parametrize(
    "word", ["ISS001", "iss001", "BIN401", "bin401", "PIN500", "PIN501", "PIN502", "PIN503", "PIN504"]
)
def test_an_id_is_explained(told, word):
    code, out, err = told(word)

    assert (code, err) == (0, [])
    assert out.startswith(f"{word.upper()}  ")
    assert len(out.splitlines()) > 2


def test_an_id_is_told_in_every_format(told):
    value = json.loads(told("ISS001", "--format", "json")[1])

    assert (value["id"], value["kind"], value["causes"], value["missing_facts"]) == ("ISS001", "issue", [], [])
    assert value["sources"]
    assert told("BIN401", "--format", "markdown")[1].startswith("### BIN401 ")


@pytest.mark.parametrize(
    "word, near", [("BIN40", "BIN401"), ("ISS01", "ISS"), ("PIN598", "PIN5"), ("BNI401", "BIN401")]
)
def test_a_misspelt_id_gets_near_ones_named(told, word, near):
    result = told(word)

    refused(result, 2, "neither a rule nor a known issue")
    assert near in result[2][1]


def test_a_text_is_diagnosed(told):
    code, out, err = told(TEXT)

    assert (code, err) == (0, [])
    assert "ISS001" in out
    assert "confidence: high" in out


def test_words_without_quotes_are_one_text(told):
    assert told(*TEXT.split())[1].split()[1] == "ISS001"


def test_a_file_is_read(told, tmp_path):
    (tmp_path / "a log.txt").write_text(TEXT)
    value = json.loads(told(tmp_path / "a log.txt", "--format", "json")[1])

    assert set(value) >= {"schema_version", "causes", "missing_facts"}
    assert set(value["causes"][0]) >= {"id", "confidence", "line", "remedy"}


def test_the_standard_input_is_read():
    result = command("explain", "-", "--format", "json", input=TEXT)

    assert result.returncode == 0
    assert json.loads(result.stdout)["causes"][0]["id"] == "ISS001"


@pytest.mark.parametrize(
    "make, code, what",
    [
        (lambda path: path.mkdir(), 3, "is a directory"),
        (lambda path: path.write_bytes(b""), 2, "there is no text"),
        (lambda path: path.write_bytes(b"\0" * 100), 2, "there is no text"),
        (lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 51 * 1024 * 1024), 3, "larger than 50 MB"),
        (os.mkfifo, 2, "there is no text"),
        (lambda path: path.symlink_to(path), 3, "there is no such file"),
    ],
)
def test_what_cannot_be_read_is_one_line(told, tmp_path, make, code, what):
    make(tmp_path / "x.log")

    refused(told(tmp_path / "x.log"), code, what)


@pytest.mark.parametrize("word, code", [("", 2), ("   ", 2), ("absent.log", 3), ("./absent", 3), ("~/absent", 3)])
def test_an_empty_text_and_an_absent_file_are_refused(told, word, code):
    refused(told(word), code, "no text" if code == 2 else "no such file")


@pytest.mark.parametrize("words", [("BIN401", "ISS003"), ("BIN401", "-")])
def test_two_things_at_once_are_refused(told, words):
    refused(told(*words), 2, "one thing at a time")


def test_nothing_known_is_an_answer(told):
    code, out, _ = told("hello, my code fails with KeyError: 'a'")

    assert code == 0
    assert "unknown" in out
    assert "tfcompat facts" in out


def test_typer_gives_the_same_answer(told, monkeypatch):
    quick = told(TEXT, "--format", "json")
    monkeypatch.setattr("compat.cli.quick.parse_explain", lambda _argv: None)

    assert told(TEXT, "--format", "json") == quick


def test_the_quick_way_takes_no_typer():
    script = "import sys; from compat.cli import run; run(['explain', 'tensorflow 2.18.0 it broke']); sys.exit('typer' in sys.modules)"
    result = __import__("subprocess").run(
        [__import__("sys").executable, "-c", script], capture_output=True, check=False
    )

    assert result.returncode == 0


def test_a_text_can_be_diagnosed_from_python():
    assert diagnose_text(TEXT, load()).causes[0].id == "ISS001"
