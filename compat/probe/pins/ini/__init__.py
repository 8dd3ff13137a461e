"""setup.cfg and tox.ini."""
