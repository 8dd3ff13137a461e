"""Read what people paste: logs, tracebacks, installers' complaints, issue forms, notebooks, captures.

It looks and does not judge: cleaned lines, the facts stated in them, the signatures found.
"""
