"""The walk through an export trie: no bytes make it go on without end or hold more than they have."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compat.errors import BadBinary
from compat.probe import trie
from compat.probe.trie import find_exports
from tests.limits import limits
from tests.probe.machobuilder import trie_of, uleb

NAMES = ["_a", "_ab", "_abab", "a" * 40, "ab" * 20, "b"]


def node(terminal, edges):
    out = uleb(len(terminal)) + terminal + bytes([len(edges)])
    return out + b"".join(label + b"\0" + uleb(child) for label, child in edges)


EDGES = st.lists(st.tuples(st.sampled_from([b"", b"_", b"a", b"b", b"ab", b"_a"]), st.integers(0, 130)), max_size=5)
TERMINALS = st.sampled_from([b"", uleb(0) + uleb(4096), uleb(8) + uleb(1) + b"_x\0", uleb(8), uleb(8) + b"\xff" * 12])


@settings(max_examples=500, deadline=None)
@given(st.lists(st.tuples(TERMINALS, EDGES), min_size=1, max_size=12))
def test_nodes_that_lead_anywhere_end_in_an_answer_or_a_refusal(nodes):
    """Children at random offsets: back, into the middle of nodes, beyond the end."""
    data = b"".join(node(*each) for each in nodes)

    with limits(calls=20_000, memory=1 << 20), contextlib.suppress(BadBinary):
        assert set(find_exports(memoryview(data), NAMES)) <= set(NAMES)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text("ab_", min_size=1, max_size=12), st.none(), max_size=30), st.data())
def test_a_damaged_trie_ends_in_an_answer_or_a_refusal(exports, data):
    hurt = bytearray(trie_of(exports))
    for _ in range(min(len(hurt), 4)):
        hurt[data.draw(st.integers(0, len(hurt) - 1))] = data.draw(st.integers(0, 255))

    with limits(calls=20_000, memory=1 << 20), contextlib.suppress(BadBinary):
        find_exports(memoryview(bytes(hurt)), [*exports, *NAMES])


@pytest.mark.parametrize("absurd", [uleb(1 << 62) + b"\0", b"\0\1" + b"a" * (40 << 20)], ids=["terminal", "edge"])
def test_a_node_that_claims_the_whole_file_is_not_copied_whole(absurd):
    data = memoryview(absurd + bytes((40 << 20) - len(absurd)) if len(absurd) < 40 << 20 else absurd)

    with limits(calls=1000, memory=2 * trie.NODE_LIMIT + (1 << 20)), pytest.raises(BadBinary, match="16,777,216 bytes"):
        find_exports(data, ["a"])


def test_a_node_of_255_long_edges_is_read():
    names = {f"{chr(33 + n % 90)}{n:03}" + "x" * 4000: None for n in range(250)}

    assert set(find_exports(memoryview(trie_of(names)), names)) == set(names)
