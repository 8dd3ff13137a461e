from __future__ import annotations

import pytest

from compat.verdict.rules.interpreter import RULES
from tests.verdict.rules.cases import complete, holds, ids, of
from tests.verdict.rules.cases_interpreter import CASES

MINE = of(RULES, CASES)


@pytest.mark.parametrize("case", MINE, ids=ids(MINE))
def test_a_rule_answers_as_its_case_claims(case):
    holds(case, RULES)


def test_every_rule_has_a_case_of_each_kind():
    assert complete(RULES, MINE) == []
