"""Conda's environments and lists."""
