"""Causes from a person's words that there is nothing to install, borne out by the wheels in ``releases/``.

What pip would have said of that package, on the stated machine, is computed from the wheels and put to the signatures
of the known problems: a note (``no arm64 wheel``) then leads where pip's own complaint leads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from compat.facts.machine import platform_architecture
from compat.facts.pasted import ASKED, NO_WHEEL, SEEN, Lacking, Pasted, Stated
from compat.matrix.load import Matrix
from compat.matrix.model import PLATFORMS, Issue, Target
from compat.matrix.query import APPLE_PLUGIN, PYTHONS, TENSORFLOWS
from compat.matrix.signatures import is_on, plain
from compat.matrix.tags import has_wheel
from compat.matrix.versions import is_final, minor, order, ranges
from compat.verdict.diagnose.affected import fit
from compat.verdict.diagnose.cause import LOW, MEDIUM, Cause
from compat.verdict.diagnose.fingerprint import is_wanted, serving
from compat.verdict.diagnose.offers import ADDONS, is_about_wheels
from compat.verdict.diagnose.picture import Picture
from compat.verdict.diagnose.refused import from_refused
from compat.verdict.finding import Evidence, Remedy
from compat.verdict.rules.remedies import NEW_ENVIRONMENT

_FAMILY = frozenset({*TENSORFLOWS, APPLE_PLUGIN, *ADDONS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """One package that is said to be lacking, and where."""

    said: Lacking
    name: str
    version: str
    """Empty: any."""
    platform: str
    pythons: tuple[str, ...]
    """Those that were stated; empty: any."""
    where: str
    """The platform in words."""
    is_assumed: bool
    """Whether the platform is only what is usual for what is stated."""

    @property
    def specifier(self) -> str:
        """Return the releases that are wanted, as PEP 440 has it."""
        return "" if not self.version else f"=={self.version}" if self.version.count(".") > 1 else f"=={self.version}.*"


def from_gaps(pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield a cause for what is said to be lacking and what the wheels show to be so."""
    if pasted.offered:
        return  # installers' own lists say more
    for said in pasted.lacking:
        if said.kind != NO_WHEEL:
            yield from from_refused(said, pasted, picture, matrix)
            continue
        for name, version in _packages(said, picture):
            found = [_cause(gap, picture, matrix) for gap in _gaps(said, name, version, picture)]
            if found and found[0] and all(found):
                # a text that ends with an error is not about the gap first of all
                yield replace(found[0], confidence=LOW, is_final=False) if pasted.errors else found[0]


def _gaps(said: Lacking, name: str, version: str, picture: Picture) -> Iterator[Gap]:
    """Yield the gap on each platform that it may be."""
    platforms, assumed = _platforms(said, picture)
    pythons = (said.python,) if said.python else tuple(dict.fromkeys(minor(value) for value in picture.python))
    for platform in platforms:
        yield Gap(
            said=said,
            name=name,
            version=version,
            platform=platform,
            pythons=pythons,
            where=platform if len(platforms) == 1 else "any platform it may be",
            is_assumed=assumed,
        )


def _platforms(said: Lacking, picture: Picture) -> tuple[tuple[str, ...], bool]:
    """Return the platforms it can be, and whether they are assumed; ``arm64`` without a system is the Mac's word."""
    known = picture.hardware if picture.process_assumed else picture.process or picture.hardware
    words = (said.architecture,) if said.architecture else known
    systems = picture.os or (("macos",) if words == ("arm64",) or said.name == APPLE_PLUGIN else ())
    if not systems and not words:
        return PLATFORMS, False
    if len(systems) != 1:
        return (), False
    if systems == ("macos",) and said.name == APPLE_PLUGIN:
        words = words or ("arm64",)  # the plugin is for its GPU
    both = () if words else ("arm64", "x86_64")
    found = tuple(dict.fromkeys(_platform(systems[0], word) for word in words or both))
    of_macs = bool(picture.os) or said.name == APPLE_PLUGIN
    return found, not of_macs or (picture.process_assumed and not said.architecture)


def _platform(os: str, word: str) -> str:
    return f"{os}-{platform_architecture(os, word)}"


def _packages(said: Lacking, picture: Picture) -> Iterator[tuple[str, str]]:
    """Yield what is lacking: what the line names, else what the text names of TensorFlow's family."""
    if said.name:
        yield said.name, said.version or _stated(said.name, picture)
        return
    installed = {name for name, rows in picture.packages.items() if any(row.how == SEEN for row in rows)}
    names = [name for name in dict.fromkeys((*picture.packages, *picture.asked)) if name in _FAMILY - installed]
    exact = [name for name in names if _stated(name, picture)]
    for name in exact:
        if not said.version or said.version in (_stated(name, picture), "") or len(exact) == 1:
            yield name, said.version or _stated(name, picture)


def _stated(name: str, picture: Picture) -> str:
    """Return the one version that is stated of a package; of tensorflow-text, made for one minor, that minor."""
    rows = [row.value for table in (picture.packages, picture.asked) for row in table.get(name, ()) if row.value]
    if not rows and name == "tensorflow-text":
        rows = list(dict.fromkeys(minor(row.value) for row in picture.versions("tensorflow") if row.value))
    return rows[0] if len(rows) == 1 and rows[0][:1].isdigit() else ""


def _cause(gap: Gap, picture: Picture, matrix: Matrix) -> Cause | None:
    rows = matrix.releases(gap.name)
    served = serving(gap.name, gap.specifier, gap.platform, matrix) if rows else ()
    lacks = not set(served) & set(gap.pythons) if gap.pythons else not served
    known = [row for row in rows if is_wanted(gap.specifier, row.version)]
    if rows and not (lacks and known) and not (gap.said.is_alias and gap.said.name == gap.name):
        return None
    issue = _issue(gap, picture, matrix)
    if not rows and issue is None:
        return None
    sure = bool(rows) and lacks and bool(gap.version or gap.pythons) and not (gap.is_assumed and gap.version == "")
    rule = issue.rule if issue and issue.rule else _rule(gap)
    return Cause(
        id=issue.id if issue else rule,
        issue=issue.id if issue else None,
        rule=rule,
        title=_title(gap, lacks=bool(rows) and lacks),
        confidence=MEDIUM if sure or (not rows and gap.version) else LOW,
        line=gap.said.line,
        remedy=_remedy(gap, served, issue, matrix),
        evidence=(Evidence(fact=_fact(gap, served), source=f"matrix: releases/{gap.name}", tier="installs"),)
        if rows
        else (),
        missing=_missing(gap),
        is_final=True,
        is_proved=bool(rows) and lacks,
    )


def _missing(gap: Gap) -> tuple[str, ...]:
    return (
        *(("process",) if gap.is_assumed else ()),
        *(() if gap.pythons else ("python",)),
        *(() if gap.version else (gap.name,)),
        "pip-list",
    )


def _title(gap: Gap, *, lacks: bool) -> str:
    if not lacks:
        return f"{gap.name}{gap.specifier} is said not to be had on {gap.where}"
    where = f"Python {ranges(gap.pythons)} on {gap.where}" if gap.pythons else gap.where
    return f"no wheel of {gap.name}{gap.specifier} for {where}"


def _fact(gap: Gap, served: tuple[str, ...]) -> str:
    what = f"{gap.name}{gap.specifier}"
    return f"{what} has wheels for Python {ranges(served)} on {gap.platform}" if served else _none(gap)


def _none(gap: Gap) -> str:
    return f"{gap.name}{gap.specifier} has no wheel on {gap.where}"


def _remedy(gap: Gap, served: tuple[str, ...], issue: Issue | None, matrix: Matrix) -> Remedy:
    words = [issue.remedy] if issue else []
    twins = [name for name in TENSORFLOWS if name != gap.name and gap.name in TENSORFLOWS and gap.version]
    for name in twins:
        pythons = serving(name, gap.specifier, gap.platform, matrix)
        if not served and pythons:
            words.insert(0, f"{name}{gap.specifier} has wheels for Python {ranges(pythons)} there")
    if served:
        words.insert(0, _fact(gap, served))
    return Remedy(
        text=". ".join(words) or "take a release that has a wheel there",
        commands=issue.commands if issue and issue.commands else (NEW_ENVIRONMENT,),
    )


def _rule(gap: Gap) -> str:
    if gap.name == APPLE_PLUGIN:
        return "PY205"
    return "TF316" if gap.name in ADDONS else "PY204"


def _issue(gap: Gap, picture: Picture, matrix: Matrix) -> Issue | None:
    """Return the known problem whose conditions hold, else the one whose signature is in most of pip's complaints."""
    about = [issue for issue in matrix.issues() if is_about_wheels(issue)]
    here = _here(gap, picture)
    for issue in about:
        rows = tuple(row for row in issue.affects if row.package == gap.name and row.with_package is None)
        if rows and fit(replace(issue, affects=rows), here, matrix).is_sure:
            return issue
    found: Counter[str] = Counter()
    for complaint in _complaints(gap, matrix):
        lines = [plain(line) for line in complaint]
        named = [
            (
                max(len(signature) for signature in issue.signatures if any(is_on(signature, line) for line in lines)),
                issue,
            )
            for issue in about
            if any(is_on(signature, line) for signature in issue.signatures for line in lines)
        ]
        suiting = [(length, issue) for length, issue in named if not issue.affects or fit(issue, here, matrix).possible]
        found.update([max(suiting, key=lambda pair: pair[0])[1].id] if suiting else [])
    best = found.most_common(1)
    return next((issue for issue in about if best and issue.id == best[0][0]), None)


def _here(gap: Gap, picture: Picture) -> Picture:
    """Return the picture as the line has it: its package, Python and platform."""
    os, _, word = gap.platform.partition("-")
    asked = Stated(name=gap.name, value=gap.version, how=ASKED, line=gap.said.line)
    process = {"aarch64": "arm64", "amd64": "x86_64"}.get(word, word)
    return replace(
        picture,
        packages={**picture.packages, gap.name: (asked,)},
        python=gap.pythons or picture.python,
        os=(os,),
        process=(process,),
        process_assumed=False,
    )


def _complaints(gap: Gap, matrix: Matrix) -> Iterator[tuple[str, str]]:
    """Yield what pip says of it to each Python that it may be, computed from the wheels."""
    asked = f"{gap.name}=={gap.version}" if gap.version else gap.name
    rows = [row for row in matrix.releases(gap.name) if row.yanked is None and is_final(row.version)]
    for python in gap.pythons or PYTHONS:
        target = Target(platform=gap.platform, python=python)
        offered = sorted((row.version for row in rows if has_wheel(row, target)), key=order)
        versions = ", ".join(offered) or "none"
        yield (
            f"ERROR: Could not find a version that satisfies the requirement {asked} (from versions: {versions})",
            f"ERROR: No matching distribution found for {asked}",
        )
