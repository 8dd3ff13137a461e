"""Whether other packages of the question go with a TensorFlow: wheels, what each requires of the other, repairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from compat.matrix import addresses, query, requires
from compat.matrix.model import Repair
from compat.matrix.versions import contains, is_final, newest, order, ranges
from compat.plan.evidence import chain
from compat.plan.evidence.chain import Fact, Stands
from compat.plan.evidence.ground import Ground
from compat.plan.evidence.question import Part, admitted
from compat.plan.evidence.standing import Standing, issue_holds, packages_of


def accompanied(parts: Sequence[Part], standing: Standing, ground: Ground) -> tuple[Standing, list[Fact]]:
    """Return the facts of the other packages, and the pair with only the Pythons that all of them leave.

    Of each package its newest version that goes with this TensorFlow, or why none of them does.
    """
    facts: list[Fact] = []
    for part in parts:
        versions = admitted(part, (part.name,), ground.matrix)
        answers = [list(_one(part.name, version, standing, ground)) for version in versions]
        good = next((at for at, found in enumerate(answers) if not against(found)), None)
        if good is not None:
            common = _common(part.name, versions[good], standing, ground)
            standing, facts = replace(standing, pythons=common), facts + answers[good]
        else:
            facts += against(answers[0]) if answers else [none_meets(part, (part.name,), ground)]
    return standing, facts


def against(facts: Sequence[Fact]) -> list[Fact]:
    """Return those that speak against."""
    return [fact for fact in facts if fact.stands is Stands.AGAINST]


def none_meets(part: Part, names: Sequence[str], ground: Ground) -> Fact:
    """Return that no release meets the set, with the newest there is."""
    rows = [row.version for name in names for row in ground.matrix.releases(name)]
    last = newest(filter(is_final, rows)) or newest(rows)
    there = f"; the newest is {last}" if last else ""
    text = f"no release of {part.name} meets {part.specifier or 'the question'}{there} (index of {ground.matrix.date})"
    source, url = addresses.release(part.name), addresses.release_url(part.name)
    return Fact(stands=Stands.AGAINST, text=text, source=source, url=url, tier="installs")


def _one(name: str, version: str, standing: Standing, ground: Ground) -> Iterator[Fact]:
    yield from _installs(name, version, standing, ground)
    yield from _required_by_tensorflow(name, version, standing, ground)
    yield from _requires_tensorflow(name, version, standing, ground)
    yield from _repaired(name, version, standing, ground)
    packages = packages_of(standing.pair) | {name: version}
    about = {name, "tensorflow"}
    rows = [
        row
        for row in ground.matrix.issues()
        if row.withdrawn is None and issue_holds(row, packages, ground.place) and row not in standing.issues
    ]
    named = [row for row in rows if about & {part.package or "" for part in row.affects}]
    yield from chain.issues(named, blocking=[row for row in named if row.severity == "error"])


def _installs(name: str, version: str, standing: Standing, ground: Ground) -> Iterator[Fact]:
    """A wheel, or sources to build, for a Python that TensorFlow has wheels for too."""
    own = ground.pythons(name, version)
    if own or not _source(name, version, ground):
        yield from chain.wheel(name, version, ground)
    if standing.pythons and not _common(name, version, standing, ground) and (own or _source(name, version, ground)):
        text = f"no Python has both: {name} {version} is for {ranges(own) or _asks(name, version, ground)},"
        text += f" {standing.distribution} {standing.pair.tensorflow} for {ranges(standing.pythons)}"
        yield _of_release(name, version, Stands.AGAINST, text)
    elif not own and _source(name, version, ground):
        yield _of_release(name, version, Stands.NOTE, f"{name} {version} would be built from source")


def _common(name: str, version: str, standing: Standing, ground: Ground) -> tuple[str, ...]:
    """The pair's Pythons for which the other package has a wheel, or whose sources admit them."""
    own = ground.pythons(name, version)
    if own or not _source(name, version, ground):
        return tuple(python for python in standing.pythons if python in own)
    asks = _asks(name, version, ground)
    return tuple(python for python in standing.pythons if not asks or contains(asks, python))


def _source(name: str, version: str, ground: Ground) -> bool:
    row = query.release(ground.matrix, name, version)
    return row is not None and row.has_sdist


def _asks(name: str, version: str, ground: Ground) -> str:
    row = query.release(ground.matrix, name, version)
    return (row.requires_python if row else None) or ""


def _of_release(name: str, version: str, stands: Stands, text: str) -> Fact:
    where, url = addresses.release(name, version), addresses.release_url(name, version)
    return Fact(stands=stands, text=text, source=where, url=url, tier="installs")


def _required_by_tensorflow(name: str, version: str, standing: Standing, ground: Ground) -> Iterator[Fact]:
    if standing.distribution is not None:
        yield from _admits(standing.distribution, standing.pair.tensorflow, (name,), version, standing, ground)


def _requires_tensorflow(name: str, version: str, standing: Standing, ground: Ground) -> Iterator[Fact]:
    yield from _admits(name, version, query.TENSORFLOWS, standing.pair.tensorflow, standing, ground)


def _admits(
    owner: str, owned: str, names: Sequence[str], version: str, standing: Standing, ground: Ground
) -> Iterator[Fact]:
    """Yield what the wheel of one requires of the other, where it names it."""
    for requirement in _requirements(owner, owned, standing, ground):
        if canonicalize_name(requirement.name) not in names or not str(requirement.specifier):
            continue
        fits = contains(str(requirement.specifier), version)
        text = f"{owner} {owned} requires {requirement.name}{requirement.specifier}"
        text += f", which {'admits' if fits else 'leaves out'} {version}"
        stands = Stands.FOR if fits else Stands.AGAINST
        yield _of_release(owner, owned, stands, text)


def _requirements(name: str, version: str, standing: Standing, ground: Ground) -> Iterator[Requirement]:
    """The requirements of a release's wheel that hold here, for the newest Python in question."""
    row = query.release(ground.matrix, name, version)
    pythons = standing.pythons or ground.place.pythons()
    target = ground.place.target(max(pythons, key=order))
    wheel = query.wheel_for(row, target) if row else None
    yield from requires.requirements(wheel, target) if wheel else ()


def _repaired(name: str, version: str, standing: Standing, ground: Ground) -> Iterator[Fact]:
    """Yield a measured failure that a version outside a repair's set brings back."""
    if standing.distribution is None:
        return
    rows = query.repairs_for(ground.matrix, standing.distribution, standing.pair.tensorflow, ground.place.python)
    for row in rows:
        wanted = Requirement(row.requirement)
        if canonicalize_name(wanted.name) == name and not contains(str(wanted.specifier), version):
            yield _repair(row, name, version)


def _repair(row: Repair, name: str, version: str) -> Fact:
    text = f"with {name} {version} its {row.step} step fails: {row.failure}; {row.requirement} mends it"
    url = row.sources[0] if row.sources else ""
    return Fact(stands=Stands.AGAINST, text=text, source=f"repairs: {row.id}", url=url, tier="runs")
