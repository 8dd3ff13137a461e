"""Starting one of the stand-alone scripts in a target interpreter, and telling its answer from the noise around it.

The child runs as the user's own programs do (their site settings, PYTHONPATH and variables), minus the current folder:
it must see what their import sees, and not what happens to lie where tfcompat was called.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from compat.errors import one_line
from compat.process import Completed, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCRIPTS = Path(__file__).resolve().parent / "scripts"
KEPT_LINES = 40
"""Lines of stderr kept; TensorFlow opens with a dozen of its own."""

TELLING = tuple(
    re.compile(pattern)
    for pattern in (
        r"Symbol not found|undefined symbol|Library not loaded|image not found",
        r"cannot open shared object|file too short|invalid ELF header",
        r"incompatible architecture|mach-o file, but|dlopen\(",
        r"NotFoundError",
        r"Check failed|\bF\d{4} |\bF [\w./-]+:\d+\]|\[FATAL\]|LLVM ERROR|libc\+\+abi|terminate called",
        r"MPSNDArray|MPSGraph|MTL[A-Z]\w+|-\[\w+ \w+|failed assertion|kIOGPU|Metal",
        r"[Ii]llegal instruction|compiled to use \w+ instructions",
        r"A module that was compiled using NumPy 1|numpy\.core\.multiarray|Descriptors cannot be created",
        r"Fatal Python error|Segmentation fault|Bus error|Abort trap",
        r"^\w*(\.\w+)*(Error|Exception|Interrupt)\b",
        r"\b[Ee]rror\b",
    )
)
"""What names a cause on stderr, the most telling first; within one kind the last line counts."""

BANNER = re.compile(
    r"[\d-]+ [\d:.]+:? I |I\d{4} [\d:.]+ "
    r"|To enable the following instructions: |Metal device set to: |WARNING: All log messages before absl"
)
"""What TensorFlow and its Metal plugin say at every start; some of it contains a word that would tell a cause."""
FRAME = re.compile(r"File |Thread 0x|Current thread 0x|Extension modules: |Timeout \(\d+:\d\d:\d\d|<no Python frame>")
"""Where Python stood when it was ended: a place and no cause."""


def ask(
    script: str, interpreter: str, arguments: Sequence[str], timeout: float | None, env: Mapping[str, str] | None
) -> tuple[Completed, dict[str, Any] | None]:
    """Run a script in the interpreter from an empty folder; return how it ended, and its answer where it gave one."""
    cookie = secrets.token_hex(16)
    argv = (located(interpreter), str(SCRIPTS / script), "--cookie", cookie, *arguments)
    with TemporaryDirectory(prefix="tfcompat-", ignore_cleanup_errors=True) as folder:
        completed = run(argv, timeout=timeout, env=without_here(env), cwd=Path(folder))
    return completed, between(completed.stdout, cookie)


def located(interpreter: str) -> str:
    """A path holds from the child's folder too, links unresolved (they name the environment); a bare name stays one."""
    return os.path.abspath(interpreter) if os.path.dirname(interpreter) else interpreter  # noqa: PTH100, PTH120


def without_here(env: Mapping[str, str] | None) -> dict[str, str]:
    """The user's environment; relative entries of PYTHONPATH keep meaning what they mean where tfcompat was called.

    An empty entry is the current folder, which is what must not be on the path.
    """
    given = dict(os.environ if env is None else env)
    if "PYTHONPATH" in given:
        entries = [entry for entry in given["PYTHONPATH"].split(os.pathsep) if entry not in ("", ".")]
        given["PYTHONPATH"] = os.pathsep.join(os.path.abspath(entry) for entry in entries)  # noqa: PTH100
    return given


def between(text: str, cookie: str) -> dict[str, Any] | None:
    """The JSON object between the cookie and its reverse, or None; a program may also print its arguments."""
    before, closed, _ = text.partition(cookie[::-1])
    _, opened, inner = before.rpartition(cookie)
    if not opened or not closed:
        return None
    try:
        answer = json.loads(inner)
    except ValueError:
        return None
    return answer if isinstance(answer, dict) else None


def tail(stderr: str) -> tuple[str, ...]:
    """The last lines of stderr that say anything, each folded to a printable one."""
    lines = [one_line(line, 400) for line in stderr.splitlines()[-4 * KEPT_LINES :]]
    return tuple([line for line in lines if line][-KEPT_LINES:])


def key_line(stderr: str) -> str | None:
    """The line of stderr that says most about what went wrong, None where it says no more than every start does."""
    said = [one_line(line, 600) for line in stderr.splitlines()]
    lines = [line for line in said if line and not BANNER.match(line) and not FRAME.match(line)]
    for pattern in TELLING:
        for line in reversed(lines):
            if pattern.search(line):
                return line
    return lines[-1] if lines else None
