"""How rows are cited."""

from __future__ import annotations

import pytest

from compat.matrix import addresses
from compat.matrix.load import load
from tests.matrix.trees import good


@pytest.fixture
def matrix(tmp_path):
    return load(good(tmp_path))


def test_each_address_names_a_file_of_the_tree_and_a_row_in_it(matrix):
    pair, lock = matrix.links()[0], matrix.locks()[0]
    cited = [addresses.release("tensorflow", "2.18.1"), addresses.pair(pair), addresses.lock(lock)]
    cited.append(addresses.binary(matrix.plugin_binaries()[0]))

    for address in cited:
        file, _, row = address.partition(": ")
        text = (matrix.root / file).read_text("utf-8")
        assert all(word in text for word in row.replace(" + ", " ").split())
    assert addresses.release("tensorflow") == "releases/tensorflow.toml"


def test_curated_rows_are_cited_by_id_with_their_first_source(matrix):
    issue, run = matrix.issues()[0], matrix.observed()[0]

    assert (addresses.issue(issue), addresses.observation(run)) == ("issues: ISS001", "observed: OBS001")
    assert addresses.first_url(issue) == "https://github.com/tensorflow/tensorflow/issues/84167"


@pytest.mark.parametrize(
    ("version", "url"),
    [("2.18.1", "https://pypi.org/project/tensorflow/2.18.1/"), (None, "https://pypi.org/project/tensorflow/")],
)
def test_a_release_rests_on_the_page_of_the_index(version, url):
    assert addresses.release_url("tensorflow", version) == url
