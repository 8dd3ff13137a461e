"""What would make a pair work: another plugin, another TensorFlow, a bound; each goes with the file's other pins."""

from __future__ import annotations

from collections.abc import Iterator

from compat.matrix import query
from compat.matrix.versions import is_final, order
from compat.verdict.pins.case import Case, next_minor
from compat.verdict.pins.finding import Cure
from compat.verdict.pins.situation import Placed
from compat.verdict.pins.trusted import is_named
from compat.verdict.pins.wanted import Outcome, Taken, sets_of


def ways_out(outcome: Outcome, case: Case) -> tuple[str, tuple[Cure, ...]]:
    """Return, in words and as cures, another plugin for this TensorFlow, or else the newest pair that loads."""
    plugin, taken = outcome.plugin, outcome.tensorflow[0] if outcome.tensorflow else None
    if plugin is None or taken is None or outcome.body is None:
        return "", ()
    target = case.situation.target(outcome.python)
    arch = case.platform.partition("-")[2]
    offered = set(case.offers.installable(plugin.name, target))
    loadable = query.loadable_plugins(case.matrix, outcome.body, arch, plugin.name)
    fitting = [
        row
        for row in loadable
        if row in offered and case.resolver.is_sound(outcome.body, plugin.name, row, case.situation)
    ]
    if fitting:
        cure = Cure(path=plugin.wanted.first.path, pin=plugin.wanted.first.pin, specifier=f"=={fitting[0]}")
        return f"; {plugin.name} {fitting[0]} can", (cure,)
    best = best_pair(taken.name, plugin, outcome.python, case)
    if best is None:
        return f"; no {plugin.name} release can{_known_pair(plugin, case)}", ()
    version, release = best
    return f"; no {plugin.name} release can: the newest pair that does is TensorFlow {version} with {release}", (
        *_set(taken, version, plugin.wanted.first),
        *_set(plugin, release, plugin.wanted.first, keep=True),
    )


def _set(taken: Taken, version: str, plugin: Placed, *, keep: bool = False) -> Iterator[Cure]:
    """The cure that leads a pin to a version; one that admits it already stays where that is enough."""
    row = taken.wanted.first
    if keep and taken.wanted.admits(version):
        return
    exact = row.pin.specifier.startswith("==") or (row.pin.admits or ("",))[0].startswith("==")
    specifier = f"=={version}" if exact else f">={version},<{next_minor(version)}"
    yield _changed(row, specifier, plugin)


def _known_pair(plugin: Taken, case: Case) -> str:
    """The newest pair there is, where other pins keep it out: they have to follow it."""
    arch = case.platform.partition("-")[2]
    for version in filter(is_final, case.offers.everywhere("tensorflow")):
        if query.loadable_plugins(case.matrix, version, arch, plugin.name):
            return f": TensorFlow {version} is the newest that one loads on, and other pins keep it out"
    return ""


_SPLITS = {
    "sys_platform == 'darwin'": "sys_platform != 'darwin'",
    "platform_system == 'Darwin'": "platform_system != 'Darwin'",
    "sys_platform == 'darwin' and platform_machine == 'arm64'": (
        "sys_platform != 'darwin' or platform_machine != 'arm64'"
    ),
}
"""How people say where the plugin is installed, and what says the rest."""


def _changed(row: Placed, specifier: str, plugin: Placed) -> Cure:
    """The cure of a pin; where only the plugin is kept to Macs, others keep the TensorFlow they have."""
    marker = " ".join(plugin.pin.marker.replace('"', "'").split())
    rest, writing = _SPLITS.get(marker), row.pin.writing
    if rest is None or row.pin.marker or row == plugin or writing is None or writing.spelling not in ("pep440", "word"):
        return Cure(path=row.path, pin=row.pin, specifier=specifier)
    extras = f"[{','.join(row.pin.extras)}]" if row.pin.extras else ""
    return Cure(path=row.path, pin=row.pin, marker=rest, add=f"{row.pin.name}{extras}{specifier}; {marker}")


def best_pair(name: str, plugin: Taken, python: str, case: Case) -> tuple[str, str] | None:
    """Return the newest TensorFlow of a name that goes with the other pins, and a plugin it works with, there.

    A plugin that the file's own pin admits comes before others, one that the vendor names for it before newer ones.
    """
    offered = case.offers.installable(plugin.name, case.situation.target(python))
    own = plugin.wanted.among(offered)
    for version in case.resolver.free(case.situation, python, name):
        body = case.offers.body(name, version, case.situation.target(python))
        for releases in (own, tuple(filter(is_final, offered))) if body else ():
            fitting = [
                row for row in releases if body and case.resolver.is_sound(body[1], plugin.name, row, case.situation)
            ]
            if fitting and body:
                return version, max(fitting, key=lambda row: is_named(case.matrix, body[1], plugin.name, row))
    return None


def bound(outcome: Outcome, case: Case) -> tuple[str, tuple[Cure, ...]]:
    """Return, in words and as cures, the bound under which the newest admitted pair works."""
    if outcome.working is None or outcome.plugin is None:
        return "", ()
    version, release = outcome.working
    taken = outcome.tensorflow[0]
    below = upper_bound(taken, version, outcome, case)
    said = f"; {version} with {release} can: add {taken.name}{below}"
    row = taken.wanted.first
    cures = [_changed(row, _with(row, below), outcome.plugin.wanted.first)]
    if release != outcome.plugin.version:
        plugin = outcome.plugin.wanted.first
        cures.append(Cure(path=plugin.path, pin=plugin.pin, specifier=f"=={release}"))
        said += f" and {outcome.plugin.name}=={release}"
    return said, tuple(cures)


def upper_bound(taken: Taken, version: str, outcome: Outcome, case: Case) -> str:
    """Return the roundest bound that makes a version the newest: below the next minor, else up to the version."""
    target = case.situation.target(outcome.python)
    above = next_minor(version)
    between = [row for row in case.offers.installable(taken.name, target) if order(row) > order(version)]
    return f"<={version}" if any(order(row) < order(above) for row in between) else f"<{above}"


def _with(row: Placed, bound: str) -> str:
    """The pin's own set with the bound in place of an upper one it may have."""
    sets = sets_of(row.pin)
    clauses = [part.strip() for part in (sets[0] if sets else "").split(",") if part.strip()]
    kept = [part for part in clauses if not part.startswith("<") and not part.startswith("~=")]
    kept += [f">={part[2:]}" for part in clauses if part.startswith("~=")]
    return ",".join([*kept, bound])
