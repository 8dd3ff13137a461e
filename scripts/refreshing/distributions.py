"""Which distributions the matrix follows, from which day, and how much of each release it keeps."""

from __future__ import annotations

import dataclasses
import datetime as dt

from packaging.version import Version

TENSORFLOW_2_5_DAY = dt.date(2021, 5, 13)
"""TensorFlow 2.5.0, the first release that loads pluggable devices, reached the index on this day."""

CURRENT_ON_THAT_DAY = dt.date(2021, 4, 1)
"""TensorFlow 2.5's companions are older than it: tensorboard 2.5.0 is of 19 April 2021."""

DEPENDENCIES_SINCE = dt.date(2021, 1, 1)
"""NumPy, h5py and protobuf that a TensorFlow of 2021 may still be pinned to; NumPy 1.19.5 is of 5 January 2021."""

H5PY_SINCE = dt.date(2020, 11, 1)
"""h5py 3.1.0, the only one that TensorFlow 2.5 and 2.6 accept (`h5py~=3.1.0`), is of 6 November 2020."""

SETUPTOOLS_FLOOR = Version("65")
"""Below it no released TensorBoard cares: what matters is which setuptools still brings `pkg_resources`."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """A distribution of the index that the matrix follows."""

    name: str
    """As the index spells it, normalized."""
    since: dt.date = TENSORFLOW_2_5_DAY
    """A release is kept when its first file was uploaded on this day or later."""
    floor: Version | None = None
    """A release below this version is left out."""
    in_full: bool = True
    """False keeps tags, days and Requires-Python only: no sizes, hashes or dependencies."""


FOLLOWED: tuple[Followed, ...] = (
    Followed(name="tensorflow"),
    Followed(name="tensorflow-cpu"),
    Followed(name="tensorflow-macos"),
    Followed(name="tensorflow-metal"),
    Followed(name="tensorflow-metal-plugin"),
    Followed(name="tensorflow-intel"),
    Followed(name="keras"),
    Followed(name="tf-keras"),
    Followed(name="tensorboard", since=CURRENT_ON_THAT_DAY),
    Followed(name="ml-dtypes"),
    Followed(name="tensorflow-text"),
    Followed(name="tensorflow-io"),
    Followed(name="tensorflow-io-gcs-filesystem"),
    Followed(name="tensorflow-addons"),
    Followed(name="tensorflow-probability", since=CURRENT_ON_THAT_DAY),
    Followed(name="tensorflow-hub", since=CURRENT_ON_THAT_DAY),
    Followed(name="tensorflow-datasets", since=CURRENT_ON_THAT_DAY),
    Followed(name="tf-models-official"),
    Followed(name="tensorflow-estimator"),
    Followed(name="numpy", since=DEPENDENCIES_SINCE, in_full=False),
    Followed(name="protobuf", since=DEPENDENCIES_SINCE, in_full=False),
    Followed(name="h5py", since=H5PY_SINCE, in_full=False),
    Followed(name="setuptools", since=DEPENDENCIES_SINCE, floor=SETUPTOOLS_FLOOR, in_full=False),
)
