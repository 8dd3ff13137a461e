"""What a pair of versions has reached on a machine, and the shortest chain of facts behind it.

``question`` reads what is asked, ``ground`` finds where each pair stands, ``proof`` and ``chain`` put facts in order,
``why`` answers; ``grid`` does it for every pair at once.
"""
