"""Which check an id names: a case of single operations with its fill and tensor, or a program."""

import collections
import difflib

from battery import catalogue
from battery.levels import LEVELS, Level
from battery.programs import collection

Found = collections.namedtuple("Found", "case program label tensor")
"""A case and what of it is judged (None: a remark, or a statement across calls), or a program."""

CUTOFF = 0.6
"""How alike (difflib's ratio) an id must be to be suggested."""


def everything():
    """(cases, programs) of all levels."""
    return catalogue.all_cases(), collection.all_programs(Level(LEVELS[-1]))


def find(identity):
    """The Found of an id, None for one that no check has."""
    cases, programs = everything()
    for case in cases:
        if identity == case.name or identity.startswith(case.name + "/"):
            return of_case(case, identity[len(case.name) + 1 :])
    for program in programs:
        if identity == program.name or identity.startswith(program.name + "/"):
            return Found(None, program, None, identity[len(program.name) + 1 :])
    return None


def of_case(case, rest):
    if rest in ("", "placement", "again") or (rest.startswith("across/") and case.across is not None):
        return Found(case, None, None, rest)
    label, _, tensor = rest.partition("/")
    return Found(case, None, label, tensor) if "%s/%s" % (case.name, rest) in ids_of(case) else None


def op_of(found):
    """The operation at fault where that is wrong."""
    if found.case and found.label:
        return next(
            f.wants[found.tensor].op for f in found.case.fills if f.label == found.label and found.tensor in f.wants
        )
    return (found.case or found.program).op


def module_of(found):
    """The name of the module that has the check."""
    name = (found.case or found.program).name
    modules = [(one, one.cases) for one in catalogue.FAMILIES] if found.case else []
    modules += [(one, one.programs) for one in collection.MODULES] if found.program else []
    return next(module.__name__ for module, members in modules if any(one.name == name for one in members()))


def modes_of(found):
    """The lowest level that runs it, by mode."""
    if found.case:
        return {"eager": found.case.level, "graph": found.case.graph}
    return {found.program.mode: found.program.level}


def ids_of(case):
    """The ids of all its judged tensors, in order."""
    return list(dict.fromkeys("%s/%s/%s" % (case.name, fill.label, name) for fill in case.fills for name in fill.wants))


def close_to(identity):
    """Ids that may have been meant, the closest first."""
    cases, programs = everything()
    names = {case.name: case for case in cases}
    start = "/".join(identity.split("/")[:2])
    near = difflib.get_close_matches(start, list(names) + [program.name for program in programs], 3, CUTOFF)
    candidates = [one for name in near for one in (ids_of(names[name]) if name in names else [name])]
    return difflib.get_close_matches(identity, candidates, 3, CUTOFF) or near
