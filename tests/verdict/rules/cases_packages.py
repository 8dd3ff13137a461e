"""Cases of TF301–TF307 and TF319–TF321: what is installed, which plugin serves it, whether its bookkeeping holds."""

from __future__ import annotations

from compat.facts.known import UNKNOWN
from tests.verdict.rules.builders import (
    dist,
    environment,
    facts,
    intel_mac,
    intel_python,
    linux,
    linux_python,
    mac,
    pair,
    plugin,
    python,
)
from tests.verdict.rules.cases import Case
from tests.verdict.rules.tiny_matrix import link, tiny_matrix

NOT_LOOKED_AT = facts(environment=UNKNOWN)
UNSEEN = {"provides_top_level": None}
SHELL = {"provides_top_level": False}
PY311 = python("3.11.9")
NEEDS_MACOS = 'tensorflow-macos==2.13.0; platform_system == "Darwin" and platform_machine == "arm64"'
NEEDS_AWS = "tensorflow-cpu-aws==2.13.0; platform_machine == 'aarch64'"
NEEDS_INTEL = 'tensorflow-intel==2.13.0; platform_system == "Windows"'


def on_311(*installed, **changes):
    return facts(interpreter=PY311, environment=environment(*installed, **changes))


def conda(*installed):
    return environment(*installed, kind="conda", conda_prefix="/opt/miniconda3/envs/tf")


PRESENCE = [
    Case(
        rule="TF301",
        name="an environment with NumPy only",
        facts=facts(environment=environment("numpy==1.26.4")),
        expected="fails",
        severity="error",
        message_has=("/Users/me/project/.venv", "tfcompat fix --create-venv"),
    ),
    Case(
        rule="TF301",
        name="a nightly build",
        facts=facts(environment=environment("tf-nightly==2.22.0.dev20260901")),
        expected="passes",
    ),
    Case(rule="TF301", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
    Case(
        rule="TF302",
        name="tensorflow 2.13.0 on Apple silicon without tensorflow-macos",
        facts=on_311(dist("tensorflow==2.13.0", requires=(NEEDS_INTEL, NEEDS_MACOS), **SHELL)),
        expected="fails",
        severity="error",
        message_has=(
            "is a shell",
            "uv pip install --python /Users/me/project/.venv/bin/python tensorflow-macos==2.13.0",
        ),
    ),
    Case(
        rule="TF302",
        name="tensorflow-macos 2.15.1, which requires only itself",
        facts=on_311(dist("tensorflow-macos==2.15.1", requires=("tensorflow-macos==2.15.1",), **SHELL)),
        expected="fails",
        message_has="tensorflow==2.15.1",
    ),
    Case(
        rule="TF302",
        name="a report that names tensorflow 2.13.0 and no tensorflow-macos: the matrix knows the shell",
        facts=on_311(dist("tensorflow==2.13.0", **UNSEEN)),
        expected="fails",
        message_has="tensorflow-macos==2.13.0",
    ),
    Case(
        rule="TF302",
        name="the shell of Linux/ARM names its body among other lines",
        facts=facts(
            linux(architecture="aarch64"),
            linux_python("3.11.7", machine="aarch64"),
            environment(
                dist(
                    "tensorflow==2.13.0",
                    requires=(
                        "no line ]",
                        "numpy>=1",
                        NEEDS_INTEL,
                        "tensorflow==2.13.0",
                        NEEDS_AWS,
                        "tensorflow-rocm==1",
                    ),
                    **SHELL,
                )
            ),
        ),
        expected="fails",
        message_has="python tensorflow-cpu-aws==2.13.0",
    ),
    Case(
        rule="TF302",
        name="files of TensorFlow were deleted",
        facts=facts(environment=environment(dist("tensorflow==2.18.1", record_complete=False))),
        expected="fails",
        severity="error",
        message_has=("files of tensorflow 2.18.1 are gone", "--reinstall-package=tensorflow tensorflow==2.18.1"),
    ),
    Case(
        rule="TF302",
        name="a shell in a conda environment gets no pip command",
        facts=facts(environment=conda(dist("tensorflow-macos==2.16.2", **SHELL)), interpreter=PY311),
        expected="fails",
        message_has=("conda", "tfcompat fix --create-venv"),
        lacks=("uv pip",),
    ),
    Case(
        rule="TF302",
        name="shell and body together",
        facts=on_311(dist("tensorflow==2.13.0", requires=(NEEDS_MACOS,), **SHELL), "tensorflow-macos==2.13.0"),
        expected="passes",
    ),
    Case(
        rule="TF302",
        name="a report that names shell and body: the matrix knows which is which",
        facts=on_311(dist("tensorflow==2.13.0", **UNSEEN), dist("tensorflow-macos==2.13.0", **UNSEEN)),
        expected="passes",
    ),
    Case(
        rule="TF302",
        name="a build nobody knows, its RECORD not looked at",
        facts=facts(environment=environment(dist("tensorflow==2.18.1+mine", **UNSEEN))),
        expected="unknown",
        message_has="tensorflow 2.18.1+mine",
    ),
    Case(
        rule="TF302",
        name="RECORD not looked at and the interpreter's architecture unknown",
        facts=facts(interpreter=python(machine=UNKNOWN), environment=environment(dist("tensorflow==2.18.1", **UNSEEN))),
        expected="unknown",
    ),
]

OWNERS = [
    Case(
        rule="TF303",
        name="tensorflow-macos 2.16.2 left beside tensorflow 2.18.1",
        facts=facts(environment=environment("tensorflow==2.18.1", dist("tensorflow-macos==2.16.2", **SHELL))),
        expected="fails",
        severity="error",
        message_has=("a leftover", "uv pip uninstall --python", "--reinstall-package=tensorflow tensorflow==2.18.1"),
        lacks=("tensorflow-macos==2.18.1",),
    ),
    Case(
        rule="TF303",
        name="tensorflow-macos 2.12.0 beside tensorflow 2.13.0",
        facts=on_311(dist("tensorflow==2.13.0", **SHELL), "tensorflow-macos==2.12.0"),
        expected="fails",
        message_has=("beside a different", "tensorflow==2.13.0 tensorflow-macos==2.13.0"),
    ),
    Case(
        rule="TF303",
        name="an x86_64 tensorflow 2.12.0 beside tensorflow-macos 2.9.2",
        facts=facts(intel_mac(), intel_python(), environment("tensorflow==2.12.0", "tensorflow-macos==2.9.2")),
        expected="fails",
        message_has=("uninstall --python /Users/me/project/.venv/bin/python tensorflow", "tensorflow-macos==2.9.2"),
    ),
    Case(
        rule="TF303",
        name="both at 2.16.2",
        facts=on_311("tensorflow==2.16.2", dist("tensorflow-macos==2.16.2", **SHELL)),
        expected="passes",
    ),
    Case(rule="TF303", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
    Case(
        rule="TF304",
        name="tensorflow and tensorflow-cpu",
        facts=facts(linux(), linux_python(), environment("tensorflow==2.18.1", "tensorflow-cpu==2.18.1")),
        expected="fails",
        severity="error",
        message_has=(
            "own the same tensorflow package",
            "uninstall --python /home/me/project/.venv/bin/python tensorflow-cpu",
        ),
    ),
    Case(
        rule="TF304",
        name="a shell beside its body is no second owner",
        facts=on_311(dist("tensorflow==2.13.0", **SHELL), "tensorflow-macos==2.13.0"),
        expected="passes",
    ),
    Case(
        rule="TF304",
        name="two distributions, one of which nobody knows",
        facts=facts(environment=environment("tensorflow==2.18.1", dist("tf-nightly==2.22.0.dev1", **UNSEEN))),
        expected="unknown",
        message_has="tf-nightly 2.22.0.dev1",
    ),
]

KINDS = [
    Case(
        rule="TF305",
        name="tensorflow-cpu in a folder for Apple silicon",
        facts=facts(environment=environment("tensorflow-cpu==2.18.1")),
        expected="fails",
        severity="warning",
        message_has=("tensorflow-cpu 2.18.1 is installed", "no Mac can install"),
    ),
    Case(
        rule="TF305",
        name="a project that requires tensorflow[and-cuda] without a marker",
        facts=facts(
            environment=environment(
                "tensorflow==2.18.1", dist("lab==1.0", requires=("tensorflow[and-cuda]>=2.17", "numpy"))
            )
        ),
        expected="fails",
        message_has="lab 1.0 requires tensorflow[and-cuda]>=2.17",
    ),
    Case(
        rule="TF305",
        name="NVIDIA's libraries in a folder for a Mac, TensorFlow absent",
        facts=facts(environment=environment("nvidia-cudnn-cu12==9.3.0.75")),
        expected="fails",
        message_has=("nvidia-cudnn-cu12 9.3.0.75", "python tensorflow"),
    ),
    Case(
        rule="TF305",
        name="the same requirement with a marker for Linux",
        facts=facts(
            environment=environment(
                "tensorflow==2.18.1",
                dist(
                    "lab==1.0",
                    requires=(
                        'tensorflow[and-cuda]; sys_platform == "linux"',
                        "tensorflow; sys_platform == 'darwin'",
                        "tensorflow-text",
                    ),
                ),
            )
        ),
        expected="passes",
    ),
    Case(
        rule="TF305",
        name="tensorflow-cpu on an Intel Mac, for which it had wheels",
        facts=facts(intel_mac(), intel_python(), environment("tensorflow-cpu==2.16.2")),
        expected="passes",
    ),
    Case(
        rule="TF305",
        name="tensorflow-cpu on Linux",
        facts=facts(linux(), linux_python(), environment("tensorflow-cpu==2.18.1")),
        expected="passes",
    ),
    Case(rule="TF305", name="the system is unknown", facts=facts(mac(os=UNKNOWN)), expected="unknown"),
]


def run(tensorflow, metal, result="works", **more):
    row = {
        "id": "OBS900", "kind": "run", "tensorflow": tensorflow, "plugin": "tensorflow-metal", "plugin_version": metal,
        "result": result, "tier": "runs", "chip": "Apple M1", "macos": "14.5",
        "sources": [{"url": "https://example.org/run", "day": "2026-11-30"}],
    }  # fmt: skip
    return {**row, **more}


def claim(tensorflow, metal, *contradicted_by):
    return run(tensorflow, metal, id="CLM900", kind="claim", contradicted_by=list(contradicted_by))


RUNS = tiny_matrix(
    observed=[
        run("2.18.1", "1.2.0"),
        run("2.18.1", "1.2.0"),
        run("2.18.1", "1.2.0", "wrong-numbers"),
        run("2.17.1", "1.1.0"),
        run("2.17.1", "1.2.0", "wrong-numbers"),
        run("2.17.1", "1.2.0", "wrong-numbers"),
        run("2.17.1", "1.1.0", plugin="tensorflow-metal-plugin"),
        claim("==2.17.*", "1.1.0"),
        claim(">=2.17", "0.9.0"),
    ]
)
BARE = environment("tensorflow==2.18.1")
PLUGIN = [
    Case(
        rule="TF306",
        name="TensorFlow 2.18.1 alone on an M1",
        facts=facts(environment=BARE),
        expected="fails",
        severity="info",
        matrix=RUNS,
        message_has=(
            "computes on the CPU only",
            "tensorflow-metal==1.2.0",
            "2 works, 1 wrong-numbers",
            "proves nothing",
        ),
    ),
    Case(
        rule="TF306",
        name="2.17.1 on Python 3.11: of two plugins that load, the one with runs on record",
        facts=on_311("tensorflow==2.17.1"),
        expected="fails",
        matrix=RUNS,
        message_has=("tensorflow-metal==1.1.0", "runs on record: 1 works"),
    ),
    Case(
        rule="TF306",
        name="2.21.0, which no plugin of Apple's serves",
        facts=facts(environment=environment("tensorflow==2.21.0")),
        expected="fails",
        matrix=RUNS,
        message_has=("TensorFlow 2.18.1 with tensorflow-metal 1.2.0", "tfcompat fix --create-venv"),
        lacks=("uv pip",),
    ),
    Case(
        rule="TF306",
        name="no plugin serves it and no run is on record",
        facts=facts(environment=environment("tensorflow==2.21.0")),
        expected="fails",
        message_has="the CPU build is whole without one",
        lacks=("Best known pair",),
    ),
    Case(
        rule="TF306",
        name="an Intel Mac with an AMD GPU and TensorFlow 2.12.0",
        facts=facts(intel_mac(), intel_python(), environment("tensorflow==2.12.0")),
        expected="fails",
        matrix=tiny_matrix(links=[link("2.12.0", "1.0.0", arch="x86_64")]),
        message_has=("tensorflow-metal==1.0.0", "no run on record"),
    ),
    Case(
        rule="TF306",
        name="an Intel Mac without a GPU of AMD's",
        facts=facts(intel_mac(gpus=()), intel_python(), environment("tensorflow==2.12.0")),
        expected="passes",
    ),
    Case(rule="TF306", name="the pair", facts=facts(), expected="passes"),
    Case(
        rule="TF306",
        name="a plugin file without a distribution",
        facts=facts(environment=environment("tensorflow==2.18.1", plugins=(plugin(),))),
        expected="passes",
    ),
    Case(rule="TF306", name="Linux", facts=facts(linux(), linux_python(), BARE), expected="passes"),
    Case(rule="TF306", name="no TensorFlow", facts=facts(environment=environment("numpy==2.0.2")), expected="skipped"),
    Case(
        rule="TF306",
        name="the plugin folders were not looked at",
        facts=facts(environment=environment("tensorflow==2.18.1", plugins=UNKNOWN)),
        expected="unknown",
        message_has="the plugin folders",
    ),
    Case(
        rule="TF307",
        name="2.18.1 + 1.2.0: not on the table, two runs and one with wrong numbers",
        facts=facts(),
        expected="fails",
        severity="info",
        matrix=RUNS,
        message_has=(
            "not on its vendor's table",
            "2 works",
            "works on Apple M1, macOS 14.5",
            "by the binaries the plugin loads",
        ),
    ),
    Case(
        rule="TF307",
        name="2.18.1 + 1.1.0: the table names it, the link proofs contradict",
        facts=facts(environment=pair("2.18.1", "1.1.0")),
        expected="fails",
        matrix=tiny_matrix(
            observed=[claim(">=2.14,<2.19", "1.1.0", "OBS004"), run("2.18.1", "1.1.0", chip=None, macos=None)]
        ),
        message_has=("against other evidence", "contradicted by OBS004", "OBS900: works", "the plugin cannot load"),
    ),
    Case(
        rule="TF307",
        name="a pair nobody linked or ran",
        facts=facts(environment=pair("2.18.1", "0.9.0")),
        expected="fails",
        message_has=("no run on record", "no link proof"),
    ),
    Case(
        rule="TF307",
        name="2.17.1 + 1.1.0, which the table names",
        facts=facts(environment=pair("2.17.1", "1.1.0")),
        expected="passes",
        matrix=RUNS,
    ),
    Case(rule="TF307", name="no plugin", facts=facts(environment=BARE), expected="passes"),
    Case(rule="TF307", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
]

BOOKS = [
    Case(
        rule="TF319",
        name="two dist-info folders of protobuf",
        facts=facts(environment=environment("protobuf==4.25.9", "protobuf==3.20.3", duplicates=("protobuf",))),
        expected="fails",
        severity="warning",
        message_has=("4.25.9 and 3.20.3", "--no-deps --python", "--reinstall-package=protobuf protobuf==4.25.9"),
    ),
    Case(
        rule="TF319",
        name="a duplicate whose versions were not kept",
        facts=facts(environment=environment(duplicates=("protobuf",))),
        expected="fails",
        message_has="python protobuf",
    ),
    Case(rule="TF319", name="every name once", facts=facts(), expected="passes"),
    Case(rule="TF319", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
    Case(
        rule="TF320",
        name="pip wrote NumPy over conda's",
        facts=facts(
            environment=conda(
                dist("numpy==1.26.4", conda=True, installer="pip"), dist("six==1.16.0", conda=True, installer="conda")
            )
        ),
        expected="fails",
        severity="warning",
        message_has=("conda and pip both own numpy", "tfcompat fix --create-venv"),
        lacks=("uv pip", "six"),
    ),
    Case(
        rule="TF320",
        name="conda's protobuf and pip's beside it",
        facts=facts(
            environment=conda(
                dist("protobuf==4.25.3", conda=True, installer="conda"), dist("protobuf==3.20.3", installer=None)
            )
        ),
        expected="fails",
        message_has="protobuf",
    ),
    Case(
        rule="TF320",
        name="pip's packages beside conda's, none in common",
        facts=facts(environment=conda(dist("numpy==1.26.4", conda=True, installer="conda"), "tensorflow==2.18.1")),
        expected="passes",
    ),
    Case(rule="TF320", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
    Case(
        rule="TF321",
        name="METADATA cut short before the version",
        facts=facts(environment=environment(dist("h5py==", problem="METADATA has no Version"))),
        expected="fails",
        severity="warning",
        message_has=(
            "h5py",
            "METADATA has no Version",
            "uv pip install --python /Users/me/project/.venv/bin/python h5py",
        ),
    ),
    Case(
        rule="TF321",
        name="METADATA that is not UTF-8",
        facts=facts(environment=environment(dist("wrapt==1.14.1", problem="METADATA is not UTF-8"))),
        expected="fails",
        message_has="--reinstall-package=wrapt wrapt==1.14.1",
    ),
    Case(rule="TF321", name="all can be read", facts=facts(), expected="passes"),
    Case(rule="TF321", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
]

CASES = [*PRESENCE, *OWNERS, *KINDS, *PLUGIN, *BOOKS]
