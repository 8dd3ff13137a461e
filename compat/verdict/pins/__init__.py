"""Pins judged: what a file admits on each target, what would be taken today, and whether that works."""
