"""An index's pages are read in both spellings, and credentials go where the index is and nowhere else."""

import pytest

from compat.builder import pages
from compat.builder.fetch import Limits
from compat.errors import CannotAct
from tests.builder.loopback import serving
from tests.builder.tiny_index import sha256, wheel

LIMITS = Limits(bytes=1_000_000, seconds=2.0, silence=0.5, whose="a page of an index may have")


@pytest.fixture
def index(tmp_path):
    wheel(tmp_path, "demo", "1.0")
    wheel(tmp_path, "demo", "2.0")
    with serving(tmp_path) as found:
        yield found


@pytest.mark.parametrize("only_html", [False, True], ids=["PEP 691", "PEP 503"])
def test_what_a_page_lists_is_told_with_its_hash_and_its_whole_address(index, only_html):
    index.only_html = only_html
    found = pages.listed("Demo", index.url, LIMITS)

    assert [(row.file, row.url, row.sha256) for row in found] == [
        (name, f"{index.root}/files/{name}", sha256(index.folder / name))
        for name in ("demo-1.0-py3-none-any.whl", "demo-2.0-py3-none-any.whl")
    ]


def test_a_project_the_index_has_not_is_no_file_and_no_error(index):
    assert pages.listed("nowhere", index.url, LIMITS) == ()


@pytest.mark.parametrize("fault", ["broken", "drop", "garbage", "endless", "stall", "denied"])
def test_a_page_that_cannot_be_read_is_one_line(index, fault):
    index.fail("demo", fault)
    if fault == "garbage":
        assert pages.listed("demo", index.url, LIMITS) == ()
        return
    with pytest.raises(CannotAct, match=r"127\.0\.0\.1") as raised:
        pages.listed("demo", index.url, LIMITS)
    assert "\n" not in raised.value.message


@pytest.mark.parametrize("body", [b"{", b'{"files": 1}', b'{"files": [1]}', b'{"files": [{"filename": "x"}]}', b"{}"])
def test_json_that_is_no_page_is_called_that(index, body):
    index.others["/other/demo/"] = body

    with pytest.raises(CannotAct, match="is no page of an index"):
        pages.listed("demo", f"{index.root}/other", LIMITS)


def test_credentials_are_given_to_the_index_and_to_files_on_its_host(index):
    index.credentials = ("someone", "s3cr3t")
    address = index.url_as("someone", "s3cr3t")

    assert all("//someone:s3cr3t@127.0.0.1" in row.url for row in pages.listed("demo", address, LIMITS))


def test_credentials_are_not_given_to_another_host(index):
    index.others["/other/demo/"] = b'<a href="https://files.example.org/demo-1.0-py3-none-any.whl">demo</a>'
    address = index.url_as("someone", "s3cr3t").replace("/simple", "/other")

    assert [row.url for row in pages.listed("demo", address, LIMITS)] == [
        "https://files.example.org/demo-1.0-py3-none-any.whl"
    ]


@pytest.mark.parametrize(
    "variables, expected",
    [
        ({}, ("https://pypi.org/simple",)),
        ({"UV_DEFAULT_INDEX": "https://a.org/simple/"}, ("https://a.org/simple",)),
        ({"UV_DEFAULT_INDEX": "mine=https://a.org/simple"}, ("https://a.org/simple",)),
        ({"UV_INDEX_URL": "https://a.org/simple"}, ("https://a.org/simple",)),
        (
            {"UV_INDEX": "one=https://b.org/x https://c.org/y", "UV_EXTRA_INDEX_URL": "https://d.org"},
            ("https://b.org/x", "https://c.org/y", "https://d.org", "https://pypi.org/simple"),
        ),
    ],
)
def test_the_indexes_are_those_of_uvs_variables_in_its_order(variables, expected):
    assert pages.indexes(variables) == expected
    assert pages.is_own(variables) == (expected != ("https://pypi.org/simple",))
