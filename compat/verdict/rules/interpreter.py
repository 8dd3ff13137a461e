"""Rules about the interpreter: its architecture, what it believes of macOS, and whether wheels exist for it."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.matrix.load import Matrix
from compat.matrix.query import APPLE_PLUGIN, pythons_with_any, versions_for
from compat.matrix.versions import order, ranges
from compat.verdict.finding import Evidence, Finding, Remedy, Severity
from compat.verdict.rule import Rule, environment_of, interpreter_of, must, text
from compat.verdict.rules import remedies
from compat.verdict.rules.installed import PLUGINS, members, target_of
from compat.verdict.rules.machine import SHIM, is_shim_version
from compat.verdict.rules.running import (
    BODIES,
    machine_architecture,
    needs_floor,
    running_architecture,
    tensorflows_for,
    without_floor,
)

HONEST_PIP = "24.1"
"""First pip that asks macOS again when the interpreter says 10.16 (packaging 22 inside; pypa/pip#11789)."""


def _says_apple_silicon(facts: Facts) -> bool:
    """Tell whether the hardware is a Mac's arm64. Raises MissingFactError."""
    return text(facts.machine.os, "the operating system") == "macos" and machine_architecture(facts) == "arm64"


class IntelPython(Rule):
    """Python on Apple silicon is an arm64 program.

    An x86_64 Python runs under Rosetta: installers give it x86_64 wheels, which end at TensorFlow 2.16.2, know no
    Metal plugin after 1.0.0, and use AVX, which Rosetta lacks up to macOS 14 ("illegal hardware instruction"). The
    architecture decides, not the crash: newer systems run such a Python, slowly and without GPU.

    Looks at: the hardware's architecture, the architectures of the interpreter's file, what it says of itself.
    Remedy: a new environment with an arm64 Python; under conda one of the platform osx-arm64. Never copy the old one.
    Source: https://developer.apple.com/documentation/apple-silicon; the wheels on the index; tensorflow#47041, #58339.
    """

    id = "PY201"
    title = "Python is built for this Mac's processor"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield an x86_64 interpreter on Apple silicon."""
        if not _says_apple_silicon(facts):
            return
        interpreter = interpreter_of(facts)
        built_for = known(interpreter.architectures) or (running_architecture(facts),)
        if "x86_64" not in built_for or "arm64" in built_for:
            return
        conda = " (under conda: `CONDA_SUBDIR=osx-arm64 conda create -n tf python=3.12`)"
        words = "make a new environment with an arm64 Python, and do not copy this one"
        yield self.fails(
            "this Python is an x86_64 program under Rosetta: no Metal GPU, and TensorFlow ends at 2.16.2",
            evidence=[
                Evidence(fact=f"{interpreter.path} is built for {', '.join(built_for)}", source=facts.origin),
                Evidence(fact=f"the machine is arm64 ({known(facts.machine.chip) or 'Apple silicon'})"),
            ],
            remedy=remedies.new_environment(words + (conda if known(interpreter.origin) == "conda" else "")),
            verify="python -c 'import platform; print(platform.machine())'",
        )


class TranslatedPython(Rule):
    """A universal Python is started natively.

    A universal2 interpreter holds both architectures; started from a terminal or IDE that runs under Rosetta it runs
    as x86_64, and then installs and looks for x86_64 wheels in an environment that may hold arm64 ones.

    Looks at: the architectures of the interpreter's file, and how it ran when asked.
    Remedy: untick "Open using Rosetta" of the terminal or IDE (Finder, Get Info), or start it with `arch -arm64`.
    Source: https://developer.apple.com/documentation/apple-silicon/about-the-rosetta-translation-environment.
    """

    id = "PY202"
    title = "a universal Python is started natively"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield a universal interpreter that ran translated."""
        if not _says_apple_silicon(facts):
            return
        interpreter = interpreter_of(facts)
        if not {"arm64", "x86_64"} <= set(must(interpreter.architectures, "what the interpreter is built for")):
            return
        translated = known(interpreter.translated) or running_architecture(facts) == "x86_64"
        if not translated:
            return
        path = remedies.quote(interpreter.path, facts)
        yield self.fails(
            "this universal Python was started under Rosetta and runs as x86_64",
            evidence=[Evidence(fact=f"{interpreter.path} holds arm64 and x86_64, and ran as x86_64")],
            remedy=Remedy(
                text="use an arm64 terminal or IDE (Finder, Get Info: untick “Open using Rosetta”), or start it so:",
                commands=(f"arch -arm64 {path}",),
            ),
            verify=f"arch -arm64 {path} -c 'import platform; print(platform.machine())'",
        )


class OldSdkPython(Rule):
    """The interpreter sees the true macOS version.

    A Python built against an SDK older than 11 is told 10.16 on every newer macOS; its pip, if older than 24.1, then
    rejects every wheel tagged macosx_11_0 or newer, TensorFlow's among them. One built against an SDK older than 26 is
    told 16.x on macOS 26, which hides only wheels tagged macosx_26_0 and newer.

    Looks at: what ``platform.mac_ver()`` says inside the interpreter, the environment's pip.
    Remedy: SYSTEM_VERSION_COMPAT=0 for the install command, pip 24.1 or newer, or a newer Python.
    Source: python/cpython#135675; pypa/pip#11789; conda-forge/python-feedstock#479.
    """

    id = "PY203"
    title = "the interpreter sees the true macOS version"
    severity = Severity.WARNING
    consequence_of = ("MAC102",)

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield the version that the interpreter believes in."""
        if text(facts.machine.os, "the operating system") != "macos":
            return
        interpreter = interpreter_of(facts)
        told = text(interpreter.macos_reported, "the macOS version that the interpreter is told")
        if not is_shim_version(told):
            return
        environment = known(facts.environment)
        pip = environment.version("pip") if environment else None
        harmless = told.startswith("16") or (pip is not None and order(pip) >= order(HONEST_PIP))
        path = remedies.quote(interpreter.path, facts)
        yield self.fails(
            f"this Python was built against an old SDK and takes macOS for {told}",
            severity=Severity.INFO if harmless else Severity.WARNING,
            evidence=[
                Evidence(fact=f"platform.mac_ver() says {told}", source=interpreter.path),
                Evidence(fact=f"pip {pip} is installed" if pip else "no pip seen in the environment"),
            ],
            remedy=Remedy(
                text=f"set {SHIM}=0 before installing, bring pip to {HONEST_PIP} or newer, or take a newer Python"
            ),
            verify=f"{SHIM}=0 {path} -c 'import platform; print(platform.mac_ver()[0])'",
        )


class TensorFlowWheel(Rule):
    """A TensorFlow wheel exists for this Python, architecture and system.

    There are no source releases, so without a fitting wheel pip answers "no matching distribution found". What its
    list of versions says is a fingerprint of Python and architecture: none at all means a Python that is too new, too
    old or not CPython, a macOS below the wheels' tags, or an installer too old to know them.

    Looks at: the interpreter's version and architecture, the system's version, the matrix's wheels.
    Remedy: a new environment with a Python that has wheels; the Pythons are named.
    Source: the wheels on the index; what installers accept is decided by ``packaging.tags``.
    """

    id = "PY204"
    title = "there is a TensorFlow wheel for this Python"
    consequence_of = ("MAC101", "PY209", "PY201", "PY202", "MAC103")

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield that no release fits, and which Pythons have one."""
        if members(environment_of(facts)):
            return
        target = target_of(facts)
        if tensorflows_for(matrix, without_floor(target)):
            needs_floor(facts, target)
        if tensorflows_for(matrix, target):
            return
        have = {python for name in BODIES for python in pythons_with_any(matrix, name, target)}
        others = f"Python {ranges(have)} have one" if have else "no Python has one here"
        yield self.fails(
            f"no released TensorFlow has a wheel for Python {target.python} on {target.platform}; {others}",
            evidence=[
                Evidence(
                    fact=f"none of the wheels fits cp{target.python.replace('.', '')} on {target.platform}"
                    + (f", macOS {target.macos}" if target.macos else ""),
                    source="matrix: releases",
                    tier="installs",
                )
            ],
            remedy=remedies.new_environment(f"use one of Python {ranges(have)}" if have else "see what stands above"),
            matrix_used=True,
        )


class PluginWheel(Rule):
    """A Metal plugin's wheel exists for this Python.

    tensorflow-metal has wheels for some Pythons only (none for 3.13 and newer, 1.2.0 alone for 3.12). With another
    Python TensorFlow computes on the CPU, and pip's complaint names neither cause nor cure. This is a remark, because
    an environment for the CPU is in order as it is.

    Looks at: the interpreter's version and architecture, the matrix's wheels of Apple's plugin.
    Remedy: for the GPU, a new environment with a Python that has one.
    Source: the wheels on the index.
    """

    id = "PY205"
    title = "there is a Metal plugin for this Python"
    severity = Severity.INFO
    consequence_of = ("PY204", "PY209")

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield that no plugin release fits this Python on a Mac."""
        if text(facts.machine.os, "the operating system") != "macos":
            return
        environment, target = environment_of(facts), target_of(facts)
        if any(environment.version(name) for name in PLUGINS):
            return
        anywhere = without_floor(target)
        if versions_for(matrix, APPLE_PLUGIN, anywhere):
            return
        have = pythons_with_any(matrix, APPLE_PLUGIN, anywhere)
        evidence = Evidence(fact=f"wheels for Python {ranges(have)}", source="matrix: releases", tier="installs")
        yield self.fails(
            f"{APPLE_PLUGIN} has no wheel for Python {target.python}: CPU only",
            evidence=[evidence],
            remedy=remedies.new_environment(f"for the GPU use one of Python {ranges(have)}"),
            matrix_used=True,
        )


class RealCPython(Rule):
    """The interpreter is an ordinary CPython.

    TensorFlow's wheels are for CPython with the global interpreter lock: there is none for PyPy, GraalPy or the
    free-threaded build (``python3.13t``), and none fits by accident.

    Looks at: the interpreter's implementation, and whether it is free-threaded.
    Remedy: a new environment with CPython.
    Source: the wheels' tags on the index (cpXY-cpXY only).
    """

    id = "PY209"
    title = "the interpreter is an ordinary CPython"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield another implementation, or a free-threaded build."""
        interpreter = interpreter_of(facts)
        implementation = text(interpreter.implementation, "the Python implementation")
        if implementation != "cpython":
            what = implementation
        elif must(interpreter.free_threaded, "whether Python is free-threaded"):
            what = "the free-threaded CPython"
        else:
            return
        yield self.fails(
            f"TensorFlow has no wheels for {what}",
            evidence=[Evidence(fact=f"{interpreter.path} is {what} {known(interpreter.version) or ''}".strip())],
            remedy=remedies.new_environment("use an ordinary CPython"),
        )


RULES: tuple[Rule, ...] = (
    IntelPython(),
    TranslatedPython(),
    OldSdkPython(),
    TensorFlowWheel(),
    PluginWheel(),
    RealCPython(),
)
