"""A second opinion on `matrices/links/`: the same wheels, read by lief; run by `scripts/oracle`."""
