"""Every check as a row: which operation, from which level on, eagerly and compiled."""

from battery.levels import Level
from reproductions.finding import everything


def rows(level, operations=False):
    """A row for each case and program of a level: id, family, operations, its level by mode, shape, type, code.

    With `operations`, those of its gradients too: they are told by the data, which takes some seconds to make.
    """
    wanted = Level(level)
    cases, programs = everything()
    found = [case_row(case, operations) for case in cases if wanted.runs(case.level)]
    return found + [program_row(program) for program in programs if wanted.runs(program.level)]


def case_row(case, operations):
    ops = [case.op]
    if operations:
        ops += [want.op for fill in case.fills for want in fill.wants.values()]
        case._fills = None  # the data of all of them together would be large
    return row(case.name, ops, {"eager": case.level, "graph": case.graph}, case.shape, case.dtype, case.code)


def program_row(program):
    ops = [op.strip() for op in program.op.split(",")]
    return row(program.name, ops, {program.mode: program.level}, "", "float32", program.code)


def row(name, ops, levels, shape, dtype, code):
    return {
        "id": name,
        "family": name.split("/")[0],
        "ops": list(dict.fromkeys(op for op in ops if op)),
        "levels": levels,
        "shape": shape,
        "dtype": dtype,
        "code": code,
    }
