"""Of what uv says where it fails the first and the last cause are told, and what to do is found by all of them."""

import pytest

from compat.builder.complaints import complaint, hint_for, shortened
from compat.process import Completed

URL = "https://mirror.example.org/20261110/cpython-3.12.16-aarch64-apple-darwin-install_only.tar.gz"
MISSING = f"""\
Using CPython 3.11.7 interpreter at: /opt/cpython-3.11.7/bin/python
error: Failed to download `{URL}`
  cause: error sending request for url ({URL})
  cause: HTTP status client error (404 Not Found) for url ({URL})
"""
TREE = """\
Resolved 1 package in 2ms
  × No solution found when resolving dependencies:
  ╰─▶ Because nowhere was not found in the cache and you require nowhere, we can
      conclude that your requirements are unsatisfiable.

hint: Packages were unavailable because the network was disabled.
"""
MISMATCH = """\
error: Failed to download `helper==1.0`
  cause: Hash mismatch for `helper==1.0`

         Expected:
           sha256:aaaa

         Computed:
           sha256:bbbb
"""
OLDER = "warning: something\nerror: No interpreter found for Python 3.12 in managed installations or search path\n"


def ended(stderr):
    return Completed(argv=("uv",), returncode=2, stdout="", stderr=stderr, seconds=0.1)


@pytest.mark.parametrize(
    "stderr, expected",
    [
        (MISSING, f"Failed to download `{URL}`: HTTP status client error (404 Not Found)"),
        (
            MISMATCH,
            (
                "Failed to download `helper==1.0`: Hash mismatch for `helper==1.0`"
                " Expected: sha256:aaaa Computed: sha256:bbbb"
            ),
        ),
        (OLDER, "No interpreter found for Python 3.12 in managed installations or search path"),
        ("", "uv ended with code 2"),
    ],
    ids=["missing", "mismatch", "plain", "silent"],
)
def test_the_error_and_its_last_cause_are_told_on_one_line(stderr, expected):
    assert shortened(complaint(ended(stderr))) == expected


def test_what_cannot_be_resolved_is_told_with_its_tree():
    told = shortened(complaint(ended(TREE)))

    assert "Because nowhere was not found in the cache" in told
    assert "Resolved" not in told


@pytest.mark.parametrize(
    "stderr, offline, expected",
    [
        (MISSING, False, "UV_PYTHON_INSTALL_MIRROR"),
        (MISSING.replace(URL, "https://example.org/helper-1.0-py3-none-any.whl"), False, "check the network"),
        (MISMATCH, False, "do not install it"),
        (TREE, True, "run once without --offline"),
        (OLDER, False, "install that Python"),
        ("error: x\n  cause: No space left on device (os error 28)\n", False, "disk space"),
        ("error: nothing we know\n", False, ""),
    ],
)
def test_what_to_do_is_found_by_any_of_the_causes(stderr, offline, expected):
    assert expected in hint_for(complaint(ended(stderr)), offline=offline)
    assert expected or hint_for(complaint(ended(stderr)), offline=offline) == ""
