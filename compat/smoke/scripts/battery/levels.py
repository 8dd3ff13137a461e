"""How much runs: quick within about an import's time, standard in a few times that, full as long as it takes."""

LEVELS = ("quick", "standard", "full")


class Level:
    """One of LEVELS, and what it includes."""

    def __init__(self, name):
        self.name, self._rank = name, LEVELS.index(name)

    def runs(self, level):
        """Whether what belongs to `level` runs here."""
        return LEVELS.index(level) <= self._rank
