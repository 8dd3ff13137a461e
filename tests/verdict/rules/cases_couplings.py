"""Cases of TF311–TF318: what TensorFlow, its companions and its add-ons ask of each other, and the known problems."""

from __future__ import annotations

from compat.facts.known import UNKNOWN
from tests.verdict.rules.builders import (
    dist,
    environment,
    facts,
    linux,
    linux_python,
    mac,
    pair,
    python,
)
from tests.verdict.rules.cases import Case
from tests.verdict.rules.tiny_matrix import BODY, LINUX, MAC_ARM, pure, release, tiny_matrix, wheel, wheels

NOT_LOOKED_AT = facts(environment=UNKNOWN)
PIP = "uv pip install --python /Users/me/project/.venv/bin/python"
LINUX_PIP = "uv pip install --python /home/me/project/.venv/bin/python"


def repair(requirement, versions, step="import", **more):
    row = {
        "id": "REP900", "requirement": requirement, "packages": ["tensorflow", "tensorflow-cpu"], "versions": versions,
        "step": step, "failure": "TypeError: Unable to convert function return value",
    }  # fmt: skip
    return {**row, **more}


def issue(identity, affects, **more):
    row = {
        "id": identity, "title": f"problem {identity}", "symptom": "training stops", "severity": "warning",
        "affects": affects, "remedy": "use another pair", "sources": [{"url": "https://example.org/1", "day": "2026-11-30"}],
    }  # fmt: skip
    return {**row, **more}


def tensorflow(version, *requires, name="tensorflow"):
    return dist(f"{name}=={version}", requires=requires)


def with_tensorflow(version, requires, *others, machine=None, **changes):
    return facts(machine, environment=environment(tensorflow(version, *requires), *others, **changes))


def on_linux(version, requires, *others, **changes):
    installed = environment(tensorflow(version, *requires, name="tensorflow-cpu"), *others, **changes)
    return facts(linux(), linux_python("3.10.13"), installed)


DRIFTED = tiny_matrix(
    repairs=[
        repair("numpy<2", ">=2.7,<2.12", python=">=3.9"),
        repair("protobuf<3.20", "==2.9.0", id="REP901"),
        repair("this is no requirement", ">=2", id="REP902"),
    ],
    issues=[
        issue(
            "ISS926",
            [{"package": "tensorflow", "versions": "<2.18", "with_package": "numpy", "with_versions": ">=2"}],
            rule="TF311",
        ),
    ],
)
REPORTED = tiny_matrix(
    releases={
        "tensorflow": [
            release(
                "tensorflow",
                "2.15.0",
                [
                    wheel(
                        "cp311",
                        MAC_ARM,
                        BODY,
                        requires=[
                            "numpy<2.0.0,>=1.23.5",
                            "wrapt<1.15,>=1.11.0; python_version < '3.13'",
                            "h5py>=2.9.0; python_version < '3.0'",
                            "not a requirement ]",
                        ],
                    )
                ],
            )
        ]
    }
)
NUMPY = [
    Case(
        rule="TF311",
        name="2.10.1 with NumPy 2, which its metadata allows: the matrix's repair",
        facts=on_linux("2.10.1", ("numpy>=1.20",), "numpy==2.2.6"),
        expected="fails",
        severity="error",
        matrix=DRIFTED,
        message_has=("built for NumPy 1: import tensorflow fails", f"{LINUX_PIP} 'numpy<2'", "Unable to convert"),
    ),
    Case(
        rule="TF311",
        name="2.16.2 with NumPy 2, against its metadata",
        facts=with_tensorflow("2.16.2", ("numpy<2.0.0,>=1.26.0",), "numpy==2.0.2"),
        expected="fails",
        severity="error",
        message_has=("built for NumPy 1", f"{PIP} 'numpy<2.0.0,>=1.26.0'"),
    ),
    Case(
        rule="TF311",
        name="2.18.1 with NumPy 2.3, built for NumPy 2 all the same",
        facts=with_tensorflow("2.18.1", ("numpy<2.1.0,>=1.26.0",), "numpy==2.3.5"),
        expected="fails",
        severity="warning",
        message_has="outside the range",
    ),
    Case(
        rule="TF311",
        name="2.18.1 with NumPy 1.24",
        facts=with_tensorflow("2.18.1", ("numpy<2.1.0,>=1.26.0",), "numpy==1.24.3"),
        expected="fails",
        severity="error",
        message_has="older than tensorflow 2.18.1 was built for",
    ),
    Case(
        rule="TF311",
        name="NumPy is missing",
        facts=with_tensorflow("2.18.1", ("numpy<2.1.0,>=1.26.0",)),
        expected="fails",
        severity="error",
        message_has=("NumPy is missing", "| numpy is not installed |"),
    ),
    Case(
        rule="TF311",
        name="a report without metadata: the wheel's in the matrix",
        facts=facts(
            interpreter=python("3.11.4"), environment=environment("tensorflow==2.15.0", "numpy==2.1.0", "h5py==2.0")
        ),
        expected="fails",
        severity="error",
        matrix=REPORTED,
        message_has=("built for NumPy 1", "'numpy<2.0.0,>=1.23.5'"),
    ),
    Case(
        rule="TF311",
        name="a build of one's own that declares nothing",
        facts=facts(environment=environment("tensorflow==2.14.0+mine", "numpy==2.1.0")),
        expected="fails",
        severity="error",
        message_has=("built for NumPy 1", f"{PIP} 'numpy<2'"),
    ),
    Case(
        rule="TF311",
        name="the first pre-release built with NumPy 2",
        facts=facts(environment=environment("tensorflow==2.18.0rc0", "numpy==2.0.2")),
        expected="passes",
    ),
    Case(
        rule="TF311",
        name="2.10.1 with NumPy 1.26",
        facts=on_linux("2.10.1", ("numpy>=1.20",), "numpy==1.26.4"),
        expected="passes",
        matrix=DRIFTED,
    ),
    Case(
        rule="TF311",
        name="2.18.1 with NumPy 2.0",
        facts=with_tensorflow("2.18.1", ("numpy<2.1.0,>=1.26.0",), "numpy==2.0.2"),
        expected="passes",
    ),
    Case(
        rule="TF311",
        name="a report that names no NumPy",
        facts=facts(interpreter=python("3.11.4"), environment=environment("tensorflow==2.15.0")),
        expected="passes",
        matrix=REPORTED,
    ),
    Case(rule="TF311", name="no TensorFlow", facts=facts(environment=environment("numpy==2.2.6")), expected="skipped"),
    Case(rule="TF311", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
]

PROTOBUF = [
    Case(
        rule="TF312",
        name="2.9.0 with protobuf 4, which its metadata allows",
        facts=on_linux("2.9.0", ("protobuf>=3.9.2",), "protobuf==4.25.9"),
        expected="fails",
        severity="error",
        matrix=DRIFTED,
        message_has=("cannot load the generated code", f"{LINUX_PIP} 'protobuf<3.20'"),
    ),
    Case(
        rule="TF312",
        name="2.11.0 with protobuf 6, against its metadata",
        facts=with_tensorflow("2.11.0", ("protobuf<3.20,>=3.9.2",), "protobuf==6.33.6"),
        expected="fails",
        severity="error",
        message_has="import tensorflow fails",
    ),
    Case(
        rule="TF312",
        name="2.15.1 with protobuf 5, measured to work",
        facts=with_tensorflow("2.15.1", ("protobuf!=4.21.0,<5.0.0dev,>=3.20.3",), "protobuf==5.29.6"),
        expected="fails",
        severity="warning",
        message_has="outside the range",
    ),
    Case(
        rule="TF312",
        name="2.21.0 with protobuf 5: older than the generated code",
        facts=with_tensorflow("2.21.0", ("protobuf<8.0.0,>=6.31.1",), "protobuf==5.29.6"),
        expected="fails",
        severity="error",
        message_has="older than the one tensorflow 2.21.0 was generated with",
    ),
    Case(
        rule="TF312",
        name="protobuf is missing",
        facts=with_tensorflow("2.21.0", ("protobuf<8.0.0,>=6.31.1",)),
        expected="fails",
        severity="error",
        message_has="protobuf is missing",
    ),
    Case(
        rule="TF312",
        name="2.21.0 with protobuf 7",
        facts=with_tensorflow("2.21.0", ("protobuf<8.0.0,>=6.31.1",), "protobuf==7.36.2"),
        expected="passes",
    ),
    Case(rule="TF312", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
]

FATAL_ML_DTYPES = tiny_matrix(
    issues=[
        issue(
            "ISS931",
            [
                {
                    "package": "ml-dtypes",
                    "versions": ">=0.3",
                    "with_package": "tensorflow",
                    "with_versions": ">=2.14,<2.15.1",
                }
            ],
            rule="TF313",
            severity="error",
        )
    ]
)
PINS = [
    Case(
        rule="TF313",
        name="typing_extensions beside 2.13",
        facts=with_tensorflow("2.13.1", ("typing-extensions<4.6.0,>=3.6.6",), "typing-extensions==4.16.0"),
        expected="fails",
        severity="warning",
        message_has=("typing-extensions 4.16.0 is outside", f"{PIP} 'typing-extensions<4.6.0,>=3.6.6'"),
    ),
    Case(
        rule="TF313",
        name="ml_dtypes 0.5 beside 2.15.0, which the matrix knows to break the import",
        facts=with_tensorflow(
            "2.15.0", ("ml-dtypes~=0.2.0", "wrapt<1.15,>=1.11.0"), "ml-dtypes==0.5.4", "wrapt==1.14.1"
        ),
        expected="fails",
        severity="error",
        matrix=FATAL_ML_DTYPES,
        message_has="ml-dtypes 0.5.4",
    ),
    Case(
        rule="TF313",
        name="wrapt beside it is another matter",
        facts=with_tensorflow(
            "2.15.0", ("ml-dtypes~=0.2.0", "wrapt<1.15,>=1.11.0"), "ml-dtypes==0.2.0", "wrapt==2.5.2"
        ),
        expected="fails",
        severity="warning",
        matrix=FATAL_ML_DTYPES,
        message_has="wrapt 2.5.2",
    ),
    Case(
        rule="TF313",
        name="wrapt is missing: the import needs it",
        facts=with_tensorflow("2.18.1", ("wrapt>=1.11.0",)),
        expected="fails",
        severity="error",
        message_has="wrapt is missing",
    ),
    Case(
        rule="TF313",
        name="h5py is missing: the import does without",
        facts=with_tensorflow("2.18.1", ("h5py>=3.11.0",)),
        expected="fails",
        severity="warning",
        message_has="h5py is missing",
    ),
    Case(
        rule="TF313",
        name="a report without metadata: wrapt by the wheel's, h5py's line not for this Python",
        facts=facts(
            interpreter=python("3.11.4"), environment=environment("tensorflow==2.15.0", "wrapt==1.16.0", "h5py==2.0")
        ),
        expected="fails",
        matrix=REPORTED,
        message_has="wrapt 1.16.0",
        lacks=("h5py 2.0 is",),
    ),
    Case(
        rule="TF313",
        name="all in range",
        facts=with_tensorflow("2.18.1", ("wrapt>=1.11.0", "h5py>=3.11.0"), "wrapt==1.17.0", "h5py==3.14.0"),
        expected="passes",
    ),
    Case(rule="TF313", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
]

LEGACY = mac(environment=(("TF_USE_LEGACY_KERAS", "1"),))
KERAS = [
    Case(
        rule="TF314",
        name="Keras 3 under 2.14.1",
        facts=with_tensorflow("2.14.1", ("keras<2.15,>=2.14.0",), "keras==3.5.0"),
        expected="fails",
        severity="error",
        message_has=("tf.keras fails", f"{PIP} 'keras<2.15,>=2.14.0'"),
    ),
    Case(
        rule="TF314",
        name="Keras 3 under 2.15.1, which takes it",
        facts=with_tensorflow("2.15.1", ("keras<2.16,>=2.15.0",), "keras==3.5.0"),
        expected="fails",
        severity="warning",
        message_has="takes it as tf.keras",
    ),
    Case(
        rule="TF314",
        name="Keras 2 under 2.18.1",
        facts=with_tensorflow("2.18.1", ("keras>=3.5.0",), "keras==2.15.0"),
        expected="fails",
        severity="warning",
        message_has="outside the range",
    ),
    Case(
        rule="TF314",
        name="Keras of another minor under 2.15.1",
        facts=with_tensorflow("2.15.1", ("keras<2.16,>=2.15.0",), "keras==2.14.0"),
        expected="fails",
        severity="warning",
        message_has="2.14.0 is outside",
    ),
    Case(
        rule="TF314",
        name="a Keras newer than 2.16.2 knows",
        facts=with_tensorflow("2.16.2", ("keras<3.5,>=3.0.0",), "keras==3.9.0"),
        expected="fails",
        severity="warning",
        message_has="outside the range",
    ),
    Case(
        rule="TF314",
        name="Keras is missing",
        facts=with_tensorflow("2.18.1", ("keras>=3.5.0",)),
        expected="fails",
        severity="error",
        message_has="keras is missing",
    ),
    Case(
        rule="TF314",
        name="TF_USE_LEGACY_KERAS without tf-keras",
        facts=with_tensorflow("2.18.1", (), machine=LEGACY),
        expected="fails",
        severity="error",
        message_has=("ends in ImportError", f"{PIP} 'tf-keras~=2.18.0'"),
    ),
    Case(
        rule="TF314",
        name="2.14.1 does not read the variable",
        facts=with_tensorflow("2.14.1", (), machine=LEGACY),
        expected="fails",
        severity="info",
        message_has="does not read it",
    ),
    Case(
        rule="TF314",
        name="a value TensorFlow does not take for yes",
        facts=with_tensorflow("2.18.1", (), machine=mac(environment=(("TF_USE_LEGACY_KERAS", "yes"),))),
        expected="passes",
    ),
    Case(
        rule="TF314",
        name="an unpinned tf-keras of another minor",
        facts=with_tensorflow("2.18.1", (), dist("tf-keras==2.21.0", requires=("tensorflow<2.22,>=2.21",))),
        expected="fails",
        severity="warning",
        message_has=("not of the minor", "requires tensorflow<2.22,>=2.21", "'tf-keras~=2.18.0'"),
    ),
    Case(
        rule="TF314",
        name="the same where tf.keras is to be tf-keras, by a report without metadata",
        facts=with_tensorflow("2.18.1", (), "tf-keras==2.21.0", machine=LEGACY),
        expected="fails",
        severity="error",
        message_has="tf-keras 2.21.0 beside tensorflow 2.18.1",
    ),
    Case(
        rule="TF314",
        name="Keras 2.15 beside a plugin on Apple silicon: a remark on optimizers",
        facts=facts(environment=pair("2.15.1", "1.1.0", "keras==2.15.0")),
        expected="fails",
        severity="info",
        message_has="legacy",
    ),
    Case(
        rule="TF314",
        name="the same on Linux",
        facts=facts(linux(), linux_python("3.11.7"), pair("2.15.1", "1.1.0", "keras==2.15.0")),
        expected="passes",
    ),
    Case(
        rule="TF314",
        name="Keras 3 and tf-keras of the same minor",
        facts=with_tensorflow(
            "2.18.1",
            ("keras>=3.5.0",),
            "keras==3.12.0",
            dist("tf-keras==2.18.0", requires=("tensorflow<2.19,>=2.18",)),
            machine=LEGACY,
        ),
        expected="passes",
    ),
    Case(rule="TF314", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
]

REPAIRS = tiny_matrix(
    repairs=[
        repair("setuptools<82", ">=2.5,<2.22", "tensorboard", id="REP003", failure="No module named 'pkg_resources'"),
        repair(
            "tensorboard", ">=2.21,<2.22", "tensorboard", id="REP004", adds=True, failure="TensorBoard is not installed"
        ),
        repair("six<2", "==2.9.3", id="REP905", python="<3.9"),
        repair("numpy<2", ">=2.7,<2.12"),
        repair("no requirement ]", ">=2.5"),
    ],
    issues=[
        issue(
            "ISS929",
            [{"package": "tensorboard", "versions": "<2.21", "with_package": "setuptools", "with_versions": ">=82"}],
            rule="TF315",
        )
    ],
)
DRIFT = [
    Case(
        rule="TF315",
        name="setuptools 84 under TensorBoard 2.20",
        facts=with_tensorflow("2.20.0", (), "tensorboard==2.20.0", "setuptools==84.2.1", has_pkg_resources=False),
        expected="fails",
        severity="warning",
        matrix=REPAIRS,
        message_has=("setuptools<82 for tensorboard", f"{PIP} 'setuptools<82'", "No module named 'pkg_resources'"),
    ),
    Case(
        rule="TF315",
        name="the same, where pkg_resources was not looked for",
        facts=with_tensorflow("2.20.0", (), "tensorboard==2.20.0", "setuptools==84.2.1", has_pkg_resources=UNKNOWN),
        expected="fails",
        matrix=REPAIRS,
        message_has="setuptools 84.2.1",
    ),
    Case(
        rule="TF315",
        name="no setuptools at all",
        facts=with_tensorflow("2.20.0", (), "tensorboard==2.20.0", has_pkg_resources=False),
        expected="fails",
        matrix=REPAIRS,
        message_has="has no setuptools",
    ),
    Case(
        rule="TF315",
        name="a report that names no setuptools",
        facts=with_tensorflow("2.20.0", (), "tensorboard==2.20.0", has_pkg_resources=UNKNOWN),
        expected="passes",
        matrix=REPAIRS,
    ),
    Case(
        rule="TF315",
        name="2.21 without TensorBoard is a remark",
        facts=with_tensorflow("2.21.0", (), "setuptools==84.2.1", has_pkg_resources=False),
        expected="fails",
        severity="info",
        matrix=REPAIRS,
        message_has=("has no tensorboard", f"{PIP} tensorboard"),
        lacks=("setuptools<82",),
    ),
    Case(
        rule="TF315",
        name="a repair that import needs is an error",
        facts=facts(interpreter=python("3.8.18"), environment=environment("tensorflow==2.9.3", "six==2.0")),
        expected="fails",
        severity="error",
        matrix=REPAIRS,
        message_has="six<2 for import",
    ),
    Case(
        rule="TF315",
        name="that repair is for an older Python",
        facts=facts(environment=environment("tensorflow==2.9.3", "six==2.0", "numpy==2.2.6")),
        expected="passes",
        matrix=REPAIRS,
    ),
    Case(
        rule="TF315",
        name="pkg_resources is there, whatever the version",
        facts=with_tensorflow("2.20.0", (), "tensorboard==2.20.0", "setuptools==84.2.1"),
        expected="passes",
        matrix=REPAIRS,
    ),
    Case(
        rule="TF315",
        name="2.20 without TensorBoard: declared, so TF318 tells it",
        facts=with_tensorflow("2.20.0", (), "setuptools==84.2.1", has_pkg_resources=False),
        expected="passes",
        matrix=REPAIRS,
    ),
    Case(
        rule="TF315",
        name="no TensorFlow",
        facts=facts(environment=environment("setuptools==84.2.1")),
        expected="skipped",
    ),
    Case(rule="TF315", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
]


def text_release(version, minor, following, **more):
    files = [wheel("cp312", MAC_ARM, 6_000_000, requires=[f"tensorflow<{following},>={minor}.0"])]
    return release("tensorflow-text", version, files, **more)


IO_WINDOW = (
    'tensorflow<2.17.0,>=2.16.0; extra == "tensorflow"',
    'tensorflow-cpu<2.17.0,>=2.16.0; extra == "tensorflow-cpu"',
)
TEXTS = tiny_matrix(
    releases={
        "tensorflow-text": [
            text_release("2.19.0", "2.19", "2.20"),
            text_release("2.18.2", "2.18", "2.19", yanked="broken"),
            release("tensorflow-text", "2.18.1.post1", wheels([9], LINUX)),
            text_release("2.18.1", "2.18", "2.19"),
        ],
        "tensorflow-io": pure("tensorflow-io", "0.37.1"),
    },
    issues=[issue("ISS952", [{"package": "tensorflow-text"}], rule="TF316")],
)
ADD_ONS = [
    Case(
        rule="TF316",
        name="tensorflow-text 2.16.1 beside 2.18.1",
        facts=with_tensorflow(
            "2.18.1",
            (),
            dist(
                "tensorflow-text==2.16.1",
                requires=("tensorflow<2.17,>=2.16.1", 'tensorflow-cpu<2.16,>=2.15.0; extra == "tensorflow-cpu"'),
            ),
        ),
        expected="fails",
        severity="error",
        matrix=TEXTS,
        message_has=("made for tensorflow<2.17,>=2.16.1", f"{PIP} tensorflow-text==2.18.1"),
        lacks=("2.18.2", "post1"),
    ),
    Case(
        rule="TF316",
        name="tensorflow-io 0.37.1 beside 2.18.1: its window is told only by an extra",
        facts=with_tensorflow("2.18.1", (), dist("tensorflow-io==0.37.1", requires=IO_WINDOW)),
        expected="fails",
        severity="warning",
        matrix=TEXTS,
        message_has=("no known release of tensorflow-io", "tfcompat fix --create-venv"),
    ),
    Case(
        rule="TF316",
        name="a report without metadata: the wheel's in the matrix",
        facts=with_tensorflow("2.18.1", (), "tensorflow-text==2.19.0"),
        expected="fails",
        matrix=TEXTS,
        message_has="tensorflow<2.20,>=2.19.0",
    ),
    Case(
        rule="TF316",
        name="the interpreter's version is unknown: no release can be named",
        facts=facts(
            interpreter=python(version=UNKNOWN),
            environment=environment(
                tensorflow("2.18.1"), dist("tensorflow-text==2.16.1", requires=("tensorflow<2.17",))
            ),
        ),
        expected="fails",
        matrix=TEXTS,
        message_has="no known release of tensorflow-text",
    ),
    Case(
        rule="TF316",
        name="a window that holds tensorflow-cpu 2.18.1 under tensorflow's name",
        facts=on_linux(
            "2.18.1",
            (),
            dist(
                "tensorflow-text==2.18.1",
                requires=("tensorflow<2.19,>=2.18.0", 'tensorflow-cpu<2.16; extra == "tensorflow-cpu"'),
            ),
        ),
        expected="passes",
    ),
    Case(
        rule="TF316",
        name="tensorflow-io 0.37.1 beside 2.16.2",
        facts=with_tensorflow("2.16.2", (), dist("tensorflow-io==0.37.1", requires=IO_WINDOW)),
        expected="passes",
    ),
    Case(
        rule="TF316",
        name="TensorFlow's own io-gcs-filesystem, whose extras lag behind",
        facts=with_tensorflow("2.18.1", (), dist("tensorflow-io-gcs-filesystem==0.37.1", requires=IO_WINDOW)),
        expected="passes",
    ),
    Case(
        rule="TF316",
        name="an extra that is no window (tensorflow-datasets)",
        facts=with_tensorflow(
            "2.21.0",
            (),
            dist("tensorflow-datasets==4.9.10", requires=('tensorflow<2.20.0; extra == "c4"', "tensorflow-metadata")),
        ),
        expected="passes",
    ),
    Case(
        rule="TF316",
        name="a requirement for another platform",
        facts=with_tensorflow(
            "2.18.1", (), dist("lab==1", requires=("tensorflow<2.11; sys_platform == 'win32'", "tensorflow"))
        ),
        expected="passes",
    ),
    Case(
        rule="TF316",
        name="no TensorFlow",
        facts=facts(environment=environment("tensorflow-text==2.18.1")),
        expected="skipped",
    ),
    Case(rule="TF316", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown"),
]

PAIR_ISSUE = {
    "package": "tensorflow-metal", "versions": ">=1.0,<1.3", "with_package": "tensorflow", "with_versions": "<2.19",
    "platforms": ["macos-arm64"], "chips": ["Apple M1"], "macos": ">=14", "python": ">=3.9",
}  # fmt: skip
ISSUES = tiny_matrix(
    issues=[
        issue(
            "ISS901",
            [{"package": "tensorflow", "versions": "<2"}, PAIR_ISSUE],
            commands=["python -m pip uninstall tensorflow-metal", "tfcompat smoke"],
            verify="python -c 'import tensorflow'",
        ),
        issue("ISS902", [PAIR_ISSUE], withdrawn="was a mistake"),
        issue("ISS903", [PAIR_ISSUE], rule="BIN401"),
        issue("ISS904", []),
    ]
)
REPORTED_NUMBERS = tiny_matrix(issues=[issue("ISS905", [PAIR_ISSUE], rule="NUM603", severity="error")])
TWO = tiny_matrix(issues=[issue("ISS901", [PAIR_ISSUE]), issue("ISS906", [{"package": "tensorflow"}], severity="info")])


def m1(**changes):
    return facts(mac(**changes))


KNOWN = [
    Case(
        rule="TF317",
        name="2.18.1 + 1.2.0 on an M1 Pro with macOS 14.5",
        facts=facts(),
        expected="fails",
        severity="warning",
        matrix=ISSUES,
        message_has=(
            "known problem ISS901",
            "training stops",
            "use another pair",
            "uv pip uninstall --python /Users/me/project/.venv/bin/python tensorflow-metal",
            "/Users/me/project/.venv/bin/python -c 'import tensorflow'",
        ),
        lacks=("ISS902", "ISS903", "ISS904", "-m pip"),
    ),
    Case(
        rule="TF317",
        name="in a conda environment the row's pip command is left out",
        facts=facts(environment=pair(kind="conda", conda_prefix="/opt/conda")),
        expected="fails",
        matrix=ISSUES,
        message_has="tfcompat smoke",
        lacks=("pip",),
    ),
    Case(
        rule="TF317",
        name="the interpreter was not looked at: what asks nothing of it still applies, in its own words",
        facts=facts(interpreter=UNKNOWN),
        expected="fails",
        matrix=tiny_matrix(
            issues=[issue("ISS907", [{"package": "tensorflow"}], commands=["python -m pip install six"])]
        ),
        message_has="python -m pip install six",
    ),
    Case(
        rule="TF317",
        name="a numeric fault is told as reported where the smoke test did not run",
        facts=facts(),
        expected="fails",
        severity="error",
        matrix=REPORTED_NUMBERS,
        message_has="ISS905",
    ),
    Case(
        rule="TF317",
        name="tensorflow-cpu is TensorFlow too",
        facts=on_linux("2.18.1", ()),
        expected="fails",
        matrix=tiny_matrix(issues=[issue("ISS906", [{"package": "tensorflow", "versions": ">=2.18"}])]),
        message_has="ISS906",
    ),
    Case(rule="TF317", name="an M4", facts=m1(chip="Apple M4"), expected="passes", matrix=ISSUES),
    Case(rule="TF317", name="an M10 is no M1", facts=m1(chip="Apple M10"), expected="passes", matrix=ISSUES),
    Case(rule="TF317", name="macOS 13", facts=m1(os_version="13.6"), expected="passes", matrix=ISSUES),
    Case(
        rule="TF317",
        name="another plugin release",
        facts=facts(environment=pair("2.18.1", "0.8.0")),
        expected="passes",
        matrix=ISSUES,
    ),
    Case(
        rule="TF317",
        name="another TensorFlow",
        facts=facts(environment=pair("2.19.1", "1.2.0")),
        expected="passes",
        matrix=ISSUES,
    ),
    Case(rule="TF317", name="Linux", facts=facts(linux(), linux_python()), expected="passes", matrix=ISSUES),
    Case(
        rule="TF317",
        name="an issue of another macOS, seen from Linux",
        facts=facts(linux(), linux_python()),
        expected="passes",
        matrix=tiny_matrix(issues=[issue("ISS908", [{"package": "tensorflow", "macos": ">=14"}])]),
    ),
    Case(
        rule="TF317",
        name="the chip is unknown",
        facts=m1(chip=UNKNOWN),
        expected="unknown",
        matrix=ISSUES,
        message_has=("the chip", "ISS901"),
    ),
    Case(
        rule="TF317",
        name="the macOS version is unknown",
        facts=m1(os_version=UNKNOWN),
        expected="unknown",
        matrix=ISSUES,
        message_has="the macOS version",
    ),
    Case(
        rule="TF317",
        name="the interpreter is unknown",
        facts=facts(interpreter=UNKNOWN),
        expected="unknown",
        matrix=ISSUES,
        message_has="the interpreter",
    ),
    Case(
        rule="TF317", name="the environment was not looked at", facts=NOT_LOOKED_AT, expected="unknown", matrix=ISSUES
    ),
]

JAX = dist("jax==0.4.30", requires=("ml-dtypes>=0.5.0", "scipy>=1.10; python_version < '3.13'"))
CONFLICTS = [
    Case(
        rule="TF318",
        name="a package asks for a newer one than is there, and for one that is not there",
        facts=facts(environment=environment(JAX, "ml-dtypes==0.2.0")),
        expected="fails",
        severity="warning",
        message_has=(
            "jax 0.4.30 requires ml-dtypes>=0.5.0, and ml-dtypes 0.2.0 is installed",
            "scipy>=1.10, and it is not installed",
            f"{PIP} 'ml-dtypes>=0.5.0'",
        ),
    ),
    Case(
        rule="TF318",
        name="TensorFlow lacks what its import needs",
        facts=with_tensorflow("2.18.1", ("termcolor>=1.1.0",)),
        expected="fails",
        severity="error",
        message_has="termcolor",
    ),
    Case(
        rule="TF318",
        name="TensorFlow lacks what its import does without",
        facts=with_tensorflow("2.18.1", ("tensorboard<2.19,>=2.18",)),
        expected="fails",
        severity="warning",
        message_has="tensorboard",
    ),
    Case(
        rule="TF318",
        name="an add-on names tensorflow, and tensorflow-cpu carries it",
        facts=on_linux("2.18.1", (), dist("tf-slim==1.1.0", requires=("tensorflow>=2.0",))),
        expected="fails",
        severity="info",
        message_has="tensorflow-cpu 2.18.1 carries the same package",
        lacks=("uv pip",),
    ),
    Case(
        rule="TF318",
        name="in a conda environment no pip command is offered",
        facts=facts(environment=environment(JAX, "ml-dtypes==0.2.0", kind="conda")),
        expected="fails",
        message_has="conda",
        lacks=("uv pip",),
    ),
    Case(
        rule="TF318",
        name="all met, by markers, extras, names spelled differently and a direct reference",
        facts=facts(
            environment=environment(
                dist(
                    "a==1",
                    requires=(
                        "Typing_Extensions>=4",
                        "importlib-metadata; python_version < '3.10'",
                        'pytest; extra == "test"',
                        "b @ https://example.org/b.whl",
                        'c (>1); (sys_platform == "win32" or os_name == "nt") and python_version > "3"',
                    ),
                ),
                "typing-extensions==4.16.0",
                "b==0.1",
            )
        ),
        expected="passes",
    ),
    Case(
        rule="TF318",
        name="a marker on an unknown machine",
        facts=facts(
            interpreter=python(machine=UNKNOWN),
            environment=environment(dist("a==1", requires=("b; platform_machine == 'arm64'",))),
        ),
        expected="unknown",
        message_has=("b, which a 1 requires", "platform_machine is unknown"),
    ),
    Case(
        rule="TF318",
        name="a requirement nobody can read",
        facts=facts(environment=environment(dist("a==1", requires=("b>=1.0<2 or so",)))),
        expected="unknown",
        message_has="cannot be read",
    ),
    Case(
        rule="TF318",
        name="a version nobody can read",
        facts=facts(environment=environment(dist("a==1", requires=("b>=1.0",)), "b==unknown")),
        expected="unknown",
        message_has="the version of b cannot be read",
    ),
    Case(
        rule="TF318",
        name="a marker nobody can read",
        facts=facts(environment=environment(dist("a==1", requires=("b; platform_machine ~~ 'x'",)))),
        expected="unknown",
        message_has="the marker's meaning",
    ),
]

CASES = [*NUMPY, *PROTOBUF, *PINS, *KERAS, *DRIFT, *ADD_ONS, *KNOWN, *CONFLICTS]
