"""What a machine is: operating system, chip, translation, graphics, container."""

from __future__ import annotations

from dataclasses import dataclass

from compat.facts.known import NOT_APPLICABLE, UNKNOWN, Known


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One graphics processor."""

    name: str
    vendor: str
    """``apple``, ``amd``, ``intel``, ``nvidia`` or ``other``."""
    cores: int | None = None
    driver: str | None = None
    memory_bytes: int | None = None
    cuda_maximum: str | None = None
    """The newest CUDA the driver can run (what ``nvidia-smi`` prints), not an installed toolkit."""
    compute_capability: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The hardware and the operating system; every field may be unknown, because captures come from bug reports too."""

    os: Known[str] = UNKNOWN
    """``macos``, ``linux`` or ``windows``."""
    os_version: Known[str] = UNKNOWN
    """The true version (``26.1``), asked past the 10.16 and 16.x shims."""
    os_reported: Known[str] = UNKNOWN
    """What an ordinary program is told (``10.16`` where a shim is at work)."""
    os_build: Known[str] = UNKNOWN
    kernel: Known[str] = UNKNOWN
    """``uname -r``; on macOS the Darwin release."""
    architecture: Known[str] = UNKNOWN
    """Of the hardware: ``arm64``, ``x86_64`` or ``aarch64`` (Linux's word for arm64)."""
    chip: Known[str] = UNKNOWN
    """The brand string (``Apple M1 Pro``); not every Apple chip is an M-series one."""
    model: Known[str] = UNKNOWN
    """Apple's model identifier (``MacBookPro18,3``)."""
    translated: Known[bool] = NOT_APPLICABLE
    """Whether this process runs under Rosetta."""
    avx: Known[bool] = UNKNOWN
    memory_bytes: Known[int] = UNKNOWN
    gpus: Known[tuple[Gpu, ...]] = UNKNOWN
    container: Known[str] = UNKNOWN
    """``docker``, ``podman``, ``kubernetes``, ``lxc``, or ``none``."""
    wsl: Known[int] = NOT_APPLICABLE
    """1 or 2 inside the Windows Subsystem for Linux, 0 on other Linux."""
    glibc: Known[str] = NOT_APPLICABLE
    environment: tuple[tuple[str, str], ...] = ()
    """Environment variables that matter here, by allow-list, secrets masked."""

    @property
    def platform(self) -> str | None:
        """The matrix's word for this kind of machine (``macos-arm64``), None where it is not known."""
        if not isinstance(self.os, str) or not isinstance(self.architecture, str):
            return None
        return f"{self.os}-{platform_architecture(self.os, self.architecture)}"


def platform_architecture(os: str, architecture: str) -> str:
    """Return the architecture as wheels of that system spell it (``amd64`` on Windows, ``aarch64`` on Linux)."""
    arm = architecture in {"arm64", "aarch64"}
    if os == "linux":
        return "aarch64" if arm else "x86_64"
    if os == "windows":
        return "arm64" if arm else "amd64"
    return "arm64" if arm else "x86_64"
