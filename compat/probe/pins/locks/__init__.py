"""Lock files: what a resolver settled, each package with its version."""
