"""tf.random.Generator: its draws are fresh and distributed as they should be; the same seed gives the same ones."""

import numpy as np

from battery.programs.program import Part, Program, claimed
from battery.recorder import Result
from battery.references import chance

N = 3 * 2**13


def programs():
    return [
        Program("random/generator", "StatefulStandardNormalV2", "eager", drawing(False), "standard"),
        Program("random/generator", "StatefulStandardNormalV2", "graph", drawing(True), "standard"),
    ]


def drawing(compiled):
    def check(session):
        tf = session.tf
        generators = [tf.random.Generator.from_seed(seed) for seed in (271, 828, 271)]
        answers = []
        for generator in generators:

            def draws(generator=generator):
                return generator.normal([N]), generator.uniform([N])

            function = session.compiled(draws) if compiled else draws
            answers.append([tensor.numpy() for _ in range(2) for tensor in function()])
        first, other, same = answers
        yield stated(session, "normal", "StatefulStandardNormalV2", chance.NORMAL.judge(first[0]))
        yield stated(session, "uniform", "StatefulUniform", chance.UNIFORM.judge(first[1]))
        holds = not np.array_equal(first[0], first[2]) and not np.array_equal(first[1], first[3])
        yield claimed(session, "fresh", "StatefulUniform", str(N), holds, "two draws give the same numbers")
        holds = all(np.array_equal(a, b) for a, b in zip(first, same))
        yield claimed(session, "same_seed", "StatefulUniform", str(N), holds, "the same seed gives other numbers")
        holds = not any(np.array_equal(a, b) for a, b in zip(first, other))
        yield claimed(session, "other_seed", "StatefulUniform", str(N), holds, "another seed gives the same numbers")

    return check


def stated(session, name, op, judgement):
    session.recorder.comparisons += 1
    ratio, detail = judgement
    return Part(name, op, str(N), Result("passes" if ratio <= 1 else "fails", ratio, detail if ratio > 1 else ""))
