"""The test device is a real one: right when healthy, wrong in exactly the planted way, and as loud or silent as planned."""

from __future__ import annotations

import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.device.build import SOURCE, NoCompiler, build, site, variables
from tests.device.faults import EFFECTS, FAULTS, HARMLESS, VARIANTS, named
from tests.smoke.environments import KEPT, environment

HERE = Path(__file__).parent
LIMIT = 300
"""Seconds; a child that takes longer has failed, whatever it does."""

EVERY = {fault.name: fault for fault in FAULTS + HARMLESS}
SILENT = [fault for fault in EVERY.values() if fault.op and fault.kind in ("numeric", "precision")]
HANGING = [fault.name for fault in FAULTS if fault.kind == "hang"] + ["oom_host"]
ENDING = [fault.name for fault in FAULTS if fault.kind in ("death", "error") and fault.name not in HANGING]


def test_every_fault_has_its_own_name_and_a_text():
    names = [fault.name for fault in FAULTS + HARMLESS + VARIANTS]

    assert len(set(names)) == len(names)
    assert len(FAULTS) >= 60
    assert {fault.kind for fault in FAULTS} == {"numeric", "precision", "death", "hang", "error", "loading", "devices"}


def test_every_effect_described_is_planted_and_asked_for_in_the_source():
    source = SOURCE.read_text(encoding="utf-8")
    planted = set(re.findall(r'\{"\w*", "(\w+)"\},', source))
    asked = set(re.findall(r'(?:faulty|device_is)\("(\w+)"\)', source)) | set(re.findall(r'effect, "(\w+)"\)', source))

    assert planted == set(EFFECTS)
    assert planted - asked == set()


@pytest.fixture(scope="module")
def interpreter(tmp_path_factory):
    return environment("keras3", tmp_path_factory.mktemp("environments"))


@pytest.fixture(scope="module")
def library(interpreter, tmp_path_factory):
    return built(interpreter, tmp_path_factory.mktemp("device"))


def built(interpreter, folder, variant="healthy"):
    try:
        return build(interpreter, folder, variant=variant)
    except NoCompiler as missing:
        pytest.skip(str(missing))


def run(interpreter, script, *arguments, settings, limit=LIMIT):
    """The child's end (code, or None where it hung) and its last line of stdout, if that is JSON."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "TMPDIR", "LANG")}
    try:
        done = subprocess.run(
            [interpreter, "-W", "ignore", str(HERE / script), *arguments],
            env={**kept, "TF_CPP_MIN_LOG_LEVEL": "2", **settings},
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None, "", ""
    return done.returncode, done.stdout, done.stderr


def answer(outcome):
    code, out, errors = outcome
    assert code == 0, errors[-2000:]
    return json.loads(out.splitlines()[-1])


@pytest.fixture(scope="module")
def measured(interpreter, library, tmp_path_factory):
    wanted = [
        # BiasAdd is what that fault of the rewriter takes away, whatever product came before.
        {"name": f.name, "op": f.op, "kind": f.kind, "at": "BiasAdd" if "bias_in_graph" in f.name else f.op}
        for f in SILENT
    ]
    file = tmp_path_factory.mktemp("faults") / "faults.json"
    file.write_text(json.dumps(wanted), encoding="utf-8")
    return answer(run(interpreter, "child.py", str(library), str(file), settings=variables(library)))


@pytest.fixture(scope="module")
def ends(interpreter, library):
    names = (*ENDING, "--hang", *HANGING)
    return answer(run(interpreter, "ends.py", str(library), *names, settings=variables(library)))


@pytest.mark.real
def test_the_device_and_the_catalogue_list_the_same_faults(measured):
    assert measured["faults"] == {fault.name: fault.op for fault in EVERY.values()}


@pytest.mark.real
def test_a_healthy_device_computes_what_the_cpu_does_in_both_modes(measured):
    far = {op: row for op, row in measured["healthy"].items() if max(row["eager"], row["graph"]) > 2e-6}

    assert far == {}
    assert measured["complaints"] == {"RandomUniform": [], "RandomStandardNormal": []}


@pytest.mark.real
def test_every_kernel_is_measured_and_ran_on_the_device(measured):
    fused = {"_FusedMatMul", "_FusedConv2D"}
    table = measured["healthy"]

    assert set(measured["operations"]) == set(table) | set(measured["complaints"])
    assert [op for op, row in table.items() if not row["ran_graph"]] == []
    assert {op for op, row in table.items() if not row["ran_eager"]} == fused  # only a graph is ever fused


@pytest.mark.real
def test_each_silent_fault_shows_in_the_modes_the_catalogue_names(measured):
    shown = {
        name: tuple(mode for mode in ("eager", "graph") if rows.get(mode))
        for name, rows in measured["shown"].items()
        if EVERY[name].op not in measured["complaints"]
    }

    assert shown == {name: EVERY[name].modes for name in shown}
    assert len(shown) > 150


@pytest.mark.real
def test_each_fault_of_random_numbers_is_told_by_the_numbers(measured):
    assert [
        n for n in measured["shown"] if EVERY[n].op in measured["complaints"] and not measured["shown"][n]["eager"]
    ] == []


@pytest.mark.real
def test_reduced_precision_is_wrong_by_little(measured):
    flips = {"maxpool_grad_fp16_compare"}  # it picks another winner
    sizes = {n: max(rows.values()) for n, rows in measured["shown"].items() if EVERY[n].kind == "precision"}

    assert [name for name, size in sizes.items() if not 1e-7 < size < 0.05 and name not in flips] == []


@pytest.mark.real
def test_a_fault_leaves_all_other_operations_alone(measured):
    # Run eagerly, what a graph would fuse is made of the plain operations.
    chains = {"_FusedMatMul", "_FusedConv2D"}

    assert [op for op, others in measured["elsewhere"].items() if set(others) - chains] == []


@pytest.mark.real
def test_a_kernel_that_dies_takes_the_process_with_it(ends):
    assert ends[""] == "finishes"
    assert {name: ends[name] for name in ENDING if named(name).kind == "death"} == {
        "matmul_abort": "signal 6",
        "conv2d_segv": "signal 11",
        "conv2d_backprop_filter_abort": "signal 6",
        "maxpool_grad_exit": "exit 3",
        "softmax_kill": "signal 9",
        "fused_matmul_abort": "signal 6",
    }


@pytest.mark.real
@pytest.mark.parametrize("name", HANGING)
def test_what_should_hang_hangs(ends, name):
    assert ends[name] == "hangs"


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("matmul_op_error", r"InternalError: .*command buffer exited"),
        ("conv2d_op_error", r"InternalError: .*command buffer exited"),
        ("fused_matmul_op_error", r"InternalError: "),
        ("copy_error", r"InternalError: .*could not be read|signal 6"),  # up to 2.16 TensorFlow itself aborts
        ("oom", r"InternalError: .*Dst tensor is not initialized"),
        ("oom_large", r"InternalError: .*Dst tensor is not initialized|ResourceExhaustedError"),
    ],
)
def test_what_should_fail_says_so(ends, name, said):
    assert re.match(said, ends[name]), ends[name]


@pytest.mark.real
def test_a_fused_layer_is_wrong_compiled_and_right_eagerly(interpreter, library):
    found = answer(
        run(
            interpreter,
            "load.py",
            str(library),
            "keras",
            settings=variables(library, "fused_matmul_no_relu"),
        )
    )

    assert found["calls"]["_FusedMatMul"] > 0
    assert min(map(min, found["eager"])) == 0  # the ReLU is there
    assert min(map(min, found["graph"])) == -3.5  # and here it is lost: 3 * 1 * -1 - 0.5
    assert found["keras"]["called"] == 0
    assert found["keras"]["predicted"] < 0


LOADED = {
    # planted when the plugin loads: exit code, or None where the import hangs
    "": 0,
    "prints_at_load": 0,
    "no_devices": 0,
    "no_kernels": 0,
    "matmul_no_kernel": 0,
    "device_error": 1,
    "init_error": -6,
    "init_bad_struct": -6,
    "init_abort": -6,
    "init_segv": -11,
    "init_exit": 3,
    "init_hang": None,
    "no_such_fault": -6,
}
HUNG_AFTER = 45
"""Seconds: an import takes four on an idle core."""


@pytest.fixture(scope="module")
def loaded(interpreter, library):
    def load(name):
        limit = HUNG_AFTER if LOADED[name] is None else LIMIT
        return run(interpreter, "load.py", str(library), settings=variables(library, name), limit=limit)

    with ThreadPoolExecutor(3) as pool:
        return dict(zip(LOADED, pool.map(load, LOADED), strict=True))


@pytest.mark.real
@pytest.mark.parametrize("name", LOADED)
def test_a_fault_of_loading_ends_as_planned(loaded, name):
    assert loaded[name][0] == LOADED[name], loaded[name][2][-2000:]


@pytest.mark.real
def test_without_devices_or_kernels_the_product_is_right_and_never_ran_there(loaded):
    for name, gpus in (("no_devices", 0), ("no_kernels", 1), ("matmul_no_kernel", 1)):
        found = answer(loaded[name])

        assert found["product"] == [[3, 3], [3, 3]]
        assert (found["gpus"], found["calls"]["MatMul"]) == (gpus, 0)


@pytest.mark.real
def test_a_plugin_may_print_before_the_answer(loaded):
    assert loaded["prints_at_load"][1].startswith("Metal device set to: Apple M1\n")


@pytest.mark.real
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("device_error", "no device answered|Bad StatusOr access"),
        ("init_error", "the driver refuses"),
        ("no_such_fault", "no fault is called no_such_fault"),
    ],
)
def test_a_refusal_says_why(loaded, name, said):
    assert re.search(said, loaded[name][2])


BROKEN = {
    "unresolved_symbol": (1, "undefined symbol: TF_SymbolOfAnotherTensorFlow"),
    "missing_library": (1, "libof_another_tensorflow.so: cannot open shared object file"),
    "wrong_architecture": (1, "cannot open shared object file"),  # says TensorFlow, though the file is there
    "truncated": (None, ""),
    "empty": (1, "file too short"),
    "two_plugins": (-6, "already registered"),
}


@pytest.fixture(scope="module")
def broken(interpreter, library, tmp_path_factory):
    folder = tmp_path_factory.mktemp("broken")

    def load(name):
        if name == "two_plugins":
            settings = {"PYTHONPATH": str(site(folder, library, copies=2))}
        else:
            settings = variables(build(interpreter, library.parent, variant=name))
        return run(interpreter, "load.py", settings=settings)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(BROKEN, pool.map(load, BROKEN), strict=True))


@pytest.mark.real
@pytest.mark.parametrize("name", BROKEN)
def test_a_bad_file_breaks_the_import_as_its_kind_does(broken, name):
    code, said = BROKEN[name]

    assert broken[name][0] in ((1, -7) if code is None else (code,)), broken[name][2][-2000:]
    assert said in broken[name][2]


def test_the_bad_files_are_those_of_the_catalogue():
    assert set(BROKEN) == {variant.name for variant in VARIANTS}


@pytest.mark.real
def test_a_site_folder_makes_it_a_mac_with_tensorflow_metal(interpreter, library, tmp_path):
    home = site(tmp_path, library, metal=True, fake_mac=True)

    plugin = home / "tensorflow-plugins" / "libmetal_plugin.dylib"
    found = answer(run(interpreter, "load.py", str(plugin), "keras", settings={"PYTHONPATH": str(home)}))
    seen = subprocess.run(
        [
            interpreter,
            "-c",
            "import importlib.metadata as m, platform as p; print(m.version('tensorflow-metal'), p.platform(), p.machine(), p.mac_ver()[0])",
        ],
        env={**os.environ, "PYTHONPATH": str(home)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()

    assert (found["system"], found["gpus"]) == ("Darwin", 1)
    assert found["details"]["device_name"] == "METAL"
    assert found["calls"]["MatMul"] > 0
    assert found["keras"]["jit"] == "False"
    assert found["keras"]["predicted"] == 0
    assert seen == ["1.2.0", "macOS-14.5-arm64-arm-64bit", "arm64", "14.5"]


def others():
    """Interpreters with other TensorFlows, where the caller keeps environments."""
    return sorted(Path(os.environ.get(KEPT, os.devnull)).glob("tensorflow-*-python*/bin/python"))


@pytest.mark.real
@pytest.mark.full
@pytest.mark.parametrize("python", others(), ids=lambda python: python.parts[-3])
def test_it_loads_and_fuses_in_each_tensorflow_at_hand(library, python):
    found = answer(run(str(python), "load.py", str(library), settings=variables(library)))

    assert found["gpus"] == 1
    assert found["product"] == [[3, 3], [3, 3]]
    assert found["eager"] == found["graph"] == [[0, 0]] * 4
    assert found["calls"]["_FusedMatMul"] == 1
