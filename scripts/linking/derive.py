"""Judge every pair of releases and fill the table of one plugin and architecture."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from email.parser import BytesHeaderParser
from typing import TYPE_CHECKING

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import Version
from refreshing.cache import Cache
from refreshing.index import page_url
from refreshing.remote_metadata import metadata_of
from remote_wheel import BadWheel

from compat.probe.links import judge
from linking.binaries import Answers, Binaries, Plugin, names_needed
from linking.index import File, by_release
from linking.table import Row, Table

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Sequence

    from refreshing.web import Web

SOURCE_ONLY = "source distribution only"


@dataclass(frozen=True)
class Judged:
    """A table, and the bytes it took of the bytes the wheels have."""

    table: Table
    fetched: int
    size: int


def judge_wheels(
    binaries: Binaries,
    plugins: Sequence[File],
    tensorflows: Sequence[File],
    computed: dt.date,
    index: str,
    jobs: int,
    tell: Callable[[str], None],
) -> Judged:
    """Judge every plugin release with wheels against every TensorFlow given; all of one architecture."""
    with ThreadPoolExecutor(jobs) as pool:
        read = dict(zip(plugins, pool.map(binaries.plugin, plugins), strict=True))
        ours = {wheels[0]: read[wheels[0]] for wheels in by_release(plugins).values()}
        _refuse_differing(read)
        names = frozenset[str]().union(*(names_needed(plugin.image) for plugin in ours.values()))

        def ask(file: File) -> Answers:
            answers = binaries.tensorflow(file, names)
            tell(f"{file.name}: {len(answers.images)} images")
            return answers

        theirs = dict(zip(tensorflows, pool.map(ask, tensorflows), strict=True))
    first = plugins[0]
    table = Table(first.distribution, first.architecture, page_url(index, first.distribution), computed)
    table.plugins = [_plugin_row(file, plugin) for file, plugin in ours.items()]
    table.tensorflows = [_tensorflow_row(file, answers) for file, answers in theirs.items()]
    table.pairs = [
        _pair_row(table, file, answers, ours_file, plugin)
        for file, answers in theirs.items()
        for ours_file, plugin in ours.items()
    ]
    everything: list[Plugin | Answers] = [*read.values(), *theirs.values()]
    return Judged(table, sum(each.fetched for each in everything), sum(each.size for each in everything))


def note_sources(
    web: Web,
    sources: Sequence[File],
    tensorflows: Sequence[tuple[str, str]],
    architecture: str,
    computed: dt.date,
    index: str,
) -> Table:
    """List the pairs a source-only plugin declares for itself, as not judged: there is no binary to look at."""
    name = sources[0].distribution
    table = Table(name, architecture, page_url(index, name), computed)
    reason: Row = {"judged": False, "reason": SOURCE_ONLY}
    for file in sources:
        table.plugins.append({"version": str(file.version), "file": file.name, "sha256": file.sha256, **reason})
        wanted = _declared_tensorflow(web, file)
        table.pairs += [
            {"distribution": distribution, "tensorflow": version, "plugin_version": str(file.version), **reason}
            for distribution, version in tensorflows
            if wanted.name == distribution and wanted.specifier.contains(version, prereleases=True)
        ]
    return table


def _refuse_differing(plugins: dict[File, Plugin]) -> None:
    """One wheel may stand for its release only while all of them need the same. Raises BadWheel."""
    for wheels in by_release(plugins).values():
        needs = {replace(plugins[wheel].image, path="", rpaths=()) for wheel in wheels}
        if len(needs) > 1:
            raise BadWheel(
                f"{wheels[0].distribution} {wheels[0].version}: its wheels hold libraries of differing needs"
            )


def _plugin_row(file: File, plugin: Plugin) -> Row:
    image = plugin.image
    return {**_file_row(file), **_built_for(image.minimum_macos, image.sdk)}


def _tensorflow_row(file: File, answers: Answers) -> Row:
    """A process runs where its most demanding image runs."""
    minimum = max((each.minimum_macos for each in answers.images if each.minimum_macos), key=Version, default=None)
    sdk = max((each.sdk for each in answers.images if each.sdk), key=Version, default=None)
    return {"distribution": file.distribution, **_file_row(file), **_built_for(minimum, sdk)}


def _file_row(file: File) -> Row:
    return {"version": str(file.version), "file": file.name, "sha256": file.sha256}


def _built_for(minimum_macos: str | None, sdk: str | None) -> Row:
    row: Row = {"minimum_macos": minimum_macos} if minimum_macos else {}
    return {**row, "sdk": sdk} if sdk else row


def _pair_row(table: Table, file: File, answers: Answers, ours: File, plugin: Plugin) -> Row:
    proof = judge(plugin.image, answers.images)
    row: Row = {
        "distribution": file.distribution,
        "tensorflow": str(file.version),
        "plugin_version": str(ours.version),
        "loads": proof.loads,
        "layer": proof.layer,
    }
    if not proof.loads:
        row["missing"] = table.name_missing(proof.layer, proof.missing_libraries or proof.missing)
    return row


def _declared_tensorflow(web: Web, file: File) -> Requirement:
    """The requirement on TensorFlow in an sdist's PKG-INFO. Raises BadWheel where there is none, RefreshError."""
    metadata = BytesHeaderParser().parsebytes(metadata_of(web, file.listed, Cache(folder=None)))
    for line in metadata.get_all("Requires-Dist", ()):
        try:
            requirement = Requirement(line)
        except (InvalidRequirement, RecursionError):
            continue
        if requirement.name.startswith("tensorflow"):
            return requirement
    raise BadWheel(f"{file.name} declares no TensorFlow")
