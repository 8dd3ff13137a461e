"""Every fault at every step: the old state or the new one, said so, and the next run works."""
