"""Judge what a pasted text states and shows: which known faults explain it, how surely, and what is not known.

``diagnose`` is the door; the other modules are its sources of causes (signatures, the loader's complaints, installers'
lists, the rules of doctor) and the picture of the machine that all of them ask.
"""
