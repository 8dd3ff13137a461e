"""``matrix why``: an answer, its chain of facts, and words that make no question."""

import json

import pytest

from compat.facts.machine import Machine
from compat.probe import machine as machine_probe
from tests.cli.running import refused

M4 = Machine(os="macos", os_version="15.3", architecture="arm64", chip="Apple M4")
LINUX = Machine(os="linux", os_version="12", architecture="x86_64", chip="Xeon", glibc="2.36")


@pytest.fixture(autouse=True)
def machine(monkeypatch):
    def become(other):
        monkeypatch.setattr(machine_probe, "look", lambda **_: other)

    become(LINUX)
    return become


def answer(told, *words):
    code, out, err = told("matrix", "why", "--format", "json", *words)
    assert (code, err) == (0, [])
    return json.loads(out)


def test_the_answer_is_the_first_line_and_every_fact_has_its_source(told):
    code, out, _ = told("matrix", "why", "tensorflow==2.20 tensorflow-metal")
    lines = out.splitlines()

    assert code == 0
    assert lines[0].startswith("no: tensorflow-metal 1.2.0 cannot load on tensorflow 2.20.0 (layer 1)")
    assert (
        "    links/tensorflow-metal.arm64.toml: tensorflow 2.20.0 + 1.2.0 https://pypi.org/simple/tensorflow-metal/"
        in lines
    )
    assert lines[-1].startswith("asked for macos-arm64; matrix data of ")


def test_words_may_be_given_one_by_one(told):
    one = answer(told, "tensorflow==2.18.1 tensorflow-metal==1.1.0")

    assert one == answer(told, "tensorflow==2.18.1", "tensorflow-metal==1.1.0")
    assert one["answer"] == "no"
    assert "__ZN3tsl8internal10LogMessageC1EPKcii" in one["headline"]


def test_a_plugin_is_asked_about_for_a_mac_and_tensorflow_alone_for_this_machine(told):
    assert answer(told, "tensorflow tensorflow-metal")["place"]["platform"] == "macos-arm64"
    assert answer(told, "tensorflow")["place"]["platform"] == "linux-x86_64"
    on_linux = answer(told, "tensorflow tensorflow-metal", "--platform", "linux-x86_64")
    assert (on_linux["answer"], "no wheel for linux-x86_64" in on_linux["headline"]) == ("no", True)


def test_on_a_mac_its_own_chip_and_macos_are_asked_for_unless_others_are_named(told, machine):
    machine(M4)
    place = answer(told, "tensorflow tensorflow-metal")["place"]
    assert (place["macos"], place["chip"]) == ("15.3", "Apple M4")

    place = answer(told, "tensorflow tensorflow-metal", "--macos", "13.1", "--chip", "Apple M1", "--python", "3.11")[
        "place"
    ]
    assert (place["macos"], place["chip"], place["python"]) == ("13.1", "Apple M1", "3.11")


def test_a_chip_brings_in_what_is_known_of_it(told):
    def sources(chip):
        found = answer(told, "tensorflow==2.18.1 tensorflow-metal==1.2.0", "--chip", chip)
        return [fact["source"] for fact in found["facts"]]

    assert "issues: ISS041" in sources("Apple M1")  # reported of M1 to M4
    assert "issues: ISS041" not in sources("Apple M5")


def test_markdown_begins_with_the_question(told):
    out = told("matrix", "why", "tensorflow==2.20 tensorflow-metal", "--format", "markdown")[1]

    assert out.startswith("### tensorflow==2.20 tensorflow-metal\n\n**no: ")


@pytest.mark.parametrize(
    ("words", "what", "hint"),
    [
        (["tensorflow=2.18"], "'tensorflow=2.18' is not a requirement", "tensorflow==2.20.0"),
        (["tensorflow-metl"], "does not follow a package called tensorflow-metl", "tensorflow-metal"),
        (["tensorflow tensorflow"], "more than one TensorFlow", "name one"),
        ([" "], "nothing was asked", "matrix why"),
        (["tensorflow", "--python", "3.99"], "--python 3.99 is newer", "3.14"),
        (["tensorflow", "--python", "x"], "--python x is not a version", "3.12"),
        (["tensorflow", "--chip", "Apple M77"], "no Mac has a chip called 'Apple M77'", "Apple M"),
        (["tensorflow", "--macos", "17"], "there is no macOS 17", "15, 26"),
        ([], "missing argument", "matrix why -h"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_what_is_no_question_is_refused_in_one_line_with_what_is_near(told, words, what, hint):
    result = told("matrix", "why", *words)

    refused(result, 2, what)
    assert hint in result[2][1]
