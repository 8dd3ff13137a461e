"""Writes the reproduction of a check that is more than one expression: the battery itself, packed, asked for it alone."""

import ast
import base64
import io
import os
import textwrap
import zipfile

from reproductions.arrays import WIDTH
from reproductions.operation import filled

TEMPLATE = '''@HEADER@
import base64
import io
import json
import os
import subprocess
import sys
import tempfile
import zipfile

DEVICE = sys.argv[1] if len(sys.argv) > 1 else @DEVICE@
CHECK = @CHECK@
LEVEL = @LEVEL@


def main():
    """Run the check on the device and on the CPU; say what came out."""
    with tempfile.TemporaryDirectory() as folder:
        devices = ",".join(dict.fromkeys((DEVICE, "CPU:0")))
        zipfile.ZipFile(io.BytesIO(base64.b64decode(SOURCES))).extractall(folder)
        words = ["--cookie", "==answer==", "--devices", devices, "--level", LEVEL, "--only", CHECK]
        argv = [sys.executable, os.path.join(folder, "numerics.py")] + words
        done = subprocess.run(argv, stdout=subprocess.PIPE, universal_newlines=True)
    _, opened, rest = done.stdout.partition("==answer==")
    if not opened:
        print("the process ended with %s, during the check or before it" % done.returncode, file=sys.stderr)
        return 1 if done.returncode else 2
    return told(json.loads(rest.partition("==answer=="[::-1])[0]))


def told(answer):
    if answer["kind"] != "ran":
        print(answer["error"], file=sys.stderr)
        return 2
    print("TensorFlow %(tensorflow)s, NumPy %(numpy)s, Keras %(keras)s, Python %(python)s" % answer)
    for check in answer["checks"]:
        print("%(device)s, %(mode)s: %(id)s %(status)s; error %(error_in_bounds)s of its bound; %(detail)s" % check)
    mine = [check for check in answer["checks"] if check["device"] == DEVICE]
    if not mine or all(check["status"] in ("skipped", "info") for check in mine):
        print("nothing was compared on " + DEVICE, file=sys.stderr)
        return 2
    wrong = any(check["status"] in ("fails", "crashed") for check in mine)
    print("REPRODUCED: %s is wrong on %s" % (CHECK, DEVICE) if wrong else "not reproduced")
    return 1 if wrong else 0


# The sources of the check, as a zip of
# @FILES@.
SOURCES = """
@SOURCES@
"""

if __name__ == "__main__":
    sys.exit(main())
'''
FIRST = "numerics.py"
LISTS = ("battery/catalogue.py", "battery/programs/collection.py")
"""These import every module there is; what is not needed is left empty in the pack."""
EMPTY = b"def cases():\n    return []\n\n\ndef programs():\n    return []\n"


def script(identity, module, level, device, header, folder):
    """The source; `module` is the name of the one that has the check, `folder` is where the battery lies."""
    files = sources(folder, module.replace(".", "/") + ".py")
    pieces = {
        "HEADER": header,
        "DEVICE": repr(device),
        "CHECK": repr(identity),
        "LEVEL": repr(level),
        "FILES": "\n# ".join(textwrap.wrap(", ".join(name for name, text in files if text not in (b"", EMPTY)), WIDTH)),
        "SOURCES": "\n".join(textwrap.wrap(base64.b64encode(packed(files)).decode("ascii"), WIDTH)),
    }
    return filled(TEMPLATE, pieces)


def sources(folder, module):
    """(name, bytes) of what the check needs of the battery, and of the empty modules that are named beside it."""
    found, listed, waiting = {}, set(), [FIRST, module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = read(os.path.join(folder, name))
            needed = [one for one in imported(found[name]) if os.path.isfile(os.path.join(folder, one))]
            (listed.update if name in LISTS else waiting.extend)(needed)
    found.update((name, EMPTY) for name in listed - set(found))
    found.update((os.path.dirname(name) + "/__init__.py", b"") for name in list(found) if "/" in name)
    return sorted(found.items())


def imported(source):
    """The files that the imports of a module may mean."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            place = node.module.replace(".", "/")
            yield place + ".py"
            for alias in node.names:
                yield "%s/%s.py" % (place, alias.name)


def read(path):
    with open(path, "rb") as stream:
        return stream.read()


def packed(files):
    """The bytes of a zip, the same for the same files."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED, 9)
    return held.getvalue()
