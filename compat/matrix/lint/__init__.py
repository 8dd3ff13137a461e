"""Lint of a matrix, in scopes: each file, each row, all rows together, and the tree with what was made of it.

It reads the TOML files and holds the compiled form to them. Every problem has an address and the name of its check.
"""

from compat.matrix.lint.across import link_reference
from compat.matrix.lint.problem import CHECKS, SCOPES, Problem
from compat.matrix.lint.run import fixes, lint
from compat.matrix.lint.text import Fix

__all__ = ["CHECKS", "SCOPES", "Fix", "Problem", "fixes", "link_reference", "lint"]
