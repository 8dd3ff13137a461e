"""What the statements of a text, taken together, say of one machine: for each fact the values it may have.

What tools print outweighs what people tell; a more exact value replaces the range that holds it; values that contradict
each other stand side by side, and then nothing follows from that fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from compat.facts.machine import platform_architecture
from compat.facts.pasted import ASKED, FAILED, MACHINE, SAID, SEEN, Pasted, Stated
from compat.matrix.load import Matrix
from compat.matrix.query import APPLE_PLUGIN, TENSORFLOWS
from compat.matrix.versions import contains, order
from compat.verdict.diagnose.captured import stated_in

_RANKS = (SEEN, FAILED, SAID, ASKED)
_TOLD = (FAILED, SAID)
_CONTAINERS = frozenset({"docker", "dockerfile", "container", "containers", "podman", "colima", "devcontainer"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The machine and environment as far as the text tells."""

    packages: dict[str, tuple[Stated, ...]]
    """Normalized name to the versions it may have."""
    asked: dict[str, tuple[Stated, ...]]
    """What installers were asked for."""
    python: tuple[str, ...] = ()
    os: tuple[str, ...] = ()
    macos: tuple[str, ...] = ()
    chip: tuple[str, ...] = ()
    hardware: tuple[str, ...] = ()
    process: tuple[str, ...] = ()
    """``arm64`` or ``x86_64``: what Python runs as."""
    process_assumed: bool = False
    """Whether that is only what is usual on such a chip."""
    shim: bool = False
    """Whether programs are told macOS 10.16."""
    rosetta: bool = False
    container: bool = False
    """Whether the text speaks of a container: Docker, ``linux/amd64``."""
    wsl: str | None = None
    glibc: str | None = None
    speaks_of_tensorflow: bool = False

    @property
    def platforms(self) -> tuple[str, ...]:
        """The matrix's words for the platforms it may be; empty where the system is not known."""
        return tuple(f"{os}-{arch}" for os in self.os for arch in self._architectures(os))

    @property
    def any_process(self) -> tuple[str, ...]:
        """Return the platforms it may be whatever Python runs as."""
        return tuple(f"{os}-{platform_architecture(os, word)}" for os in self.os for word in ("arm64", "x86_64"))

    def _architectures(self, os: str) -> tuple[str, ...]:
        both = ("arm64", "x86_64")
        return tuple(dict.fromkeys(platform_architecture(os, word) for word in self.process or both))

    def versions(self, name: str) -> tuple[Stated, ...]:
        """Return the versions a package may have; ``TensorFlow`` in a sentence stands for the body of any name."""
        found = self.packages.get(name) or self.asked.get(name, ())
        if found or name not in TENSORFLOWS:
            return found
        for table in (self.packages, self.asked):
            others = [row for other in TENSORFLOWS for row in table.get(other, ()) if _may_stand_for(row, name)]
            if others:
                return tuple(others)
        return ()


def _may_stand_for(row: Stated, name: str) -> bool:
    """``tensorflow`` in an issue's conditions means whichever distribution carries it; prose names it loosely."""
    return name == "tensorflow" or row.how in _TOLD


def picture(pasted: Pasted, matrix: Matrix) -> Picture:
    """Return the picture that the statements draw, with what follows from the matrix's wheels."""
    by_name: dict[str, list[Stated]] = {}
    captured = tuple(stated_in(pasted.capture)) if pasted.capture else ()
    told = {row.name for row in captured}
    for row in (*captured, *(row for row in pasted.stated if row.name not in told)):
        by_name.setdefault(row.name, []).append(row)
    packages, asked = _packages(by_name, frozenset(item.name for item in pasted.offered))
    values = {name: _values(by_name.get(name, ())) for name in MACHINE}
    chip = _longest(values["chip"])
    os = _systems(by_name, packages)
    hardware = values["hardware"] or (("arm64",) if chip else ())
    process = tuple(dict.fromkeys(_architecture(value) for value in values["process"]))
    drawn = Picture(
        packages=packages,
        asked=asked,
        python=_longest(values["python"]),
        os=os,
        macos=_macos(values, matrix) if os == ("macos",) else (),
        chip=chip,
        hardware=hardware,
        process=process,
        shim=bool(values["shim"]),
        rosetta="rosetta" in by_name,
        container="container" in by_name or bool(_CONTAINERS & pasted.words),
        wsl=next(iter(values["wsl"]), None),
        glibc=next(iter(values["glibc"]), None),
        speaks_of_tensorflow=bool(pasted.words & {"tensorflow", "import_tensorflow"}),
    )
    return drawn if process else _with_process(drawn, matrix)


def _packages(
    by_name: dict[str, list[Stated]], refused: frozenset[str]
) -> tuple[dict[str, tuple[Stated, ...]], dict[str, tuple[Stated, ...]]]:
    """Return what is there and what was asked for; what an installer could not get is there only if a tool saw it."""
    there: dict[str, tuple[Stated, ...]] = {}
    asked: dict[str, tuple[Stated, ...]] = {}
    for name, rows in by_name.items():
        if name in MACHINE:
            continue
        wanted = [row for row in rows if row.how == ASKED]
        told = [row for row in rows if row.how == SEEN or (row.how in _TOLD and name not in refused)]
        if told:
            there[name] = _settled([*told, *(row for row in wanted if _refines(row, told) and name not in refused)])
        if wanted:
            asked[name] = _settled(wanted)
    return there, asked


def _refines(row: Stated, told: Sequence[Stated]) -> bool:
    return row.is_exact and any(not other.is_exact and _within(row, other) for other in told)


def _settled(rows: Sequence[Stated]) -> tuple[Stated, ...]:
    """Drop what weaker statements say against stronger ones, then ranges that a more exact value lies in."""
    strongest = min((_RANKS.index(row.how) for row in rows if row.value), default=None)
    if strongest is None:
        return tuple(rows[:1])
    best = [row for row in rows if row.value and _RANKS.index(row.how) == strongest]
    finer = [row for row in rows if row not in best and any(_within(row, other) for other in best)]
    kept = [row for row in (*best, *finer) if not any(_is_finer(other, row) for other in (*best, *finer))]
    return tuple({row.value: row for row in reversed(kept)}.values())


def _is_finer(one: Stated, other: Stated) -> bool:
    return one.value != other.value and _within(one, other)


def _within(one: Stated, other: Stated) -> bool:
    """Tell whether one statement's value lies in the other's range."""
    if one.is_range:
        return False
    return bool(one.value) and not other.is_exact and (not other.specifier or contains(other.specifier, one.value))


def _values(rows: Iterable[Stated]) -> tuple[str, ...]:
    """Return the values of the strongest kind of statement."""
    found = list(rows)
    strongest = min((_RANKS.index(row.how) for row in found), default=0)
    best = [row.value for row in found if _RANKS.index(row.how) == strongest]
    finer = [row.value for row in found if any(row.value.startswith(f"{value}.") for value in best)]
    return tuple(dict.fromkeys((*best, *finer)))


def _longest(values: Sequence[str]) -> tuple[str, ...]:
    """Drop values that another continues: ``3.11`` beside ``3.11.4``, ``Apple M1`` beside ``Apple M1 Pro``."""
    return tuple(v for v in values if not any(o != v and o.startswith((f"{v}.", f"{v} ")) for o in values))


def _systems(by_name: dict[str, list[Stated]], packages: dict[str, tuple[Stated, ...]]) -> tuple[str, ...]:
    """Return the systems it may be. An Apple chip or plugin outweighs a system that is only spoken of."""
    rows = by_name.get("os", ())
    found = _values(rows)
    told = any(row.value for row in packages.get(APPLE_PLUGIN, ()))
    mac = told or any(name in by_name for name in ("chip", "macos", "darwin"))
    if not found:
        return ("macos",) if mac or APPLE_PLUGIN in packages else ()
    if not mac and "wsl" in by_name and "linux" in found:
        return ("linux",)  # Windows is what it runs in
    if mac and all(row.how != SEEN or row.value == "macos" for row in rows):
        return ("macos", "linux") if "container" in by_name else ("macos",)
    return found


def _macos(values: dict[str, tuple[str, ...]], matrix: Matrix) -> tuple[str, ...]:
    names = {row.name: row.version for row in matrix.macos()}
    darwins = {str(row.darwin): row.version for row in matrix.macos()}
    told = tuple(names.get(value, value) for value in values["macos"])
    told = tuple(value for value in told if value[:1].isdigit() and int(value.split(".")[0]) >= 10)  # noqa: PLR2004
    if told:
        return _longest(told)
    return tuple(darwins[major] for value in values["darwin"] if (major := value.split(".")[0]) in darwins)


def _architecture(word: str) -> str:
    return {"aarch64": "arm64", "AMD64": "x86_64", "amd64": "x86_64"}.get(word, word)


def _with_process(drawn: Picture, matrix: Matrix) -> Picture:
    """Add what Python runs as: an Intel Mac runs nothing else; some releases have wheels for one architecture only."""
    if drawn.os != ("macos",):
        return drawn
    if drawn.hardware == ("x86_64",):
        return replace(drawn, process=("x86_64",))
    followed = _only_architecture(drawn, (APPLE_PLUGIN,), matrix)
    if followed and (not drawn.hardware or followed in drawn.hardware):
        return replace(drawn, process=(followed,))
    followed = _only_architecture(drawn, TENSORFLOWS, matrix)
    if followed:  # a version alone proves none: it may be wanted only, or be of conda, which has others
        is_native = drawn.hardware == (followed,)
        return replace(drawn, process=(followed,), process_assumed=not is_native)
    if drawn.hardware == ("arm64",) and not drawn.rosetta:
        return replace(drawn, process=("arm64",), process_assumed=True)
    return drawn


def _only_architecture(drawn: Picture, names: Sequence[str], matrix: Matrix) -> str | None:
    found: set[str] = set()
    for name in names:
        for row in drawn.packages.get(name, ()):
            tags = [_mac_tags(release.wheels) for release in matrix.releases(name) if fits(row, release.version)]
            kinds = {kind for tag in tags for kind in tag}
            if row.value and len(kinds) == 1:
                found |= kinds
    return found.pop() if len(found) == 1 else None


def _mac_tags(wheels: Iterable[object]) -> set[str]:
    tags = [str(getattr(wheel, "tag", "")) for wheel in wheels]
    return {kind for kind in ("arm64", "x86_64") if any("macosx" in tag and tag.endswith(kind) for tag in tags)}


def fits(row: Stated, version: str) -> bool:
    """Tell whether a release is one of those a statement may mean."""
    return not row.specifier or contains(row.specifier, version)


def releases_of(row: Stated, matrix: Matrix) -> tuple[str, ...]:
    """Return the versions a statement may mean, newest first: itself, or the releases of its range that are known."""
    if row.is_exact:
        return (row.value,)
    found = [item.version for item in matrix.releases(row.name) if fits(row, item.version)]
    if not found and row.value and not row.is_range:
        found = [f"{row.value}.0", f"{row.value}.99"]  # not in the matrix: its two ends
    return tuple(sorted(found, key=order, reverse=True))


def every(values: Iterable[str], test: Callable[[str], bool]) -> bool | None:
    """Tell whether all values pass (True), none does (False), or some do or there are none (None)."""
    answers = {test(value) for value in values}
    return answers.pop() if len(answers) == 1 else None
