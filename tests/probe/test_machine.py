"""Machines replayed from the texts their own tools print: the facts must be those a person would read off them."""

import json
import sys
import types

import pytest

from compat.facts.known import NOT_APPLICABLE, NotApplicable, Unknown
from compat.facts.machine import Gpu
from compat.probe.machine import Reader, _translated, look

APPLE_GPU = {"_name": "Apple M1", "sppci_model": "Apple M1", "sppci_cores": "8", "spdisplays_vendor": "sppci_vendor_Apple",
             "spdisplays_mtlgpufamilysupport": "spdisplays_metal3", "sppci_bus": "spdisplays_builtin"}  # fmt: skip
INTEL_GPUS = [
    {"_name": "kHW_IntelUHDGraphics630Item", "sppci_model": "Intel UHD Graphics 630", "spdisplays_vendor": "Intel", "spdisplays_vram_shared": "1536 MB"},
    {"_name": "AMD Radeon Pro 5500M", "sppci_model": "AMD Radeon Pro 5500M", "spdisplays_vendor": "sppci_vendor_amd", "spdisplays_vram": "4 GB"},
]  # fmt: skip


def apple(chip, model, gigabytes):
    return f"machdep.cpu.brand_string: {chip}\nhw.optional.arm64: 1\nhw.model: {model}\nhw.memsize: {gigabytes * 1024**3}\n"


INTEL = (
    "machdep.cpu.brand_string: Intel(R) Core(TM) i9-9980HK CPU @ 2.40GHz\n"
    "machdep.cpu.features: FPU VME DE SSE4.2 AES PCID XSAVE OSXSAVE SEGLIM64 TSCTMR AVX1.0 RDRAND F16C\n"
    "machdep.cpu.leaf7_features: RDWRFSGS TSC_THREAD_OFFSET SGX BMI1 AVX2 SMEP BMI2\n"
    "hw.model: MacBookPro16,1\nhw.memsize: 34359738368\n"
)


def sw_vers(version, build):
    return f"ProductName:\t\tmacOS\nProductVersion:\t\t{version}\nBuildVersion:\t\t{build}\n"


def mac(sysctl, vers, release, *, machine="arm64", reported=None, translated=False, displays=None, variables=None):
    answers = {"/usr/sbin/sysctl": sysctl, "/usr/bin/sw_vers": vers, "/usr/sbin/system_profiler": displays}
    return Reader(
        system="darwin", release=release, machine=machine, reported=lambda: reported or "", variables=variables or {},
        home="/Users/ada", read=lambda _: pytest.fail("a Mac has no /proc"), run=lambda argv, _: answers[argv[0]],
        translated=lambda: translated, glibc=lambda: pytest.fail("a Mac has no glibc"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "reader, expected",
    [
        (
            mac(apple("Apple M1", "MacBookPro17,1", 16), sw_vers("13.6.9", "22G830"), "22.6.0", reported="13.6.9",
                displays=json.dumps({"SPDisplaysDataType": [APPLE_GPU]})),
            {"os_version": "13.6.9", "os_reported": "13.6.9", "os_build": "22G830", "architecture": "arm64", "chip": "Apple M1",
             "model": "MacBookPro17,1", "translated": False, "avx": NOT_APPLICABLE, "memory_bytes": 16 * 1024**3,
             "gpus": (Gpu(name="Apple M1", vendor="apple", cores=8),), "kernel": "22.6.0"},
        ),
        (
            mac(apple("Apple M2 Pro", "Mac14,9", 16), sw_vers("14.5", "23F79"), "23.5.0", machine="x86_64", translated=True, reported="14.5"),
            {"os_version": "14.5", "architecture": "arm64", "chip": "Apple M2 Pro", "translated": True, "avx": NOT_APPLICABLE},
        ),
        (
            mac("machdep.cpu.brand_string: VirtualApple @ 2.50GHz processor\nhw.optional.arm64: 1\n", sw_vers("14.5", "23F79"), "23.5.0", machine="x86_64", translated=True),
            {"architecture": "arm64", "chip": "VirtualApple @ 2.50GHz processor", "avx": NOT_APPLICABLE},
        ),
        (
            mac(INTEL, sw_vers("12.7.6", "21H1320"), "21.6.0", machine="x86_64", reported="12.7.6",
                displays=json.dumps({"SPDisplaysDataType": INTEL_GPUS})),
            {"os_version": "12.7.6", "architecture": "x86_64", "avx": True, "translated": False, "model": "MacBookPro16,1",
             "gpus": (Gpu(name="Intel UHD Graphics 630", vendor="intel"), Gpu(name="AMD Radeon Pro 5500M", vendor="amd", memory_bytes=4 * 1024**3))},
        ),
        (
            mac(INTEL.replace("AVX1.0 ", ""), sw_vers("10.15.7", "19H15"), "19.6.0", machine="x86_64", reported="10.15.7"),
            {"os_version": "10.15.7", "avx": False},
        ),
        (
            mac(apple("Apple A18 Pro", "Mac17,5", 8), sw_vers("26.3", "25D125"), "25.3.0", reported="26.3"),
            {"os_version": "26.3", "architecture": "arm64", "chip": "Apple A18 Pro", "model": "Mac17,5"},
        ),
        (
            mac(apple("Apple M5", "Mac17,2", 16), sw_vers("16.1", "25B78"), "25.1.0", reported="16.1"),
            {"os_version": "26.1", "os_reported": "16.1"},
        ),
        (
            mac(apple("Apple M1", "MacBookAir10,1", 8), sw_vers("26.1", "25B78"), "25.1.0", reported="16.0"),
            {"os_version": "26.1", "os_reported": "16.0"},
        ),
        (
            mac(apple("Apple M1", "MacBookAir10,1", 8), sw_vers("10.16", "23F79"), "23.5.0", reported="10.16"),
            {"os_version": "14", "os_reported": "10.16"},
        ),
        (
            mac(apple("Apple M1", "MacBookAir10,1", 8), sw_vers("14.5", "23F79"), "23.5.0", reported="10.16"),
            {"os_version": "14.5", "os_reported": "10.16"},
        ),
        (
            mac(apple("Apple M4", "Mac16,1", 16), None, "24.6.0", reported="15.6"),
            {"os_version": "15", "os_build": Unknown("sw_vers gave no build"), "chip": "Apple M4"},
        ),
        (
            mac(None, sw_vers("15.6", "24G84"), "24.6.0", reported="15.6", translated=None),
            {"architecture": "arm64", "chip": Unknown("sysctl names no processor"), "memory_bytes": Unknown("sysctl gave no memory size"),
             "translated": Unknown("sysctlbyname failed")},
        ),
    ],
    ids=["m1", "m2-pro-rosetta", "virtual-apple", "intel-amd", "intel-no-avx", "macbook-neo", "16-shim-everywhere", "16-shim", "10.16-everywhere", "10.16-shim", "no-sw_vers", "no-sysctl"],
)  # fmt: skip
def test_a_mac_is_read_past_its_shims(reader, expected):
    machine = look(gpus=True, reader=reader)

    assert {name: getattr(machine, name) for name in expected} == expected
    assert (machine.os, machine.container) == ("macos", "none")
    assert isinstance(machine.wsl, NotApplicable)


@pytest.mark.parametrize("broken", [None, "", "{", "[]", '{"SPDisplaysDataType": 7}'])
def test_graphics_that_cannot_be_read_are_unknown(broken):
    assert isinstance(look(gpus=True, reader=mac(None, None, "24.6.0", displays=broken)).gpus, Unknown)


def test_a_virtual_mac_without_graphics_has_none():
    assert look(gpus=True, reader=mac(None, None, "24.6.0", displays='{"SPDisplaysDataType": []}')).gpus == ()


def test_graphics_are_not_asked_for_unless_wanted():
    assert look(reader=mac(None, None, "24.6.0", displays="{")).gpus == Unknown("not looked at")


X86 = "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.20GHz\nflags\t\t: fpu sse4_2 avx avx2 avx512f\n"
OLD = X86.replace(" avx avx2 avx512f", " avx2notreally")
ARM = "processor\t: 0\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd\nCPU implementer\t: 0x61\n"
FILES = {
    "/etc/os-release": 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="22.04"\n',
    "/proc/meminfo": "MemTotal:       16384256 kB\nMemFree: 1 kB\n",
    "/proc/cpuinfo": X86,
}
BANNER = "+---+\n| NVIDIA-SMI 550.54.15    Driver Version: 550.54.15    CUDA Version: 12.4     |\n"


def linux(
    files=None, *, release="6.8.0-45-generic", machine="x86_64", variables=None, glibc="glibc 2.35", programs=None
):
    known = FILES | (files or {})
    return Reader(
        system="linux", release=release, machine=machine, variables=variables or {}, home="/home/ada", read=known.get,
        run=lambda argv, _: (programs or {}).get(argv), translated=lambda: pytest.fail("no Rosetta"), glibc=lambda: glibc,
    )  # fmt: skip


@pytest.mark.parametrize(
    "reader, expected",
    [
        (linux(), {"os_version": "ubuntu 22.04", "chip": "Intel(R) Xeon(R) CPU @ 2.20GHz", "avx": True, "memory_bytes": 16384256 * 1024,
                   "container": "none", "wsl": 0, "glibc": "2.35", "gpus": ()}),
        (linux({"/proc/cpuinfo": OLD}), {"avx": False}),
        (linux({"/proc/cpuinfo": ARM}, machine="aarch64"), {"avx": NOT_APPLICABLE, "chip": Unknown("/proc/cpuinfo names no model")}),
        (linux({"/.dockerenv": ""}), {"container": "docker"}),
        (linux({"/proc/1/cgroup": "12:memory:/docker/0123abcd\n"}), {"container": "docker"}),
        (linux({"/run/.containerenv": "", "/.dockerenv": ""}), {"container": "podman"}),
        (linux({"/proc/1/cgroup": "0::/kubepods/pod1/docker-1\n", "/.dockerenv": ""}), {"container": "kubernetes"}),
        (linux(variables={"KUBERNETES_SERVICE_HOST": "10.0.0.1"}), {"container": "kubernetes"}),
        (linux({"/proc/1/environ": "A=b\0container=lxc\0"}), {"container": "lxc"}),
        (linux(release="5.15.153.1-microsoft-standard-WSL2"), {"wsl": 2}),
        (linux(release="4.19.104-microsoft-standard"), {"wsl": 2}),
        (linux(release="6.6.1-mine-WSL2"), {"wsl": 2}),
        (linux(release="4.4.0-19041-Microsoft"), {"wsl": 1}),
        (linux(glibc=None), {"glibc": Unknown("not glibc; perhaps musl")}),
        (linux({"/proc/meminfo": None, "/proc/cpuinfo": None, "/etc/os-release": None}),
         {"memory_bytes": Unknown("/proc/meminfo gave no total"), "avx": Unknown("/proc/cpuinfo could not be read"), "os_version": Unknown("no os-release")}),
    ],
    ids=["plain", "no-avx", "arm64", "docker", "docker-cgroup", "podman", "kubernetes-cgroup", "kubernetes", "lxc", "wsl2", "wsl2-old", "wsl2-own-kernel", "wsl1", "musl", "nothing-readable"],
)  # fmt: skip
def test_a_linux_is_read_from_its_files(reader, expected):
    machine = look(gpus=True, reader=reader)

    assert {name: getattr(machine, name) for name in expected} == expected
    assert machine.os == "linux"


FULL = ("--query-gpu=name,driver_version,memory.total,compute_cap", "--format=csv,noheader,nounits")
SHORT = ("--query-gpu=name,driver_version,memory.total", "--format=csv,noheader,nounits")


def test_nvidia_is_asked_for_capability_and_the_newest_cuda_of_its_driver():
    programs = {("nvidia-smi", *FULL): "NVIDIA A100-SXM4-40GB, 550.54.15, 40960, 8.0\n", ("nvidia-smi",): BANNER}

    (gpu,) = look(gpus=True, reader=linux(programs=programs)).gpus

    assert gpu == Gpu(
        name="NVIDIA A100-SXM4-40GB",
        vendor="nvidia",
        driver="550.54.15",
        memory_bytes=40 * 1024**3,
        cuda_maximum="12.4",
        compute_capability="8.0",
    )


def test_an_old_driver_inside_wsl_is_asked_again_with_less():
    program = "/usr/lib/wsl/lib/nvidia-smi"
    programs = {(program, *SHORT): "GeForce GTX 1060, 456.71, [N/A]\n"}

    (gpu,) = look(gpus=True, reader=linux(programs=programs)).gpus

    assert gpu == Gpu(name="GeForce GTX 1060", vendor="nvidia", driver="456.71")


def test_only_variables_of_the_list_are_shown_and_secrets_are_not():
    variables = {
        "TF_USE_LEGACY_KERAS": "1", "PYTHONPATH": "/Users/ada/lib:/Users/adam", "DYLD_LIBRARY_PATH": "https://u:p@host/x",
        "TF_VAR_password": "terraform", "TF_TOKEN_app_terraform_io": "abc", "AWS_SECRET_ACCESS_KEY": "abc", "HOME": "/Users/ada",
        "TF_GPU_TOKEN": "abc",
    }  # fmt: skip

    assert look(reader=mac(None, None, "24.6.0", variables=variables)).environment == (
        ("DYLD_LIBRARY_PATH", "https://***@host/x"),
        ("PYTHONPATH", "~/lib:/Users/adam"),
        ("TF_GPU_TOKEN", "***"),
        ("TF_USE_LEGACY_KERAS", "1"),
    )


def test_windows_gets_what_it_says_of_itself():
    reader = Reader(
        system="win32",
        release="11",
        machine="AMD64",
        variables={"PROCESSOR_IDENTIFIER": "Intel64 Family 6"},
        run=lambda argv, _: None,
    )

    machine = look(gpus=True, reader=reader)

    assert (machine.os, machine.platform, machine.chip, machine.gpus) == (
        "windows",
        "windows-amd64",
        "Intel64 Family 6",
        (),
    )


def test_this_machine_answers_without_an_error():
    machine = look()

    assert machine.os in {"macos", "linux", "windows"}
    assert isinstance(machine.kernel, str)
    assert machine.memory_bytes == Unknown("not looked at") or machine.memory_bytes > 2**28


@pytest.mark.parametrize(
    "code, value, expected", [(0, 1, True), (0, 0, False), (-1, 0, False)], ids=["rosetta", "native", "intel"]
)
def test_translation_is_asked_of_the_kernel_in_process(monkeypatch, code, value, expected):
    def sysctlbyname(name, found, size, *_):
        assert name == b"sysctl.proc_translated"
        found._obj.value = value
        return code

    monkeypatch.setattr("ctypes.CDLL", lambda _: types.SimpleNamespace(sysctlbyname=sysctlbyname))
    assert _translated() is expected
    monkeypatch.setattr("ctypes.CDLL", lambda _: types.SimpleNamespace())
    assert _translated() is None


@pytest.mark.mac
@pytest.mark.skipif(sys.platform != "darwin", reason="only a Mac can tell")
def test_a_real_mac_names_its_version_chip_and_graphics():
    machine = look(gpus=True)

    assert machine.os == "macos"
    assert all(isinstance(value, str) for value in (machine.os_version, machine.os_build, machine.chip, machine.model))
    assert isinstance(machine.translated, bool)
