"""Which checks are there, and one of them as a program of its own, to file upstream.

Stand-alone: run in the interpreter under test, by absolute path; standard library and NumPy only (TensorFlow is not
imported), CPython 3.8 syntax. Answers one JSON object between the given cookie and the cookie reversed: `kind` is
`listed` (`rows`), `found` (`id`, `op`, `modes`: the level of each), `unknown` (`close`: ids that may have been meant), `made`
(`script`), or `failed` (`error`).
"""

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))


def main(argv=None):
    given = options(argv)
    for name in ("OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        os.environ.setdefault(name, "1")
    sys.path[:] = [HERE] + [entry for entry in sys.path if os.path.realpath(entry or ".") != HERE]
    try:
        answer = answered(given)
    except (Exception, SystemExit) as error:
        answer = {"kind": "failed", "error": type(error).__name__ + ": " + " ".join(str(error).split())[:2000]}
    sys.stdout.write("\n" + given.cookie + json.dumps(answer) + given.cookie[::-1] + "\n")


def options(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--cookie", default="")
    parser.add_argument("--list", metavar="LEVEL", help="all checks of a level")
    parser.add_argument("--operations", action="store_true", help="with --list: each operation judged, from the data")
    parser.add_argument("--find", metavar="ID", help="whether there is such a check")
    parser.add_argument("--make", metavar="ID", help="the script of a check")
    parser.add_argument("--mode", default="graph")
    parser.add_argument("--device", default="CPU:0")
    parser.add_argument("--said", action="append", default=[], help="a line for the head of the script; repeatable")
    return parser.parse_args(argv)


def answered(given):
    from reproductions import finding, listing

    if given.list:
        return {"kind": "listed", "rows": listing.rows(given.list, given.operations)}
    identity = given.find or given.make or ""
    found = finding.find(identity)
    if found is None:
        return {"kind": "unknown", "close": finding.close_to(identity)}
    if given.make:
        return {"kind": "made", "script": script(found, identity, given)}
    return {"kind": "found", "id": identity, "op": finding.op_of(found), "modes": finding.modes_of(found)}


def script(found, identity, given):
    """Plain where the check is a plain comparison; else the battery itself, packed."""
    from battery.levels import LEVELS
    from reproductions import bundled, finding, keras_predict, operation
    from reproductions.arrays import NotPlainError

    head = header(found, identity, given.said)
    try:
        if found.case and found.label:
            return operation.script(found.case, found.label, found.tensor, given.mode, given.device, head)
        if found.program and found.program.name == keras_predict.NAME:
            return keras_predict.script(found.tensor, given.device, head)
    except NotPlainError:
        pass
    level = max(finding.modes_of(found).values(), key=LEVELS.index)
    return bundled.script(identity, finding.module_of(found), level, given.device, head, HERE)


def header(found, identity, said):
    """What stands at the top: what is checked, what was seen, how it is run."""
    from reproductions.finding import op_of

    told = ["%s: %s" % (identity, op_of(found))] + [line for line in said if line]
    words = "[DEVICE [MODE]], where MODE is eager, graph or xla" if plain(found) else "[DEVICE]"
    told += ["", "Needs TensorFlow and NumPy only. Run it as: python THIS_FILE " + words]
    told += ["Ends with 1 where the fault is there, 0 where it is not, 2 where that cannot be told.", ""]
    told += ["Every value is compared with a float64 reference. Its bound admits any order of summation, fused"]
    told += ["multiply-add, Winograd and FFT algorithms, fast exponentials and flushed denormals."]
    return "#!/usr/bin/env python3\n" + "\n".join(("# " + line).rstrip() for line in told) + "\n"


def plain(found):
    return found.case is not None and found.label is not None


if __name__ == "__main__":
    main()
