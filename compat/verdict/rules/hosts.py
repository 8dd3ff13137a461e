"""Rules about what lies between TensorFlow and the machine: containers and the Windows Subsystem for Linux."""

from __future__ import annotations

from collections.abc import Iterator

from compat.facts.capture import Facts
from compat.facts.known import known
from compat.matrix.load import Matrix
from compat.verdict.finding import Evidence, Finding, Remedy, Severity
from compat.verdict.rule import MissingFactError, Rule, must, text
from compat.verdict.rules.running import machine_architecture

EMULATED_CHIPS = ("VirtualApple", "Apple", "QEMU")
"""How an emulated x86_64 processor names itself in /proc/cpuinfo: Rosetta for Linux, qemu."""
MAC_KERNELS = ("linuxkit", "orbstack")
"""Endings of the kernel release of Docker Desktop's and OrbStack's virtual machines."""


class Container(Rule):
    """A container on a Mac runs natively, and has no Metal.

    A linux/amd64 image on an ARM machine is emulated: slow, and without AVX TensorFlow's x86_64 wheels end with an
    illegal instruction (MAC104). A linux/arm64 container on a Mac runs at full speed on the CPU, but Metal does not
    reach into it: no plugin, no GPU.

    Looks at: the container's kind, the architecture, the processor's and the kernel's name.
    Remedy: the linux/arm64 image for the CPU; for the GPU, run on macOS itself.
    Source: reports of TensorFlow in Docker on Apple silicon; https://docs.docker.com/desktop (multi-platform images).
    """

    id = "MAC105"
    title = "no container stands between TensorFlow and the machine's processor or GPU"
    severity = Severity.INFO

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield an emulated container, or one that Metal does not reach."""
        container = text(facts.machine.container, "whether this is a container")
        if container == "none" or known(facts.machine.os) == "macos":
            return
        architecture = machine_architecture(facts)
        chip, kernel = known(facts.machine.chip), known(facts.machine.kernel)
        evidence = [Evidence(fact=f"{container}, {architecture}, chip {chip}, kernel {kernel}", source=facts.origin)]
        if architecture == "x86_64" and (chip or "").startswith(EMULATED_CHIPS):
            yield self._emulated(evidence)
        elif architecture == "arm64" and _on_a_mac(chip, kernel):
            yield self.fails(
                f"this {container} container has no Metal: TensorFlow computes on the CPU",
                evidence=evidence,
                remedy=Remedy(text="for the GPU, install TensorFlow and tensorflow-metal on macOS itself"),
            )
        elif chip is None and (kernel is None or architecture == "x86_64"):
            raise MissingFactError("the container's processor", "is not named in the facts")

    def _emulated(self, evidence: list[Evidence]) -> Finding:
        return self.fails(
            "this linux/amd64 container is emulated on an ARM machine",
            severity=Severity.WARNING,
            evidence=evidence,
            remedy=Remedy(
                text="start the linux/arm64 image (with Compose: `platform: linux/arm64`)",
                commands=("docker run --platform linux/arm64 --rm -it python:3.12 bash",),
            ),
            verify="uname -m",
        )


def _on_a_mac(chip: str | None, kernel: str | None) -> bool:
    return (chip or "").startswith("Apple") or any(name in (kernel or "") for name in MAC_KERNELS)


class WslVersion(Rule):
    """The Windows Subsystem for Linux is version 2 where a GPU is to be used.

    WSL 1 translates system calls and has no GPU; WSL 2 runs a real Linux kernel to which Windows' NVIDIA driver is
    passed through. TensorFlow needs WSL 2 on Windows 10 build 19044 or newer for CUDA.

    Looks at: the WSL version.
    Remedy: convert the distribution, in PowerShell: `wsl --set-version NAME 2`.
    Source: https://www.tensorflow.org/install/pip#windows-wsl2.
    """

    id = "MAC106"
    title = "Linux here is no WSL 1, which has no GPU"
    severity = Severity.WARNING

    def check(self, facts: Facts, matrix: Matrix) -> Iterator[Finding]:  # noqa: ARG002
        """Yield WSL 1."""
        if text(facts.machine.os, "the operating system") != "linux":
            return
        if must(facts.machine.wsl, "whether this is WSL") == 1:
            yield self.fails(
                "WSL 1 gives Linux programs no GPU",
                evidence=[Evidence(fact=f"kernel {known(facts.machine.kernel)}", source=facts.origin)],
                remedy=Remedy(
                    text="in PowerShell, find the distribution's name with `wsl -l -v`, then `wsl --set-version NAME 2`"
                ),
            )


RULES: tuple[Rule, ...] = (Container(), WslVersion())
