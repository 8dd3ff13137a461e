"""The committed release data against facts gathered apart from it.

The tables below were read from the index and from wheels by hand-driven tools on 2026-11-30, before and without
scripts/refresh: https://pypi.org/simple/<name>/ (PEP 691, 700), the METADATA of the wheels, and Apple's own table in
the METADATA of tensorflow-metal.
"""

import functools
import re
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import parse_wheel_filename
from packaging.version import Version

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

RELEASES = Path(__file__).resolve().parents[1] / "matrices" / "releases"
IN_FULL = [
    "tensorflow",
    "tensorflow-cpu",
    "tensorflow-macos",
    "tensorflow-metal",
    "tensorflow-metal-plugin",
    "tensorflow-intel",
    "keras",
    "tf-keras",
    "tensorboard",
    "ml-dtypes",
    "tensorflow-text",
    "tensorflow-io",
    "tensorflow-io-gcs-filesystem",
    "tensorflow-addons",
    "tensorflow-probability",
    "tensorflow-hub",
    "tensorflow-datasets",
    "tf-models-official",
    "tensorflow-estimator",
]
BY_TAGS = ["numpy", "protobuf", "h5py", "setuptools"]
SHELL_BYTES = 10_000
"""Shells (wheels that only require another distribution) have 2 to 8 KB; the smallest real wheel has 1 MB."""

# version | first upload | tensorflow on macOS arm64 | tensorflow-macos arm64 | tensorflow macOS x86_64 |
# tensorflow-macos x86_64 | tensorflow Linux x86_64 | aarch64 | Windows | tensorflow-cpu Linux x86_64 / Windows.
# "stub" is a shell; [12_0] is the macOS of the tag.
WHEELS = """
2.5.0        | 2021-05-13 | -                    | 3.8-3.9 [11_0]       | 3.6-3.9 [10_11]  | 3.8 [11_0]      | 3.6-3.9   | -             | 3.6-3.9       | 3.6-3.9 / 3.6-3.9
2.5.1        | 2021-08-10 | -                    | -                    | 3.6-3.9 [10_11]  | -               | 3.6-3.9   | -             | 3.6-3.9       | 3.6-3.9 / 3.6-3.9
2.5.2        | 2021-11-01 | -                    | -                    | 3.6-3.9 [10_14]  | -               | 3.6-3.9   | -             | 3.6-3.9       | 3.6-3.9 / 3.6-3.9
2.5.3        | 2022-02-02 | -                    | -                    | 3.7-3.9 [10_11]  | -               | 3.7-3.9   | -             | 3.7-3.9       | 3.7-3.9 / 3.7-3.9
2.6.0        | 2021-08-11 | -                    | 3.8-3.9 [11_0]       | 3.6-3.9 [10_11]  | 3.8 [11_0]      | 3.6-3.9   | -             | 3.6-3.9       | 3.6-3.9 / 3.6-3.9
2.6.1        | 2021-11-01 | -                    | -                    | 3.6-3.9 [10_14]  | -               | 3.6-3.9   | -             | 3.6-3.9       | 3.6-3.9 / 3.6-3.9
2.6.2        | 2021-11-04 | -                    | -                    | 3.6-3.9 [10_11]  | -               | 3.6-3.9   | -             | 3.6-3.9       | 3.6-3.9 / 3.6-3.9
2.6.3        | 2022-02-02 | -                    | -                    | 3.7-3.9 [10_11]  | -               | 3.7-3.9   | -             | 3.7-3.9       | 3.7-3.9 / 3.7-3.9
2.6.4        | 2022-05-16 | -                    | -                    | 3.7-3.9 [10_11]  | -               | 3.7-3.9   | -             | 3.7-3.9       | 3.7-3.9 / 3.7-3.9
2.6.5        | 2022-05-23 | -                    | -                    | 3.7-3.9 [10_11]  | -               | 3.7-3.9   | -             | 3.7-3.9       | 3.7-3.9 / 3.7-3.9
2.7.0        | 2021-11-04 | -                    | 3.8-3.9 [11_0]       | 3.7-3.9 [10_11]  | 3.8 [11_0]      | 3.7-3.9   | -             | 3.7-3.9       | 3.7-3.9 / 3.7-3.9
2.7.1        | 2022-02-02 | -                    | -                    | 3.7-3.9 [10_11]  | -               | 3.7-3.9   | -             | 3.7-3.9       | 3.7-3.9 / 3.7-3.9
2.7.2        | 2022-05-16 | -                    | -                    | 3.7-3.9 [10_11]  | -               | 3.7-3.9   | -             | 3.7-3.9       | 3.7-3.9 / 3.7-3.9
2.7.3        | 2022-05-23 | -                    | -                    | 3.7-3.9 [10_11]  | -               | 3.7-3.9   | -             | 3.7-3.9       | 3.7-3.9 / 3.7-3.9
2.7.4        | 2022-09-02 | -                    | -                    | 3.7-3.9 [10_11]  | -               | 3.7-3.9   | -             | 3.7-3.9       | 3.7-3.9 / 3.7-3.9
2.8.0        | 2022-02-02 | -                    | 3.8-3.9 [11_0]       | 3.7-3.10 [10_14] | 3.8 [11_0]      | 3.7-3.10  | -             | 3.7-3.10      | 3.7-3.10 / 3.7-3.10
2.8.1        | 2022-05-16 | -                    | -                    | 3.7-3.10 [10_14] | -               | 3.7-3.10  | -             | 3.7-3.10      | 3.7-3.10 / 3.7-3.10
2.8.2        | 2022-05-23 | -                    | -                    | 3.7-3.10 [10_14] | -               | 3.7-3.10  | -             | 3.7-3.10      | 3.7-3.10 / 3.7-3.10
2.8.3        | 2022-09-02 | -                    | -                    | 3.7-3.10 [10_14] | -               | 3.7-3.10  | -             | 3.7-3.10      | 3.7-3.10 / 3.7-3.10
2.8.4        | 2022-11-16 | -                    | -                    | 3.7-3.10 [10_14] | -               | 3.7-3.10  | -             | 3.7-3.10      | 3.7-3.10 / 3.7-3.10
2.9.0        | 2022-05-16 | -                    | 3.8-3.10 [11_0]      | 3.7-3.10 [10_14] | 3.8-3.10 [11_0] | 3.7-3.10  | -             | 3.7-3.10      | 3.7-3.10 / 3.7-3.10
2.9.1        | 2022-05-23 | -                    | 3.8-3.10 [11_0]      | 3.7-3.10 [10_14] | 3.8-3.10 [11_0] | 3.7-3.10  | -             | 3.7-3.10      | 3.7-3.10 / 3.7-3.10
2.9.2        | 2022-09-03 | -                    | 3.8-3.10 [11_0]      | 3.7-3.10 [10_14] | 3.8-3.10 [11_0] | 3.7-3.10  | -             | 3.7-3.10      | 3.7-3.10 / 3.7-3.10
2.9.3        | 2022-11-16 | -                    | -                    | 3.7-3.10 [10_14] | -               | 3.7-3.10  | -             | 3.7-3.10      | 3.7-3.10 / 3.7-3.10
2.10.0       | 2022-09-06 | -                    | 3.8-3.10 [12_0]      | 3.7-3.10 [10_14] | 3.8-3.10 [12_0] | 3.7-3.10  | stub 3.7-3.10 | 3.7-3.10      | 3.7-3.10 / stub 3.7-3.10
2.10.1       | 2022-11-16 | -                    | -                    | 3.7-3.10 [10_14] | -               | 3.7-3.10  | stub 3.7-3.10 | 3.7-3.10      | 3.7-3.10 / stub 3.7-3.10
2.11.0       | 2022-11-18 | -                    | 3.8-3.10 [12_0]      | 3.7-3.10 [10_14] | 3.8-3.10 [12_0] | 3.7-3.10  | stub 3.7-3.10 | stub 3.7-3.10 | 3.7-3.10 / stub 3.7-3.10
2.11.1       | 2023-03-20 | -                    | -                    | 3.8-3.10 [10_14] | -               | 3.8-3.10  | stub 3.8-3.10 | stub 3.8-3.10 | 3.8-3.10 / stub 3.8-3.10
2.12.0       | 2023-03-22 | -                    | 3.8-3.11 [12_0]      | 3.8-3.11 [10_15] | 3.8-3.11 [12_0] | 3.8-3.11  | stub 3.8-3.11 | stub 3.8-3.11 | 3.8-3.11 / stub 3.8-3.11
2.12.1       | 2023-07-05 | -                    | -                    | 3.8-3.11 [10_15] | -               | 3.8-3.11  | stub 3.8-3.11 | stub 3.8-3.11 | 3.8-3.11 / stub 3.8-3.11
2.13.0       | 2023-07-05 | stub 3.8-3.11 [12_0] | 3.8-3.11 [12_0]      | 3.8-3.11 [10_15] | -               | 3.8-3.11  | stub 3.8-3.11 | stub 3.8-3.11 | 3.8-3.11 / stub 3.8-3.11
2.13.1       | 2023-09-26 | stub 3.8-3.11 [12_0] | 3.9-3.11 [12_0]      | 3.8-3.11 [10_15] | -               | 3.8-3.11  | stub 3.8-3.11 | stub 3.8-3.11 | 3.8-3.11 / stub 3.8-3.11
2.14.0       | 2023-09-26 | stub 3.9-3.11 [12_0] | 3.9-3.11 [12_0]      | 3.9-3.11 [10_15] | -               | 3.9-3.11  | stub 3.9-3.11 | stub 3.9-3.11 | 3.9-3.11 / stub 3.9-3.11
2.14.1       | 2023-11-14 | stub 3.9-3.11 [12_0] | 3.9-3.11 [12_0]      | 3.9-3.11 [10_15] | -               | 3.9-3.11  | stub 3.9-3.11 | stub 3.9-3.11 | 3.9-3.11 / stub 3.9-3.11
2.15.0       | 2023-11-14 | stub 3.9-3.11 [12_0] | 3.9-3.11 [12_0]      | 3.9-3.11 [10_15] | -               | 3.9-3.11  | stub 3.9-3.11 | stub 3.9-3.11 | 3.9-3.11 / stub 3.9-3.11
2.15.0.post1 | 2023-12-05 | -                    | -                    | -                | -               | 3.9-3.11  | -             | -             | 3.9-3.11 / -
2.15.1       | 2024-03-08 | 3.9-3.11 [12_0]      | stub 3.9-3.11 [12_0] | 3.9-3.11 [10_15] | -               | 3.9-3.11  | stub 3.9-3.11 | stub 3.9-3.11 | 3.9-3.11 / stub 3.9-3.11
2.16.1       | 2024-03-09 | 3.9-3.12 [12_0]      | stub 3.9-3.12 [12_0] | 3.9-3.12 [10_15] | -               | 3.9-3.12  | 3.9-3.12      | stub 3.9-3.12 | 3.9-3.12 / stub 3.9-3.12
2.16.2       | 2024-06-28 | 3.9-3.12 [12_0]      | stub 3.9-3.12 [12_0] | 3.9-3.12 [10_15] | -               | 3.9-3.12  | 3.9-3.12      | stub 3.9-3.12 | 3.9-3.12 / stub 3.9-3.12
2.17.0       | 2024-07-11 | 3.9-3.12 [12_0]      | -                    | -                | -               | 3.9-3.12  | 3.9-3.12      | stub 3.9-3.12 | 3.9-3.12 / stub 3.9-3.12
2.17.1       | 2024-10-24 | 3.9-3.12 [12_0]      | -                    | -                | -               | 3.9-3.12  | 3.9-3.12      | stub 3.9-3.12 | 3.9-3.12 / stub 3.9-3.12
2.18.0       | 2024-10-25 | 3.9-3.12 [12_0]      | -                    | -                | -               | 3.9-3.12  | 3.9-3.12      | stub 3.9-3.12 | 3.9-3.12 / stub 3.9-3.12
2.18.1       | 2025-03-12 | 3.9-3.12 [12_0]      | -                    | -                | -               | 3.9-3.12  | 3.9-3.12      | 3.9-3.12      | 3.9-3.12 / 3.9-3.12
2.19.0       | 2025-03-12 | 3.9-3.12 [12_0]      | -                    | -                | -               | 3.9-3.12  | 3.9-3.12      | 3.9-3.12      | 3.9-3.12 / 3.9-3.12
2.19.1       | 2025-08-13 | 3.9-3.12 [12_0]      | -                    | -                | -               | 3.9-3.12  | 3.9-3.12      | 3.9-3.12      | 3.9-3.12 / 3.9-3.12
2.20.0       | 2025-08-13 | 3.9-3.13 [12_0]      | -                    | -                | -               | 3.9-3.13  | 3.9-3.13      | 3.9-3.13      | 3.9-3.13 / 3.9-3.13
2.21.0       | 2026-03-06 | 3.10-3.13 [12_0]     | -                    | -                | -               | 3.10-3.13 | 3.10-3.13     | 3.10-3.13     | 3.10-3.13 / 3.10-3.13
2.22.0rc0    | 2026-09-22 | 3.10-3.14 [12_0]     | -                    | -                | -               | 3.10-3.14 | 3.10-3.14     | 3.10-3.14     | 3.10-3.14 / 3.10-3.14
"""

# TensorFlow's own wheel for macOS arm64 | numpy (& on Python 3.12) | protobuf | keras | h5py | ml-dtypes | tensorboard
DEPENDENCIES = """
2.5.0     | ~=1.19.2                          | >=3.9.2                        | nightly ~=2.5.0.dev  | ~=3.1.0          | -              | ~=2.5
2.6.0     | ~=1.19.2                          | >=3.9.2                        | ~=2.6                | ~=3.1.0          | -              | ~=2.6
2.7.0     | >=1.14.5                          | >=3.9.2                        | <2.8,>=2.7.0rc0      | >=2.9.0          | -              | ~=2.6
2.8.0     | >=1.20                            | >=3.9.2                        | <2.9,>=2.8.0rc0      | >=2.9.0          | -              | <2.9,>=2.8
2.9.0     | >=1.20                            | >=3.9.2                        | <2.10.0,>=2.9.0rc0   | >=2.9.0          | -              | <2.10,>=2.9
2.9.1     | >=1.20                            | <3.20,>=3.9.2                  | <2.10.0,>=2.9.0rc0   | >=2.9.0          | -              | <2.10,>=2.9
2.9.2     | >=1.20                            | <3.20,>=3.9.2                  | <2.10.0,>=2.9.0rc0   | >=2.9.0          | -              | <2.10,>=2.9
2.10.0    | >=1.20                            | <3.20,>=3.9.2                  | <2.11,>=2.10.0       | >=2.9.0          | -              | <2.11,>=2.10
2.11.0    | >=1.20                            | <3.20,>=3.9.2                  | <2.12,>=2.11.0       | >=2.9.0          | -              | <2.12,>=2.11
2.12.0    | <1.24,>=1.22                      | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | <2.13,>=2.12.0       | >=2.9.0          | -              | <2.13,>=2.12
2.13.0    | <=1.24.3,>=1.22                   | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | <2.14,>=2.13.1       | >=2.9.0          | -              | <2.14,>=2.13
2.13.1    | <=1.24.3,>=1.22                   | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | <2.14,>=2.13.1       | >=2.9.0          | -              | <2.14,>=2.13
2.14.0    | >=1.23.5                          | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | <2.15,>=2.14.0       | >=2.9.0          | ==0.2.0        | <2.15,>=2.14
2.14.1    | <2.0.0,>=1.23.5                   | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | <2.15,>=2.14.0       | >=2.9.0          | ==0.2.0        | <2.15,>=2.14
2.15.0    | <2.0.0,>=1.23.5                   | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | <2.16,>=2.15.0       | >=2.9.0          | ~=0.2.0        | <2.16,>=2.15
2.15.1    | <2.0.0,>=1.23.5                   | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | <2.16,>=2.15.0       | >=2.9.0          | ~=0.3.1        | <2.16,>=2.15
2.16.1    | <2.0.0,>=1.23.5 & <2.0.0,>=1.26.0 | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | >=3.0.0              | >=3.10.0         | ~=0.3.1        | <2.17,>=2.16
2.16.2    | <2.0.0,>=1.23.5 & <2.0.0,>=1.26.0 | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | >=3.0.0              | >=3.10.0         | ~=0.3.1        | <2.17,>=2.16
2.17.0    | <2.0.0,>=1.23.5 & <2.0.0,>=1.26.0 | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | >=3.2.0              | >=3.10.0         | <0.5.0,>=0.3.1 | <2.18,>=2.17
2.17.1    | <2.0.0,>=1.23.5 & <2.0.0,>=1.26.0 | NOT4.21.0-5,<5.0.0dev,>=3.20.3 | >=3.2.0              | >=3.10.0         | <0.5.0,>=0.3.1 | <2.18,>=2.17
2.18.0    | <2.1.0,>=1.26.0                   | NOT4.21.0-5,<6.0.0dev,>=3.20.3 | >=3.5.0              | >=3.11.0         | <0.5.0,>=0.4.0 | <2.19,>=2.18
2.18.1    | <2.1.0,>=1.26.0                   | NOT4.21.0-5,<6.0.0dev,>=3.20.3 | >=3.5.0              | >=3.11.0         | <1.0.0,>=0.4.0 | <2.19,>=2.18
2.19.0    | <2.2.0,>=1.26.0                   | NOT4.21.0-5,<6.0.0dev,>=3.20.3 | >=3.5.0              | >=3.11.0         | <1.0.0,>=0.5.1 | ~=2.19.0
2.19.1    | <2.2.0,>=1.26.0                   | NOT4.21.0-5,<6.0.0dev,>=3.20.3 | >=3.5.0              | >=3.11.0         | <1.0.0,>=0.5.1 | ~=2.19.0
2.20.0    | >=1.26.0                          | >=5.28.0                       | >=3.10.0             | >=3.11.0         | <1.0.0,>=0.5.1 | ~=2.20.0
2.21.0    | >=1.26.0                          | <8.0.0,>=6.31.1                | >=3.12.0             | <3.15.0,>=3.11.0 | <1.0.0,>=0.5.1 | -
2.22.0rc0 | >=1.26.0                          | <8.0.0,>=6.31.1                | nightly >=3.12.0.dev | <3.15.0,>=3.11.0 | <1.0.0,>=0.5.1 | -
"""
NOT_4_21 = ",".join(f"!=4.21.{patch}" for patch in range(6))

# tensorflow-metal | first upload | Pythons on arm64 | Pythons on x86_64 | macOS of the tag
METAL = """
0.1.0 | 2021-06-07 | 3.8-3.9  | 3.8      | 11_0
0.1.1 | 2021-06-07 | 3.8-3.9  | 3.8      | 11_0
0.1.2 | 2021-08-03 | 3.8-3.9  | 3.8      | 11_0
0.2.0 | 2021-09-30 | 3.8-3.9  | 3.8      | 11_0
0.3.0 | 2021-12-02 | 3.8-3.9  | 3.8      | 11_0
0.4.0 | 2022-02-17 | 3.8-3.9  | 3.8      | 11_0
0.5.0 | 2022-05-19 | 3.8-3.10 | 3.8-3.10 | 11_0
0.5.1 | 2022-08-17 | 3.8-3.10 | 3.8-3.10 | 12_0
0.6.0 | 2022-09-15 | 3.8-3.10 | 3.8-3.10 | 12_0
0.7.0 | 2022-12-09 | 3.8-3.10 | 3.8-3.10 | 12_0
0.7.1 | 2023-02-07 | 3.8-3.10 | 3.8-3.10 | 12_0
0.8.0 | 2023-03-30 | 3.8-3.11 | 3.8-3.11 | 12_0
1.0.0 | 2023-06-07 | 3.8-3.11 | 3.8-3.11 | 12_0
1.0.1 | 2023-06-13 | 3.8-3.11 | -        | 12_0
1.1.0 | 2023-09-29 | 3.9-3.11 | -        | 12_0
1.2.0 | 2025-01-31 | 3.9-3.12 | -        | 12_0
"""


def rows(table):
    return [tuple(re.split(r"\s+[|/]\s+", line.strip())) for line in table.strip().splitlines()]


def pythons(cell):
    """ "stub 3.8-3.10 [12_0]" -> the interpreters of a cell, newest last."""
    found = re.search(r"3\.(\d+)(?:-3\.(\d+))?", cell)
    return [f"cp3{minor}" for minor in range(int(found[1]), int(found[2] or found[1]) + 1)] if found else []


@functools.cache
def document(name):
    return tomllib.loads((RELEASES / f"{name}.toml").read_text(encoding="utf-8"))


def releases(name):
    return {release["version"]: release for release in document(name)["releases"]}


def serves(tag, platform):
    system, _, machine = platform.partition(" ")
    marks = {"macOS": ("macosx",), "Linux": ("manylinux",), "Windows": ("win_",)}[system]
    universal = ("universal2",) if system == "macOS" else ()
    return any(each.startswith(marks) and each.endswith((machine, *universal)) for each in tag.split("-")[2].split("."))


def wheels(name, version, platform):
    release = releases(name).get(version, {"wheels": []})
    return [wheel for wheel in release["wheels"] if serves(wheel["tag"], platform)]


def interpreters(found):
    return [wheel["tag"].split("-")[0] for wheel in found]


def needs(name, wheel):
    """Requirements of a wheel by name, those of extras left out."""
    by_name = {}
    for text in document(name)["requires"][wheel["requires"]]:
        requirement = Requirement(text)
        if "extra" not in str(requirement.marker or ""):
            by_name.setdefault(requirement.name, []).append(requirement)
    return by_name


def asks(requirements):
    return [requirement.specifier for requirement in requirements]


@pytest.mark.parametrize(("version", "day", "cells"), [(row[0], row[1], row[2:]) for row in rows(WHEELS)])
def test_tensorflow_wheels_are_those_of_the_table(version, day, cells):
    places = [
        ("tensorflow", "macOS arm64"),
        ("tensorflow-macos", "macOS arm64"),
        ("tensorflow", "macOS x86_64"),
        ("tensorflow-macos", "macOS x86_64"),
        ("tensorflow", "Linux x86_64"),
        ("tensorflow", "Linux aarch64"),
        ("tensorflow", "Windows amd64"),
        ("tensorflow-cpu", "Linux x86_64"),
        ("tensorflow-cpu", "Windows amd64"),
    ]

    for (name, platform), cell in zip(places, cells, strict=True):
        found = wheels(name, version, platform)
        assert interpreters(found) == pythons(cell), (name, platform)
        assert {wheel["size"] < SHELL_BYTES for wheel in found} == ({"stub" in cell} if found else set())
        tagged = re.search(r"\[(\w+)\]", cell)
        if tagged:
            assert all(f"-macosx_{tagged[1]}_" in wheel["tag"] for wheel in found), (name, platform)
    assert str(releases("tensorflow")[version]["uploaded"]) == day


@pytest.mark.parametrize(("version", "day", "arm64", "x86_64", "macos"), rows(METAL))
def test_tensorflow_metal_wheels_are_those_of_the_table(version, day, arm64, x86_64, macos):
    release = releases("tensorflow-metal")[version]

    assert str(release["uploaded"]) == day
    assert interpreters(wheels("tensorflow-metal", version, "macOS arm64")) == pythons(arm64)
    assert interpreters(wheels("tensorflow-metal", version, "macOS x86_64")) == pythons(x86_64)
    assert all(f"macosx_{macos}_" in wheel["tag"] for wheel in release["wheels"])
    assert len(release["wheels"]) == len(pythons(arm64)) + len(pythons(x86_64))


def test_no_tensorflow_metal_declares_which_tensorflow_or_python_it_needs():
    assert all("requires_python" not in release for release in releases("tensorflow-metal").values())
    assert not any("tensorflow" in text for each in document("tensorflow-metal")["requires"] for text in each)


def test_six_is_capped_by_tensorflow_metal_up_to_0_5_0():
    asked = {
        version: {str(needs("tensorflow-metal", wheel)["six"][0].specifier) for wheel in release["wheels"]}
        for version, release in releases("tensorflow-metal").items()
    }

    for version, specifiers in asked.items():
        assert specifiers == ({"~=1.15.0"} if Version(version) <= Version("0.5.0") else {">=1.15.0"})


@pytest.mark.parametrize(
    ("version", "numpy", "protobuf", "keras", "h5py", "ml_dtypes", "tensorboard"), rows(DEPENDENCIES)
)
def test_the_mac_wheel_with_tensorflow_in_it_asks_for_what_the_table_says(
    version, numpy, protobuf, keras, h5py, ml_dtypes, tensorboard
):
    name = "tensorflow" if Version(version) >= Version("2.15.1") else "tensorflow-macos"
    keras_name = "keras-nightly" if keras.startswith("nightly ") else "keras"
    expected = {
        "numpy": [SpecifierSet(each) for each in numpy.split(" & ")],
        "protobuf": [SpecifierSet(protobuf.replace("NOT4.21.0-5", NOT_4_21))],
        keras_name: [SpecifierSet(keras.removeprefix("nightly "))],
        "h5py": [SpecifierSet(h5py)],
        "ml-dtypes": [] if ml_dtypes == "-" else [SpecifierSet(ml_dtypes)],
        "tensorboard": [] if tensorboard == "-" else [SpecifierSet(tensorboard)],
    }

    # The last but one: on 2.22.0rc0 the last, for Python 3.14, asks for another h5py.
    wheel = wheels(name, version, "macOS arm64")[-2]

    found = needs(name, wheel)
    assert {each: asks(found.get(each, [])) for each in expected} == expected


def test_tensorflow_2_22_0rc0_asks_for_another_h5py_on_python_3_14():
    asked = {
        wheel["tag"].split("-")[0]: str(needs("tensorflow", wheel)["h5py"][0].specifier)
        for wheel in wheels("tensorflow", "2.22.0rc0", "macOS arm64")
    }

    assert SpecifierSet(asked["cp313"]) == SpecifierSet("<3.15.0,>=3.11.0")
    assert SpecifierSet(asked["cp314"]) == SpecifierSet("~=3.15.1")


@pytest.mark.parametrize(
    ("name", "version", "platform", "body"),
    [
        *[
            ("tensorflow", each, "macOS arm64", "tensorflow-macos")
            for each in ("2.13.0", "2.13.1", "2.14.0", "2.14.1", "2.15.0")
        ],
        ("tensorflow-macos", "2.15.1", "macOS arm64", "tensorflow-macos"),
        ("tensorflow-macos", "2.16.1", "macOS arm64", "tensorflow"),
        ("tensorflow-macos", "2.16.2", "macOS arm64", "tensorflow"),
        ("tensorflow", "2.11.0", "Windows amd64", "tensorflow-intel"),
        ("tensorflow", "2.18.0", "Windows amd64", "tensorflow-intel"),
        ("tensorflow-cpu", "2.10.0", "Windows amd64", "tensorflow-intel"),
        ("tensorflow", "2.10.0", "Linux aarch64", "tensorflow-cpu-aws"),
        ("tensorflow", "2.15.1", "Linux aarch64", "tensorflow-cpu-aws"),
    ],
)
def test_a_shell_points_where_it_points(name, version, platform, body):
    python = "cp310"
    (shell,) = (wheel for wheel in wheels(name, version, platform) if wheel["tag"].startswith(python))
    here = {
        "macOS arm64": {"platform_system": "Darwin", "platform_machine": "arm64"},
        "Windows amd64": {"platform_system": "Windows", "platform_machine": "AMD64"},
        "Linux aarch64": {"platform_system": "Linux", "platform_machine": "aarch64"},
    }[platform]

    asked = [
        str(requirement.specifier) + requirement.name
        for each in needs(name, shell).values()
        for requirement in each
        if requirement.marker is None or requirement.marker.evaluate(here)
    ]

    assert asked == [f"=={version}{body}"]


def test_the_last_wheels_for_intel_macs_are_of_2_16_2():
    for name in ("tensorflow", "tensorflow-cpu"):
        having = [version for version in releases(name) if wheels(name, version, "macOS x86_64")]
        assert max(having, key=Version) == "2.16.2", name


def test_tensorflow_macos_ends_with_2_16_2_and_skips_these_patches():
    have = releases("tensorflow-macos")

    assert max(have, key=Version) == "2.16.2"
    assert not {"2.7.1", "2.8.1", "2.9.3", "2.10.1", "2.11.1", "2.12.1"} & have.keys()


def test_tensorflow_2_13_1_on_python_3_8_is_a_shell_whose_body_was_never_built():
    assert "cp38" in interpreters(wheels("tensorflow", "2.13.1", "macOS arm64"))
    assert "cp38" not in interpreters(wheels("tensorflow-macos", "2.13.1", "macOS arm64"))
    assert "cp38" in interpreters(wheels("tensorflow", "2.13.1", "Windows amd64"))
    assert "cp38" not in interpreters(wheels("tensorflow-intel", "2.13.1", "Windows amd64"))


def test_tensorflow_2_18_1_and_2_19_on_linux_name_a_tensorflow_intel_that_does_not_exist():
    for version in ("2.18.1", "2.19.0", "2.19.1"):
        asked = needs("tensorflow", wheels("tensorflow", version, "Linux x86_64")[0])
        assert str(asked["tensorflow-intel"][0].specifier) == f"=={version}"
        assert version not in releases("tensorflow-intel")
        assert "tensorflow-intel" not in needs("tensorflow", wheels("tensorflow", version, "Windows amd64")[0])


def test_2_16_0_was_never_released():
    assert "2.16.0" not in releases("tensorflow")


def test_tensorflow_cpu_never_had_a_wheel_for_an_arm():
    for version in releases("tensorflow-cpu"):
        assert not wheels("tensorflow-cpu", version, "macOS arm64")
        assert not wheels("tensorflow-cpu", version, "Linux aarch64")


@pytest.mark.parametrize(
    ("first", "last", "manylinux", "python"),
    [
        ("2.5.0", "2.8.4", "manylinux2010_x86_64", None),
        ("2.9.0", "2.11.1", "manylinux_2_17_x86_64.manylinux2014_x86_64", ">=3.7"),
        ("2.12.0", "2.13.1", "manylinux_2_17_x86_64.manylinux2014_x86_64", ">=3.8"),
        ("2.14.0", "2.20.0", "manylinux_2_17_x86_64.manylinux2014_x86_64", ">=3.9"),
        ("2.21.0", "2.22.0rc0", "manylinux_2_27_x86_64", ">=3.10"),
    ],
)
def test_glibc_and_requires_python_rise_in_steps(first, last, manylinux, python):
    between = [each for each in releases("tensorflow") if Version(first) <= Version(each) <= Version(last)]

    assert between
    for version in between:
        found = {wheel["tag"].split("-")[2] for wheel in wheels("tensorflow", version, "Linux x86_64")}
        assert found == {manylinux}
        assert releases("tensorflow")[version].get("requires_python") == python


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("numpy", "2.4.0"),
        ("h5py", "3.12.0"),
        ("protobuf", "3.18.0"),
        ("protobuf", "4.21.0"),
        ("protobuf", "5.29.0"),
        ("tensorboard", "2.11.1"),
        ("tf-keras", "2.20.0"),
        ("tf-models-official", "2.19.0"),
        ("tensorflow-probability", "0.20.0"),
    ],
)
def test_these_releases_are_yanked(name, version):
    assert releases(name)[version]["yanked"]


@pytest.mark.parametrize("name", ["tensorflow", "tensorflow-macos", "tensorflow-cpu", "tensorflow-metal"])
def test_nothing_of_these_from_2_5_to_2_22_0rc0_is_yanked_or_has_an_sdist(name):
    for version, release in releases(name).items():
        if Version(version) <= Version("2.22.0rc0"):
            assert "yanked" not in release
            assert "sdist" not in release
            assert not any("yanked" in wheel for wheel in release["wheels"])


@pytest.mark.parametrize(
    ("version", "python"),
    [("3.0.0", ">=3.9"), ("3.10.0", ">=3.9"), ("3.11.0", ">=3.10"), ("3.12.4", ">=3.10"), ("3.13.0", ">=3.11")],
)
def test_keras_leaves_pythons_behind(version, python):
    assert releases("keras")[version]["requires_python"] == python


def arm64_starts(name, interpreter):
    found = {version: interpreters(wheels(name, version, "macOS arm64")) for version in releases(name)}
    having = [version for version, each in found.items() if interpreter in each or (each and interpreter == "any")]
    return min(having, key=Version)


@pytest.mark.parametrize(
    ("name", "interpreter", "version"),
    [
        ("numpy", "cp39", "1.21.0"),
        ("numpy", "cp310", "1.21.3"),
        ("numpy", "cp311", "1.23.2"),
        ("numpy", "cp312", "1.26.0"),
        ("numpy", "cp313", "2.1.0"),
        ("numpy", "cp314", "2.3.2"),
        ("h5py", "cp310", "3.7.0"),
        ("ml-dtypes", "cp310", "0.0.2"),
        ("ml-dtypes", "cp312", "0.3.0"),
        ("ml-dtypes", "cp313", "0.5.0"),
        ("ml-dtypes", "cp314", "0.5.3"),
        ("tensorflow-text", "any", "2.17.0"),
        ("tensorflow-text", "cp311", "2.17.0"),
        ("tensorflow-text", "cp312", "2.18.1"),
        ("tensorflow-text", "cp313", "2.20.1"),
        ("tensorflow-addons", "any", "0.16.1"),
        ("tensorflow-addons", "cp311", "0.21.0"),
        ("tensorflow-io-gcs-filesystem", "cp311", "0.34.0"),
        ("tensorflow-io-gcs-filesystem", "cp312", "0.37.0"),
    ],
)
def test_apple_silicon_wheels_begin_with(name, interpreter, version):
    assert arm64_starts(name, interpreter) == version


def test_io_gcs_filesystem_has_apple_silicon_wheels_in_four_releases_only():
    name = "tensorflow-io-gcs-filesystem"
    found = {version: interpreters(wheels(name, version, "macOS arm64")) for version in releases(name)}

    assert {version: pythons_of for version, pythons_of in found.items() if pythons_of} == {
        "0.34.0": ["cp37", "cp38", "cp39", "cp310", "cp311"],
        "0.36.0": ["cp39", "cp310", "cp311"],
        "0.37.0": ["cp39", "cp310", "cp311", "cp312"],
        "0.37.1": ["cp39", "cp310", "cp311", "cp312"],
    }


def test_h5py_3_15_0_alone_wants_macos_14():
    tags = {
        version: {wheel["tag"].split("-")[2] for wheel in wheels("h5py", version, "macOS arm64")}
        for version in releases("h5py")
        if Version("3.7.0") <= Version(version) <= Version("3.15.1")
    }

    assert tags.pop("3.15.0") == {"macosx_14_0_arm64"}
    assert set().union(*tags.values()) == {"macosx_11_0_arm64"}


def test_the_h5py_that_tensorflow_2_5_and_2_6_pin_is_known_and_has_no_apple_silicon_wheel():
    assert "3.1.0" in releases("h5py")
    assert wheels("h5py", "3.1.0", "macOS arm64") == []


def test_native_protobuf_3_for_apple_silicon_is_for_python_3_10_and_seven_releases_only():
    threes = [version for version in releases("protobuf") if version.startswith("3.")]
    found = {version: interpreters(wheels("protobuf", version, "macOS arm64")) for version in threes}

    assert {version for version, pythons_of in found.items() if pythons_of} == {
        *(f"3.19.{patch}" for patch in range(5)),
        "3.20.0",
        "3.20.1",
    }
    assert {pythons_of[0] for pythons_of in found.values() if pythons_of} == {"cp310"}


def test_numpy_2_has_an_accelerate_wheel_beside_the_ordinary_one():
    for version in ("2.0.0", "2.2.6", "2.4.6"):
        tags = {wheel["tag"].split("-")[2] for wheel in wheels("numpy", version, "macOS arm64")}
        assert {"macosx_11_0_arm64", "macosx_14_0_arm64"} <= tags


def test_tensorflow_text_left_windows_after_2_10_and_joined_aarch64_with_2_18_1():
    name = "tensorflow-text"
    windows = [version for version in releases(name) if wheels(name, version, "Windows amd64")]
    aarch64 = [version for version in releases(name) if wheels(name, version, "Linux aarch64")]

    assert max(windows, key=Version) == "2.10.0"
    assert min(aarch64, key=Version) == "2.18.1"


@pytest.mark.parametrize(
    ("version", "tensorflow"),
    [("2.15.0", None), ("2.15.1", "<2.16,>=2.15"), ("2.18.0", "<2.19,>=2.18"), ("2.20.1", "<2.21,>=2.20")],
)
def test_tf_keras_pins_its_own_minor_from_2_15_1(version, tensorflow):
    (wheel,) = releases("tf-keras")[version]["wheels"]
    asked = needs("tf-keras", wheel).get("tensorflow")

    assert (asked and asked[0].specifier) == (tensorflow and SpecifierSet(tensorflow))


def test_the_third_party_plugin_is_sources_only():
    assert "0.2.0" in releases("tensorflow-metal-plugin")
    lists = document("tensorflow-metal-plugin")["requires"]
    asked = {}
    for version, release in releases("tensorflow-metal-plugin").items():
        assert release["wheels"] == []
        assert release["sdist"]["size"] > 0
        assert release["sdist"]["dynamic"]
        asked[version] = lists[release["sdist"]["requires"]]
    # Read by hand from the PKG-INFO of the five sdists.
    assert {version: asked[version] for version in ("0.1.0", "0.1.1", "0.1.2", "0.2.0", "0.4.1")} == {
        **{version: ["tensorflow>=2.16"] for version in ("0.1.0", "0.1.1", "0.1.2", "0.2.0")},
        "0.4.1": ["tensorflow==2.21.*"],
    }


def test_the_folder_holds_these_distributions_and_stays_small():
    files = {path.stem: path.stat().st_size for path in RELEASES.glob("*.toml")}

    assert files.keys() == {*IN_FULL, *BY_TAGS}
    assert sum(files.values()) < 2_500_000


@pytest.mark.parametrize("name", IN_FULL + BY_TAGS)
def test_a_file_is_in_order(name):
    content = document(name)
    versions = [Version(release["version"]) for release in content["releases"]]
    assert versions == sorted(set(versions), reverse=True)
    assert content["name"] == name
    assert content["source"] == f"https://pypi.org/simple/{name}/"
    assert all(release["uploaded"] <= content["retrieved"] for release in content["releases"])
    for release in content["releases"]:
        keys = [(wheel["tag"], wheel.get("build")) for wheel in release["wheels"]]
        assert len(keys) == len(set(keys))
        for wheel in release["wheels"]:
            build = f"-{wheel['build']}" if "build" in wheel else ""
            derived = f"{name.replace('-', '_')}-{release['version']}{build}-{wheel['tag']}.whl"
            project, version, *_ = parse_wheel_filename(wheel.get("file", derived))
            assert (project, version) == (name, Version(release["version"]))


@pytest.mark.parametrize("name", IN_FULL)
def test_every_wheel_has_a_hash_a_size_and_its_dependencies_and_every_list_is_used(name):
    content = document(name)
    used = set()
    for release in content["releases"]:
        for wheel in release["wheels"]:
            assert re.fullmatch(r"[0-9a-f]{64}", wheel["sha256"])
            assert wheel["size"] > 0
            used.add(wheel["requires"])
        if not release["wheels"] and "requires" in release.get("sdist", {}):
            used.add(release["sdist"]["requires"])

    lists = content.get("requires", [])
    assert used == set(range(len(lists)))
    assert len({tuple(each) for each in lists}) == len(lists)
    assert all(each == sorted(each) for each in lists)


@pytest.mark.parametrize("name", BY_TAGS)
def test_a_followed_dependency_has_tags_days_and_pythons_only(name):
    content = document(name)

    assert "requires" not in content
    for release in content["releases"]:
        assert release.keys() <= {"version", "uploaded", "requires_python", "yanked", "wheels"}
        for wheel in release["wheels"]:
            assert wheel.keys() <= {"tag", "uploaded", "requires_python", "yanked"}
