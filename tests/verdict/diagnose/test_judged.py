"""Doctor's rules over stated facts: what holds however the facts are meant; absence proves nothing."""

from pathlib import Path

from compat.verdict.diagnose.judged import ASKED_OF_WORDS, from_statements
from compat.verdict.diagnose.scenario import scenarios
from compat.verdict.rules import RULES
from tests.verdict.diagnose.telling import MATRIX, drawn, seen, told

MACHINES = Path(__file__).parents[2] / "data" / "machines"


def found(text):
    return {cause.rule: cause.confidence for cause in from_statements(seen(text), drawn(text), MATRIX)}


def test_the_rules_that_are_asked_exist():
    assert {rule.id for rule in RULES} >= ASKED_OF_WORDS


def test_a_pair_that_cannot_load_is_found_without_an_error_line():
    assert found("tensorflow 2.18.0 and tensorflow-metal 1.1.0")["BIN401"] == "high"


def test_what_holds_for_every_release_of_a_range_holds():
    assert "BIN401" in found("tensorflow 2.18 and tensorflow-metal 1.1.0")
    assert "BIN401" not in found("tensorflow 2 and tensorflow-metal 1.1.0")


def test_packages_that_are_not_named_are_not_missing():
    assert found("tensorflow 2.18.1, tensorflow-metal 1.2.0, Python 3.12, Apple M1, macOS 14.5") == {}


def test_numpy_2_under_an_older_tensorflow_is_found():
    assert found("Package Version\n------- -----\nnumpy 2.1.0\ntensorflow 2.15.0\n")["TF311"] == "medium"


def test_too_many_ways_to_mean_it_are_not_judged():
    text = "\n".join(f"{name}: 2.{minor}" for name in ("tensorflow", "keras", "numpy") for minor in (13, 14, 15, 16))

    assert scenarios(drawn(text), MATRIX) == ()


def test_a_pasted_capture_is_judged_as_doctor_judges_it():
    causes = told((MACHINES / "gh-tf-84167.json").read_text()).causes

    assert (causes[0].id, causes[0].rule, causes[0].confidence) == ("ISS001", "BIN401", "high")


def test_only_exact_versions_make_a_pair_sure():
    assert found("tensorflow 2.18.1 and tensorflow-metal 1.1.0")["BIN401"] == "high"
    assert found("tensorflow 2.18 and tensorflow-metal 1.1.0")["BIN401"] == "medium"


def test_a_range_is_judged_where_none_of_its_pairs_loads():
    assert found("tensorflow>=2.20\ntensorflow-metal>=1.0")["BIN401"] == "medium"
    assert "BIN401" not in found("tensorflow>=2.19\ntensorflow-metal>=1.0")


def test_a_range_whose_two_ends_fail_and_whose_middle_loads_is_not_judged():
    ends = {row.tensorflow: row.loads for row in MATRIX.links() if row.plugin_version == "1.1.0"}
    text = "tensorflow>=2.11.0,<2.21\ntensorflow-metal==1.1.0"

    assert (ends["2.11.0"], ends["2.16.2"], ends["2.20.0"]) == (False, True, False)
    assert "BIN401" not in found(text)


def test_the_version_that_failed_is_judged():
    assert found("tensorflow 2.17.1 works; 2.18.1 fails\ntensorflow-metal 1.1.0")["BIN401"] == "high"
    assert "BIN401" not in found("tensorflow 2.18.1 works; 2.17.1 fails\ntensorflow-metal 1.1.0")


def test_a_plugin_of_any_version_is_judged_where_none_loads():
    assert found("tensorflow 2.20.0 and tensorflow-metal, Apple M2")["BIN401"] == "low"
    assert found("tensorflow 2.20.0\n/x/libmetal_plugin.dylib is there")["BIN401"] == "medium"
    assert "BIN401" not in found("tensorflow 2.18.0 and tensorflow-metal, Apple M2")


def test_a_version_alone_hardly_proves_an_intel_python():
    assert found("tensorflow 2.6.0, Apple M1, Python 3.9")["PY201"] == "low"
    assert found("tensorflow 2.16.1, Apple M1, Python 3.9.1\nplatform.machine() x86_64")["PY201"] == "high"
