"""Graphics processors, from the texts of ``system_profiler`` and ``nvidia-smi`` to facts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from compat.facts.known import Known, Unknown
from compat.facts.machine import Gpu

DISPLAYS = ("/usr/sbin/system_profiler", "SPDisplaysDataType", "-json", "-detailLevel", "mini")
NVIDIA_FIELDS = ("name", "driver_version", "memory.total", "compute_cap")
"""Older drivers do not know ``compute_cap`` and refuse the whole query; they are asked again without it."""
UNITS = {"MB": 1024**2, "GB": 1024**3, "TB": 1024**4}
VENDORS = (
    ("apple", ("apple",)),
    ("amd", ("amd", "ati ", "radeon", "0x1002")),
    ("nvidia", ("nvidia", "geforce", "0x10de")),
    ("intel", ("intel", "0x8086")),
)


def parse_displays(text: str | None) -> Known[tuple[Gpu, ...]]:
    """Return the graphics processors ``system_profiler SPDisplaysDataType -json`` lists; a virtual Mac lists none."""
    if text is None:
        return Unknown("system_profiler did not answer")
    try:
        listed = json.loads(text)["SPDisplaysDataType"]
        return tuple(_display(item) for item in listed if isinstance(item, dict))
    except (ValueError, KeyError, TypeError):
        return Unknown("system_profiler gave an answer that makes no sense")


def _display(item: Mapping[str, Any]) -> Gpu:
    name = str(item.get("sppci_model") or item.get("_name") or "unnamed")
    cores = str(item.get("sppci_cores", ""))
    return Gpu(
        name=name,
        vendor=vendor_of(f"{item.get('spdisplays_vendor', '')} {name}"),
        cores=int(cores) if cores.isdecimal() else None,
        memory_bytes=_size(str(item.get("spdisplays_vram", ""))),
    )


def vendor_of(text: str) -> str:
    """Return whose processor a description names, ``other`` where nobody known."""
    lower = text.lower()
    return next((vendor for vendor, signs in VENDORS if any(sign in lower for sign in signs)), "other")


def nvidia_query(fields: tuple[str, ...] = NVIDIA_FIELDS) -> tuple[str, ...]:
    """Return the arguments that make ``nvidia-smi`` print one line of values for each processor."""
    return (f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits")


def parse_nvidia(lines: str, banner: str | None) -> tuple[Gpu, ...]:
    """Return NVIDIA's processors from the query's lines and the banner (plain ``nvidia-smi``), which names CUDA."""
    cuda = re.search(r"CUDA Version\s*:\s*(\d+\.\d+)", banner or "")
    return tuple(
        _nvidia([word.strip() for word in line.split(",")], cuda.group(1) if cuda else None)
        for line in lines.splitlines()
        if line.count(",") >= 2  # noqa: PLR2004 - name, driver, memory
    )


def _nvidia(words: list[str], cuda: str | None) -> Gpu:
    name, driver, memory, *rest = words
    capability = rest[0] if rest and re.fullmatch(r"\d+\.\d+", rest[0]) else None
    return Gpu(
        name=name,
        vendor="nvidia",
        driver=driver,
        memory_bytes=int(memory) * UNITS["MB"] if memory.isdecimal() else None,
        cuda_maximum=cuda,
        compute_capability=capability,
    )


def _size(text: str) -> int | None:
    found = re.fullmatch(r"(\d+) (MB|GB|TB)", text.strip())
    return int(found.group(1)) * UNITS[found.group(2)] if found else None
