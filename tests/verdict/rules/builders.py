"""Facts for cases: healthy machines and environments, from which a case departs in one thing."""

from __future__ import annotations

from typing import Any

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment, Kernel, PluginFile
from compat.facts.image import LinkProof
from compat.facts.interpreter import Interpreter
from compat.facts.known import NOT_APPLICABLE, Known
from compat.facts.machine import Gpu, Machine
from compat.facts.numerics import Check, Device, Numerics

SITE = "~/project/.venv/lib/python3.12/site-packages"
PYTHON = "/Users/me/project/.venv/bin/python"
PLUGIN = f"{SITE}/tensorflow-plugins/libmetal_plugin.dylib"

APPLE_GPU = Gpu(name="Apple M1 Pro", vendor="apple", cores=16)
AMD_GPU = Gpu(name="AMD Radeon Pro 5500M", vendor="amd")
NVIDIA_GPU = Gpu(
    name="NVIDIA GeForce RTX 3080", vendor="nvidia", driver="550.54.15", cuda_maximum="12.4", compute_capability="8.6"
)


def mac(**changes: Any) -> Machine:
    """An M1 Pro on macOS 14.5 with nothing wrong."""
    healthy: dict[str, Any] = {
        "os": "macos",
        "os_version": "14.5",
        "os_reported": "14.5",
        "kernel": "23.5.0",
        "architecture": "arm64",
        "chip": "Apple M1 Pro",
        "model": "MacBookPro18,3",
        "translated": False,
        "avx": False,
        "gpus": (APPLE_GPU,),
        "container": "none",
    }
    return Machine(**{**healthy, **changes})


def intel_mac(**changes: Any) -> Machine:
    """A 2019 MacBook Pro with an AMD GPU on macOS 13.6."""
    healthy: dict[str, Any] = {
        "os_version": "13.6",
        "os_reported": "13.6",
        "kernel": "22.6.0",
        "architecture": "x86_64",
        "chip": "Intel(R) Core(TM) i9-9880H CPU @ 2.30GHz",
        "model": "MacBookPro16,1",
        "translated": NOT_APPLICABLE,
        "avx": True,
        "gpus": (AMD_GPU,),
    }
    return mac(**{**healthy, **changes})


def linux(**changes: Any) -> Machine:
    """A Linux PC (x86_64, AVX, glibc 2.35) without a GPU."""
    healthy: dict[str, Any] = {
        "os": "linux",
        "os_version": "22.04",
        "os_reported": "22.04",
        "kernel": "6.5.0",
        "architecture": "x86_64",
        "chip": "AMD Ryzen 9 5900X",
        "avx": True,
        "gpus": (),
        "container": "none",
        "wsl": 0,
        "glibc": "2.35",
    }
    return Machine(**{**healthy, **changes})


def windows(**changes: Any) -> Machine:
    """A Windows 11 PC without a GPU."""
    healthy: dict[str, Any] = {
        "os": "windows",
        "os_version": "10.0.22631",
        "os_reported": "10.0.22631",
        "architecture": "x86_64",
        "chip": "AMD Ryzen 9 5900X",
        "avx": True,
        "gpus": (),
        "container": "none",
    }
    return Machine(**{**healthy, **changes})


def python(version: Known[str] = "3.12.4", **changes: Any) -> Interpreter:
    """An arm64 CPython of a virtual environment on a Mac."""
    tag = "cp" + "".join(version.split(".")[:2]) if isinstance(version, str) else version
    healthy: dict[str, Any] = {
        "path": PYTHON,
        "version": version,
        "implementation": "cpython",
        "abi": tag,
        "platform_tag": "macosx-11.0-arm64",
        "machine": "arm64",
        "architectures": ("arm64",),
        "translated": False,
        "macos_reported": "14.5",
        "prefix": "/Users/me/project/.venv",
        "base_prefix": "/opt/homebrew/opt/python@3.12",
        "origin": "venv",
        "user_site": "~/Library/Python/3.12/lib/python/site-packages",
        "user_site_enabled": False,
        "site_directories": (SITE,),
        "free_threaded": False,
    }
    return Interpreter(**{**healthy, **changes})


def intel_python(version: str = "3.11.9", **changes: Any) -> Interpreter:
    """An x86_64 CPython on an Intel Mac."""
    healthy: dict[str, Any] = {
        "platform_tag": "macosx-10.9-x86_64",
        "machine": "x86_64",
        "architectures": ("x86_64",),
        "translated": NOT_APPLICABLE,
        "macos_reported": "13.6",
    }
    return python(version, **{**healthy, **changes})


def linux_python(version: str = "3.12.4", **changes: Any) -> Interpreter:
    """An x86_64 CPython on Linux."""
    healthy: dict[str, Any] = {
        "path": "/home/me/project/.venv/bin/python",
        "platform_tag": "linux-x86_64",
        "machine": "x86_64",
        "architectures": ("x86_64",),
        "translated": NOT_APPLICABLE,
        "macos_reported": NOT_APPLICABLE,
        "prefix": "/home/me/project/.venv",
        "base_prefix": "/usr",
    }
    return python(version, **{**healthy, **changes})


def dist(requirement: str, **changes: Any) -> Distribution:
    """``dist("numpy==1.26.4", requires=(...))``: one installed distribution."""
    name, _, version = requirement.partition("==")
    healthy: dict[str, Any] = {"location": SITE, "installer": "pip", "record_complete": True}
    if name in {"tensorflow", "tensorflow-macos", "tensorflow-cpu"}:
        healthy["provides_top_level"] = True
    return Distribution(name=name, version=version, **{**healthy, **changes})


def environment(*installed: Distribution | str, **changes: Any) -> Environment:
    """A virtual environment with those distributions (``name==version`` or a ``dist``), no plugin file, no kernel."""
    healthy: dict[str, Any] = {
        "kind": "venv",
        "path": "/Users/me/project/.venv",
        "distributions": tuple(item if isinstance(item, Distribution) else dist(item) for item in installed),
        "plugins": (),
        "kernels": (),
        "has_pkg_resources": True,
        "binary_architectures": ("arm64",),
    }
    return Environment(**{**healthy, **changes})


def proof(*, loads: bool = True, layer: int = 0, **changes: Any) -> LinkProof:
    """What was proved of the installed plugin: it loads, unless told otherwise."""
    healthy: dict[str, Any] = {"plugin": PLUGIN, "architecture": "arm64", "minimum_macos": "12.1"}
    return LinkProof(loads=loads, layer=layer, **{**healthy, **changes})


def plugin(owner: str = "tensorflow-metal==1.2.0", **changes: Any) -> PluginFile:
    """An installed plugin file that its one distribution owns and whose links are proved."""
    healthy: dict[str, Any] = {"path": PLUGIN, "site": SITE, "owners": (owner,), "link_proof": proof()}
    return PluginFile(**{**healthy, **changes})


def pair(tensorflow: str = "2.18.1", metal: str = "1.2.0", *more: Distribution | str, **changes: Any) -> Environment:
    """An environment with TensorFlow, Apple's plugin, and its file."""
    installed = (f"tensorflow=={tensorflow}", f"tensorflow-metal=={metal}", *more)
    return environment(*installed, **{"plugins": (plugin(f"tensorflow-metal=={metal}"),), **changes})


def kernel(**changes: Any) -> Kernel:
    """A Jupyter kernel that starts this environment's interpreter."""
    healthy: dict[str, Any] = {
        "name": "python3",
        "path": "~/project/.venv/share/jupyter/kernels/python3",
        "argv0": PYTHON,
        "same_interpreter": True,
    }
    return Kernel(**{**healthy, **changes})


def check(name: str, status: str = "passes", **changes: Any) -> Check:
    """One check of the battery, on the GPU in a compiled function unless told otherwise."""
    healthy: dict[str, Any] = {
        "op": "MatMul+BiasAdd+Relu",
        "mode": "graph",
        "device": "GPU:0",
        "shape": "7x130 -> 33, relu",
        "error_in_bounds": None if status in {"skipped", "crashed"} else 0.02 if status == "passes" else 4100.0,
    }
    return Check(id=name, status=status, **{**healthy, **changes})


CPU_PASSES = check("dense/n7/int/y", device="CPU:0")
GPU_PASSES = check("dense/n7/int/y")
CPU, GPU = Device(name="CPU:0", kind="CPU"), Device(name="GPU:0", kind="GPU", description="METAL")


def smoke(*checks: Check, **changes: Any) -> Numerics:
    """A smoke run to the end with those checks, CPU and GPU listed."""
    healthy: dict[str, Any] = {
        "outcome": "ran",
        "python": "3.12.4",
        "tensorflow": "2.18.1",
        "devices": (CPU, GPU),
        "import_seconds": 2.0,
        "seconds": 3.0,
    }
    return Numerics(checks=checks, **{**healthy, **changes})


def facts(
    machine: Machine | None = None,
    interpreter: Known[Interpreter] | None = None,
    environment: Known[Environment] | None = None,
    numerics: Known[Numerics] | None = None,
    **changes: Any,
) -> Facts:
    """One capture; what is not given is a healthy M1 Pro with Python 3.12 and the recommended pair, smoke not run."""
    parts: dict[str, Any] = {
        "machine": machine or mac(),
        "interpreter": interpreter if interpreter is not None else python(),
        "environment": environment if environment is not None else pair(),
        "path_python": PYTHON,
    }
    if numerics is not None:
        parts["numerics"] = numerics
    return Facts(**{**parts, **changes})
