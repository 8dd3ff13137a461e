"""Plans, refusals and builds told as text and JSON."""

import json

from compat.matrix.load import load
from compat.plan.resolve import decide, default_wish
from compat.report import planned
from compat.report.style import Style
from tests.plan.test_resolve import linux, mac

MATRIX = load()


def plan(facts, **wish):
    return decide(default_wish(facts, **wish), facts, MATRIX)


def test_a_plan_tells_its_reasons_pins_size_and_fallbacks():
    decision = plan(linux())
    text = planned.as_text(
        decision, ("tensorflow-cpu==2.21.0", *("x==1",) * 9), needed_bytes=2_000_000_000, style=Style()
    )

    assert text.startswith("plan: TensorFlow 2.21.0, CPU")
    assert "\n  because evidence: tier runs" in text
    assert "tensorflow-cpu==2.21.0 … 10 in all, hash-checked" in text
    assert "MB to download, about 2.0 GB of disk" in text
    assert "if it fails its own verification: " in text
    assert text.endswith("build it: tfcompat fix --create-venv\n")


def test_a_plan_without_shipped_pins_says_that_its_size_is_not_known():
    decision = plan(mac(), tensorflow="==2.19.0")

    assert "size: known once it is resolved" in planned.as_text(decision, (), needed_bytes=None, style=Style())


def test_a_refusal_tells_causes_with_their_source_and_what_can_be_had():
    text = planned.as_text(plan(mac(), python="3.13"), (), needed_bytes=None, style=Style())

    assert text.startswith("this cannot be had\n")
    assert "(releases/tensorflow-metal)" in text
    assert "what can be had:\n  with another Python: TensorFlow 2.18.1 + tensorflow-metal 1.2.0" in text


def test_the_json_of_a_plan_has_the_keys_others_build_on():
    value = json.loads(planned.as_json(plan(mac()), ("a==1",)))

    assert set(value["plan"]) >= {"python", "tensorflow", "plugin", "tier", "pins", "reasons"}
    assert (value["plan"]["plugin"], value["refused"]) == ("tensorflow-metal==1.2.0", [])


def test_the_json_of_a_refusal():
    value = json.loads(planned.as_json(plan(mac(), python="3.13"), ()))

    assert value["plan"] is None
    assert value["refused"][0]["conflict"] == ["python", "gpu"]
    assert value["refused"][0]["causes"][0]["source"] == "releases/tensorflow-metal"


ATTEMPTS = (("first", "numerics", "3 checks failed"), ("second", "done", "fine"))


def test_a_finished_build_ends_with_the_line_that_enters_it():
    text = planned.built_text(plan(linux()).best, "/a b/env", "/a b/env.requirements.txt", "fine", ATTEMPTS)

    assert text.startswith("first: failed at numerics: 3 checks failed\n")
    assert text.endswith("\nsource '/a b/env'/bin/activate\n")
    assert planned.failed_text(ATTEMPTS[:1]) == "first: failed at numerics: 3 checks failed\n"


def test_a_finished_build_as_json():
    decision = plan(linux())
    value = json.loads(planned.built_json(decision, decision.best, "/env", "/env.lock", ATTEMPTS, {"own": 0.12345}))

    assert (value["environment"], value["seconds"]) == ("/env", {"own": 0.123})
    assert value["attempts"][0] == {"candidate": "first", "step": "numerics", "message": "3 checks failed"}
