"""Derives ``matrices/links/`` from the Mach-O files inside the wheels of an index; run by ``scripts/links``."""
