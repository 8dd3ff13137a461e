"""What a Linux says about itself, from the texts under ``/proc`` and ``/etc`` to facts: container and WSL included."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from compat.facts.known import NOT_APPLICABLE, Known, Unknown

X86 = ("x86_64", "amd64", "i686")
CGROUPS = (("kubepods", "kubernetes"), ("libpod", "podman"), ("docker", "docker"), ("/lxc", "lxc"))
"""Words in ``/proc/1/cgroup``, the most particular first; empty of them under cgroup v2 with its own namespace."""


def parse_cpuinfo(text: str | None, machine: str) -> tuple[Known[str], Known[bool]]:
    """Return the processor's name and whether it has AVX; arm64 kernels name no model, and AVX means nothing there."""
    if not text:
        return Unknown("/proc/cpuinfo could not be read"), Unknown("/proc/cpuinfo could not be read")
    name = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    chip: Known[str] = name.group(1).strip() if name else Unknown("/proc/cpuinfo names no model")
    if machine not in X86:
        return chip, NOT_APPLICABLE
    flags = re.search(r"^flags\s*:\s*(.+)$", text, re.MULTILINE)
    return chip, "avx" in flags.group(1).split() if flags else Unknown("/proc/cpuinfo lists no flags")


def parse_meminfo(text: str | None) -> Known[int]:
    """Return the memory in bytes (``MemTotal`` is in kB)."""
    found = re.search(r"^MemTotal:\s+(\d+) kB", text or "", re.MULTILINE)
    return int(found.group(1)) * 1024 if found else Unknown("/proc/meminfo gave no total")


def parse_os_release(text: str | None) -> Known[str]:
    """Return ``ubuntu 22.04`` from os-release (freedesktop.org, "os-release")."""
    lines = (line.partition("=") for line in (text or "").splitlines())
    values = {key.strip(): value.strip().strip("\"'") for key, equals, value in lines if equals}
    name = " ".join(values[key] for key in ("ID", "VERSION_ID") if values.get(key))
    return name or Unknown("no os-release")


def wsl_version(release: str) -> int:
    """Return 1 or 2 inside the Windows Subsystem for Linux, 0 elsewhere, by the kernel's release.

    WSL 1 answers with Windows' own build (``4.4.0-19041-Microsoft``); WSL 2 is a real kernel whose release ends in
    ``microsoft-standard`` and, since 2021, ``-WSL2``.
    """
    if "microsoft" not in release.lower() and "wsl2" not in release.lower():
        return 0
    return 1 if re.search(r"-Microsoft$", release) else 2


def container(read: Callable[[str], str | None], variables: Mapping[str, str]) -> str:
    """Return ``docker``, ``podman``, ``kubernetes``, ``lxc``, or ``none``, by the marks each leaves inside."""
    if variables.get("KUBERNETES_SERVICE_HOST"):
        return "kubernetes"
    if read("/run/.containerenv") is not None or variables.get("container") == "podman":
        return "podman"
    cgroup = read("/proc/1/cgroup") or ""
    for word, name in CGROUPS:
        if word in cgroup:
            return name
    if read("/.dockerenv") is not None:
        return "docker"
    return (
        "lxc"
        if variables.get("container") in {"lxc", "incus"} or "container=lxc" in (read("/proc/1/environ") or "")
        else "none"
    )


def parse_glibc(text: str | None) -> Known[str]:
    """Return ``2.36`` from what ``confstr`` says (``glibc 2.36``); other C libraries have no such name."""
    found = re.fullmatch(r"glibc (\d+\.\d+).*", text or "")
    return found.group(1) if found else Unknown("not glibc; perhaps musl")
