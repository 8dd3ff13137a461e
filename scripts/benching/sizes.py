"""`doctor` on an environment of 400 distributions against one of 150: a real TensorFlow, filled up with tiny wheels.

The tiny ones ask for each other with markers and extras, as real ones do, and every wish is met: a fault would be extra
work in one environment and none in the other.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from benching.planted import Planted
from benching.workshop import Workshop, base_of, copied, site_packages

SIZES = (150, 400)
LIMIT = 1.5


def environments(healthy: Planted, python: Path, shop: Workshop) -> dict[int, Path]:
    """Make both, once; return their interpreters by size."""
    sys.path.insert(0, str(shop.root / "tests" / "builder"))
    import tiny_index

    packages = site_packages(python.parent.parent)
    present = len(list(packages.glob("*.dist-info")))

    def make(place: Path, count: int) -> None:
        wheels = place.with_name(f"{place.name}-wheels")
        wheels.mkdir(exist_ok=True)
        chance = random.Random(6)  # noqa: S311 - no secret
        for number in range(count):
            tiny_index.wheel(wheels, name(number), "1.0", wishes(chance, count))
        copied(packages, place, base_of(python), shop)
        found = ["--no-index", "--find-links", wheels, "--reinstall", "--no-cache"]
        shop.install(place / "bin" / "python", *found, *(name(number) for number in range(count)))

    made = {}
    for size in SIZES:
        recipe = [healthy.requirements, str(base_of(python)), size, present]
        made[size] = shop.once(f"size-{size}", recipe, lambda place, size=size: make(place, size - present))
    return {size: place / "bin" / "python" for size, place in made.items()}


def name(number: int) -> str:
    return f"tiny-{number:03}"


def wishes(chance: random.Random, count: int) -> list[str]:
    """Two to nine of the others, a third of them only with a marker and a third only with an extra."""
    kinds = ("", "; python_version >= '3.9'", "; extra == 'dev'")
    return [
        f"{name(number)}>=1.0{chance.choice(kinds)}" for number in chance.sample(range(count), chance.randint(2, 9))
    ]
