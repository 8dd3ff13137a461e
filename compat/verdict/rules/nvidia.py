"""The rule about NVIDIA: whether driver and GPU fit the CUDA that the installed TensorFlow was built with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from packaging.version import Version

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.facts.machine import Gpu
from compat.matrix.load import Matrix
from compat.matrix.versions import minor, order
from compat.verdict.finding import Evidence, Finding, Remedy
from compat.verdict.rule import MissingFactError, Rule, environment_of, must, text
from compat.verdict.rules.installed import named
from compat.verdict.rules.running import running_architecture


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What TensorFlow's Linux x86_64 wheels of some minors were built for."""

    first: str
    """Minor from which this holds; up to the next row's."""
    cuda: str
    oldest_capability: str
    """Of the GPU code in the wheel; older GPUs cannot run any of it, newer ones compile the PTX."""


BUILDS = (
    Build(first="2.5", cuda="11.2", oldest_capability="3.5"),
    Build(first="2.12", cuda="11.8", oldest_capability="3.5"),
    Build(first="2.15", cuda="12.2", oldest_capability="5.0"),
    Build(first="2.16", cuda="12.3", oldest_capability="5.0"),
    Build(first="2.17", cuda="12.3", oldest_capability="6.0"),
    Build(first="2.18", cuda="12.5", oldest_capability="6.0"),
)
"""Read from ``tensorflow/python/platform/build_info.py`` of the wheels. 2.22.0rc0 no longer records it."""
FIRST_UNRECORDED = "2.22"
BLACKWELL = "10.0"
"""First compute capability that no released wheel carries, and its PTX fails there (tensorflow#89272, #90291)."""
DRIVERS = {"11": "450.80.02", "12": "525.60.13"}
"""Oldest Linux driver for any CUDA of that major: docs.nvidia.com/deploy/cuda-compatibility (minor versions)."""
WSL_DRIVERS = {"11": "450.80.02", "12": "528.33"}
"""Under WSL 2 the Windows driver counts: https://www.tensorflow.org/install/pip."""
CUDA_DISTRIBUTIONS = ("tensorflow", "tensorflow-gpu")


class NvidiaFits(Rule):
    """NVIDIA's driver and GPU fit the CUDA of the installed TensorFlow.

    A wheel is built with one CUDA; a driver of the same CUDA major or newer runs it, an older one makes TensorFlow fall
    back to the CPU with one line in the log. GPU code in the wheel covers some compute capabilities: older GPUs are
    dropped over time, and no released wheel carries Blackwell (RTX 50), where compiling the PTX fails.

    Looks at: the driver's version (or the newest CUDA it can run), the GPU's compute capability, the TensorFlow wheel.
    Remedy: a newer driver; a TensorFlow whose wheels still carry the GPU; for Blackwell NVIDIA's own container.
    Source: build_info of the wheels; NVIDIA's CUDA compatibility table; tensorflow#89272, #90291, #111958.
    """

    id = "MAC107"
    title = "NVIDIA's driver and GPU fit the CUDA of the installed TensorFlow"

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield each NVIDIA GPU that this TensorFlow cannot use, and why."""
        if text(facts.machine.os, "the operating system") != "linux":
            return
        environment = environment_of(facts)
        found = next((item for name in CUDA_DISTRIBUTIONS if (item := environment.distribution(name))), None)
        gpus = [gpu for gpu in must(facts.machine.gpus, "the GPUs") if gpu.vendor == "nvidia"]
        if found is None or not gpus or running_architecture(facts) != "x86_64":
            return
        build = _build_of(found.version)
        wheel = Evidence(fact=f"{named(found)}: CUDA {build.cuda}, GPUs from {build.oldest_capability}")
        for gpu in gpus:
            yield from self._driver(gpu, build, wheel, wsl=known(facts.machine.wsl) == 2)  # noqa: PLR2004
            yield from self._capability(gpu, build, wheel)
        for gpu in gpus:
            _needs_known(gpu)

    def _driver(self, gpu: Gpu, build: Build, wheel: Evidence, *, wsl: bool) -> Iterator[Finding]:
        major = build.cuda.partition(".")[0]
        floor = (WSL_DRIVERS if wsl else DRIVERS)[major]
        if gpu.driver is not None:
            old, seen = order(gpu.driver) < order(floor), f"driver {gpu.driver}"
        elif gpu.cuda_maximum is not None:
            old, seen = order(gpu.cuda_maximum) < order(major), f"driver for CUDA {gpu.cuda_maximum} at most"
        else:
            return
        if old:
            where = "on the Windows side" if wsl else "(with your distribution's package manager)"
            yield self.fails(
                f"the NVIDIA {seen} is too old for CUDA {build.cuda}: TensorFlow will not use the {gpu.name}",
                evidence=[Evidence(fact=seen, source="measured here"), wheel],
                remedy=Remedy(text=f"install NVIDIA driver {floor} or newer {where}"),
                verify="nvidia-smi",
            )

    def _capability(self, gpu: Gpu, build: Build, wheel: Evidence) -> Iterator[Finding]:
        if gpu.compute_capability is None:
            return
        capability = order(gpu.compute_capability)
        seen = Evidence(fact=f"{gpu.name}: compute capability {gpu.compute_capability}", source="measured here")
        if capability >= order(BLACKWELL):
            yield self.fails(
                f"no released TensorFlow wheel carries code for the {gpu.name} (compute {gpu.compute_capability})",
                evidence=[seen, wheel],
                remedy=Remedy(text="use NVIDIA's own TensorFlow container (nvcr.io/nvidia/tensorflow), or the CPU"),
            )
        elif capability < order(build.oldest_capability):
            yield self.fails(
                f"this TensorFlow no longer carries code for the {gpu.name} (compute {gpu.compute_capability})",
                evidence=[seen, wheel],
                remedy=Remedy(text=f"use TensorFlow {_last_with(capability)} or older, or the CPU"),
            )


def _build_of(version: str) -> Build:
    rows = [row for row in BUILDS if order(row.first) <= order(minor(version))]
    if not rows or order(minor(version)) >= order(FIRST_UNRECORDED):
        raise MissingFactError(f"the CUDA that TensorFlow {version} was built with", "is not recorded in its wheel")
    return rows[-1]


def _needs_known(gpu: Gpu) -> None:
    for what, value in (("driver", gpu.driver or gpu.cuda_maximum), ("compute capability", gpu.compute_capability)):
        if value is None:
            raise MissingFactError(f"the {what} of {gpu.name}", "is not known")


def _last_with(capability: Version) -> str:
    """Return the minor before the first whose wheels need a newer GPU."""
    dropped = next(row.first for row in BUILDS if order(row.oldest_capability) > capability)
    major, _, number = dropped.partition(".")
    return f"{major}.{int(number) - 1}"


RULES: tuple[Rule, ...] = (NvidiaFits(),)
