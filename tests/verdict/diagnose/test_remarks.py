"""Lines of a healthy start quoted beside a complaint."""

import pytest

from compat.facts.pasted import Line
from compat.verdict.diagnose.signed import is_quiet
from tests.verdict.diagnose.telling import top

QUOTED = 'I get the message "Plugin optimizer for device_type GPU is enabled"'
MACHINE = "MacBook Pro M1, tensorflow-macos 2.8.0, tensorflow-metal 0.5.0"


@pytest.mark.parametrize(
    "complaint",
    [
        "my LSTM is much slower on the GPU than on the CPU, minutes an epoch",
        "the GPU is not used and an epoch of the bidirectional model is slower than on the CPU",
    ],
)
def test_the_complaint_is_answered_and_not_the_remark(complaint):
    assert top(f"{MACHINE}\n{QUOTED}, but {complaint}")[0] == "ISS051"


def test_without_a_complaint_the_remark_is_the_answer():
    assert top(f"MacBook Pro M1\n{QUOTED}. What does it mean?")[::2] == ("ISS128", "medium")


def test_beside_a_complaint_that_nothing_explains_it_is_hardly_the_answer():
    assert top(f"MacBook Pro M1\n{QUOTED}, yet the notebook hangs")[::2] == ("ISS128", "low")


def test_a_sentence_that_begins_with_i_is_no_log_line():
    assert not is_quiet(Line(number=1, text="I get this at every start"))
    assert is_quiet(Line(number=1, text="2023-01-01 10:00:00.1: I tensorflow/core/x.cc:1] enabled"))
    assert is_quiet(Line(number=1, text="W tensorflow/core/x.cc:1] slow"))
    assert not is_quiet(
        Line(number=1, text="2023-01-01 10:00:00.1: W tensorflow/op_kernel.cc:1] OP_REQUIRES failed at x")
    )
