"""uv.lock: what a package is needed for, found by walking from the project over the edges."""

from hypothesis import given

from compat.probe.pins.locks.toml_locks import read
from tests.probe.pins.toml_hostile import is_sound, pinned, source, spoilt

UV = """\
version = 1
revision = 3
requires-python = ">=3.10, <3.13"

[[package]]
name = "demo"
version = "0.1"
source = { virtual = "." }
dependencies = [
    { name = "numpy", version = "1.26.4", source = { registry = "https://pypi.org/simple" }, marker = "python_full_version < '3.12'" },
    { name = "numpy", version = "2.1.0", source = { registry = "https://pypi.org/simple" }, marker = "python_full_version >= '3.12'" },
    { name = "tensorflow-metal", marker = "platform_machine == 'arm64' and sys_platform == 'darwin'" },
    { name = "kfp", extra = ["all"] },
]

[package.optional-dependencies]
all = [
    { name = "protobuf" },
    { name = "tensorflow", marker = "sys_platform == 'darwin'" },
]
ml = [
    { name = "tensorflow", marker = "sys_platform == 'linux'" },
]

[package.dev-dependencies]
dev = [
    { name = "pluggy" },
]

[[package]]
name = "kfp"
version = "1.0"
source = { registry = "https://example.org/simple" }
dependencies = [
    { name = "demo" },
]

[package.optional-dependencies]
all = [
    { name = "click", marker = "sys_platform != 'win32'" },
]
none = [
    { name = "never" },
]

[[package]]
name = "click"
version = "8.0"
source = { git = "https://example.org/click?rev=1#0" }
dependencies = [
    { name = "kfp" },
]

[[package]]
name = "never"
version = "1"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "numpy"
version = "1.26.4"
source = { registry = "https://pypi.org/simple" }
resolution-markers = [
    "python_full_version == '3.11.*'",
    "python_full_version < '3.11'",
]

[[package]]
name = "numpy"
version = "2.1.0"
source = { registry = "https://pypi.org/simple" }
resolution-markers = [
    "python_full_version >= '3.12'",
]

[[package]]
name = "pluggy"
version = "1.7.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "protobuf"
version = "4.25.9"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "six"
version = "1.17.0"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "tensorflow"
version = "2.18.1"
source = { registry = "https://pypi.org/simple" }

[[package]]
name = "tensorflow-metal"
version = "1.2.0"
source = { registry = "https://pypi.org/simple" }
dependencies = [
    { name = "six" },
]
"""

MAC = "platform_machine == 'arm64' and sys_platform == 'darwin'"


def test_each_package_is_told_on_which_condition_it_is_needed():
    file = read(source(UV, "uv.lock"))

    assert pinned(file) == [
        ("kfp", "1.0", "", "", "private"),
        ("click", "8.0", "sys_platform != 'win32'", "", "vcs"),
        ("never", "1", "", "", "index"),
        ("numpy", "1.26.4", "python_full_version < '3.12'", "", "index"),
        ("numpy", "2.1.0", "python_full_version >= '3.12'", "", "index"),
        ("pluggy", "1.7.0", "", "group dev", "index"),
        ("protobuf", "4.25.9", "", "extra all", "index"),
        ("six", "1.17.0", MAC, "", "index"),
        ("tensorflow", "2.18.1", "sys_platform == 'darwin' or sys_platform == 'linux'", "extra all, extra ml", "index"),
        ("tensorflow-metal", "1.2.0", MAC, "", "index"),
    ]
    assert file.scopes == (("extra all", "extra all, extra ml"),)
    assert (file.requires_python, file.relock) == (">=3.10, <3.13", "uv lock")


def test_the_lock_of_a_script_begins_with_its_requirements():
    text = UV.replace('source = { virtual = "." }', 'source = { registry = "https://pypi.org/simple" }')
    text = text.replace(
        'requires-python = ">=3.10, <3.13"\n',
        '[manifest]\nrequirements = [{ name = "tensorflow-metal", specifier = "==1.2.0" }]\n',
    )
    found = {pin.name: pin for pin in read(source(text, "train.py.uv.lock")).pins}

    assert "demo" in found
    assert found["tensorflow-metal"].marker == ""


def test_members_of_a_workspace_are_no_pins():
    text = 'version = 1\n[manifest]\nmembers = ["tensorflow-a", "b"]\n' + "".join(
        f'[[package]]\nname = "{name}"\nversion = "1"\nsource = {{ editable = "{name}" }}\n'
        for name in ("tensorflow-a", "b")
    )

    assert read(source(text, "uv.lock")).pins == ()


def test_environments_of_the_lock_hold_for_all():
    text = UV.replace("revision = 3\n", "supported-markers = [\"sys_platform == 'darwin'\"]\n")

    assert {pin.name: pin.marker for pin in read(source(text, "uv.lock")).pins}[
        "protobuf"
    ] == "sys_platform == 'darwin'"


def test_a_marker_too_long_to_be_told_is_left_out():
    names = " or ".join(f"platform_release == '{number:030}'" for number in range(6))
    text = UV.replace("sys_platform != 'win32'", names)

    assert {pin.name: pin.marker for pin in read(source(text, "uv.lock")).pins}["click"] == ""


@given(spoilt(UV))
def test_whatever_the_file_holds_it_is_read(text):
    is_sound(read(source(text, "uv.lock")), text)
