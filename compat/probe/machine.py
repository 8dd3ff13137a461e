"""Look at this machine: operating system, chip, memory, graphics, container.

Every question goes through a ``Reader``, so that a Mac can be replayed on any machine; the parsing is next door, in
``macos``, ``linux`` and ``gpus``.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from compat import project
from compat.facts.known import NOT_APPLICABLE, UNKNOWN, Known, Unknown
from compat.facts.machine import Gpu, Machine
from compat.probe import gpus as graphics
from compat.probe import linux, macos
from compat.probe.masking import mask_variable
from compat.process import environment, run

QUICK = 5.0
"""Seconds for a program that answers in 10 ms."""
SLOW = 15.0
"""Seconds for system_profiler and nvidia-smi, which wake hardware."""
SHOWN = frozenset({
    "KERAS_BACKEND", "PYTHONNOUSERSITE", "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "PYTHONDONTWRITEBYTECODE",
    "SYSTEM_VERSION_COMPAT", "ARCHPREFERENCE", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_VERSION",
    "LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CUDA_PATH", "XLA_FLAGS", "OMP_NUM_THREADS",
    "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "TF2_BEHAVIOR", "TF_CONFIG", "TF_DETERMINISTIC_OPS", "TF_XLA_FLAGS",
    "TF_PLUGGABLE_DEVICE_LIBRARY_PATH",
})  # fmt: skip
SHOWN_PREFIXES = (
    "TF_CPP_", "TF_CUDNN_", "TF_DISABLE_", "TF_ENABLE_", "TF_FORCE_", "TF_GPU_", "TF_METAL_", "TF_MPS_", "TF_NUM_",
    "TF_USE_", "DYLD_", "MTL_", "METAL_",
)  # fmt: skip
"""Environment variables that have decided a case in public reports; no other is read. Not all of ``TF_``, which
Terraform uses too, for secrets among other things."""
NVIDIA_SMI = ("nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi")
"""Inside WSL 2 it is often not on PATH (NVIDIA, "CUDA on WSL User Guide")."""


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _run(argv: tuple[str, ...], timeout: float) -> str | None:
    found = argv[0] if os.path.isabs(argv[0]) else project.program(argv[0])  # noqa: PTH117
    if found is None:
        return None
    env = project.left_out(environment(SYSTEM_VERSION_COMPAT="0"))
    done = run((found, *argv[1:]), timeout=timeout, env=env, cwd=Path(found).parent)
    return done.stdout if done.ok or (argv[0].endswith("sysctl") and done.stdout) else None


def _glibc() -> str | None:
    try:
        return os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, ValueError, OSError):
        return None


def _translated() -> bool | None:
    """Ask in-process whether Rosetta runs us: a child may run natively. The key is missing on Intel."""
    import ctypes

    value, size = ctypes.c_int(0), ctypes.c_size_t(ctypes.sizeof(ctypes.c_int))
    try:
        code = ctypes.CDLL(None).sysctlbyname(
            b"sysctl.proc_translated", ctypes.byref(value), ctypes.byref(size), None, 0
        )
    except (OSError, AttributeError):
        return None
    return bool(code == 0 and value.value == 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """All that a look asks of the outside."""

    system: str = sys.platform
    """``darwin``, ``linux`` or ``win32``."""
    release: str = field(default_factory=platform.release)
    machine: str = field(default_factory=platform.machine)
    reported: Callable[[], str] = lambda: platform.mac_ver()[0]
    """The macOS version this very process is told."""
    variables: Mapping[str, str] = field(default_factory=lambda: os.environ)
    home: str | None = None
    """Shown as ``~``; None for the current user's."""
    read: Callable[[str], str | None] = _read
    """The text of a file, None where it cannot be read."""
    run: Callable[[tuple[str, ...], float], str | None] = _run
    """What a program prints, within seconds, past the version shim; None where it failed."""
    translated: Callable[[], bool | None] = _translated
    glibc: Callable[[], str | None] = _glibc


def look(*, gpus: bool = False, reader: Reader | None = None) -> Machine:
    """Return the facts of this machine; ``gpus`` also asks for graphics, which costs up to a second. Never raises."""
    asked = reader or Reader()
    if asked.system == "darwin":
        return _mac(asked, gpus)
    return _windows(asked, gpus) if asked.system == "win32" else _linux(asked, gpus)


def shown_variables(reader: Reader) -> tuple[tuple[str, str], ...]:
    """Return the environment variables that matter here, sorted, masked."""
    names = sorted(name for name in reader.variables if name in SHOWN or name.startswith(SHOWN_PREFIXES))
    return tuple((name, mask_variable(name, reader.variables[name], reader.home)) for name in names)


def _mac(reader: Reader, gpus: bool) -> Machine:
    facts = macos.parse_mac(
        reader.run(("/usr/sbin/sysctl", *macos.SYSCTL_KEYS), QUICK),
        reader.run(("/usr/bin/sw_vers",), QUICK),
        reader.release,
        reader.machine,
    )
    translated = reader.translated()
    displays = graphics.parse_displays(reader.run(graphics.DISPLAYS, SLOW)) if gpus else UNKNOWN
    return Machine(
        os="macos",
        os_version=facts.version,
        os_reported=reader.reported() or Unknown("platform.mac_ver() is empty"),
        os_build=facts.build,
        kernel=reader.release,
        architecture=facts.architecture,
        chip=facts.chip,
        model=facts.model,
        translated=Unknown("sysctlbyname failed") if translated is None else translated,
        avx=facts.avx,
        memory_bytes=facts.memory_bytes,
        gpus=displays,
        container="none",
        environment=shown_variables(reader),
    )


def _linux(reader: Reader, gpus: bool) -> Machine:
    chip, avx = linux.parse_cpuinfo(reader.read("/proc/cpuinfo"), reader.machine)
    version = linux.parse_os_release(reader.read("/etc/os-release") or reader.read("/usr/lib/os-release"))
    return Machine(
        os="linux",
        os_version=version,
        os_reported=version,
        os_build=NOT_APPLICABLE,
        kernel=reader.release,
        architecture=reader.machine,
        chip=chip,
        model=NOT_APPLICABLE,
        avx=avx,
        memory_bytes=linux.parse_meminfo(reader.read("/proc/meminfo")),
        gpus=_nvidia(reader) if gpus else UNKNOWN,
        container=linux.container(reader.read, reader.variables),
        wsl=linux.wsl_version(reader.release),
        glibc=linux.parse_glibc(reader.glibc()),
        environment=shown_variables(reader),
    )


def _windows(reader: Reader, gpus: bool) -> Machine:
    version = platform.version() or Unknown("Windows gave no version")
    return Machine(
        os="windows",
        os_version=version,
        os_reported=version,
        os_build=NOT_APPLICABLE,
        kernel=reader.release,
        architecture=reader.machine.lower(),
        chip=reader.variables.get("PROCESSOR_IDENTIFIER") or UNKNOWN,
        model=NOT_APPLICABLE,
        gpus=_nvidia(reader) if gpus else UNKNOWN,
        container="none",
        environment=shown_variables(reader),
    )


def _nvidia(reader: Reader) -> Known[tuple[Gpu, ...]]:
    """Return NVIDIA's processors; none where there is no driver, since nothing but nvidia-smi is asked."""
    for program in NVIDIA_SMI:
        for fields in (graphics.NVIDIA_FIELDS, graphics.NVIDIA_FIELDS[:3]):
            lines = reader.run((program, *graphics.nvidia_query(fields)), SLOW)
            if lines:
                return graphics.parse_nvidia(lines, reader.run((program,), SLOW))
    return ()
