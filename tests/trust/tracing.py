"""The system's own view: strace follows our process, tells the order of its calls, and lets one of them fail."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.trust.run import Bench
from tests.trust.stages import Ended, Fault, Outcome, Stage

ORDERING = ("fsync", "fdatasync", "syncfs", "rename", "renameat", "renameat2")
FAILING = ("openat", "mkdir", "write", "fsync", "rename", "renameat2", "unlink")
CALL = re.compile(r"(?:\d+\s+)?(?P<name>[a-z0-9]+)\((?P<given>.*)\)\s+= (?P<code>-?\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of our process, and the how-manieth of its name it was."""

    name: str
    given: str
    number: int

    @property
    def changes(self) -> bool:
        """Whether it changes files of the target's place."""
        if self.name == "openat":
            return "O_CREAT" in self.given
        return "told-" not in self.given and (self.name != "write" or "</" in self.given.partition(",")[0])


def needed() -> None:
    """Skip, saying so, where there is no strace or it may not attach."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    tried = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"strace may not trace here: {tried.stderr.strip()}")


def traced(bench: Bench, place: Path, stage: Stage, words: list[str]) -> tuple[Ended, str]:
    """Run under strace from the moment the command begins to act; return how it ended and what strace noted."""
    folder = Path(tempfile.mkdtemp(prefix="traced-", dir=bench.folder))
    running = bench.begin(place, stage, Fault(), env={"TRUST_GO": str(folder / "go")})
    argv = ["strace", "-y", "-s", "300", *words, "-o", str(folder / "log"), "-p", str(running.pid)]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as strace:
        said = strace.stderr.readline()
        assert "attached" in said, said
        (folder / "go").touch()
        code = running.poll()
        strace.wait()
    return running.told(code), (folder / "log").read_text()


def calls(noted: str) -> list[Call]:
    """Every finished call of a trace."""
    found, counted = [], {}
    for line in noted.splitlines():
        call = CALL.match(line)
        if call is not None:
            counted[call["name"]] = counted.get(call["name"], 0) + 1
            found.append(Call(name=call["name"], given=call["given"], number=counted[call["name"]]))
    return found


def order(bench: Bench, stage: Stage) -> list[Call]:
    """The calls that put things on the disk or move them, of a run without a fault; threads of ours too."""
    place = bench.place(stage)
    ended, noted = traced(bench, place, stage, ["-f", "-e", f"trace={','.join(ORDERING)}"])
    assert ended.code == 0, ended.said
    here = [replace(call, given=call.given.replace(f"{place}/", "")) for call in calls(noted)]
    return [call for call in here if ".env" in call.given or call.name == "syncfs" or str(place) in call.given]


def targets(bench: Bench, stage: Stage) -> list[Call]:
    """The calls of our process, not of its children, that can be let fail."""
    ended, noted = traced(bench, bench.place(stage), stage, ["-e", f"trace={','.join(FAILING)}"])
    assert ended.code == 0, ended.said
    return [call for call in calls(noted) if call.changes]


def failing(bench: Bench, stage: Stage, call: Call, error: str) -> tuple[Outcome, bool]:
    """What becomes of a run one of whose calls fails, and whether that was the call."""
    place = bench.place(stage)
    words = ["-e", f"trace={call.name}", "-e", f"inject={call.name}:error={error}:when={call.number}"]
    ended, noted = traced(bench, place, stage, words)
    found = bench.judged(place, stage, ended, Fault(act="errno"))
    bench.then(place, stage, found)
    return found, "(INJECTED)" in noted
