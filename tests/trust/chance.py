"""Deaths at random moments, one after the other in the same folders, with uv left to itself or gone too."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.trust.looking import digest, kept, leftovers, version_in
from tests.trust.run import Bench, kill_all
from tests.trust.stages import NAME, PRIVATE, STAGES, Fault, Stage

SECONDS = 60.0
"""A run that goes on for longer than the moment drawn is not waited for longer than this."""


@dataclass(slots=True, kw_only=True)
class Chain:
    """One folder, and the runs on it that are killed."""

    place: Path
    stage: Stage
    lasts: float
    """Seconds a run took that was not killed."""
    number: int = 0
    stood: bool = False
    """Whether an environment stood there: it must from then on."""
    counted: Counter[str] = field(default_factory=Counter)

    @property
    def wanted(self) -> str:
        """The version the next run is to build: another one each time."""
        return ("2.0", "3.0")[self.number % 2]


def chains(bench: Bench) -> Iterator[Chain]:
    """One of each kind, with how long an undisturbed run takes here."""
    for name in ("create", "replace", "in-place", "rollback"):
        stage = STAGES[name]
        began = time.monotonic()
        done = bench.run(bench.place(stage), stage, Fault())
        assert done.code == 0, done.said
        yield Chain(place=bench.place(stage), stage=stage, lasts=time.monotonic() - began, stood=bool(stage.old))


def killed(bench: Bench, chain: Chain, draw: random.Random, *, alone: bool) -> list[str]:
    """Kill one run, after a moment drawn from as long as it lasts; return what is wrong right afterwards."""
    stage = chain.stage if chain.stage.name == "rollback" else replace(chain.stage, new=chain.wanted)
    moment = draw.uniform(0.0, 1.05 * chain.lasts)
    running = bench.begin(chain.place, stage, Fault())
    ended = _after(running, moment)
    if ended is None:
        if alone:
            os.kill(running.pid, signal.SIGKILL)
        else:
            kill_all(running.pid)
        running.poll()
    chain.number += 1
    chain.counted["killed" if ended is None else "ended before"] += 1
    problems = [f"ended with {ended}: {running.told(ended).said[-600:]}"] if ended not in (None, 0) else []
    return [*problems, *state(bench, chain)]


def _after(running, moment: float) -> int | None:
    """How it ended by then, None where it did not."""
    until = time.monotonic() + moment
    while time.monotonic() < until:
        ended = running.poll(block=False)
        if ended is not None:
            return ended
        time.sleep(min(0.005, max(0.0, until - time.monotonic())))
    return running.poll(block=False)


def state(bench: Bench, chain: Chain) -> list[str]:
    """What is wrong with what stands there: the name never loses its environment, and the user's own is never lost."""
    env, problems = chain.place / NAME, []
    version = version_in(env)
    chain.counted[f"demo {version}" if version else "nothing yet"] += 1
    if chain.stood and not version:
        problems.append(f"no working environment under the name: {sorted(path.name for path in chain.place.iterdir())}")
    if os.path.lexists(env) and not version:
        problems.append("half an environment under the name")
    chain.stood |= bool(version)
    own = bench.digests.get(f"{chain.stage.name} {chain.stage.precious}")
    if own and own not in {digest(env), *kept(chain.place)}:
        problems.append("the user's own environment is nowhere")
    return problems


def mended(bench: Bench, chain: Chain) -> list[str]:
    """A run that is left alone: it must end well, with nothing beside what it made."""
    stage = chain.stage if chain.stage.name == "rollback" else replace(chain.stage, new=chain.wanted)
    done = bench.run(chain.place, stage, Fault())
    problems = [] if done.code == 0 else [f"the next run ended with {done.code}: {done.said[-600:]}"]
    version = version_in(chain.place / NAME)
    if version not in (stage.new, "3.0", "2.0", *(["1.0"] if stage.name == "rollback" else [])):
        problems.append(f"after the next run stands there {version!r}")
    return [*problems, *leftovers(chain.place, chain.stage)]


def renewed(bench: Bench, chain: Chain) -> None:
    """Once the user's own was replaced for good, begin again: what is mended a second time is no longer the user's."""
    complete = (
        version_in(chain.place / NAME) != chain.stage.old and not (chain.place / PRIVATE / "journal.json").exists()
    )
    if chain.stage.name == "in-place" and complete:
        with contextlib.suppress(OSError):
            shutil.rmtree(chain.place)
        chain.place = bench.place(chain.stage)
