"""A check that is a small Keras program, with soft placement as Keras has it."""

import collections
import time

from battery import placement, running
from battery.recorder import Result

Part = collections.namedtuple("Part", "name op shape result")
"""One result of a program; `name` is added to the program's, "" for none."""
CONTROL = "CPU:0"
"""Where nothing has to be shown: what runs nowhere else runs here."""


class Program:
    """`check(session)` yields Parts; an exception is a result too. `code` is what a report shows of it, where short.

    `mains` are the operations the program is about: on another device than the CPU each must be shown to have run there.
    """

    def __init__(self, name, op, mode, check, level="quick", code="", mains=()):
        self.name, self.op, self.mode, self.check, self.level, self.code = name, op, mode, check, level, code
        self.mains = mains


def run_programs(session, programs):
    for program in programs:
        if session.recorder.wants(program.name):
            run_program(session, program)


def run_program(session, program):
    session.recorder.starts(program.name, program.mode, session.device)
    begun = time.perf_counter()
    try:
        with session.tf.device("/" + session.device):
            parts = checked(session, program)
    except Exception as error:
        parts = [Part("", program.op, "", running.unanswered(error))]
    share = (time.perf_counter() - begun) / max(1, len(parts))
    for part in parts:
        identity = program.name + "/" + part.name if part.name else program.name
        session.recorder.add(
            identity, part.op, program.mode, session.device, part.shape, part.result, share, code=program.code
        )


def checked(session, program):
    """The parts; on another device than the CPU, with what is known of where they were computed."""
    if session.device == CONTROL:
        return list(program.check(session))
    parts, nodes = placement.seen(session.tf, lambda: list(program.check(session)))
    missing, shown = placement.unproved(program.mains, nodes, session.device)
    if not shown:
        return [unshown(part) for part in parts]
    if missing:
        parts = [unshown(part) if part.op.split("+")[0] in missing else part for part in parts]
        detail = "TensorFlow moves to the CPU: " + ", ".join(missing)
        parts.append(Part("placement", missing[0], "", Result("info", None, detail, "cpu")))
    return parts


def unshown(part):
    """A pass proves nothing of a device that computed none of it."""
    if part.result.status != "passes":
        return part
    detail = "right, but no operation is shown to have run on the device"
    return part._replace(result=Result("info", part.result.ratio, detail, "cpu"))


def apart(members, check, called):
    """The parts of `check(members)`; should it fail, of each member alone. `called(member)` gives its name and operation."""
    try:
        return list(check(members))
    except Exception as error:
        if len(members) == 1:
            name, op = called(members[0])
            return [Part(name, op, "", running.unanswered(error))]
    return [part for member in members for part in apart([member], check, called)]


def judged(session, name, want, answer):
    """The Part of one array against its Want."""
    session.recorder.comparisons += 1
    ratio, _, detail = want.judge(answer)
    shape = "x".join(str(size) for size in want.shape)
    return Part(name, want.op, shape, Result("passes" if ratio <= 1 else "fails", ratio, detail))


def claimed(session, name, op, shape, holds, detail):
    """The Part of a plain statement."""
    session.recorder.comparisons += 1
    return Part(name, op, shape, Result("passes" if holds else "fails", None, "" if holds else detail))
