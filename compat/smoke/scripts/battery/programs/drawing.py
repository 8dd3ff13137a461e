"""tf.random.Generator: its draws are fresh and distributed as they should be; the same seed gives the same ones."""

import numpy as np

from battery.programs.program import CONTROL, Part, Program, claimed
from battery.recorder import Result
from battery.references import chance
from battery.running import has_no_kernel, unanswered

N = 3 * 2**13
NORMAL, UNIFORM = "StatelessRandomNormalV2", "StatelessRandomUniformV2"
"""What a generator computes with: its key stays, its counter moves on."""


def programs():
    return [
        Program("random/generator", NORMAL, "eager", drawing(False)),
        Program("random/generator", NORMAL, "graph", drawing(True), "standard"),
    ]


def drawing(compiled):
    """Where a device has no kernel that takes a generator's state on, that stays on the CPU; what is drawn does not."""

    def check(session):
        try:
            return list(drawn(session, compiled, session.device))
        except Exception as error:
            if session.device == CONTROL or not has_no_kernel(error):
                raise
            state = Part("state", "RngReadAndSkip", "", unanswered(error))
            return list(drawn(session, compiled, CONTROL)) + [state]

    return check


def drawn(session, compiled, home):
    """What two draws of three generators say, whose state is kept at `home`."""
    with session.tf.device("/" + home):
        generators = [session.tf.random.Generator.from_seed(seed) for seed in (271, 828, 271)]

    def draws():
        return [(generator.normal([N]), generator.uniform([N])) for generator in generators]

    function = session.compiled(draws) if compiled else draws
    twice = zip(function(), function())
    first, other, same = ([tensor.numpy() for tensor in once + again] for once, again in twice)
    yield stated(session, "normal", NORMAL, chance.NORMAL.judge(first[0]))
    yield stated(session, "uniform", UNIFORM, chance.UNIFORM.judge(first[1]))
    for place, (name, op) in enumerate((("normal", NORMAL), ("uniform", UNIFORM))):
        once, again = (numbers[place::2] for numbers in (first, same))
        holds = not np.array_equal(*once)
        yield claimed(session, name + "_fresh", op, str(N), holds, "two draws give the same numbers")
        holds = all(np.array_equal(a, b) for a, b in zip(once, again))
        yield claimed(session, name + "_same_seed", op, str(N), holds, "the same seed gives other numbers")
        holds = not any(np.array_equal(a, b) for a, b in zip(once, other[place::2]))
        yield claimed(session, name + "_other_seed", op, str(N), holds, "another seed gives the same numbers")


def stated(session, name, op, judgement):
    session.recorder.comparisons += 1
    ratio, detail = judgement
    return Part(name, op, str(N), Result("passes" if ratio <= 1 else "fails", ratio, detail if ratio > 1 else ""))
