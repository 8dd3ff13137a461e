"""The driver: stages an old state, lets the subject meet a fault, looks at what is there, and runs it again without.

What a run has left is judged by looking alone: under the name stands the old state, the new one, or something broken; what it
said last must agree. The next run is the same command without the fault: it must work and leave nothing else behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.builder.tiny_index import wheel
from tests.trust.looking import digest, disagreements, is_whole, kept, leftovers, names, users_own, version_in
from tests.trust.stages import CREATE, NAME, ONLINE, PRIVATE, ROLLBACK, ROOT, Ended, Fault, Outcome, Stage


class Subject:
    """The subject's process."""

    def __init__(self) -> None:
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        words = [sys.executable, "-m", "tests.trust.subject"]
        self._process = subprocess.Popen(words, cwd=ROOT, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, **request: object) -> dict:
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


class Running:
    """One run under way."""

    def __init__(self, subject: Subject, folder: Path, request: dict) -> None:
        self._subject, self._folder = subject, folder
        self.pid: int = subject.ask(start=request)["pid"]

    def poll(self, *, block: bool = True) -> int | str | None:
        """How it ended, ``stopped``, or None while it runs."""
        return self._subject.ask(wait=self.pid, block=block)["ended"]

    def told(self, code: int) -> Ended:
        """What it left in writing."""
        steps = self._folder / "steps"
        found = steps.read_text().splitlines() if steps.exists() else []
        return Ended(code=code, steps=tuple(found), said=(self._folder / "err").read_text())


class Bench:
    """Wheels, a cache and old states, made once; each run gets a place of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.wheels = folder / "wheels"
        self.wheels.mkdir(parents=True)
        for name, version in (("pip", "1.0"), ("demo", "1.0"), ("demo", "2.0"), ("demo", "3.0")):
            wheel(self.wheels, name, version)
        self.env = {"UV_FIND_LINKS": str(self.wheels), "UV_CACHE_DIR": str(folder / "cache"), "HOME": str(folder)}
        self.subject = Subject()
        self.digests: dict[str, str] = {}
        self.steps: dict[tuple[str, bool], tuple[str, ...]] = {}
        self._templates: dict[str, Path] = {}

    def place(self, stage: Stage) -> Path:
        """A fresh folder in the stage's old state."""
        if stage.name not in self._templates:
            self._templates[stage.name] = self._made(stage)
        place = Path(tempfile.mkdtemp(prefix=f"{stage.name}-", dir=self.folder))
        shutil.copytree(self._templates[stage.name], place, symlinks=True, dirs_exist_ok=True)
        return place

    def _made(self, stage: Stage) -> Path:
        template = self.folder / f"old {stage.name}"
        template.mkdir()
        for version, words in stage.before:
            if not words:
                users_own(template / NAME, version)
                continue
            done = self.run(template, Stage(name="", words=words, new=version), Fault())
            assert done.code == 0, done.said
        if stage.old:
            self.digests[f"{stage.name} {stage.old}"] = digest(template / NAME)
        previous = template / PRIVATE / "previous"
        users = previous if previous.exists() else template / NAME
        if stage.precious:
            self.digests[f"{stage.name} {stage.precious}"] = digest(users)
        return template

    def begin(
        self, place: Path, stage: Stage, fault: Fault, words: tuple[str, ...] = (), env: dict | None = None
    ) -> Running:
        """Start a run and return at once."""
        told = Path(tempfile.mkdtemp(prefix="told-", dir=self.folder))
        request = {
            "words": words or stage.words,
            "pins": [f"demo=={stage.new}"] if "--rollback" not in stage.words else ["demo==9"],
            "cwd": str(place),
            "env": {**self.env, **(env or {})},
            **{name: str(told / name[3:]) for name in ("stdout", "stderr")},
            "steps": str(told / "steps"),
            **{name: getattr(fault, name) for name in ("act", "at", "lasting", "exchange", "uv", "python", "wait")},
        }
        return Running(self.subject, told, request)

    def run(
        self, place: Path, stage: Stage, fault: Fault, words: tuple[str, ...] = (), env: dict | None = None
    ) -> Ended:
        """Run to the end."""
        running = self.begin(place, stage, fault, words, env)
        return running.told(running.poll())

    def outcome(
        self, stage: Stage, fault: Fault, env: dict | None = None, mended: Callable[[], dict | None] = lambda: None
    ) -> Outcome:
        """One run that meets a fault, judged at once; then the next run, in a world that is mended, judged too."""
        place = self.place(stage)
        ended = self.run(place, stage, fault, env=env)
        outcome = self.judged(place, stage, ended, fault)
        self.then(place, stage, outcome, Fault(exchange=fault.exchange), mended())
        return outcome

    def judged(self, place: Path, stage: Stage, ended: Ended, fault: Fault | None = None) -> Outcome:
        """What is there, and whether what was said agrees."""
        state, problems = self.state(place, stage)
        if ended.code >= 0:
            problems += disagreements(ended, state, stage, place)
        if ended.code == 0 and not (fault or Fault()).act.startswith("errno"):  # what could not be removed, could not
            problems += leftovers(place, stage)
        return Outcome(ended=ended, state=state, problems=problems)

    def then(
        self, place: Path, stage: Stage, outcome: Outcome, fault: Fault | None = None, env: dict | None = None
    ) -> None:
        """The next run, and that it leaves the new state and nothing else."""
        complete = outcome.state == "new" and not (place / PRIVATE / "journal.json").exists()
        if complete and stage.words not in (CREATE, ONLINE):
            return self._settled(place, stage, outcome)  # a mended one is not mended again: what was kept would go
        again = self.run(place, stage, fault or Fault(), env=env)
        state, problems = self.state(place, stage)
        if again.code != 0 or state != "new":
            problems.append(f"ended with {again.code}, {state}: {again.said[-600:]}")
        outcome.problems += [f"next run: {problem}" for problem in (*problems, *leftovers(place, stage))]
        if not outcome.problems:
            shutil.rmtree(place)
        return None

    def _settled(self, place: Path, stage: Stage, outcome: Outcome) -> None:
        """After one that was complete, the next run is the way back, and back again."""
        for wanted in ("back", "again"):
            done = self.run(place, stage, Fault(), words=ROLLBACK)
            if done.code != 0:
                outcome.problems.append(f"next run, {wanted}: {done.said[-600:]}")
        state, problems = self.state(place, stage)
        if state != "new":
            problems.append(f"{state} after a way back and again")
        outcome.problems += [f"next run: {problem}" for problem in (*problems, *leftovers(place, stage))]
        if not outcome.problems:
            shutil.rmtree(place)

    def state(self, place: Path, stage: Stage) -> tuple[str, list[str]]:
        """The state by looking, and what is wrong with it."""
        env, problems = place / NAME, []
        found, version = digest(env), version_in(env)
        old = self.digests.get(f"{stage.name} {stage.old}", "")
        precious = self.digests.get(f"{stage.name} {stage.precious}", "")
        if precious and precious not in {found, *kept(place)}:
            problems.append("the user's own environment is nowhere")
        if found == old:
            state = "old"
        elif found == "" and old in kept(place):
            state, version = "between", stage.old
        elif version == stage.new and (found == precious or is_whole(env)):
            state = "new"
        else:
            state = "broken"
            problems.append(f"under the name stands neither: {version or sorted(names(place))}")
        if state == "old" and version != stage.old:
            problems.append(f"the old one does not work: {version!r}")
        return state, problems

    def resume(self, pid: int) -> None:
        """Let a run that stands still go on."""
        os.kill(pid, signal.SIGCONT)

    def close(self) -> None:
        self.subject.close()


@contextlib.contextmanager
def bench(folder: Path) -> Iterator[Bench]:
    """A bench while the block runs."""
    made = Bench(folder)
    try:
        yield made
    finally:
        made.close()


def kill_all(pid: int) -> None:
    """End a process and every one it has started, as a machine that goes down does."""
    os.kill(pid, signal.SIGSTOP)
    family = [pid]
    for parent in family:
        with contextlib.suppress(OSError):
            for task in Path(f"/proc/{parent}/task").iterdir():
                children = (task / "children").read_text().split()
                family += [int(child) for child in children]
    for one in reversed(family):
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGKILL)


def steps_of(bench: Bench, stage: Stage, *, exchange: bool = True) -> tuple[str, ...]:
    """Every step of a run that meets no fault. Raises AssertionError where that does not work."""
    key = (stage.name, exchange)
    if key not in bench.steps:
        outcome = bench.outcome(stage, Fault(exchange=exchange))
        assert outcome.state == "new", outcome
        assert not outcome.problems, outcome
        bench.steps[key] = outcome.ended.steps
    return bench.steps[key]


def chosen(steps: tuple[str, ...], most: int | None = None) -> list[int]:
    """The steps to try: all, but of a run of removals in one tree the first, the middle and the last; or a few of them."""
    groups: list[list[int]] = []
    for number, step in enumerate(steps):
        deep = step.startswith("remove ") and step.count("/") > 2
        if deep and groups and steps[groups[-1][-1]].startswith("remove ") and steps[groups[-1][-1]].count("/") > 2:
            groups[-1].append(number)
        else:
            groups.append([number])
    picked = sorted({group[index] for group in groups for index in (0, len(group) // 2, -1)})
    if most is None or most >= len(picked):
        return picked
    return [picked[index * len(picked) // most] for index in range(most)]
