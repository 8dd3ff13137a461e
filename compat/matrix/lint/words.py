"""The words and limits rows are held to, beside those of ``compat.matrix.model``."""

from __future__ import annotations

from compat.matrix.model import TIERS

SEVERITIES = ("error", "warning", "info")
SOURCE_KINDS = ("report", "article", "note", "vendor", "index", "measured")
RULE_FAMILIES = ("MAC", "PY", "TF", "BIN", "PIN", "NUM", "TRN")
RESULTS = {"works": TIERS, "fails-to-load": ("imports",), "fails-to-run": ("runs",), "wrong-numbers": ("agrees",)}
"""What a run can come to, and the tiers at which it can come to that."""

STEPS = ("import", "fit", "save", "tensorboard")
PYTHON_ORIGINS = ("python.org", "uv", "homebrew", "conda-forge", "xcode")
PYTHON_BINARIES = ("arm64", "universal2", "none")
MACOS_LOCK_TIERS = ("installs", "links")
"""No Mac verifies a lock where locks are made, so none may claim more."""

NOTE = "note:"
"""Begins the url of a public note whose address was not kept; allowed to sources of kind ``note`` alone."""

PERSONAL = (
    "/Users/", "/home/", "/root/", "/opt/", "/private/", "/var/", "~/", ":\\", "://", "github.com", "site-packages",
)  # fmt: skip
"""Pieces of a place, a person or a project; an error text that holds one matches only its reporter's machine."""

AT_WORDS = ("rpath", "loader_path", "executable_path", "tf.function")
"""What may stand behind an ``@`` in an error text: dyld's own words (dyld(1)) and TensorFlow's decorator."""

PATTERN = (".*", ".+", "\\d", "\\w", "\\s", "[^", "(?")
"""Pieces of a regular expression: signatures are compared letter by letter."""

DESTRUCTIVE = ("rm ", "sudo ", "rmdir ", "del ", "--break-system-packages")

GAP = "…"
"""Stands in a signature for any text on the same line."""

SHORTEST_SIGNATURE = 12
SHORTEST_BEGINNING = 8
"""Characters before the first gap, so that looking for a signature is looking for a text."""

LONGEST_SIGNATURE = 300
SHA256_LENGTH = 64
FIRST_TENSORFLOW = "2015-11-09"
LARGEST_SIZE = 1 << 40
"""Bytes of one file; a TensorFlow wheel is below a billion."""

MOST_ROWS = 5_000
"""Rows of one table; the largest there is has six hundred."""
