"""What a reproduction holds: the same data, the same bound, the same verdict as the battery's own; no TensorFlow needed."""

from __future__ import annotations

import ast
import base64
import io
import json
import subprocess
import sys
import types
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from battery.bounds import exact, integers, products
from battery.case import Case, Fill
from battery.wants import Claim, Want
from reproductions import arrays, bundled, finding, judging, listing, operation

SCRIPTS = Path(__file__).parents[3] / "compat" / "smoke" / "scripts"
MODULES = [SCRIPTS / "reproduction.py", *sorted((SCRIPTS / "reproductions").glob("*.py"))]
STANDARD = {
    "argparse",
    "ast",
    "base64",
    "collections",
    "difflib",
    "inspect",
    "io",
    "json",
    "os",
    "sys",
    "textwrap",
    "zipfile",
    "zlib",
}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_what_writes_them_is_python_3_8_and_imports_nothing_but_numpy_and_the_battery(path):
    tree = ast.parse(path.read_text("utf-8"), feature_version=(3, 8))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}

    assert {name.split(".")[0] for name in names} <= STANDARD | {"numpy", "battery", "reproductions"}


def read(expression):
    """The value that an expression of a script has there."""
    space = {"np": np, "zlib": zlib, "base64": base64}
    exec(arrays.READER, space)  # noqa: S102
    return eval(expression, space)  # noqa: S307


@pytest.mark.parametrize(
    "values",
    [
        np.array([[1, -2], [3, 300]], np.float32),
        np.array([0.1, -0.0, np.nan, np.inf], np.float32),
        np.array([-0.0, 1.0], np.float32),
        np.random.RandomState(1).standard_normal((3, 50, 2)),
        np.array([True, False]),
        np.array([2**40, -1]),
        np.array([0.5, 65504], np.float16),
        np.float32(0.25),
        np.zeros((0, 3), np.float32),
        np.array([1.0, 2.0], ">f4"),
    ],
    ids=["whole", "special", "negative zero", "real", "bool", "wide", "half", "scalar", "empty", "big-endian"],
)
def test_an_array_comes_back_to_the_last_bit(values):
    found = read(arrays.source(values))

    assert found.dtype == np.asarray(values).dtype.newbyteorder("=")
    assert found.shape == values.shape
    assert found.tobytes() == values.astype(found.dtype).tobytes()


@pytest.mark.parametrize(
    ("top", "kept"), [(127, "|i1"), (128, "<i2"), (40000, "<i4"), (2.0**40, "<f4"), (0.5, "<f4"), (0.1, "<f8")], ids=str
)
def test_whole_numbers_are_kept_in_the_fewest_bytes(top, kept):
    assert f"'{kept}'" in arrays.source(np.array([1.0, top]))


@pytest.mark.parametrize(
    "values", [np.array(["a"]), np.array([1j]), np.array([None])], ids=["text", "complex", "object"]
)
def test_what_is_no_plain_number_is_refused(values):
    with pytest.raises(arrays.NotPlainError):
        arrays.source(values)


def test_a_limit_is_never_made_narrower():
    limit = 10.0 ** np.random.RandomState(0).uniform(-30, 3, 1000)
    found = read(arrays.limits(limit))

    assert (found >= limit).all()
    assert (found <= limit * (1 + 2.0**-22)).all()
    assert arrays.limits(np.full((3, 3), 0.25)) == "0.25"


def judged(want, found):
    space = {"np": np}
    exec(judging.source(want), space)  # noqa: S102
    return space["judged"](found, {name: read(text) for name, text in judging.rows(want)})


DRAW = np.random.RandomState(5)
X, W = DRAW.standard_normal((40, 30)).astype(np.float32), DRAW.standard_normal((30, 20)).astype(np.float32)
Y, ABSOLUTE = X.astype(float) @ W, abs(X).astype(float) @ abs(W)
WHOLE = np.arange(24.0).reshape(4, 6)
ANSWERS = {
    "right": (integers("op", WHOLE), WHOLE),
    "one lost product": (integers("op", WHOLE), WHOLE - (WHOLE == 7)),
    "no number": (integers("op", WHOLE), np.where(WHOLE == 7, np.nan, WHOLE)),
    "another shape": (integers("op", WHOLE), WHOLE[:3]),
    "moved, right": (exact("op", WHOLE), WHOLE),
    "moved, off by a hair": (exact("op", WHOLE), WHOLE + 1e-6 * (WHOLE == 3)),
    "moved, off by much": (exact("op", WHOLE), WHOLE[::-1]),
    "float32 sums": (products("op", Y, ABSOLUTE, 30), X @ W),
    "every value a little off": (products("op", Y, ABSOLUTE, 30), Y + 2.0**-24 * 60 * ABSOLUTE),
    "rounded": (products("op", Y, ABSOLUTE, 30), Y.astype(np.float16)),
    "each its own limit": (Want("op", WHOLE, 0.01 * WHOLE), WHOLE * 1.02),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_reproduction_judges_as_the_battery_does(name):
    want, found = ANSWERS[name]
    ratio, text = judged(want, found)
    expected = want.judge(found)

    assert (ratio > 1) == (expected.ratio > 1)
    assert ratio == pytest.approx(expected.ratio, rel=1e-5)
    if expected.detail.startswith("worst") and "little off" not in expected.detail:
        assert text.partition(":")[0].replace(", ", ",") == expected.detail.partition(":")[0].removeprefix("worst ")
    assert {"right", "moved, right", "float32 sums"} >= {name} or ratio > 1


def test_a_statement_is_not_a_comparison():
    with pytest.raises(arrays.NotPlainError):
        judging.source(Claim("Random", (3,), lambda found: (0, "")))


class Words(Want):
    def _place(self, found, error, bad):
        return "in other words"


class Rules(Want):
    def judge(self, found):
        return None


def test_a_want_with_other_words_is_a_comparison_one_with_other_rules_is_not():
    assert judging.plain(Words("op", WHOLE, 1))
    assert not judging.plain(Rules("op", WHOLE, 1))


class Tensor:
    """An array that says it is a tensor."""

    def __init__(self, values):
        self._values = np.asarray(values)

    def numpy(self):
        return self._values


class Place:
    def __init__(self, name):
        self.name = "/device:" + name

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def tensorflow(devices, double):
    """As much of it as the script of one doubling needs."""
    listed = [Place(name) for name in devices]
    config = types.SimpleNamespace(set_soft_device_placement=lambda on: None, list_logical_devices=lambda: listed)
    place, compiled = [], []

    class Entered(Place):
        def __enter__(self):
            place.append(self.name)

        def __exit__(self, *error):
            place.pop()

    def function(call, **options):
        def run(*given):
            compiled.append(options)
            try:
                return call(*given)
            finally:
                compiled.pop()

        return run

    return types.SimpleNamespace(
        __version__="0",
        config=config,
        device=Entered,
        identity=lambda x: x,
        function=function,
        errors=types.SimpleNamespace(OpError=ArithmeticError),
        double=lambda x: Tensor(double(x, place[-1].rpartition("/")[2], bool(compiled))),
    )


def doubling():
    a, b = np.arange(6, dtype=np.float32), np.arange(6, dtype=np.float32) + 10
    fills = [Fill("int", (x,), None, {"y": integers("Double", 2.0 * x)}) for x in (a, b)]
    real = Fill("real", (a / 7,), None, {"y": Want("Double", 2 * (a / 7).astype(float), 1e-6)})
    return Case("double/six", "Double", "6", "tf.double(x)", "x", 0, lambda: [fills[0], fills[1], fills[0], real])


def run(monkeypatch, capsys, source, tf, *words):
    monkeypatch.setitem(sys.modules, "tensorflow", tf)
    monkeypatch.setattr(sys, "argv", ["script", *words])
    space = {"__name__": "reproduction"}
    exec(compile(source, "script", "exec"), space)  # noqa: S102
    code = space["main"]()
    return code, capsys.readouterr()


def stale(keep):
    def double(x, device, compiled):
        before, keep[:] = keep[:], [2 * x]
        return before[0] if before else 2 * x

    return double


DOUBLES = {
    # what the device computes: (exit code, in the text)
    "right": (lambda x, device, compiled: 2 * x, 0, "not reproduced"),
    "wrong": (lambda x, device, compiled: 2 * x + (x == 3), 1, "REPRODUCED: y is wrong on GPU:0"),
    "wrong on the device": (
        lambda x, device, compiled: 2 * x + (device == "GPU:0"),
        1,
        "CPU:0, graph: largest error 0 of",
    ),
    "wrong when compiled": (lambda x, device, compiled: 2 * x + compiled, 1, "GPU:0, graph: largest error 4 of"),
    "stale": (stale([]), 1, "REPRODUCED"),
}


@pytest.mark.parametrize("name", DOUBLES)
def test_a_script_ends_with_1_where_the_fault_is_there(monkeypatch, capsys, name):
    double, code, text = DOUBLES[name]
    source = operation.script(doubling(), "int", "y", "graph", "GPU:0", "# head")

    found, said = run(monkeypatch, capsys, source, tensorflow(["CPU:0", "GPU:0"], double))

    assert found == code
    assert text in said.out


def test_the_mode_can_be_chosen_when_it_is_run(monkeypatch, capsys):
    source = operation.script(doubling(), "int", "y", "graph", "GPU:0", "# head")
    tf = tensorflow(["CPU:0", "GPU:0"], DOUBLES["wrong when compiled"][0])

    assert run(monkeypatch, capsys, source, tf, "GPU:0", "eager")[0] == 0
    assert run(monkeypatch, capsys, source, tf, "GPU:0", "xla")[0] == 1


def test_a_device_that_is_not_there_or_has_no_kernel_cannot_tell(monkeypatch, capsys):
    source = operation.script(doubling(), "int", "y", "graph", "GPU:0", "# head")
    code, said = run(monkeypatch, capsys, source, tensorflow(["CPU:0"], DOUBLES["right"][0]))
    assert (code, said.err) == (2, "TensorFlow lists no GPU:0\n")

    def none(x, device, compiled):
        raise ArithmeticError("No OpKernel was registered to support Op 'Double'")

    code, said = run(monkeypatch, capsys, source, tensorflow(["CPU:0", "GPU:0"], none))
    assert (code, said.err) == (2, "TensorFlow has no kernel for this on GPU:0\n")


def test_an_error_of_the_operation_is_not_hidden(monkeypatch, capsys):
    def broken(x, device, compiled):
        raise ArithmeticError("out of order")

    source = operation.script(doubling(), "int", "y", "graph", "GPU:0", "# head")
    with pytest.raises(ArithmeticError, match="out of order"):
        run(monkeypatch, capsys, source, tensorflow(["CPU:0", "GPU:0"], broken))


def test_the_expression_stands_there_as_a_user_would_write_it_and_all_calls_in_their_order():
    source = operation.script(doubling(), "real", "y", "graph", "CPU:0", "# head")

    assert "def operation(x):\n    return tf.double(x)\n" in source
    assert "CALLS = ['int 1', 'int 2', 'int 1', 'real 3', 'real 3']" in source
    assert source.count("'expected'") == 1
    assert source.startswith("# head\n")


def answer(*words, interpreter=sys.executable):
    argv = [interpreter, str(SCRIPTS / "reproduction.py"), "--cookie", "abc", *words]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.partition("abc")[2].rpartition("cba")[0])


def test_an_id_is_found_with_its_operation_and_levels():
    found = answer("--find", "conv2d/k3_odd/int/dw")

    assert (found["kind"], found["op"]) == ("found", "Conv2DBackpropFilter")
    assert found["modes"]["eager"] == "quick"


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("conv2d/k3_od/int/dw", "conv2d/k3_odd/int/dw"),
        ("conv2d/k3_odd/int/dv", "conv2d/k3_odd/int/dw"),
        ("conv2d/k3_odd/rea/db", "conv2d/k3_odd/real/db"),
        ("keras/predct", "keras/predict"),
        ("zzz", None),
        ("", None),
    ],
)
def test_an_unknown_id_suggests_close_ones(given, meant):
    found = answer("--find", given)

    assert found["kind"] == "unknown"
    assert (meant in found["close"]) if meant else found["close"] == []


def test_a_program_is_packed_with_what_it_needs_and_no_more():
    script = answer("--make", "train/seed/loss", "--device", "GPU:0")["script"]
    packed = script.partition('SOURCES = """')[2].partition('"""')[0]
    files = zipfile.ZipFile(io.BytesIO(base64.b64decode(packed)))

    assert "CHECK = 'train/seed/loss'" in script
    assert "DEVICE = sys.argv[1] if len(sys.argv) > 1 else 'GPU:0'" in script
    assert b"def trajectory" in files.read("battery/programs/classifier.py")
    assert files.read("battery/families/convolution.py") == bundled.EMPTY
    assert files.read("numerics.py") == (SCRIPTS / "numerics.py").read_bytes()
    assert len(script) < 100_000


def test_every_packed_module_finds_what_it_imports():
    for module in ("battery.families.randomness", "battery.programs.training"):
        files = dict(bundled.sources(str(SCRIPTS), module.replace(".", "/") + ".py"))
        for name, content in files.items():
            wanted = {one for one in bundled.imported(content) if (SCRIPTS / one).is_file()}
            assert wanted <= set(files), name


def test_the_same_check_makes_the_same_script():
    for name in ("conv2d/k3_odd/real/y", "train/seed/loss"):
        assert answer("--make", name) == answer("--make", name)


def test_the_head_says_what_was_seen_and_how_it_is_run():
    script = answer("--make", "conv2d/k3_odd/int/dw", "--said", 'a """quoted""" \\ line', "--mode", "eager")["script"]
    head = script.partition("\n\nimport")[0].splitlines()

    assert head[1] == "# conv2d/k3_odd/int/dw: Conv2DBackpropFilter"
    assert head[2] == '# a """quoted""" \\ line'
    assert all(line.startswith("#") for line in head)
    ast.parse(script, feature_version=(3, 8))


def test_predict_is_written_out_with_the_models_own_source():
    script = answer("--make", "keras/predict/int/dense")["script"]

    assert "def branches(tf):" in script
    assert "SOURCES" not in script
    ast.parse(script, feature_version=(3, 8))


def test_the_list_has_every_case_once_and_its_levels_by_mode():
    rows = listing.rows("full")
    cases, programs = finding.everything()

    assert [row["id"] for row in rows] == [one.name for one in (*cases, *programs)]
    assert {row["id"] for row in listing.rows("quick")} < {row["id"] for row in rows}
    assert next(row for row in rows if row["id"] == "train/seed")["levels"] == {"graph": "standard"}


def test_operations_include_those_of_the_gradients():
    row = listing.case_row(next(case for case in finding.everything()[0] if case.name == "conv2d/k3_odd"), True)

    assert {"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", "BiasAddGrad"} <= set(row["ops"])
