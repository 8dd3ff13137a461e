"""What dyld missed, in the words of several macOS releases."""

import pytest

from compat.probe.pasted.lines import Log
from compat.probe.pasted.loading import unlinked

PLUGIN = "/x/site-packages/tensorflow-plugins/libmetal_plugin.dylib"


@pytest.mark.parametrize(
    "text, name, is_library",
    [
        (
            f"dlopen({PLUGIN}, 0x0006): Symbol not found: __ZN3tslC1Ev\n  Referenced from: <D2> {PLUGIN}\n  Expected in: <28> /y.so",
            "__ZN3tslC1Ev",
            False,
        ),
        (f"dlopen({PLUGIN}, 6): Symbol not found: (_TF_X)\n  Referenced from: '{PLUGIN}'", "_TF_X", False),
        (f"dlopen({PLUGIN}, 0x0006): symbol not found in flat namespace '_TF_X'", "_TF_X", False),
        (f"dlopen({PLUGIN}, 0x0006): symbol not found in flat namespace (_TF_X)", "_TF_X", False),
        (
            f"dlopen({PLUGIN}, 6): Library not loaded: @rpath/_pywrap_tensorflow_internal.so\n  Referenced from: {PLUGIN}",
            "@rpath/_pywrap_tensorflow_internal.so",
            True,
        ),
    ],
)
def test_the_missing_name_and_who_wanted_it(text, name, is_library):
    (found,) = unlinked(Log(text.encode()))

    assert (found.name, found.is_library, found.wanted_by) == (name, is_library, "libmetal_plugin.dylib")


def test_an_ordinary_text_misses_nothing():
    assert list(unlinked(Log(b"the library was loaded, and every symbol found in it"))) == []


@pytest.mark.parametrize(
    "text",
    [
        "libdevice_x.dylib not found",
        "it says `libdevice_x.dylib` is missing",
        "cannot find the library lib/libdevice_x.dylib",
        "libdevice_x.dylib NotFoundError",
    ],
)
def test_a_library_that_a_person_names_is_named_without_its_folder(text):
    (found,) = unlinked(Log(text.encode()))

    assert (found.name, found.is_library, found.wanted_by) == ("libdevice_x.dylib", True, "")


def test_a_library_that_is_there_is_not_missed():
    assert list(unlinked(Log(b"libdevice_x.dylib was found; the file libdevice_x.so is loaded"))) == []
