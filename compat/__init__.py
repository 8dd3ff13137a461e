"""tfcompat: look, know, judge, decide, act, tell.

look    ``probe`` and ``smoke`` read the machine, the environment and the numbers into ``facts``
know    ``matrix`` answers what is known, with its evidence
judge   ``verdict`` turns facts and knowledge into findings
decide  ``plan`` turns a wish into a plan, or a refusal with its causes
act     ``builder`` carries a plan out through uv and undoes what failed
tell    ``report`` renders documents; ``cli`` wires the verbs
"""

__version__ = "0.1.0"
