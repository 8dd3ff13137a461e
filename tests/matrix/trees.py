"""Small matrices on disk: a good one, which each test departs from in one place."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

GOOD: dict[str, str] = {
    "issues/load.toml": """
[[issues]]
id = "ISS001"
title = "A plugin beside the wrong TensorFlow"
symptom = "The import fails"
severity = "error"
rule = "BIN401"
remedy = "Take another pair"
commands = ["tfcompat fix --create-venv"]
signatures = ["Symbol not found: __ZN3tsl"]
affects = [{ package = "tensorflow-metal", versions = "==1.1.0", with_package = "tensorflow", with_versions = ">=2.18,<2.20", platforms = ["macos-arm64"], chips = ["Apple M1"], macos = ">=12", python = ">=3.9" }]
sources = [{ url = "https://github.com/tensorflow/tensorflow/issues/84167", day = 2026-11-30 }]
""",
    "observed/runs.toml": """
[[observed]]
id = "OBS001"
kind = "run"
tensorflow = "2.18.0"
plugin = "tensorflow-metal"
plugin_version = "1.1.0"
python = "3.11.11"
chip = "Apple M2 Max"
macos = "15.2"
result = "fails-to-load"
tier = "imports"
what = "import"
sources = [{ url = "https://github.com/tensorflow/tensorflow/issues/84167", day = 2026-11-30 }]
""",
    "observed/table.toml": """
[[observed]]
id = "CLM001"
kind = "claim"
tensorflow = ">=2.14,<2.19"
plugin = "tensorflow-metal"
plugin_version = "1.1.0"
macos = ">=12.1"
result = "works"
tier = "runs"
contradicted_by = ["OBS001", "links/tensorflow-metal.arm64: tensorflow 2.18.0 + 1.1.0"]
sources = [{ url = "https://pypi.org/project/tensorflow-metal/1.2.0/", day = 2026-11-30, kind = "vendor" }]
""",
    "platforms/macos.toml": """
[[macos]]
version = "12"
name = "Monterey"
darwin = 21

[[macos]]
version = "15"
name = "Sequoia"
darwin = 24
""",
    "platforms/chips.toml": """
[[chips]]
name = "Apple M1"
architecture = "arm64"
oldest_macos = "12"

[[chips]]
name = "Apple M2 Max"
architecture = "arm64"
oldest_macos = "12"
newest_macos = "15"
""",
    "repairs/repairs.toml": """
[[repairs]]
id = "numpy-2"
requirement = "numpy<2"
packages = ["tensorflow", "tensorflow-macos"]
versions = "<2.12"
step = "import"
failure = "TypeError: Unable to convert function return value to a Python type!"

[[repairs]]
id = "old-python-only"
requirement = "importlib-metadata"
packages = ["tensorflow"]
versions = "<2.12"
step = "tensorboard"
failure = "ModuleNotFoundError"
python = "<3.10"
""",
    "links/tensorflow-metal.arm64.toml": """
plugin = "tensorflow-metal"
architecture = "arm64"
source = "https://pypi.org/simple/tensorflow-metal/"
pairs = [
  { distribution = "tensorflow", tensorflow = "2.18.0", plugin_version = "1.1.0", loads = false, layer = 2, missing = "log" },
  { distribution = "tensorflow", tensorflow = "2.18.1", plugin_version = "1.2.0", loads = true },
  { distribution = "tensorflow-macos", tensorflow = "2.16.2", plugin_version = "1.2.0", judged = false, reason = "a shell of a few KB" },
  { distribution = "tensorflow", tensorflow = "2.16.2", plugin_version = "1.2.0", loads = true },
]
plugins = [{ version = "1.2.0", minimum_macos = "12.1", sha256 = "ab" }, { version = "1.1.0" }]

[missing]
log = ["__ZN3tsl8internal10LogMessageC1EPKcii"]
""",
    "locks/macos-arm64/tensorflow-2.18.1-metal-1.2.0-cp312.toml": """
platform = "macos-arm64"
python = "3.12"
distribution = "tensorflow"
tensorflow = "2.18.1"
plugin = "tensorflow-metal"
plugin_version = "1.2.0"
tier = "links"
exclude_newer = 2026-11-30
repairs = ["numpy-2"]
packages = [
  { name = "tensorflow", version = "2.18.1", file = "tensorflow.whl", sha256 = "SHA_A", size = 230 },
  { name = "tensorflow-metal", version = "1.2.0", file = "metal.whl", sha256 = "SHA_B", size = 12 },
]
""".replace("SHA_A", "a" * 64).replace("SHA_B", "b" * 64),
    "locks/linux-x86_64/tensorflow-2.18.1-cpu-cp312.toml": """
platform = "linux-x86_64"
python = "3.12"
distribution = "tensorflow-cpu"
tensorflow = "2.18.1"
tier = "runs"
exclude_newer = 2026-11-30
packages = [{ name = "tensorflow-cpu", version = "2.18.1", file = "tensorflow.whl", sha256 = "SHA_C", size = 230 }]
[verified]
day = 2026-11-30
""".replace("SHA_C", "c" * 64),
    "releases/tensorflow.toml": """
name = "tensorflow"
retrieved = 2026-11-29
requires = [["numpy<2.1.0,>=1.26.0"]]
[[releases]]
version = "2.18.1"
uploaded = 2025-03-12
requires_python = ">=3.9"
wheels = [
  { tag = "cp312-cp312-macosx_12_0_arm64", size = 240000000, requires = 0 },
  { tag = "cp312-cp312-manylinux_2_17_x86_64.manylinux2014_x86_64", size = 615000000 },
]
[[releases]]
version = "2.18.0"
uploaded = 2024-10-25
yanked = "for the test"
wheels = [{ tag = "cp312-cp312-macosx_12_0_arm64", size = 240000000 }]
sdist = { size = 1 }
[[releases]]
version = "2.13.0"
uploaded = 2023-07-05
wheels = [{ tag = "cp311-cp311-macosx_12_0_arm64", size = 2000 }]
[[releases]]
version = "2.19.0rc0"
uploaded = 2025-02-01
wheels = [{ tag = "cp312-cp312-macosx_12_0_arm64", size = 240000000 }]
""",
    "releases/tensorflow-metal.toml": """
name = "tensorflow-metal"
retrieved = 2026-11-30
[[releases]]
version = "1.2.0"
uploaded = 2025-01-31
wheels = [{ tag = "cp312-cp312-macosx_12_0_arm64", size = 1357400 }]
""",
}


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Write those files and return the root."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def good(root: Path) -> Path:
    """Write the good matrix."""
    return write(root, GOOD)


def departed(root: Path, name: str, old: str, new: str) -> Path:
    """Write the good matrix with one text of one file replaced by another."""
    assert old in GOOD[name], f"{old!r} is not in the good {name}"
    return write(root, {**GOOD, name: GOOD[name].replace(old, new, 1)})
