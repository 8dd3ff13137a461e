"""Python files: setup.py and noxfile.py by their syntax tree, script headers (PEP 723)."""
