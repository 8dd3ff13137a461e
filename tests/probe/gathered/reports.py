"""Reports as files, for the tests of everything that reads them."""

import json

from compat.facts.capture import Facts
from compat.facts.environment import Distribution, Environment
from compat.facts.interpreter import Interpreter
from compat.facts.machine import Machine
from compat.facts.numerics import Numerics
from compat.report import json as told
from compat.report.document import Document
from compat.verdict.finding import Verdict

MAC = Machine(os="macos", os_version="14.5", architecture="arm64", chip="Apple M1", model="MacBookPro18,3")


def facts(*installed, machine=MAC, numerics=None):
    """What a machine with these distributions (``name version``) looks like."""
    site = "/env/lib/python3.11/site-packages"
    rows = [Distribution(name=one.split()[0], version=one.split()[1], location=site) for one in installed]
    return Facts(
        machine=machine,
        interpreter=Interpreter(path="/env/bin/python", version="3.11.7", implementation="cpython", machine="arm64"),
        environment=Environment(kind="venv", path="/env", distributions=tuple(rows)),
        **({"numerics": Numerics(outcome=numerics)} if numerics else {}),
    )


PAIR = ("tensorflow 2.18.1", "tensorflow-metal 1.2.0", "numpy 1.26.4")


def report(*findings, looked=None, **rest):
    """What doctor writes of these findings, as plain values; ``rest`` replaces keys."""
    verdict = Verdict(findings=findings, matrix_date="2026-11-30")
    document = Document(facts=looked or facts(*PAIR, numerics="ran"), verdict=verdict, tool_version="0.1.0")
    return json.loads(told.doctor(document)) | rest


def capture(*installed):
    return json.loads(told.capture(facts(*installed), "0.1.0"))


def put(folder, name, value):
    """Write a report; text and bytes as they are."""
    path = folder / f"{name}.json"
    path.write_bytes(
        value if isinstance(value, bytes) else (value if isinstance(value, str) else json.dumps(value)).encode()
    )
    return path
