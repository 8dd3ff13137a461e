"""The subject: the real ``tfcompat fix`` on a plan of tiny wheels, in a process that meets a fault at one step of its own.

    python -m tests.trust.subject         answers requests, one JSON object a line, until its stdin ends

What is given is the plan, the Python and how the result is examined (really: by its own interpreter); all the rest, uv too,
is what people run. A request to start is answered by a fork, which costs no imports; one to wait by how it ended or stopped.

A step is a call that changes the disk or starts a program. Python's own audit events name them, whoever makes them; what has
no event (fsync, write, the exchange of names) is wrapped. The fault comes before the call: the process dies, is stopped, gets
a signal, or the call fails with an error of the system's. That is also after the call before, since nothing else changes the
disk in between; only a child may, so that a started one is a step of its own.
"""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

EVENTS = {
    "open": "open",
    "os.rename": "rename",
    "os.mkdir": "mkdir",
    "os.remove": "remove",
    "os.rmdir": "remove",
    "os.chmod": "chmod",
    "os.truncate": "truncate",
    "os.symlink": "link",
    "os.link": "link",
    "fcntl.flock": "lock",
    "subprocess.Popen": "start",
}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
FREEING = ("remove", "start", "started", "lock")
"""Steps that a full disk lets pass."""


class Steps:
    """Counts the steps from the moment the command begins to act, notes them, and lets one of them meet the fault."""

    def __init__(self, request: dict[str, Any]) -> None:
        self.at: int | None = request.get("at")
        self.act: str = request.get("act", "")
        self.lasting: bool = request.get("lasting", False)
        self.here = f"{request['cwd']}/"
        self.armed = False
        self.count = 0
        self._write = os.write
        self._log = os.open(request["steps"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def step(self, kind: str, *what: object) -> None:
        if not self.armed:
            return
        number, self.count = self.count, self.count + 1
        self._write(self._log, f"{kind} {' -> '.join(self.shown(one) for one in what)}".encode() + b"\n")
        if self.at is None or number < self.at or (number > self.at and not (self.lasting and self._meets(kind))):
            return
        self._fault(kind)

    def _meets(self, kind: str) -> bool:
        return self.act != f"errno:{errno.ENOSPC}" or kind not in FREEING

    def _fault(self, kind: str) -> None:
        name, _, number = self.act.partition(":")
        if name == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
            time.sleep(60)
        elif name == "signal":
            os.kill(os.getpid(), int(number))
        elif name == "errno" and kind != "started":
            raise OSError(int(number), os.strerror(int(number)))

    def shown(self, what: object) -> str:
        """A path as it is told: below the current folder, names made at random as stars."""
        if isinstance(what, int):
            try:
                what = Path(f"/proc/self/fd/{what}").readlink()
            except OSError:
                return "a descriptor"
        text = os.fsdecode(what) if isinstance(what, bytes | os.PathLike) else str(what)
        text = "the folder" if text == self.here[:-1] else text.replace(self.here, "")
        return re.sub(r"(?<=new-)\w+|(?<=\.)\w{8}(?=\.tmp$)", "*", text)

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        """The audit hook."""
        kind = EVENTS.get(event)
        if kind is None or not self.armed:
            return
        if kind == "open":
            if not isinstance(args[2], int) or not args[2] & WRITING or str(args[0]) == os.devnull:
                return
            self.step(kind, args[0])
        elif kind == "start":
            self.step(kind, program(args[1]))
        elif kind == "remove" and args[1] != -1:  # below a folder that is being removed
            self.step(kind, Path(self.shown(args[1])) / os.fsdecode(args[0]))
        else:
            self.step(kind, *args[: 2 if kind == "rename" else 1])


def program(argv: Any) -> str:
    """What a started program is called: uv's with its words."""
    words = [os.fsdecode(word) for word in argv]
    name = Path(words[0]).name
    return f"{name} {' '.join(words[1 : 3 if words[1] == 'pip' else 2])}" if name.startswith("uv") else name


def wrap(steps: Steps) -> None:
    """Make steps of what has no audit event."""
    from compat import process
    from compat.builder import disk
    from compat.cli import fix

    def counted(module: Any, name: str, kind: str, *, after: bool = False) -> None:
        real = getattr(module, name)

        def call(*args: Any, **rest: Any) -> Any:
            if not after:
                steps.step(kind, *[one for one in args[:2] if isinstance(one, int | str | os.PathLike)])
            value = real(*args, **rest)
            if after:
                steps.step(kind, program(args[0]))
            return value

        setattr(module, name, call)

    counted(os, "fsync", "fsync")
    counted(os, "write", "write")
    counted(disk, "_exchanged", "exchange")
    counted(disk, "_flush_all", "flush")
    counted(process, "_start", "started", after=True)
    for name in ("carry_out", "roll_back"):
        setattr(fix, name, _arming(getattr(fix, name), steps))
    sys.addaudithook(steps.hear)


def _arming(real: Callable[..., None], steps: Steps) -> Callable[..., None]:
    def call(*args: Any, **rest: Any) -> None:
        go = os.environ.get("TRUST_GO")
        while go and not Path(go).exists():  # whoever traces us is not there yet
            time.sleep(0.01)
        steps.armed = True
        real(*args, **rest)

    return call


def give(request: dict[str, Any]) -> None:
    """Put in place what the run is given in place of TensorFlow."""
    from compat import process
    from compat.builder import disk, holding, uv
    from compat.builder.outcome import Verification
    from compat.cli import fix, handover
    from tests.builder.test_apply import candidate, plan

    def verify(interpreter: str, _candidate: object, _detail: object = None) -> Verification:
        words = [interpreter, "-I", "-c", "import demo; print('demo', demo.__version__)"]
        done = process.run(words, timeout=120, env=process.environment())
        return Verification(ok=done.ok, stage="complete", message=(done.stdout or done.stderr).strip().splitlines()[-1])

    fix.decide = lambda *_: plan(candidate(*request["pins"]))
    handover.python_for = lambda *_: request.get("python") or sys.executable
    handover.verify = verify
    holding.WAIT_SECONDS = request.get("wait", 60.0)
    if not request.get("exchange", True):
        disk._swap = lambda: None
    if request.get("uv"):
        uv._packaged = lambda: None if request["uv"] == "none" else request["uv"]


def run(request: dict[str, Any]) -> int:
    """The command, in a process of its own; returns its exit code."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    os.setsid()
    os.chdir(request["cwd"])
    for name, value in request["env"].items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    for path, number, flags in (
        (os.devnull, 0, os.O_RDONLY),
        (request["stdout"], 1, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
        (request["stderr"], 2, os.O_WRONLY | os.O_CREAT | os.O_TRUNC),
    ):
        handle = os.open(path, flags, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    from compat.__main__ import main

    give(request)
    wrap(Steps(request))
    return int(main(request["words"]))


def start(request: dict[str, Any]) -> int:
    """Fork; return the number of the child."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        code = run(request)
    except BaseException:  # noqa: BLE001 - a traceback is a finding: it is read from the run's stderr
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """A child's number, or how it ended: its exit code, a signal as a negative number, "stopped", or None."""
    if "start" in request:
        return {"pid": start(request["start"])}
    pid, status = os.waitpid(request["wait"], os.WUNTRACED | (0 if request.get("block", True) else os.WNOHANG))
    if pid == 0:
        return {"ended": None}
    return {"ended": "stopped" if os.WIFSTOPPED(status) else os.waitstatus_to_exitcode(status)}


def serve() -> None:
    """Import once what every run needs, then answer requests."""
    from importlib import import_module

    for name in ("builder.apply", "builder.uv", "cli.building", "cli.handover", "cli.fix", "report.planned"):
        import_module(f"compat.{name}")
    import_module("tests.builder.test_apply")

    for line in sys.stdin:
        told = answer(json.loads(line))
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
