"""Signatures match letter by letter, a gap stays on its line, wrapping makes no difference."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compat.matrix.signatures import is_on, is_wrapped_in, plain, squeezed
from tests.ending import ending

MISSING = "Symbol not found: _TF_X"


@pytest.mark.parametrize(
    "signature, line, expected",
    [
        (MISSING, "NotFoundError: Symbol not found: _TF_X (in …)", True),
        (MISSING, "symbol not found: _TF_X", False),
        (MISSING, "Symbol not found: _TF_Y", False),
        (
            "requirement tensorflow==2.9…(from versions: 2.13",
            "requirement tensorflow==2.9.1 (from versions: 2.13.0)",
            True,
        ),
        (
            "requirement tensorflow==2.9…(from versions: 2.13",
            "(from versions: 2.13.0) requirement tensorflow==2.9.1",
            False,
        ),
        ("a cause…and…its effect", "a cause and then its effect", True),
        ("a cause…and…its effect", "a cause, its effect and", False),
        ("module 'numpy' has no attribute", "module ‘numpy’ has  no attribute", True),
    ],
)
def test_pieces_follow_each_other_on_the_line(signature, line, expected):
    assert is_on(signature, plain(line)) is expected


@pytest.mark.parametrize(
    "wrapped", ["Symbol not\n   found: _TF_X", "> Symbol not found:\n> _TF_X", "│ Symbol no\n│ t found: _TF_X"]
)
def test_wrapping_quoting_and_boxes_make_no_difference(wrapped):
    assert is_wrapped_in(MISSING, squeezed(wrapped)) >= 0


def test_a_gap_in_wrapped_text_does_not_join_what_stands_far_apart():
    near, far = "long beginning" + "x" * 100 + "its end", "long beginning" + "x" * 5000 + "its end"

    assert is_wrapped_in("long beginning…its end", squeezed(near)) >= 0
    assert is_wrapped_in("long beginning…its end", squeezed(far)) == -1


@given(before=st.text(max_size=40), after=st.text(max_size=40))
def test_a_signature_is_found_whatever_stands_around_it(before, after):
    assert is_on(MISSING, plain(f"{before} {MISSING} {after}"))


def test_a_hostile_text_costs_no_more_than_its_length():
    text = "aaaaaaaa" * 250_000

    with ending():
        assert not is_on("aaaaaaaa…aaaaaaab…b", text)
