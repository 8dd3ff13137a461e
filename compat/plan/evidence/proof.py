"""The answer for one pair and the facts that prove it; why the others were not chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum

from packaging.version import Version

from compat.matrix import addresses
from compat.matrix.model import TIERS, Issue
from compat.matrix.versions import order
from compat.plan.evidence import chain
from compat.plan.evidence.chain import Fact, Stands
from compat.plan.evidence.ground import Ground
from compat.plan.evidence.standing import Place, Standing, blocking

_OTHERS = 3
"""Newer versions are passed over for a reason each; more lines than these are no short chain."""


class Word(str, Enum):
    """The answer in one word."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


def word_of(standing: Standing, place: Place) -> Word:
    """Return the answer for one pair: silence of the link proofs is no yes, and a run outweighs a known error."""
    if not standing.pythons:
        return Word.UNKNOWN if standing.source_only else Word.NO
    fails = standing.failed is not None and standing.failed != "agrees" and not standing.mixed
    if fails or blocking(standing, place):
        return Word.NO
    judged = standing.link is not None and standing.link.loads is not None
    if standing.pair.plugin is not None and not judged and not standing.seen:
        return Word.UNKNOWN
    return Word.YES


def proof_for(best: Standing, ground: Ground) -> Iterator[Fact]:
    """Every tier that is proved, lowest first, then what speaks against it."""
    pair, place = best.pair, ground.place
    yield from chain.carried(best, ground)
    yield from chain.wheel(best.distribution or "tensorflow", pair.tensorflow, ground, body=True)
    if pair.plugin is not None and pair.plugin_version is not None:
        yield from chain.wheel(pair.plugin, pair.plugin_version, ground)
    yield from chain.link(best)
    yield from chain.minimum_macos(best, place)
    yield from chain.runs_for(best, place)
    yield from chain.lock(best, ground)
    yield from chain.runs_against(best, place)
    yield from chain.issues(best.issues)


def proof_against(best: Standing, found: Sequence[Standing], ground: Ground) -> list[Fact]:
    """Only what decides, a run and a known problem that confirm it, and that the other candidates fare no better."""
    facts = list(decisive(best, ground)) or list(chain.link(best))
    if best.failed != "installs":
        facts += [fact for fact in chain.runs_against(best, ground.place, most=1) if fact not in facts]
        facts += chain.claims(best, ground)
    facts += chain.issues(_confirming(best, ground.place), blocking=blocking(best, ground.place))
    facts += _nor_others(best, found)
    return facts + (list(chain.loads_elsewhere(best, ground)) if best.failed == "links" else [])


def _confirming(best: Standing, place: Place) -> list[Issue]:
    """The known problems that say the same: errors (of no pair where wheels lack), and that of an older macOS."""
    errors = blocking(best, place)
    single = [row for row in best.issues if all(part.with_package is None for part in row.affects)]
    if best.needs_macos is not None:
        return [row for row in best.issues if row in errors or any(part.macos for part in row.affects)]
    return [row for row in errors if best.failed != "installs" or row in single]


def decisive(best: Standing, ground: Ground) -> Iterator[Fact]:
    """The facts at the tier at which the pair fails."""
    pair = best.pair
    if not best.pythons:
        name = best.distribution or _carrier_elsewhere(pair.tensorflow, ground) or ground.carriers[0]
        parts = [(name, pair.tensorflow, True)]
        if pair.plugin is not None and pair.plugin_version is not None:
            parts.append((pair.plugin, pair.plugin_version, False))
        for part, version, body in parts:
            yield from (fact for fact in chain.wheel(part, version, ground, body=body) if fact.stands is not Stands.FOR)
        yield from chain.common_python(best, ground)
    elif best.needs_macos is not None:
        yield from chain.minimum_macos(best, ground.place)
    elif best.failed == "links":
        yield from chain.link(best)
    elif best.failed is not None:
        yield from chain.runs_against(best, ground.place, most=1)


def _carrier_elsewhere(version: str, ground: Ground) -> str | None:
    """Return who carries that TensorFlow on this platform for another Python or macOS: its lack is the reason."""
    return Ground(Place(platform=ground.place.platform), ground.matrix, ground.carriers).carrier(version)


def _nor_others(best: Standing, found: Sequence[Standing]) -> Iterator[Fact]:
    """That no other admitted release of the plugin, and no other TensorFlow, fares better."""
    same = [one for one in found if one.pair.tensorflow == best.pair.tensorflow and one.pair != best.pair]
    others = [one for one in found if one.pair.tensorflow != best.pair.tensorflow]
    for name, ones in ((best.pair.plugin or "", same), ("TensorFlow", others)):
        if not ones or any(one.failed is None for one in ones):
            continue
        versions = sorted({_version(one, name) for one in ones}, key=order)
        tiers = sorted({one.failed or "" for one in ones}, key=TIERS.index)
        which = f"{versions[0]} to {versions[-1]}" if len(versions) > 1 else versions[0]
        text = (
            f"nor does any other release of {name} that is asked about ({which}): all fail at tier {' or '.join(tiers)}"
        )
        yield Fact(stands=Stands.AGAINST, text=text, source=_table(best, tiers), url=_page(best), tier=tiers[-1])


def _version(one: Standing, name: str) -> str:
    return one.pair.tensorflow if name == "TensorFlow" else one.pair.plugin_version or ""


def _table(best: Standing, tiers: Sequence[str]) -> str:
    if best.link is not None and tiers != ["installs"]:
        return addresses.pairs_of(best.link.plugin, best.link.arch)
    return addresses.release(best.pair.plugin or best.distribution or "tensorflow")


def _page(best: Standing) -> str:
    return (
        best.link.source if best.link else addresses.release_url(best.pair.plugin or best.distribution or "tensorflow")
    )


def passed_over(best: Standing, found: Iterable[Standing], ground: Ground) -> Iterator[Fact]:
    """Why nothing newer was chosen: another plugin release, then each newer TensorFlow's best pair, by reason."""
    tensorflows: dict[str, Standing] = {}
    plugins: list[Standing] = []
    for one in found:
        if order(one.pair.tensorflow) > order(best.pair.tensorflow):
            tensorflows.setdefault(one.pair.tensorflow, one)
        elif one.pair.tensorflow == best.pair.tensorflow and _plugin_order(one) > _plugin_order(best):
            plugins.append(one)
    yield from _passed(best.pair.plugin or "", plugins, best, ground)
    yield from _passed("TensorFlow", tensorflows.values(), best, ground)


def _plugin_order(one: Standing) -> Version:
    return order(one.pair.plugin_version or "0")


def _passed(name: str, ones: Iterable[Standing], best: Standing, ground: Ground) -> Iterator[Fact]:
    groups: dict[str, list[Standing]] = {}
    for one in ones:
        groups.setdefault(_lesser(one, best, ground.place), []).append(one)
    for reason, group in list(groups.items())[:_OTHERS]:
        versions = sorted((_version(one, name) for one in group), key=order)
        facts = [fact for one in group for fact in decisive(one, ground)] or list(proof_for(group[0], ground))
        text = f"not {name} {', '.join(versions)}: {reason}"
        yield Fact(stands=Stands.NOTE, text=text, source=facts[0].source, url=facts[0].url, tier=facts[0].tier)


def _lesser(one: Standing, best: Standing, place: Place) -> str:
    """Why one pair stands behind another: first what rules it out, then what is less well known of it."""
    known = blocking(one, place)
    same = one.pair.tensorflow == best.pair.tensorflow
    loads = "it cannot load" if same else f"no release of {one.pair.plugin} that is asked about loads on it"
    python = f" and Python {place.python}" if place.python else ""
    reasons = {
        f"no wheels for {chain.words(place)}{python}": not one.pythons,
        "built for a newer macOS": one.needs_macos is not None,
        loads: one.failed == "links",
        f"seen failing at tier {one.failed}": one.failed is not None,
        f"known problem {', '.join(row.id for row in known)}": bool(known),
        f"whether {one.pair.plugin} loads on it was not judged": word_of(one, place) is Word.UNKNOWN,
        f"known up to tier {one.reached} only": one.reached != best.reached,
        "no pins are shipped for it": not one.locks,
    }
    return next((reason for reason, holds in reasons.items() if holds), "its other packages do not fit")
