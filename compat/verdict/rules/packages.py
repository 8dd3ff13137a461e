"""TF301–TF305: is TensorFlow there, whole, once, and of the kind this machine can use."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.environment import Distribution
from compat.facts.known import known
from compat.matrix.load import Matrix
from compat.matrix.versions import contains
from compat.verdict.finding import Evidence, Finding, Remedy, Severity
from compat.verdict.rule import MissingFactError, Rule, environment_of, text
from compat.verdict.rules import remedies
from compat.verdict.rules.declared import normalized, read, requires_of
from compat.verdict.rules.installed import FAMILY, body_of, is_body, members, named
from compat.verdict.rules.markers import decide, variables_of


class NotInstalled(Rule):
    """Is TensorFlow installed in this environment?

    Looks for any distribution that carries or stands for TensorFlow (``tensorflow``, ``tensorflow-macos``,
    ``tensorflow-cpu``, ``tf-nightly``…) among the distributions of the chosen interpreter. A common cause is that the
    environment looked at is not the one TensorFlow was installed into: choose it with ``--python`` or ``--venv``.

    Remedy: ``tfcompat fix --create-venv`` builds an environment that passed its tests.
    """

    id = "TF301"
    title = "TensorFlow is installed"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Fail where no distribution of TensorFlow's is there."""
        environment = environment_of(facts)
        if members(environment):
            return
        yield self.fails(
            f"TensorFlow is not installed in {environment.path}",
            evidence=[_count(len(environment.distributions))],
            remedy=remedies.new_environment(
                "build an environment with TensorFlow, or name the one that has it with --python"
            ),
        )


def _count(number: int) -> Evidence:
    return Evidence(fact=f"{number} distributions, none of them TensorFlow's", source="measured here")


class Shell(Rule):
    """Does one of the installed distributions hold TensorFlow's code, and is the code still there?

    On Apple silicon ``tensorflow`` 2.13.0–2.15.0 is a wheel of a few KB that only requires ``tensorflow-macos`` of the
    same version; from 2.15.1 on it is the other way round, and ``tensorflow-macos`` 2.15.1 requires nothing but itself,
    so it installs no TensorFlow at all. Windows (``tensorflow-intel``) and Linux/ARM (``tensorflow-cpu-aws``) had such
    shells too. Installed with ``--no-deps``, or after the body was uninstalled, ``import tensorflow`` finds nothing.
    The rule reads each distribution's RECORD (the sizes of the wheels in the matrix where that was not looked at), and
    whether the files that RECORD names are there.

    Remedy: install the body the shell asks for, or put the distribution's files back.
    Source: the wheels on pypi.org (``releases/`` of the matrix: sizes and Requires-Dist).
    """

    id = "TF302"
    title = "TensorFlow's code is there"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Fail for a shell without its body and for a body whose files are gone."""
        found = members(environment_of(facts))
        kinds = {member.name: is_body(member, facts, matrix) for member in found}
        if found and not any(kinds.values()):
            unsure = [named(member) for member in found if kinds[member.name] is None]
            if unsure:
                raise MissingFactError(f"what {', '.join(unsure)} holds", "neither its RECORD nor the matrix says")
            yield self._shell(found, facts, matrix)
        for member in found:
            if kinds[member.name] and member.record_complete is False:
                yield self._gone(member, facts)

    def _shell(self, found: tuple[Distribution, ...], facts: Facts, matrix: Matrix) -> Finding:
        shell = found[0]
        body = _body_wanted(shell, facts, matrix)
        return self.fails(
            f"{named(shell)} is a shell that holds no TensorFlow, and {body} is not installed",
            evidence=[
                Evidence(fact=f"{named(member)} brings no tensorflow package", source="measured here")
                for member in found
            ],
            remedy=remedies.install(facts, body),
            verify=remedies.verify(facts),
        )

    def _gone(self, member: Distribution, facts: Facts) -> Finding:
        return self.fails(
            f"files of {named(member)} are gone from {member.location}",
            evidence=[Evidence(fact="files that its RECORD names do not exist", source="measured here")],
            remedy=remedies.reinstall(facts, member),
            verify=remedies.verify(facts),
        )


def _body_wanted(shell: Distribution, facts: Facts, matrix: Matrix) -> str:
    """Return the requirement that brings the body: what the shell asks for, or ``tensorflow`` of the same version."""
    variables = variables_of(facts)
    for line in requires_of(shell, facts, matrix):
        wanted = read(line)
        if wanted is None or wanted.name == shell.name or wanted.name not in FAMILY:
            continue
        if not wanted.marker or decide(wanted.marker, variables):
            return wanted.text
    other = "tensorflow-macos" if shell.name == "tensorflow" else "tensorflow"
    return f"{other}=={shell.version}"


class Leftover(Rule):
    """Does ``tensorflow-macos`` stand beside a different ``tensorflow``?

    Up to 2.16 the two belong together at the same version, one the shell of the other. At different versions both may
    hold the package ``tensorflow``, the later installation has written over the earlier one's files, and what is
    imported is a mixture. ``tensorflow-macos`` ends at 2.16.2: beside ``tensorflow`` 2.17 or newer it is a leftover.

    Remedy: the same version of both (2.13 to 2.16); from 2.17 on uninstall ``tensorflow-macos`` and put the files of
    ``tensorflow`` back, because uninstalling takes shared files along. Never install ``tensorflow-macos`` over 2.17+.
    Source: the release tables of both on pypi.org.
    """

    id = "TF303"
    title = "tensorflow and tensorflow-macos are of one version"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Fail where both are installed at different versions."""
        environment = environment_of(facts)
        plain, macos = environment.distribution("tensorflow"), environment.distribution("tensorflow-macos")
        if plain is None or macos is None or plain.version == macos.version:
            return
        leftover = contains(">=2.17", plain.version)
        word = "a leftover beside" if leftover else "beside a different"
        yield self.fails(
            f"{named(macos)} is {word} {named(plain)}: both may own the tensorflow package",
            evidence=[
                Evidence(fact=f"{named(item)} in {item.location}", source="measured here") for item in (plain, macos)
            ],
            remedy=_without(macos, plain, facts) if leftover else _same_version(plain, macos, facts),
            verify=remedies.verify(facts),
        )


def _same_version(plain: Distribution, macos: Distribution, facts: Facts) -> Remedy:
    if contains(">=2.13", plain.version):
        return remedies.install(facts, f"tensorflow=={plain.version}", f"tensorflow-macos=={plain.version}")
    return _without(plain, macos, facts)


def _without(gone: Distribution, kept: Distribution, facts: Facts) -> Remedy:
    words = f"uninstall {gone.name}, then put the files of {kept.name} back: uninstalling takes shared files along"
    return remedies.both(remedies.uninstall(facts, gone.name, text=words), remedies.reinstall(facts, kept), words)


class TwoOwners(Rule):
    """Do two distributions own the ``tensorflow`` package?

    ``tensorflow`` and ``tensorflow-cpu`` (or a nightly build) install the same files. The one installed last is what is
    imported, the other's metadata lies, and uninstalling either breaks both. Looks at each distribution's RECORD.

    Remedy: uninstall all but one and put the files of that one back.
    """

    id = "TF304"
    title = "one distribution owns the tensorflow package"
    consequence_of = ("TF303",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Fail where more than one distribution carries TensorFlow's code."""
        found = members(environment_of(facts))
        kinds = {member.name: is_body(member, facts, matrix) for member in found}
        bodies = [member for member in found if kinds[member.name]]
        if len(bodies) > 1:
            yield self._finding(bodies, facts)
        elif len(found) > 1 and None in kinds.values():
            unsure = next(member for member in found if kinds[member.name] is None)
            raise MissingFactError(f"what {named(unsure)} holds", "neither its RECORD nor the matrix says")

    def _finding(self, bodies: list[Distribution], facts: Facts) -> Finding:
        kept, *others = bodies
        words = f"keep {kept.name}: uninstall the others, then put its files back"
        gone = remedies.uninstall(facts, *(item.name for item in others), text=words)
        return self.fails(
            f"{' and '.join(named(item) for item in bodies)} own the same tensorflow package",
            evidence=[
                Evidence(fact=f"RECORD of {named(item)} holds tensorflow/__init__.py", source="measured here")
                for item in bodies
            ],
            remedy=remedies.both(gone, remedies.reinstall(facts, kept), words),
            verify=remedies.verify(facts),
        )


class WrongKind(Rule):
    """Is a kind of TensorFlow asked for that a Mac cannot have?

    ``tensorflow-cpu`` has never had a wheel for Apple silicon: there ``tensorflow`` itself is the CPU build. The extra
    ``tensorflow[and-cuda]`` carries no platform marker and names NVIDIA's libraries, which have no macOS wheels, so a
    project that requires it cannot be installed on a Mac. Looks at what is installed and at what the installed
    distributions require.

    Remedy: ``tensorflow`` without the extra; in a project that must install on both, a marker
    (``tensorflow[and-cuda]; sys_platform == "linux"``).
    Source: the wheels on pypi.org (tensorflow-cpu: macOS x86_64 only, up to 2.16.2).
    """

    id = "TF305"
    title = "the kind of TensorFlow exists for a Mac"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Warn of tensorflow-cpu on Apple silicon and of CUDA requirements on any Mac."""
        environment = environment_of(facts)
        if text(facts.machine.os, "the operating system") != "macos":
            return
        body = body_of(facts, matrix)
        pin = f"tensorflow=={body.version}" if body else "tensorflow"
        asked = [] if known(facts.machine.architecture) == "x86_64" else list(_asking(facts, "tensorflow-cpu", ""))
        for what in [*asked, *_asking(facts, "tensorflow", "and-cuda")]:
            yield self.fails(
                f"{what}, which no Mac can install",
                evidence=[Evidence(fact=what, source=environment.path)],
                remedy=remedies.install(
                    facts, pin, text="require tensorflow without -cpu and without [and-cuda] on a Mac"
                ),
            )


def _asking(facts: Facts, name: str, extra: str) -> Iterator[str]:
    """Yield who has, or asks for, that distribution (with that extra) on this machine."""
    environment, variables = environment_of(facts), variables_of(facts)
    if not extra and (found := environment.distribution(name)):
        yield f"{named(found)} is installed"
    if extra and (found := next((item for item in environment.distributions if item.name.startswith("nvidia-")), None)):
        yield f"{named(found)}, of tensorflow[and-cuda], is installed"
    for item in environment.distributions:
        for line in item.requires:
            if _names(line, name, extra) and _applies(line, variables):
                yield f"{named(item)} requires {line.partition(';')[0].strip()}"


def _names(line: str, name: str, extra: str) -> bool:
    """Tell whether a requirement asks for that distribution (with that extra)."""
    if not line.startswith("tensorflow"):  # of some five hundred lines hardly one goes further
        return False
    base, _, rest = line.partition(";")[0].partition("[")
    wanted = read(base.strip())
    return wanted is not None and wanted.name == name and (not extra or normalized(extra) in normalized(rest))


def _applies(line: str, variables: dict[str, str]) -> bool:
    marker = line.partition(";")[2].strip()
    return not marker or decide(marker, variables) is True


RULES: tuple[Rule, ...] = (NotInstalled(), Shell(), Leftover(), TwoOwners(), WrongKind())
