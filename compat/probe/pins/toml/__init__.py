"""Manifests in TOML: pyproject.toml in all its dialects, pixi.toml, Pipfile."""
