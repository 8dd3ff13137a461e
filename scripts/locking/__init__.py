"""Resolve, mend, verify and write the environments under `matrices/locks/`; the logic behind `scripts/locks`.

`targets` says which environments, `cures` knows what a failure calls for, `index` and `wheels` find the one file a
machine takes, `uv` spells the commands, `mend` finds the repairs, `verify` runs an environment, `text` writes, `check`
reads everything again without trusting any of it.
"""
