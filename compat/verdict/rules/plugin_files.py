"""Rules about the files in ``tensorflow-plugins`` and their owners, and about files of another architecture."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment, PluginFile
from compat.facts.known import known
from compat.matrix import query
from compat.matrix.load import Matrix
from compat.verdict.finding import Evidence, Finding, Remedy, Severity
from compat.verdict.rule import MissingFactError, Rule, environment_of, interpreter_of, must
from compat.verdict.rules import remedies
from compat.verdict.rules.binaries import issue_id, owner_of
from compat.verdict.rules.installed import PLUGINS, body_of, members, named
from compat.verdict.rules.running import running_architecture, same_architecture

VARIABLE = "TF_PLUGGABLE_DEVICE_LIBRARY_PATH"
_TAG = re.compile(r"(x86_64|amd64|arm64|aarch64|universal2|intel)$")


class OnePlugin(Rule):
    """There is one Metal plugin, and one distribution owns its file.

    TensorFlow loads every library of every ``tensorflow-plugins`` folder, and two Metal plugins in one process abort
    it. Apple's tensorflow-metal and the third-party tensorflow-metal-plugin install a file of the same name: whichever
    comes second overwrites the first, and uninstalling either takes the file along. The distributions' RECORD tells
    them apart, the file's name does not.

    Looks at: the plugin files TensorFlow would load, which distributions own them, which are installed.
    Remedy: uninstall both, install the one that fits this TensorFlow.
    Source: the files of both distributions on the index; tensorflow/__init__.py (which folders are searched).
    """

    id = "BIN403"
    title = "there is one Metal plugin, owned by one distribution"
    consequence_of = ("BIN404",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield two plugins, and each file that several distributions own."""
        environment = environment_of(facts)
        both = [item for name in PLUGINS if (item := environment.distribution(name))]
        if len(both) == len(PLUGINS):
            yield self._two_distributions(both, facts, matrix)
        files = must(environment.plugins, "the plugin files")
        for file in files:
            if len(file.owners) > 1 and len(both) < len(PLUGINS):
                yield self._two_owners(file, facts)
        metal = [file for file in files if "metal" in PurePosixPath(file.path).name.lower()]
        if len(metal) > 1:
            yield self._two_files(metal)

    def _two_distributions(self, both: list[Distribution], facts: Facts, matrix: Matrix) -> Finding:
        words = f"uninstall both, then install {_kept(both, facts, matrix)} alone"
        first = remedies.uninstall(facts, *(item.name for item in both), text=words)
        second = remedies.install(facts, _kept(both, facts, matrix), text=words)
        return self.fails(
            f"{named(both[0])} and {named(both[1])} install the same file: one has overwritten the other",
            evidence=[Evidence(fact=f"{named(item)} is installed", source=item.location) for item in both],
            remedy=remedies.both(first, second, first.text),
            issue=issue_id(self.id, facts, matrix),
        )

    def _two_owners(self, file: PluginFile, facts: Facts) -> Finding:
        names = [owner.partition("==")[0] for owner in file.owners]
        words = f"uninstall {' and '.join(names)}, then install again the one you want"
        return self.fails(
            f"{' and '.join(file.owners)} both own {PurePosixPath(file.path).name}",
            evidence=[Evidence(fact=f"RECORD of {owner} names it", source=file.path) for owner in file.owners],
            remedy=remedies.uninstall(facts, *names, text=words),
        )

    def _two_files(self, metal: list[PluginFile]) -> Finding:
        named_by_variable = any(file.from_variable for file in metal)
        words = f"keep one: unset {VARIABLE}" if named_by_variable else "keep one; a new environment has one"
        return self.fails(
            f"TensorFlow would load {len(metal)} Metal plugins, and two abort the process",
            evidence=[Evidence(fact=_where(file), source=file.path) for file in metal],
            remedy=Remedy(text=words, commands=(f"unset {VARIABLE}",))
            if named_by_variable
            else remedies.new_environment(words),
        )


def _kept(both: list[Distribution], facts: Facts, matrix: Matrix) -> str:
    """Return the requirement to keep: Apple's plugin where a release loads with this TensorFlow, else the other."""
    tensorflow = body_of(facts, matrix)
    loading = query.loadable_plugins(matrix, tensorflow.version, running_architecture(facts)) if tensorflow else ()
    apple, other = both
    if not loading:
        return f"{other.name}=={other.version}"
    return f"{apple.name}=={apple.version if apple.version in loading else loading[0]}"


def _where(file: PluginFile) -> str:
    if file.from_variable:
        return f"named by {VARIABLE}"
    owner = owner_of(file)
    place = "the user site" if file.from_user_site else file.site
    return f"in {place}, of {' '.join(owner) if owner else 'no known distribution'}"


class UserSitePlugin(Rule):
    """No plugin of the user site reaches into this environment.

    TensorFlow searches every site-packages for plugins, the user site included where it is enabled (not in a plain
    virtual environment). A forgotten ``pip install --user tensorflow-metal`` then breaks environments that never had
    a plugin. ``PYTHONNOUSERSITE=1`` is the test, and a cure.

    Looks at: where the plugin files and TensorFlow lie, and whether ordinary runs see the user site.
    Remedy: PYTHONNOUSERSITE=1; for good, uninstall the plugin from there with the interpreter that put it there.
    Source: tensorflow/__init__.py; reports of environments broken that way (serengil/deepface).
    """

    id = "BIN404"
    title = "no plugin of the user site reaches into this environment"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield each plugin that comes from the user site while TensorFlow does not."""
        environment = environment_of(facts)
        leaked = [file for file in must(environment.plugins, "the plugin files") if file.from_user_site]
        tensorflow = body_of(facts, matrix)
        foreign = [file for file in leaked if tensorflow is not None and tensorflow.location != file.site]
        if not foreign or not must(interpreter_of(facts).user_site_enabled, "whether the user site is enabled"):
            return
        path = remedies.quote(interpreter_of(facts).path, facts)
        for file in foreign:
            proof, owner = known(file.link_proof), owner_of(file)
            yield self.fails(
                "a plugin of the user site is loaded into this environment",
                severity=Severity.ERROR if proof is not None and not proof.loads else Severity.WARNING,
                evidence=[
                    Evidence(fact=f"{' '.join(owner) if owner else 'a plugin'} in the user site", source=file.path),
                    Evidence(fact="the user site is enabled in ordinary runs", source=path),
                ],
                remedy=Remedy(
                    text="switch the user site off for this environment, or uninstall "
                    f"{owner[0] if owner else 'the plugin'} from it with the Python that installed it",
                    commands=("export PYTHONNOUSERSITE=1",),
                ),
                verify=f"PYTHONNOUSERSITE=1 {path} -c 'import tensorflow'",
            )


class OneArchitecture(Rule):
    """The installed libraries are of the interpreter's architecture.

    An arm64 process cannot load x86_64 libraries nor the reverse ("incompatible architecture"). Mixtures come from
    copied environments, from one environment used by an arm64 and a Rosetta terminal in turn, and from a universal
    Python that was started translated when it installed.

    Looks at: how the interpreter runs, the tags of installed wheels, sampled extension modules.
    Remedy: a new environment, made by the interpreter that is to use it.
    Source: the wheels' tags and the files' Mach-O headers.
    """

    id = "BIN405"
    title = "the installed libraries are of the interpreter's architecture"
    consequence_of = ("PY202",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield that some libraries cannot be loaded by this interpreter."""
        environment = environment_of(facts)
        runs = running_architecture(facts)
        foreign = [item for item in environment.distributions if (built := _built_for(item)) and runs not in built]
        seen = {same_architecture(name) for name in environment.binary_architectures}
        if foreign or (seen and runs not in seen):
            files = f"extension modules are {', '.join(sorted(seen))}"
            wheels = [Evidence(fact=f"{named(item)}: {item.wheel_tags[0]}", source="WHEEL") for item in foreign[:5]]
            what = f"{named(foreign[0])} is" if foreign else "the installed libraries are"
            yield self.fails(
                f"this Python runs as {runs}, {what} built for another architecture",
                evidence=[*wheels, *([Evidence(fact=files, source=environment.path)] if seen else [])],
                remedy=remedies.new_environment("make a new environment instead of mending or copying this one"),
            )
        elif not seen and _says_nothing(environment):
            raise MissingFactError("the architecture of TensorFlow's files", "was not looked at")


def _built_for(item: Distribution) -> set[str]:
    """Return the architectures a distribution's wheel runs on; empty where its tags name none."""
    found = [match[1] for tag in item.wheel_tags if (match := _TAG.search(tag))]
    spread = {"universal2": ("arm64", "x86_64"), "intel": ("x86_64",)}
    return {name for tag in found for name in spread.get(tag, (same_architecture(tag),))}


def _says_nothing(environment: Environment) -> bool:
    """Tell whether TensorFlow is installed and no wheel's tag tells what it is built for."""
    return bool(members(environment)) and not any(_built_for(item) for item in environment.distributions)


class OwnedPlugin(Rule):
    """Every plugin file belongs to an installed distribution.

    TensorFlow loads whatever lies in ``tensorflow-plugins``. A file no RECORD names (copied there, or left when its
    distribution was removed) stays through every ``pip uninstall``, and its version is anybody's guess.

    Looks at: the plugin files and the distributions whose RECORD names them.
    Remedy: a new environment; here, install tensorflow-metal over the file (which then owns it), and uninstall it.
    Source: tensorflow/__init__.py; the RECORD files.
    """

    id = "BIN406"
    title = "every plugin file belongs to a distribution"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield each plugin file that no distribution owns."""
        environment = environment_of(facts)
        files = must(environment.plugins, "the plugin files")
        orphans = [file for file in files if not file.owners and not file.from_variable]
        blind = next((item for item in environment.distributions if item.name in PLUGINS and not item.has_record), None)
        if orphans and blind is not None:
            raise MissingFactError(f"the owner of {orphans[0].path}", f"is not told: {blind.name} has no RECORD")
        for file in orphans:
            yield self.fails(
                f"no installed distribution owns {file.path}, which TensorFlow loads",
                evidence=[Evidence(fact="named in no RECORD", source=file.path)],
                caused_by="BIN404" if file.from_user_site else None,
                remedy=remedies.new_environment(
                    "take a new environment; here, installing tensorflow-metal makes it the owner of a file of that "
                    "name, and uninstalling it then takes the file along"
                ),
            )


RULES: tuple[Rule, ...] = (OnePlugin(), UserSitePlugin(), OneArchitecture(), OwnedPlugin())
