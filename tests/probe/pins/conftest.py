"""The corpus of real files is other people's: its tests are there only where TFCOMPAT_PIN_CORPUS names a folder of it."""

import os

collect_ignore = [] if os.environ.get("TFCOMPAT_PIN_CORPUS") else ["test_corpus.py"]
