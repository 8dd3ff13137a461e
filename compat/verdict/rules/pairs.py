"""TF306 and TF307: whether there is a GPU plugin, and what is known of the pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.environment import Distribution
from compat.matrix.load import Matrix
from compat.matrix.model import Observation
from compat.matrix.query import APPLE_PLUGIN, has_wheel, link, loadable_plugins, observations_of
from compat.matrix.versions import contains, order
from compat.verdict.finding import Evidence, Finding, Remedy, Severity, Status
from compat.verdict.rule import Rule, environment_of, must, text
from compat.verdict.rules import remedies
from compat.verdict.rules.installed import body_of, named, plugin_of, target_of

MEASURE = "a listed GPU proves nothing about its numbers: run tfcompat smoke afterwards"


class NoPlugin(Rule):
    """Is there a plugin that lets TensorFlow use this Mac's GPU?

    TensorFlow's wheels for macOS compute on the CPU. The GPU (Apple's, or AMD's in an Intel Mac) is used only through a
    plugin, and nothing says so when there is none: training merely takes longer. That is no fault, so it is a remark.

    Looks at the installed distributions and at every ``tensorflow-plugins`` folder TensorFlow would read; asked only of
    Macs with an Apple or an AMD GPU.
    Remedy: the plugin that loads beside the installed TensorFlow, by the link proofs, with the runs on record; where
    none does, the pair with the most runs on record. The CPU is a sound choice too: Apple's plugin has reports of wrong
    numbers.
    Source: ``links/`` (from the wheels' binaries) and ``observed/`` of the matrix.
    """

    id = "TF306"
    title = "a GPU plugin is installed"
    severity = Severity.INFO
    consequence_of = ("PY201", "PY205")

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Remark that TensorFlow computes on the CPU only."""
        environment = environment_of(facts)
        if text(facts.machine.os, "the operating system") != "macos":
            return
        body = body_of(facts, matrix)
        if body is None:
            yield self.says(Status.SKIPPED, f"{self.title}: no TensorFlow for it to serve")
        elif plugin_of(environment) is None and not must(environment.plugins, "the plugin folders") and _has_gpu(facts):
            yield self._finding(body, facts, matrix)

    def _finding(self, body: Distribution, facts: Facts, matrix: Matrix) -> Finding:
        plugin = plugin_for(body.version, facts, matrix)
        remedy = _other_pair(matrix) if plugin is None else _this_plugin(body, plugin, facts, matrix)
        return self.fails(
            f"no GPU plugin is installed: {named(body)} computes on the CPU only",
            evidence=[Evidence(fact="no plugin distribution, no tensorflow-plugins library", source="measured here")],
            remedy=remedy,
            verify="tfcompat smoke",
            matrix_used=True,
        )


def _has_gpu(facts: Facts) -> bool:
    if text(facts.machine.architecture, "the machine's architecture") == "arm64":
        return True
    gpus = must(facts.machine.gpus, "the GPUs")
    assert isinstance(gpus, tuple)  # noqa: S101 - narrows the type must() widened
    return any(gpu.vendor == "amd" for gpu in gpus)


def plugin_for(tensorflow: str, facts: Facts, matrix: Matrix) -> str | None:
    """Return the release of Apple's plugin that loads beside that TensorFlow and has a wheel here, best known first."""
    target = target_of(facts)
    architecture = target.platform.partition("-")[2]
    found = [
        version
        for version in loadable_plugins(matrix, tensorflow, architecture)
        if has_wheel(matrix, APPLE_PLUGIN, version, target)
    ]
    return max(found, key=lambda version: (_works(matrix, tensorflow, version), order(version)), default=None)


def _works(matrix: Matrix, tensorflow: str, version: str) -> int:
    return sum(row.result == "works" for row in _runs(matrix, tensorflow, APPLE_PLUGIN, version))


def _runs(matrix: Matrix, tensorflow: str, plugin: str, version: str) -> list[Observation]:
    return [row for row in observations_of(matrix, tensorflow, version) if row.plugin == plugin]


def _this_plugin(body: Distribution, plugin: str, facts: Facts, matrix: Matrix) -> Remedy:
    seen = _tally(_runs(matrix, body.version, APPLE_PLUGIN, plugin))
    words = f"{APPLE_PLUGIN} {plugin} loads beside {named(body)} ({seen}); {MEASURE}"
    return remedies.install(facts, f"{APPLE_PLUGIN}=={plugin}", text=words)


def _other_pair(matrix: Matrix) -> Remedy:
    worked = Counter(
        (row.tensorflow, row.plugin_version)
        for row in matrix.observed()
        if row.kind == "run" and row.plugin == APPLE_PLUGIN and row.result == "works" and row.plugin_version
    )
    words = "no known plugin of Apple's serves this TensorFlow on this Python; the CPU build is whole without one"
    if worked:
        (tensorflow, plugin), _ = max(worked.items(), key=lambda item: (item[1], order(item[0][0])))
        seen = _tally(_runs(matrix, tensorflow, APPLE_PLUGIN, str(plugin)))
        words += f". Best known pair: TensorFlow {tensorflow} with {APPLE_PLUGIN} {plugin} ({seen}); {MEASURE}"
    return remedies.new_environment(words)


def _tally(rows: list[Observation]) -> str:
    """Say what the runs on record showed: ``8 runs on record: 7 works, 1 wrong-numbers``."""
    if not rows:
        return "no run on record"
    counts = Counter(row.result for row in rows)
    return f"runs on record: {', '.join(f'{number} {result}' for result, number in counts.most_common())}"


class UntestedPair(Rule):
    """Is the pair of TensorFlow and plugin one that its vendor names, or that someone ran?

    Apple prints a table of pairs in the plugin's metadata; it is the vendor's claim and has errors (1.1.0 is named for
    2.18, where it cannot load). A pair off the table, and a row of it that runs or link proofs contradict, is remarked
    with what is on record. Whether the plugin loads is BIN401's question, whether its numbers are right the smoke
    test's.

    Looks at the installed versions, the claims and runs of ``observed/`` and the link proofs of ``links/``.
    Source: METADATA of tensorflow-metal 1.0.1–1.2.0; the reports that the rows cite.
    """

    id = "TF307"
    title = "the pair is on its vendor's table, or was run"
    severity = Severity.INFO
    consequence_of = ("BIN401",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Remark a pair off the table, or a row of the table that others contradict."""
        body, plugin = body_of(facts, matrix), plugin_of(environment_of(facts))
        if body is None or plugin is None:
            return
        claims = [
            row
            for row in matrix.observed()
            if row.kind == "claim" and (row.plugin, row.plugin_version) == (plugin.name, plugin.version)
        ]
        named_by = [row for row in claims if contains(row.tensorflow, body.version)]
        if any(not row.contradicted_by for row in named_by):
            return
        word = "on its vendor's table against other evidence" if named_by else "not on its vendor's table"
        yield self._finding(body, plugin, word, named_by, matrix)

    def _finding(
        self, body: Distribution, plugin: Distribution, word: str, named_by: list[Observation], matrix: Matrix
    ) -> Finding:
        runs = _runs(matrix, body.version, plugin.name, plugin.version)
        cited = [Evidence(fact=_said(row), source=row.sources[0].url, tier=row.tier) for row in runs if row.sources]
        against = [
            Evidence(fact=f"claim {row.id}, contradicted by {', '.join(row.contradicted_by)}") for row in named_by
        ]
        return self.fails(
            f"{named(plugin)} with {named(body)} is {word}; {_tally(runs)}",
            evidence=[Evidence(fact=f"{named(body)}, {named(plugin)}", source="measured here"), *against, *cited],
            remedy=Remedy(text=f"{_links(body, plugin, matrix)}; {MEASURE}"),
            verify="tfcompat smoke",
            matrix_used=True,
        )


def _said(row: Observation) -> str:
    where = ", ".join(word for word in (row.chip, f"macOS {row.macos}" if row.macos else None) if word)
    return f"{row.id}: {row.result}" + (f" on {where}" if where else "")


def _links(body: Distribution, plugin: Distribution, matrix: Matrix) -> str:
    found = link(matrix, body.version, plugin.name, plugin.version, "arm64")
    if found is None or found.loads is None:
        return "the matrix has no link proof of this pair"
    return "by the binaries the plugin loads" if found.loads else "by the binaries the plugin cannot load"


RULES: tuple[Rule, ...] = (NoPlugin(), UntestedPair())
