"""A set of wheel tags in a few words: ``cp310–cp314; macOS arm64, Linux x86_64``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from compat.matrix.versions import ranges

_SYSTEMS = (("macosx", "macOS"), ("manylinux", "Linux"), ("musllinux", "Linux (musl)"), ("linux", "Linux"))
_ARCHITECTURES = ("arm64", "x86_64", "aarch64", "universal2", "i686", "armv7l", "ppc64le", "s390x")


def told(tags: Iterable[str]) -> str:
    """Return the interpreters and the systems that a release has wheels for; ``source only`` for none."""
    parts = [tag.split("-") for tag in tags]
    if not parts:
        return "source only"
    pythons = {python for part in parts for python in part[0].split(".")}
    systems = dict.fromkeys(_system(platform) for part in parts for platform in part[-1].split("."))
    return f"{_interpreters(pythons)}; {', '.join(sorted(systems))}"


def _interpreters(tags: Iterable[str]) -> str:
    """``cp310–cp314`` for consecutive ones; other tags as they are."""
    minors = {tag: tag.removeprefix("cp3") for tag in tags if tag.startswith("cp3") and tag[3:].isdigit()}
    runs = ranges(f"3.{minor}" for minor in minors.values())
    others = sorted(tag for tag in tags if tag not in minors)
    return ", ".join([*(_run(run) for run in runs.split(", ") if run), *others])


def _run(run: str) -> str:
    return "–".join(f"cp{version.replace('.', '')}" for version in run.split("–"))


def _system(platform: str) -> str:
    if platform == "any":
        return "any system"
    if platform.startswith("win"):
        return {"win_amd64": "Windows", "win32": "Windows 32-bit"}.get(platform, f"Windows {platform[4:]}")
    for prefix, name in _SYSTEMS:
        if platform.startswith(prefix):
            return f"{name} {next(_architectures(platform), 'other')}"
    return platform


def _architectures(platform: str) -> Iterator[str]:
    return (architecture for architecture in _ARCHITECTURES if platform.endswith(architecture))
