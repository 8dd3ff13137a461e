import pytest

from compat.probe.pins.conda.platforms import given_away, marker, platform, selected


@pytest.mark.parametrize(
    ("selector", "wanted"),
    [
        ("osx", "sys_platform == 'darwin'"),
        ("not osx", "sys_platform != 'darwin'"),
        ("osx and arm64", "sys_platform == 'darwin' and platform_machine == 'arm64'"),
        ("linux64", "sys_platform == 'linux' and platform_machine == 'x86_64'"),
        ("not linux64", "sys_platform != 'linux' or platform_machine != 'x86_64'"),
        ("unix", "sys_platform != 'win32'"),
        (
            "(osx or linux) and arm64",
            "(sys_platform == 'darwin' or sys_platform == 'linux') and platform_machine == 'arm64'",
        ),
        ("py>=39", None),
        ("osx and", None),
        ("", None),
    ],
)
def test_a_selector_is_a_marker(selector, wanted):
    assert selected(selector) == wanted


@pytest.mark.parametrize(
    ("packages", "platforms", "why"),
    [
        ([("tensorflow", "cuda118py310h0")], ("linux-x86_64",), "CUDA packages"),
        ([("tensorflow", "gpu_py39h0")], ("linux-x86_64",), "CUDA packages"),
        ([("tensorflow", "cpu_py39h0"), ("numpy", "py39h0")], (), ""),
        ([("cudatoolkit", "")], ("linux-x86_64",), "CUDA packages"),
        ([("cudnn", ""), ("vs2015-runtime", "")], ("windows-amd64",), "CUDA packages"),
        ([("ld-impl-linux-aarch64", ""), ("libgcc-ng", "")], ("linux-aarch64",), "exported on Linux"),
        ([("-libgcc-mutex", "")], ("linux-x86_64",), "exported on Linux"),
        ([("-cuda", "")], ("linux-x86_64",), "CUDA packages"),
        ([("clang-osx-arm64", "")], ("macos-arm64",), "exported on macOS"),
        ([("libgcc-ng", "")], ("linux-x86_64",), "exported on Linux"),
        ([("vs2015-runtime", "")], ("windows-amd64",), "exported on Windows"),
        ([("appnope", ""), ("libcxx", "")], ("macos-arm64", "macos-x86_64"), "exported on macOS"),
        ([("libcxx", ""), ("numpy", "")], (), ""),
    ],
)
def test_packages_give_away_where_they_are_from(packages, platforms, why):
    assert given_away(packages) == (platforms, why)


def test_folder_names_are_platforms_and_markers():
    assert platform("osx-arm64") == "macos-arm64"
    assert marker("osx-arm64") == "sys_platform == 'darwin' and platform_machine == 'arm64'"
    assert marker("noarch") == ""
