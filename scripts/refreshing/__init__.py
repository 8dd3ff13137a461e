"""From a package index to `matrices/releases/`: ask, choose, read the metadata, write, tell what changed."""
