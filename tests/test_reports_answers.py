"""`explain` on two sets of public reports, held against causes written down before it read one."""

from pathlib import Path

import pytest

from compat.matrix.load import load
from tests import scoring

NINE_OF_TEN = 0.9
MATRIX = load(Path(__file__).resolve().parent.parent / "matrices")


@pytest.fixture(scope="module", params=[scoring.answers, scoring.second], ids=["first set", "second set"])
def answers(request):
    return request.param(MATRIX)


def test_nine_of_ten_causes_that_a_thread_established_are_named(answers):
    right, _, counted = scoring.score(answers)

    assert right >= NINE_OF_TEN * counted, [one.id for one in answers if one.established and not one.right]


def test_no_answer_is_confidently_wrong(answers):
    assert [one.id for one in answers if one.confidently_wrong] == []


def test_a_report_whose_facts_do_not_suffice_is_told_what_to_send(answers):
    silent = [one.id for one in answers if not one.top and not one.asks]

    assert silent == []


def test_every_id_that_names_a_cause_is_one_of_ours():
    from compat.verdict.rules import RULES

    ours = {issue.id for issue in MATRIX.issues()} | {rule.id for rule in RULES}
    named = {
        identity for ids in scoring.read_toml(scoring.FOLDER / "causes.toml")["names"].values() for identity in ids
    }

    assert named <= ours
