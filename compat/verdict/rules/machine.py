"""Rules about the machine: whether TensorFlow is built for its system, processor and macOS at all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.environment import Distribution
from compat.facts.known import known
from compat.matrix.load import Matrix
from compat.matrix.model import Target
from compat.matrix.query import APPLE_PLUGIN, PYTHONS, versions_for
from compat.matrix.versions import order
from compat.verdict.finding import Evidence, Finding, Remedy, Severity
from compat.verdict.rule import MissingFactError, Rule, environment_of, must, text
from compat.verdict.rules.installed import members, target_of
from compat.verdict.rules.remedies import NEW_ENVIRONMENT, new_environment
from compat.verdict.rules.running import machine_architecture, tensorflows_for, without_floor

SYSTEMS = ("macos", "linux", "windows")
LAST_WINDOWS_GPU = "2.10"
"""Minor of the last TensorFlow that computes on a GPU under native Windows (tensorflow.org/install/pip)."""
SHIM = "SYSTEM_VERSION_COMPAT"
_MACOS_TAG = re.compile(r"macosx_(\d+)_(\d+)_(\w+)$")


def is_shim_version(version: str) -> bool:
    """Tell whether a macOS version is one that exists only for old programs: 10.16, and 16.x on macOS 26."""
    return version == "10.16" or version.startswith(("10.16.", "16.")) or version == "16"


class SupportedSystem(Rule):
    """TensorFlow is released for this operating system and processor.

    Wheels exist for macOS, Linux (glibc) and Windows on x86_64, and for macOS and Linux on arm64; there is none for
    Windows on ARM, other systems or 32-bit processors. On native Windows, TensorFlow 2.11 and newer compute on the CPU
    only: an NVIDIA GPU is used through WSL2.

    Looks at: operating system, architecture, GPUs, the installed TensorFlow.
    Remedy: WSL2 for a GPU on Windows; another machine or container elsewhere.
    Source: the index's wheels; https://www.tensorflow.org/install/pip (native Windows GPU support ends with 2.10).
    """

    id = "MAC101"
    title = "TensorFlow is released for this operating system and processor"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield what no wheel is built for, or a GPU that stays unused."""
        os = text(facts.machine.os, "the operating system")
        architecture = machine_architecture(facts)
        here = Evidence(fact=f"{os} on {architecture}", source=facts.origin)
        if os not in SYSTEMS:
            yield self.fails(f"TensorFlow has no wheels for {os}", evidence=[here], remedy=_ELSEWHERE)
        elif architecture not in {"arm64", "x86_64"} or (os, architecture) == ("windows", "arm64"):
            yield self.fails(f"TensorFlow has no wheels for {os} on {architecture}", evidence=[here], remedy=_ELSEWHERE)
        elif os == "windows":
            yield from self._windows(facts)

    def _windows(self, facts: Facts) -> Iterator[Finding]:
        nvidia = [gpu.name for gpu in must(facts.machine.gpus, "the GPUs") if gpu.vendor == "nvidia"]
        found = next(iter(members(environment_of(facts))), None)
        if nvidia and (found is None or order(found.version) >= order("2.11")):
            yield self.fails(
                f"TensorFlow after {LAST_WINDOWS_GPU} does not use the {nvidia[0]} on native Windows",
                severity=Severity.WARNING if found else Severity.INFO,
                evidence=[Evidence(fact=f"tensorflow {found.version}" if found else "no TensorFlow yet")],
                remedy=Remedy(text="install TensorFlow inside WSL2 (Windows 10 build 19044 or newer); see MAC106"),
            )


_ELSEWHERE = Remedy(text="use a machine or container with Linux or macOS on x86_64 or arm64, or with Windows on x86_64")


class HonestMacOSVersion(Rule):
    """Programs are told the true macOS version.

    macOS answers 10.16 to programs built against an SDK older than 11, and 16.x on macOS 26 to those built against an
    SDK older than 26; with SYSTEM_VERSION_COMPAT=1 it does so to everyone. An installer that believes 10.16 sees no
    wheel tagged macosx_11_0 or newer, and TensorFlow's are tagged macosx_12_0: "no matching distribution". After 16.x
    only wheels tagged macosx_26_0 and newer are lost.

    Looks at: the version as reported to an ordinary program, the true one, the variable SYSTEM_VERSION_COMPAT.
    Remedy: unset the variable; for one command, set it to 0. Where the interpreter itself is to blame see PY203.
    Source: https://github.com/python/cpython/issues/135675 and Apple's shim as described there.
    """

    id = "MAC102"
    title = "programs are told the true macOS version"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield a version that is told in place of the true one."""
        if text(facts.machine.os, "the operating system") != "macos":
            return
        forced = dict(facts.machine.environment).get(SHIM) == "1"
        reported = known(facts.machine.os_reported)
        if reported is None and not forced:
            text(facts.machine.os_reported, "the macOS version that programs are told")
        if not forced and not is_shim_version(reported or ""):
            return
        true = known(facts.machine.os_version)
        yield self.fails(
            f"programs are told macOS {reported or '10.16'}, not {true or 'the true version'}",
            severity=Severity.WARNING if forced or (reported or "").startswith("10.16") else Severity.INFO,
            evidence=[Evidence(fact=f"{SHIM}=1" if forced else f"macOS reports {reported}", source=facts.origin)],
            remedy=_UNSET if forced else _SHIM_OFF,
            verify="python3 -c 'import platform; print(platform.mac_ver()[0])'",
        )


_UNSET = Remedy(
    text=f"unset {SHIM}, and remove the line that sets it from your shell's start files", commands=(f"unset {SHIM}",)
)
_SHIM_OFF = Remedy(text=f"set {SHIM}=0 for the install command, or use a Python built against a current SDK (PY203)")


class MacOSNewEnough(Rule):
    """macOS is new enough for the wheels.

    A wheel's tag names the oldest macOS it is for. TensorFlow's arm64 wheels and every tensorflow-metal since 0.5.1
    are tagged macosx_12_0, so nothing of them installs on macOS 11; a dependency can raise the floor further (h5py
    3.15.0 came for macOS 14 only). Packages copied or unpacked past the installer can be too new all the same.

    Looks at: the macOS version; the tags of installed wheels; where no TensorFlow is installed, the matrix's wheels for
    this Python.
    Remedy: upgrade macOS, or older releases; the newest that fits is named.
    Source: the wheels' tags on the index; what installers accept is decided by ``packaging.tags``.
    """

    id = "MAC103"
    title = "macOS is new enough for the wheels"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield each installed wheel that asks for a newer macOS, or that no TensorFlow comes for this one."""
        if text(facts.machine.os, "the operating system") != "macos":
            return
        version = text(facts.machine.os_version, "the macOS version")
        environment = environment_of(facts)
        newer = [item for item in environment.distributions if _floor(item) > _pair(version)]
        for item in newer:
            yield self._too_new(item, version)
        if not newer and not members(environment):
            yield from self._not_released(facts, matrix, version)

    def _too_new(self, item: Distribution, version: str) -> Finding:
        asked = "{}.{}".format(*_floor(item))
        return self.fails(
            f"{item.name} {item.version} is built for macOS {asked} and newer, this is {version}",
            evidence=[Evidence(fact=f"wheel tag {item.wheel_tags[0]}", source=f"WHEEL in {item.location}")],
            remedy=new_environment(f"upgrade macOS to {asked} or newer, or take wheels that fit this macOS"),
        )

    def _not_released(self, facts: Facts, matrix: Matrix, version: str) -> Iterator[Finding]:
        target = target_of(facts)
        anywhere, here = tensorflows_for(matrix, without_floor(target)), tensorflows_for(matrix, target)
        if not anywhere or (here and here[0] == anywhere[0]):
            return
        left = f"the newest that fits macOS {version} is {here[0]}" if here else "no release fits this macOS"
        yield self.fails(
            f"macOS {version} is too old for {anywhere[0].replace('==', ' ')}",
            severity=Severity.WARNING if here else Severity.ERROR,
            evidence=[Evidence(fact=left, source="matrix: releases", tier="installs")],
            remedy=Remedy(text=f"upgrade macOS to 12 or newer; {left}"),
            matrix_used=True,
        )


def _pair(version: str) -> tuple[int, int]:
    numbers = [int(part) for part in re.findall(r"\d+", version)[:2]]
    return (numbers[0], ([*numbers, 0])[1]) if numbers else (0, 0)


def _floor(item: Distribution) -> tuple[int, int]:
    """Return the oldest macOS one of the wheel's tags is for; (0, 0) where none names a macOS."""
    found = [_MACOS_TAG.search(tag) for tag in item.wheel_tags]
    floors = [(int(match[1]), int(match[2])) for match in found if match]
    return min(floors) if floors and len(floors) == len(item.wheel_tags) else (0, 0)


class Avx(Rule):
    """The processor has AVX, which TensorFlow's x86_64 wheels need.

    Since 1.6 those wheels use AVX instructions without asking. On a processor that has none (Macs from before 2011 and
    some Mac Pros, a linux/amd64 image emulated by qemu on an ARM machine) ``import tensorflow`` ends in "illegal
    instruction" before a line of Python runs. arm64 wheels need nothing of the kind.

    Looks at: the hardware's architecture, its AVX flag, whether it is a container.
    Remedy: a linux/arm64 image on ARM machines; a community build without AVX on old Intel processors.
    Source: https://www.tensorflow.org/install/pip ("hardware requirements").
    """

    id = "MAC104"
    title = "the processor has what TensorFlow's wheels need (AVX on x86_64)"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield that an x86_64 processor lacks AVX."""
        if machine_architecture(facts) != "x86_64":
            return
        if must(facts.machine.avx, "whether the processor has AVX"):
            return
        inside = known(facts.machine.container) not in {None, "none"}
        yield self.fails(
            "this x86_64 processor has no AVX: `import tensorflow` ends with an illegal instruction",
            evidence=[Evidence(fact=f"no AVX among the features of {known(facts.machine.chip) or 'the processor'}")],
            remedy=Remedy(
                text="on an ARM host use the linux/arm64 image; elsewhere a newer CPU or a community build without AVX",
                commands=("docker run --platform linux/arm64 --rm -it python:3.12 bash",) if inside else (),
            ),
        )


class IntelMac(Rule):
    """On an Intel Mac, TensorFlow ends with the last x86_64 wheel.

    TensorFlow 2.16.2 is the last release with macOS x86_64 wheels, tensorflow-metal 1.0.0 the last plugin for AMD GPUs
    there. This is a remark, not a fault: what is installed keeps working.

    Looks at: the hardware's architecture, the matrix's wheels for macOS x86_64.
    Remedy: pin TensorFlow to the last release, on a Python it has a wheel for.
    Source: the release notes of TensorFlow 2.16.1; the wheels on the index.
    """

    id = "MAC108"
    title = "TensorFlow is still released for this Mac's processor"
    severity = Severity.INFO

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:
        """Yield where releases for Intel Macs end."""
        if text(facts.machine.os, "the operating system") != "macos":
            return
        if machine_architecture(facts) != "x86_64":
            return
        last, plugin = (_last_for_intel(matrix, name) for name in ("tensorflow", APPLE_PLUGIN))
        if last is None:
            raise MissingFactError("the last TensorFlow for Intel Macs", "is not in the matrix")
        with_gpu = f", {APPLE_PLUGIN} {plugin} the last plugin for AMD GPUs" if plugin else ""
        yield self.fails(
            f"Intel Mac: TensorFlow {last} is the last release for it{with_gpu}",
            evidence=[Evidence(fact=f"no newer macOS x86_64 wheel than {last}", source="matrix: releases")],
            remedy=Remedy(text=f"pin tensorflow=={last}", commands=(f"{NEW_ENVIRONMENT} --cpu",)),
            matrix_used=True,
        )


def _last_for_intel(matrix: Matrix, name: str) -> str | None:
    targets = [Target(platform="macos-x86_64", python=python) for python in PYTHONS]
    found = [version for target in targets for version in versions_for(matrix, name, target)[:1]]
    return max(found, key=order, default=None)


RULES: tuple[Rule, ...] = (SupportedSystem(), HonestMacOSVersion(), MacOSNewEnough(), Avx(), IntelMac())
