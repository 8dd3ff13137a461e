"""What a run has left, told by looking at it, and whether what it said agrees."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.builder.tiny_index import wheel
from tests.trust.stages import IN_PLACE, NAME, PINS, PRIVATE, ROLLBACK, Ended, Stage


def users_own(folder: Path, version: str) -> None:
    """An environment tfcompat did not make, with ``demo`` in it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    site = next(folder.glob("lib/python*/site-packages"))
    with tempfile.TemporaryDirectory() as wheels:
        made = wheel(Path(wheels), "demo", version)
        shutil.unpack_archive(made, site, "zip")
    (folder / "share").mkdir()
    (folder / "share/notes.txt").write_text("mine")


def names(folder: Path) -> set[str]:
    """What is in a folder; nothing where there is none."""
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def digest(folder: Path) -> str:
    """What a tree holds: names, kinds, modes and contents; nothing where there is none."""
    if not os.path.lexists(folder):
        return ""
    seen = hashlib.sha256()
    for path in sorted([folder, *folder.rglob("*")]):
        mode = path.lstat().st_mode
        content = (
            str(path.readlink()).encode() if path.is_symlink() else path.read_bytes() if stat.S_ISREG(mode) else b""
        )
        seen.update(f"{path.relative_to(folder)} {mode:o} {len(content)}\n".encode() + content)
    return seen.hexdigest()


def kept(place: Path) -> set[str]:
    """The digests of what is kept in the private folder."""
    private = place / PRIVATE
    folders = [private / "previous", *private.glob("*.aside"), *private.glob("new-*/*")]
    return {digest(folder) for folder in folders if folder.is_dir()}


def version_in(environment: Path) -> str:
    """The version of ``demo`` its own interpreter imports; nothing where it does not."""
    words = [environment / "bin" / "python", "-I", "-B", "-c", "import demo; print(demo.__version__)"]
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def is_whole(environment: Path) -> bool:
    """Whether it says that it is ours, and holds its pins."""
    try:
        record = json.loads((environment / "tfcompat.json").read_text())
        return "made_by" in record and (environment / "tfcompat-requirements.txt").read_text().startswith(
            "# tfcompat: "
        )
    except (OSError, ValueError):
        return False


def disagreements(ended: Ended, state: str, stage: Stage, place: Path) -> list[str]:
    """What a run that lived said, against what is there."""
    problems, env, word = [], place / NAME, ended.last_word
    if "Traceback" in ended.said or ended.code not in (0, 2, 3, 130):
        problems.append(f"ended with {ended.code}: {ended.said[-1500:]}")
    said = (
        "new"
        if ended.code == 0 or (f"{env} is " in word and word.endswith(" now"))
        else "old"
        if f"{env} was not made" in word or f"{env} is as it was" in word
        else "nothing"
    )
    if said == "nothing" and state == "old" and not begun(ended):
        return problems
    if said == "nothing":
        problems.append(f"does not say which state it left ({state}): {word!r}")
    elif state not in (said, "broken"):
        problems.append(f"says {said} where it is {state}: {word!r}")
    if (f"{env} was not made" in word) and stage.old:
        problems.append(f"says it was not made where it was there: {word!r}")
    return problems


def begun(ended: Ended) -> bool:
    """Whether a run had put anything down: what stops it before says why it cannot begin, and no more."""
    return any(step.startswith("rename") and step.endswith("journal.json") for step in ended.steps)


def leftovers(place: Path, stage: Stage) -> list[str]:
    """What should not be there once a run has ended well."""
    problems, env = [], place / NAME
    inside, beside = env / "tfcompat-requirements.txt", place / PINS
    if inside.exists() != beside.exists() or (inside.exists() and inside.read_text() != beside.read_text()):
        problems.append("the pins beside it are not those in it")
    keeps = stage.words in (IN_PLACE, ROLLBACK)
    wanted = {NAME, *([PRIVATE] if keeps else []), *([PINS] if inside.exists() else [])}
    if names(place) != wanted:
        problems.append(f"left behind: {sorted(names(place) ^ wanted)}")
    private = names(place / PRIVATE)
    if not private <= {"lock", "previous"} or (keeps and "previous" not in private):
        problems.append(f"left in the private folder: {sorted(private)}")
    return problems
