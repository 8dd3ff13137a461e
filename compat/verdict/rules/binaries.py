"""Rules about what a plugin's binary asks for: the libraries and symbols of TensorFlow, and a macOS."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, PluginFile
from compat.facts.image import LinkProof
from compat.facts.known import Unknown, known
from compat.matrix import query
from compat.matrix.load import Matrix
from compat.matrix.model import LinkRow
from compat.matrix.versions import is_final, minor, order
from compat.verdict.finding import Evidence, Finding, Remedy, Severity
from compat.verdict.rule import MissingFactError, Rule, environment_of, must, text
from compat.verdict.rules import remedies
from compat.verdict.rules.installed import PLUGINS, body_of, members, named, plugin_of, target_of
from compat.verdict.rules.known_issues import issue_of
from compat.verdict.rules.running import running_architecture

LAYERS = {
    1: "no library of this TensorFlow is called {}",
    2: "this TensorFlow does not export the symbol {} where the plugin looks for it",
    3: "nothing in this TensorFlow exports the symbol {}",
}
"""What stops dyld, layer by layer, as ``facts.image.LinkProof`` counts them."""


def owner_of(file: PluginFile) -> tuple[str, str] | None:
    """Return name and version of the plugin distribution whose file it is, None where none is known to own it."""
    split = [owner.partition("==") for owner in file.owners]
    return next(((name, version) for name, _, version in split if name in PLUGINS), None)


def issue_id(rule: str, facts: Facts, matrix: Matrix) -> str | None:
    """Return the id of the known problem that a rule's failure here is an instance of, None where there is none."""
    issue = issue_of(rule, facts, matrix)
    return issue.id if issue else None


class PluginLoads(Rule):
    """The Metal plugin can load with the installed TensorFlow.

    TensorFlow opens every library in ``tensorflow-plugins`` with all symbols bound at once (RTLD_NOW), so one library
    or symbol that is not there makes ``import tensorflow`` itself fail. tensorflow-metal declares no dependency on
    TensorFlow, and pip pairs any two. Three layers decide: libraries under their install names, symbols that one named
    library must export, symbols that any library may.

    Looks at: the proof made on the installed files, and the matrix's row for the two versions. Where they disagree the
    installed files win, and the finding says so.
    Remedy: a plugin release that loads with this TensorFlow; else uninstall the plugin (TensorFlow works on the CPU)
    or build a pair that loads in a new environment.
    Source: the Mach-O files of the wheels (``links/``); tensorflow#81987, #84167, #126360 for what users saw.
    """

    id = "BIN401"
    title = "the plugin can load with this TensorFlow"
    consequence_of = ("BIN405", "TF302")

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield each plugin that cannot load; then, where one could be judged by nothing, end as unknown."""
        environment = environment_of(facts)
        tensorflow = body_of(facts, matrix) or next(iter(members(environment)), None)
        if tensorflow is None:
            return
        files = known(environment.plugins)
        if files is None:
            plugin = plugin_of(environment)
            if plugin is None:
                raise MissingFactError("the plugin files", "were not looked at")
            files = (PluginFile(path=plugin.name, site=plugin.location, owners=(f"{plugin.name}=={plugin.version}",)),)
        unjudged = [file for file in files if _verdict(file, facts, matrix, tensorflow) is None]
        for file in files:
            yield from self._file(file, facts, matrix, tensorflow)
        if unjudged:
            raise MissingFactError(f"the link proof of {unjudged[0].path}", _why(unjudged[0]))

    def _file(self, file: PluginFile, facts: Facts, matrix: Matrix, tensorflow: Distribution) -> Iterator[Finding]:
        proof, row = known(file.link_proof), _row(file, facts, matrix, tensorflow)
        loads = _verdict(file, facts, matrix, tensorflow)
        evidence = _evidence(file, proof, row)
        if loads is False:
            layer, missing = (proof.layer, _missing(proof)) if proof else _layer(row)
            first = LAYERS.get(layer, "it misses {}").format(missing[0] if missing else "something it needs")
            yield self.fails(
                f"{_plugin(file)} cannot load with {named(tensorflow)}: {first}",
                evidence=evidence,
                remedy=_remedy(file, facts, matrix, tensorflow),
                verify=f"{_python(facts)} -c 'import tensorflow as tf; print(tf.config.list_physical_devices())'",
                matrix_used=proof is None,
                issue=issue_id(self.id, facts, matrix),
                caused_by="BIN404" if file.from_user_site else None,
            )
        elif loads and row is not None and row.loads is False:
            yield self.fails(
                f"{_plugin(file)} loads with {named(tensorflow)} as installed, though the matrix says it cannot",
                severity=Severity.INFO,
                evidence=evidence,
                matrix_used=True,
            )


def _verdict(file: PluginFile, facts: Facts, matrix: Matrix, tensorflow: Distribution) -> bool | None:
    """Whether a plugin file loads: by the proof made on the files, else by the matrix, else None."""
    proof = known(file.link_proof)
    if proof is not None:
        return proof.loads
    row = _row(file, facts, matrix, tensorflow)
    return row.loads if row else None


def _row(file: PluginFile, facts: Facts, matrix: Matrix, tensorflow: Distribution) -> LinkRow | None:
    owner, proof = owner_of(file), known(file.link_proof)
    if owner is None:
        return None
    architecture = proof.architecture if proof else running_architecture(facts)
    return query.link(matrix, tensorflow.version, *owner, architecture)


def _layer(row: LinkRow | None) -> tuple[int, tuple[str, ...]]:
    return (row.layer, row.missing) if row else (0, ())


def _missing(proof: LinkProof) -> tuple[str, ...]:
    return proof.missing_libraries if proof.layer == 1 else proof.missing


def _plugin(file: PluginFile) -> str:
    owner = owner_of(file)
    return " ".join(owner) if owner else file.path


def _evidence(file: PluginFile, proof: LinkProof | None, row: LinkRow | None) -> list[Evidence]:
    if proof is not None:
        seen = f"proved on the installed files: {_outcome(proof.loads, proof.layer, _missing(proof))}"
    else:
        seen = f"not proved on the installed files ({_why(file)})"
    if row is None or row.loads is None:
        told = f"the matrix does not judge this pair{f' ({row.reason})' if row else ''}"
    else:
        told = f"the matrix: {_outcome(row.loads, row.layer, row.missing)}"
        if proof is not None and proof.loads != row.loads:
            told += "; the two disagree, and the installed files win"
    return [
        Evidence(fact=seen, source=file.path, tier="links"),
        Evidence(fact=told, source=row.source if row else "matrix: links", tier="links"),
    ]


def _outcome(loads: bool, layer: int, missing: tuple[str, ...]) -> str:
    if loads:
        return "it loads"
    more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
    return (
        f"it cannot load (layer {layer}, {missing[0]}{more} missing)" if missing else f"it cannot load (layer {layer})"
    )


def _why(file: PluginFile) -> str:
    return file.link_proof.why if isinstance(file.link_proof, Unknown) else "no proof applies here"


def _python(facts: Facts) -> str:
    interpreter = known(facts.interpreter)
    return remedies.quote(interpreter.path, facts) if interpreter else "python"


def _remedy(file: PluginFile, facts: Facts, matrix: Matrix, tensorflow: Distribution) -> Remedy:
    architecture = running_architecture(facts)
    better = _release_that_loads(facts, matrix, tensorflow.version, architecture)
    owner = owner_of(file)
    if better is not None and owner is not None and not file.from_user_site:
        return remedies.install(facts, f"{query.APPLE_PLUGIN}=={better}")
    pairs = _newest_pair(matrix, architecture)
    words = f"a new environment can have a pair that loads{pairs}{_third_party(facts, tensorflow.version)}"
    elsewhere = remedies.new_environment(words)
    if owner is None or file.from_user_site:
        return elsewhere
    cpu = f"without the plugin TensorFlow {tensorflow.version} works at once, on the CPU"
    return remedies.both(remedies.uninstall(facts, owner[0], text=cpu), elsewhere, f"{cpu}; {words}")


def _release_that_loads(facts: Facts, matrix: Matrix, tensorflow: str, architecture: str) -> str | None:
    """Return the newest release of Apple's plugin that loads there and has a wheel for this interpreter."""
    try:
        target = target_of(facts)
    except MissingFactError:
        return None
    found = query.loadable_plugins(matrix, tensorflow, architecture)
    return next((v for v in found if query.has_wheel(matrix, query.APPLE_PLUGIN, v, target)), None)


def _newest_pair(matrix: Matrix, architecture: str) -> str:
    rows = [row for row in matrix.links() if row.loads and row.plugin == query.APPLE_PLUGIN]
    rows = [row for row in rows if row.arch == architecture and is_final(row.tensorflow)]
    if not rows:
        return ""
    best = max(rows, key=lambda row: (order(row.tensorflow), order(row.plugin_version)))
    return f", as TensorFlow {best.tensorflow} with {query.APPLE_PLUGIN} {best.plugin_version}"


def _third_party(facts: Facts, tensorflow: str) -> str:
    """Name the third-party plugin where it is an option: TensorFlow 2.21 exactly, macOS 15 and newer (its README)."""
    macos = known(facts.machine.os_version)
    if minor(tensorflow) != "2.21" or macos is None or order(macos) < order("15"):
        return ""
    return f"; for TensorFlow 2.21 there is also the third-party {PLUGINS[1]}, an alpha release by one maintainer"


class PluginForThisMacOS(Rule):
    """The plugin is built for this macOS.

    The deployment target in the binary decides, not the wheel's tag, and the two differ: tensorflow-metal 0.4.0 and
    0.5.0 are tagged macosx_11_0 and built for 12.3, 0.5.1 is tagged macosx_12_0 and built for 13.0. On an older macOS
    a function the plugin needs may be missing, and then it does not load, or fails later.

    Looks at: the plugin's binary (LC_BUILD_VERSION), or the matrix's record of it; the macOS version.
    Remedy: upgrade macOS, or a pair built for this one.
    Source: the plugins' Mach-O files (``links/``).
    """

    id = "BIN402"
    title = "the plugin is built for this macOS"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield each plugin built for a newer macOS than runs."""
        environment = environment_of(facts)
        plugin = plugin_of(environment)
        asked = [(_plugin(file), _minimum(file, facts, matrix)) for file in known(environment.plugins) or ()]
        if not asked and plugin is not None:
            asked = [(named(plugin), _recorded((plugin.name, plugin.version), facts, matrix))]
        if not asked:
            must(environment.plugins, "the plugin files")
            return
        macos = text(facts.machine.os_version, "the macOS version")
        for name, minimum in asked:
            if minimum is not None and order(minimum) > order(macos):
                yield self.fails(
                    f"{name} is built for macOS {minimum} and newer, this is {macos}",
                    evidence=[Evidence(fact=f"deployment target {minimum} in the binary", source=name)],
                    remedy=remedies.new_environment(f"upgrade macOS to {minimum}, or take a pair built for {macos}"),
                    issue=issue_id(self.id, facts, matrix),
                )
        unknown = [name for name, minimum in asked if minimum is None]
        if unknown:
            raise MissingFactError(f"the macOS that {unknown[0]} is built for", "is not known")


def _minimum(file: PluginFile, facts: Facts, matrix: Matrix) -> str | None:
    proof, owner = known(file.link_proof), owner_of(file)
    if proof is not None and proof.minimum_macos is not None:
        return proof.minimum_macos
    return _recorded(owner, facts, matrix) if owner else None


def _recorded(owner: tuple[str, str], facts: Facts, matrix: Matrix) -> str | None:
    binary = query.plugin_binary(matrix, *owner, running_architecture(facts))
    return binary.minimum_macos if binary else None


RULES: tuple[Rule, ...] = (PluginLoads(), PluginForThisMacOS())
