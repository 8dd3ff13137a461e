"""Whether packages go together, and the shortest chain of facts: for yes, for no, and for unknown."""

from __future__ import annotations

import pytest

from compat.matrix.load import load
from compat.plan.evidence.chain import Stands
from compat.plan.evidence.question import parse
from compat.plan.evidence.standing import Place
from compat.plan.evidence.why import Word, why
from tests.plan.evidence.test_ground import METAL, lock, run
from tests.verdict.rules.tiny_matrix import (
    LOG_MESSAGE,
    MAC_ARM,
    PYWRAP,
    default_links,
    known_issue,
    link,
    pure,
    release,
    tiny_matrix,
    wheels,
)

MAC = Place(platform="macos-arm64")
OTHER = "tensorflow-metal-plugin"


def asked(words, place=MAC, **sections):
    matrix = tiny_matrix(**sections)
    return why(parse(words, matrix), place, matrix)


def told(answer, stands=Stands.AGAINST):
    return [fact.text for fact in answer.facts if fact.stands is stands]


def test_a_pair_that_fits_is_proved_tier_by_tier_each_fact_with_its_source():
    answer = asked("tensorflow==2.18.1 tensorflow-metal==1.2.0", observed=[run("2.18.1", "1.2.0", "works", "runs")])

    assert answer.word is Word.YES
    assert answer.reason.startswith("up to tier runs: tensorflow 2.18.1 with tensorflow-metal 1.2.0 on macOS arm64")
    assert [(fact.tier, fact.source) for fact in answer.facts if fact.stands is Stands.FOR] == [
        ("installs", "releases/tensorflow.toml: 2.18.1"),
        ("installs", "releases/tensorflow-metal.toml: 1.2.0"),
        ("links", "links/tensorflow-metal.arm64.toml: tensorflow 2.18.1 + 1.2.0"),
        ("runs", "observed: OBS001"),
    ]
    assert all(fact.url for fact in answer.facts)


def test_a_pair_that_cannot_load_is_refused_with_the_missing_name_and_layer():
    answer = asked("tensorflow==2.18.1 tensorflow-metal==1.1.0")

    assert answer.word is Word.NO
    assert f"cannot load on tensorflow 2.18.1 (layer 2): the symbol {LOG_MESSAGE} is not there" in answer.reason
    assert answer.facts[0].source == "links/tensorflow-metal.arm64.toml: tensorflow 2.18.1 + 1.1.0"
    assert told(answer, Stands.NOTE) == ["tensorflow-metal 1.1.0 loads on TensorFlow 2.13, 2.16–2.17"]
    assert not told(answer, Stands.FOR)  # that wheels exist proves nothing here


def test_any_release_of_the_plugin_means_that_none_will_do():
    links = [
        {**row, "distribution": "tensorflow", "plugin": METAL, "arch": "arm64", "loads": False, "layer": 1}
        for row in (
            {"tensorflow": "2.20.0", "plugin_version": version, "missing": [PYWRAP]}
            for version in ("1.0.0", "1.0.1", "1.1.0", "1.2.0")
        )
    ]
    answer = asked("tensorflow==2.20 tensorflow-metal", links=links)

    assert answer.word is Word.NO
    assert answer.standing.pair.plugin_version == "1.2.0"
    assert f"(layer 1): the library {PYWRAP} is not there" in answer.reason
    assert any(
        "nor does any other release of tensorflow-metal" in text and "1.0.0 to 1.1.0" in text for text in told(answer)
    )


def test_a_run_confirms_a_proof_and_a_known_problem_is_named():
    answer = asked(
        "tensorflow==2.20 tensorflow-metal==1.2.0",
        observed=[run("2.20.0", "1.2.0", "fails-to-load", "imports", chip="Apple M1", macos="15.6.1")],
        issues=[known_issue("BIN401", "ISS003", package=METAL, with_package="tensorflow", with_versions=">=2.20")],
    )

    assert [fact.source for fact in answer.facts if fact.stands is Stands.AGAINST] == [
        "links/tensorflow-metal.arm64.toml: tensorflow 2.20.0 + 1.2.0",
        "observed: OBS001",
        "issues: ISS003",
    ]


@pytest.mark.parametrize(
    ("words", "place", "what"),
    [
        ("tensorflow==2.18.1", Place(platform="macos-arm64", python="3.13"), "no wheel for Python 3.13 on macOS arm64, only for Python 3.9–3.12"),
        ("tensorflow==2.18.1", Place(platform="macos-arm64", macos="11.7"), "none for a system as old as macOS 11.7 arm64"),
        ("tensorflow==2.12", Place(platform="macos-arm64", python="3.13"), "tensorflow-macos 2.12.0 has no wheel for Python 3.13 on macOS arm64, only for"),
        ("tensorflow==2.12 tensorflow-metal", Place(platform="macos-arm64", python="3.13"), "tensorflow-macos 2.12.0 has no wheel for Python 3.13"),
        ("tensorflow==2.18.1", Place(platform="macos-x86_64"), "has no wheel for macos-x86_64"),
        ("tensorflow-cpu==1", MAC, "no release of tensorflow-cpu meets ==1"),
        ("tensorflow==2.17.1 tensorflow-metal==1.1.0", Place(platform="macos-arm64", python="3.12"), "tensorflow-metal 1.1.0 has no wheel for Python 3.12"),
        ("tensorflow tensorflow-metal", Place(platform="linux-x86_64"), "tensorflow-metal 1.2.0 has no wheel for linux-x86_64"),
        ("tensorflow==2.17.1 tensorflow-metal==1.2.0", Place(platform="macos-arm64", macos="12.0"), "was built for macOS 12.1 and newer; this is 12.0"),
        ("tensorflow==2.18.3", MAC, "no release of tensorflow meets ==2.18.3; the newest is 2.21.0"),
        ("tensorflow==2.18.1 tensorflow-metal==1.5", Place(platform="macos-arm64"), "no release of tensorflow-metal meets ==1.5"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_condition_that_is_not_met(words, place, what):
    answer = asked(words, place)

    assert answer.word in (Word.NO, Word.UNKNOWN)
    assert what in answer.reason


def test_no_python_that_both_have_is_told():
    releases = {METAL: [release(METAL, "2.0", wheels([13], MAC_ARM))]}
    answer = asked("tensorflow==2.18.1 tensorflow-metal==2.0", releases=releases)

    assert answer.word is Word.NO
    assert (
        "no Python has a wheel of both: tensorflow 2.18.1 for 3.9–3.12, tensorflow-metal 2.0 for 3.13" in answer.reason
    )


@pytest.mark.parametrize(
    ("words", "word"),
    [
        ("tensorflow==2.30.0", Word.UNKNOWN),
        ("tensorflow>=2.23", Word.UNKNOWN),
        ("tensorflow==2.18.9", Word.NO),
        ("tensorflow<2", Word.NO),
        ("tensorflow==2.18.1 tensorflow-metal==1.3.0", Word.UNKNOWN),
    ],
)
def test_what_may_be_out_since_the_matrix_was_made_is_unknown(words, word):
    assert asked(words).word is word


def test_a_plugin_nobody_could_judge_is_unknown():
    releases = {OTHER: [release(OTHER, "0.4.1", has_sdist=True)]}
    claim = run("==2.21.*", "0.4.1", "works", "runs", "CLM013", kind="claim")
    answer = asked(f"{OTHER} tensorflow==2.21", releases=releases, observed=[{**claim, "plugin": OTHER}])

    assert answer.word is Word.UNKNOWN
    assert answer.reason == f"{OTHER} 0.4.1 is published as source only"
    assert "the vendor says it works (a claim, no run)" in told(answer, Stands.NOTE)


def test_a_pair_without_a_proof_or_a_run_is_unknown():
    answer = asked("tensorflow==2.18.1 tensorflow-metal==1.2.0", links=[])

    assert answer.word is Word.UNKNOWN
    assert "was not judged" in answer.reason


def test_loading_is_not_running():
    answer = asked(
        "tensorflow==2.18.1 tensorflow-metal==1.2.0",
        observed=[run("2.18.1", "1.2.0", "fails-to-run", "runs", what="train")],
    )

    assert answer.word is Word.NO
    assert answer.reason == "seen: fails to run at tier runs (train)"


@pytest.mark.parametrize(
    ("results", "doubt"),
    [
        (["wrong-numbers"], "; its numbers were seen to be wrong"),
        (["works", "wrong-numbers"], "; wrong numbers were seen too"),
        (["works", "fails-to-run"], "; also seen failing at tier runs"),
    ],
)
def test_what_contradicts_a_yes_stands_in_its_first_line_and_in_the_chain(results, doubt):
    tiers = {"works": "runs", "wrong-numbers": "agrees", "fails-to-run": "runs"}
    runs = [run("2.18.1", "1.2.0", result, tiers[result], f"OBS00{at}") for at, result in enumerate(results)]
    answer = asked("tensorflow==2.18.1 tensorflow-metal==1.2.0", observed=runs)

    assert (answer.word, answer.reason.endswith(doubt)) == (Word.YES, True)
    assert [fact.source for fact in answer.facts if fact.stands is Stands.AGAINST] == [
        f"observed: OBS00{len(results) - 1}"
    ]


def test_names_without_versions_get_the_best_candidate_and_why_nothing_newer():
    links = default_links()
    links += [link("2.20.0", metal, 1, [PYWRAP]) for metal in ("1.0.0", "1.0.1", "1.1.0")]
    answer = asked("tensorflow tensorflow-metal", links=links, observed=[run("2.18.1", "1.2.0", "works", "runs")])

    assert (answer.standing.pair.tensorflow, answer.standing.pair.plugin_version) == ("2.18.1", "1.2.0")
    assert [text for text in told(answer, Stands.NOTE) if text.startswith("not ")] == [
        "not TensorFlow 2.19.1: known up to tier links only",
        "not TensorFlow 2.21.0: whether tensorflow-metal loads on it was not judged",
        "not TensorFlow 2.20.0: no release of tensorflow-metal that is asked about loads on it",
    ]


def test_a_newer_plugin_that_was_passed_over_is_explained():
    answer = asked("tensorflow==2.17.1 tensorflow-metal", observed=[run("2.17.1", "1.2.0", "wrong-numbers", "agrees")])

    assert answer.standing.pair.plugin_version == "1.1.0"
    assert "not tensorflow-metal 1.2.0: seen failing at tier agrees" in told(answer, Stands.NOTE)


def test_of_equally_known_candidates_the_one_with_pins_is_taken_as_fix_does():
    assert asked("tensorflow").standing.pair.tensorflow == "2.21.0"
    assert asked("tensorflow", locks=[lock(tier="installs")]).standing.pair.tensorflow == "2.18.1"


def test_an_error_known_of_this_chip_decides_and_is_its_reason():
    issues = [known_issue("TF317", "ISS901", package=METAL, versions="==1.2.0", chips=["Apple M5"])]
    words = "tensorflow==2.18.1 tensorflow-metal==1.2.0"

    assert asked(words, Place(platform="macos-arm64", chip="Apple M4"), issues=issues).word is Word.YES
    answer = asked(words, Place(platform="macos-arm64", chip="Apple M5 Pro"), issues=issues)
    assert (answer.word, answer.reason) == (Word.NO, "known problem ISS901 (error): known")


def test_a_warning_is_noted_and_a_remark_is_not():
    rows = [{**known_issue("TF317", "ISS901", package=METAL), "severity": "warning"}]
    rows += [{**known_issue("TF317", "ISS902", package=METAL), "severity": "info"}]
    answer = asked("tensorflow==2.18.1 tensorflow-metal==1.2.0", issues=rows)

    assert answer.word is Word.YES
    assert [fact.source for fact in answer.facts if fact.source.startswith("issues")] == ["issues: ISS901"]


def test_pins_are_told_with_their_linux_twin():
    mac = lock(plugin=METAL, plugin_version="1.2.0")
    linux = lock(file="b.toml", platform="linux-x86_64", tier="runs", verified_day="2026-11-30")
    answer = asked("tensorflow==2.18.1 tensorflow-metal==1.2.0", locks=[mac, linux])

    assert "pins are shipped for Python 3.12; those for 3.12 are known up to tier links" in told(answer, Stands.FOR)
    twin = next(fact for fact in answer.facts if fact.source == "locks/b.toml")
    assert "ran whole on 2026-11-30" in twin.text


def test_a_run_on_this_chip_is_cited_first_and_its_absence_is_told():
    rows = [run("2.18.1", "1.2.0", "works", "runs", "OBS001", chip="Apple M1")]
    rows += [run("2.18.1", "1.2.0", "works", "runs", "OBS002", chip="Apple M4 Pro")]
    words = "tensorflow==2.18.1 tensorflow-metal==1.2.0"

    here = asked(words, Place(platform="macos-arm64", chip="Apple M4"), observed=rows)
    assert "observed: OBS002" in [fact.source for fact in here.facts]
    elsewhere = asked(words, Place(platform="macos-arm64", chip="Apple M3"), observed=rows)
    assert "no run of this pair on Apple M3 is on record" in told(elsewhere, Stands.NOTE)


@pytest.mark.parametrize(
    ("words", "carrier", "note"),
    [
        ("tensorflow==2.13", "tensorflow-macos", "tensorflow 2.13.0 is a shell of a few KB on macos-arm64: it installs tensorflow-macos 2.13.0"),
        ("tensorflow==2.12", "tensorflow-macos", "tensorflow 2.12.0 has no wheel for macos-arm64: TensorFlow 2.12.0 is tensorflow-macos there"),
        ("tensorflow-macos==2.16.2", "tensorflow", "tensorflow-macos 2.16.2 is a shell of a few KB on macos-arm64: it installs tensorflow 2.16.2"),
    ],
)  # fmt: skip
def test_the_distribution_that_really_carries_it_is_named(words, carrier, note):
    answer = asked(words)

    assert (answer.word, answer.standing.distribution) == (Word.YES, carrier)
    assert told(answer, Stands.NOTE)[0] == note


def test_another_package_is_judged_by_what_the_wheels_require():
    requires = {
        "tensorflow": [
            release(
                "tensorflow", "2.15.1", [{**one, "requires": ["keras<2.16,>=2.15.0"]} for one in wheels([11], MAC_ARM)]
            )
        ]
    }
    requires["tensorflow-macos"] = []
    requires["keras"] = pure("keras", "3.0.0", "2.15.0")

    assert asked("tensorflow==2.15.1 keras==2.15.0", releases=requires).word is Word.YES
    answer = asked("tensorflow==2.15.1 keras==3.0.0", releases=requires)
    assert (answer.word, answer.reason) == (
        Word.NO,
        "tensorflow 2.15.1 requires keras<2.16,>=2.15.0, which leaves out 3.0.0",
    )
    assert asked("tensorflow keras>=3", releases=requires).word is Word.NO


BUNDLED = load()


@pytest.mark.parametrize(
    ("words", "place", "word", "what"),
    [
        # research of the wheels: 1.1.0 on 2.18 lacks one symbol, nothing of Apple's loads on 2.20 and 2.21
        ("tensorflow==2.18.1 tensorflow-metal==1.1.0", MAC, Word.NO, LOG_MESSAGE),
        ("tensorflow==2.20 tensorflow-metal", MAC, Word.NO, PYWRAP),
        ("tensorflow==2.21 tensorflow-metal", MAC, Word.NO, PYWRAP),
        ("tensorflow==2.18.1 tensorflow-metal==1.2.0", MAC, Word.YES, "up to tier runs"),
        # tagged macosx_12_0, built for 13.0
        ("tensorflow==2.10.0 tensorflow-metal==0.5.1", Place(platform="macos-arm64", macos="12.6"), Word.NO, "built for macOS 13.0"),
        ("tensorflow tensorflow-metal", Place(platform="macos-arm64", python="3.13"), Word.NO, "no wheel for Python 3.13"),
        ("tensorflow==2.17", Place(platform="macos-x86_64"), Word.NO, "no wheel for macos-x86_64"),
    ],
)  # fmt: skip
def test_the_bundled_matrix_answers_what_research_found(words, place, word, what):
    answer = why(parse(words, BUNDLED), place, BUNDLED)

    assert (answer.word, what in answer.reason) == (word, True), answer.headline
