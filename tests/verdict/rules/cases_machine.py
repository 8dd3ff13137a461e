"""Cases of the MAC rules."""

from __future__ import annotations

from dataclasses import replace

from compat.facts.known import NOT_APPLICABLE, UNKNOWN
from compat.facts.machine import Gpu
from tests.verdict.rules.builders import (
    NVIDIA_GPU,
    dist,
    environment,
    facts,
    intel_mac,
    intel_python,
    linux,
    linux_python,
    mac,
    python,
    windows,
)
from tests.verdict.rules.cases import Case
from tests.verdict.rules.tiny_matrix import MAC_ARM, release, tiny_matrix, wheels

NO_TENSORFLOW = environment("numpy==1.26.4")
WINDOWS_PYTHON = python(platform_tag="win-amd64", machine="AMD64", path=r"C:\tf\Scripts\python.exe")
NVIDIA_PC = linux(gpus=(NVIDIA_GPU,))
CUDA = environment("tensorflow==2.18.1", binary_architectures=("x86_64",))


def on_linux(machine, installed=CUDA):
    return facts(machine, linux_python(), installed)


def with_gpu(**changes):
    return on_linux(linux(gpus=(replace(NVIDIA_GPU, **changes),)))


SYSTEM = [
    Case(
        rule="MAC101",
        name="a FreeBSD machine",
        facts=facts(linux(os="freebsd")),
        expected="fails",
        severity="error",
        message_has="no wheels for freebsd",
    ),
    Case(
        rule="MAC101",
        name="Windows on ARM",
        facts=facts(windows(architecture="arm64")),
        expected="fails",
        severity="error",
        message_has="windows on arm64",
    ),
    Case(
        rule="MAC101",
        name="a 32-bit Linux",
        facts=facts(linux(architecture="armv7l")),
        expected="fails",
        message_has="linux on armv7l",
    ),
    Case(
        rule="MAC101",
        name="TensorFlow 2.11 with an NVIDIA GPU on native Windows",
        facts=facts(windows(gpus=(NVIDIA_GPU,)), WINDOWS_PYTHON, environment("tensorflow==2.11.0")),
        expected="fails",
        severity="warning",
        message_has=("RTX 3080", "WSL2"),
    ),
    Case(
        rule="MAC101",
        name="an NVIDIA GPU on native Windows and no TensorFlow yet",
        facts=facts(windows(gpus=(NVIDIA_GPU,)), WINDOWS_PYTHON, NO_TENSORFLOW),
        expected="fails",
        severity="info",
    ),
    Case(
        rule="MAC101",
        name="TensorFlow 2.10 with an NVIDIA GPU on native Windows",
        facts=facts(windows(gpus=(NVIDIA_GPU,)), WINDOWS_PYTHON, environment("tensorflow==2.10.1")),
        expected="passes",
    ),
    Case(rule="MAC101", name="Windows without a GPU", facts=facts(windows()), expected="passes"),
    Case(rule="MAC101", name="an Apple silicon Mac", facts=facts(), expected="passes"),
    Case(rule="MAC101", name="aarch64 Linux", facts=facts(linux(architecture="aarch64")), expected="passes"),
    Case(
        rule="MAC101",
        name="an unknown system",
        facts=facts(mac(os=UNKNOWN)),
        expected="unknown",
        message_has="operating system",
    ),
    Case(rule="MAC101", name="GPUs of a Windows PC unknown", facts=facts(windows(gpus=UNKNOWN)), expected="unknown"),
]
SHIM = [
    Case(
        rule="MAC102",
        name="macOS reports 10.16",
        facts=facts(mac(os_reported="10.16")),
        expected="fails",
        severity="warning",
        message_has=("told macOS 10.16, not 14.5", "macOS reports 10.16"),
    ),
    Case(
        rule="MAC102",
        name="SYSTEM_VERSION_COMPAT=1 is set",
        facts=facts(mac(os_reported="10.16", environment=(("SYSTEM_VERSION_COMPAT", "1"),))),
        expected="fails",
        message_has="unset SYSTEM_VERSION_COMPAT",
    ),
    Case(
        rule="MAC102",
        name="the variable is set and what is reported is unknown",
        facts=facts(mac(os_version=UNKNOWN, os_reported=UNKNOWN, environment=(("SYSTEM_VERSION_COMPAT", "1"),))),
        expected="fails",
        message_has=("told macOS 10.16, not the true version", "SYSTEM_VERSION_COMPAT=1"),
    ),
    Case(
        rule="MAC102",
        name="macOS 26 reports 16.0",
        facts=facts(mac(os_version="26.1", os_reported="16.0")),
        expected="fails",
        severity="info",
    ),
    Case(
        rule="MAC102",
        name="SYSTEM_VERSION_COMPAT=0 is set",
        facts=facts(mac(environment=(("SYSTEM_VERSION_COMPAT", "0"),))),
        expected="passes",
    ),
    Case(
        rule="MAC102",
        name="a real macOS 10.15",
        facts=facts(intel_mac(os_version="10.15.7", os_reported="10.15.7")),
        expected="passes",
    ),
    Case(rule="MAC102", name="Linux", facts=facts(linux()), expected="passes"),
    Case(rule="MAC102", name="what is reported is unknown", facts=facts(mac(os_reported=UNKNOWN)), expected="unknown"),
]
FLOOR = [
    Case(
        rule="MAC103",
        name="no TensorFlow and macOS 11 with Python 3.12",
        facts=facts(mac(os_version="11.7"), python("3.12.4"), NO_TENSORFLOW),
        expected="fails",
        severity="error",
        message_has=("tensorflow 2.21.0", "no release fits this macOS"),
        also=(("matrix_used", True),),
    ),
    Case(
        rule="MAC103",
        name="an older release still fits this macOS",
        facts=facts(mac(os_version="11.7"), python("3.12.4"), NO_TENSORFLOW),
        matrix=tiny_matrix(
            releases={
                "tensorflow": [
                    release("tensorflow", "2.30.0", wheels([12], MAC_ARM)),
                    release("tensorflow", "2.29.0", wheels([12], "macosx_11_0_arm64")),
                ]
            }
        ),
        expected="fails",
        severity="warning",
        message_has=("2.30.0", "newest that fits macOS 11.7 is tensorflow==2.29.0"),
    ),
    Case(
        rule="MAC103",
        name="an installed h5py for macOS 14 on macOS 13",
        facts=facts(
            mac(os_version="13.6"),
            environment=environment(
                "tensorflow==2.18.1", dist("h5py==3.15.0", wheel_tags=("cp312-cp312-macosx_14_0_arm64",))
            ),
        ),
        expected="fails",
        severity="error",
        message_has=("h5py 3.15.0", "macOS 14.0", "this is 13.6"),
    ),
    Case(
        rule="MAC103",
        name="the same h5py on macOS 14",
        facts=facts(
            mac(os_version="14.0"),
            environment=environment(
                "tensorflow==2.18.1", dist("h5py==3.15.0", wheel_tags=("cp312-cp312-macosx_14_0_arm64",))
            ),
        ),
        expected="passes",
    ),
    Case(
        rule="MAC103",
        name="a wheel with two tags, one of which fits",
        facts=facts(
            mac(os_version="13.6"),
            environment=environment(
                "tensorflow==2.18.1",
                dist("x==1", wheel_tags=("cp312-cp312-macosx_14_0_arm64", "cp312-cp312-macosx_11_0_arm64")),
                dist("pure==1", wheel_tags=("py3-none-any",)),
            ),
        ),
        expected="passes",
    ),
    Case(
        rule="MAC103",
        name="an h5py that is too new says enough where TensorFlow is absent",
        facts=facts(
            mac(os_version="11.7"),
            environment=environment(dist("h5py==3.15.0", wheel_tags=("cp312-cp312-macosx_14_0_arm64",))),
        ),
        expected="fails",
        lacks=("too old for",),
    ),
    Case(
        rule="MAC103",
        name="an installed TensorFlow that asks for nothing newer",
        facts=facts(mac(os_version="11.7")),
        expected="passes",
    ),
    Case(
        rule="MAC103",
        name="no TensorFlow and macOS 12",
        facts=facts(mac(os_version="12.0"), python(), NO_TENSORFLOW),
        expected="passes",
    ),
    Case(
        rule="MAC103",
        name="a Python without any wheel is not macOS's fault",
        facts=facts(mac(os_version="11.7"), python("3.14.0"), NO_TENSORFLOW),
        expected="passes",
    ),
    Case(rule="MAC103", name="Linux", facts=facts(linux()), expected="passes"),
    Case(rule="MAC103", name="macOS unknown", facts=facts(mac(os_version=UNKNOWN)), expected="unknown"),
]
AVX = [
    Case(
        rule="MAC104",
        name="an Intel Mac Pro of 2010",
        facts=facts(intel_mac(avx=False, chip="Intel(R) Xeon(R) CPU X5690"), intel_python()),
        expected="fails",
        severity="error",
        message_has=("no AVX", "X5690"),
        lacks=("docker",),
    ),
    Case(
        rule="MAC104",
        name="a linux/amd64 image under qemu",
        facts=on_linux(linux(avx=False, container="docker", chip=UNKNOWN)),
        expected="fails",
        message_has="docker run --platform linux/arm64",
    ),
    Case(rule="MAC104", name="an Intel Mac with AVX", facts=facts(intel_mac(), intel_python()), expected="passes"),
    Case(rule="MAC104", name="Apple silicon has no AVX and needs none", facts=facts(mac(avx=False)), expected="passes"),
    Case(rule="MAC104", name="AVX unknown", facts=facts(intel_mac(avx=UNKNOWN)), expected="unknown"),
    Case(rule="MAC104", name="architecture unknown", facts=facts(mac(architecture=UNKNOWN)), expected="unknown"),
]
CONTAINERS = [
    Case(
        rule="MAC105",
        name="a linux/amd64 image under Rosetta for Linux",
        facts=on_linux(linux(container="docker", chip="VirtualApple @ 2.50GHz")),
        expected="fails",
        severity="warning",
        message_has=("emulated", "--platform linux/arm64"),
    ),
    Case(
        rule="MAC105",
        name="a linux/arm64 container in Docker Desktop",
        facts=on_linux(linux(container="docker", architecture="aarch64", chip=UNKNOWN, kernel="6.10.14-linuxkit")),
        expected="fails",
        severity="info",
        message_has=("no Metal", "CPU"),
    ),
    Case(
        rule="MAC105",
        name="a linux/arm64 container on a processor called Apple",
        facts=on_linux(linux(container="podman", architecture="aarch64", chip="Apple M2", kernel=UNKNOWN)),
        expected="fails",
        message_has="podman container has no Metal",
    ),
    Case(
        rule="MAC105",
        name="a linux/arm64 container in a data centre",
        facts=on_linux(linux(container="docker", architecture="aarch64", chip="Neoverse-N1", kernel="6.1.0-aws")),
        expected="passes",
    ),
    Case(rule="MAC105", name="a container on a PC", facts=on_linux(linux(container="docker")), expected="passes"),
    Case(rule="MAC105", name="no container", facts=on_linux(linux()), expected="passes"),
    Case(rule="MAC105", name="macOS itself, whatever it says", facts=facts(mac(container="lxc")), expected="passes"),
    Case(
        rule="MAC105",
        name="an arm64 container of which only the kernel is known",
        facts=on_linux(linux(container="docker", architecture="aarch64", chip=UNKNOWN, kernel="6.1.0-aws")),
        expected="passes",
    ),
    Case(
        rule="MAC105",
        name="the processor unknown",
        facts=on_linux(linux(container="docker", chip=UNKNOWN)),
        expected="unknown",
        message_has="the container's processor is not named",
    ),
    Case(
        rule="MAC105",
        name="whether it is a container unknown",
        facts=on_linux(linux(container=UNKNOWN)),
        expected="unknown",
    ),
]
WSL = [
    Case(
        rule="MAC106",
        name="WSL 1",
        facts=on_linux(linux(wsl=1, kernel="4.4.0-19041-Microsoft")),
        expected="fails",
        severity="warning",
        message_has="wsl --set-version NAME 2",
    ),
    Case(rule="MAC106", name="WSL 2", facts=on_linux(linux(wsl=2)), expected="passes"),
    Case(rule="MAC106", name="ordinary Linux", facts=on_linux(linux()), expected="passes"),
    Case(rule="MAC106", name="a Mac", facts=facts(mac(wsl=NOT_APPLICABLE)), expected="passes"),
    Case(rule="MAC106", name="unknown", facts=on_linux(linux(wsl=UNKNOWN)), expected="unknown"),
]
BLACKWELL = Gpu(name="NVIDIA GeForce RTX 5090", vendor="nvidia", driver="570.86", compute_capability="12.0")
NVIDIA = [
    Case(
        rule="MAC107",
        name="driver 470 under TensorFlow 2.18 (CUDA 12.5)",
        facts=with_gpu(driver="470.82.01"),
        expected="fails",
        severity="error",
        message_has=("470.82.01", "CUDA 12.5", "525.60.13"),
    ),
    Case(
        rule="MAC107",
        name="a driver for CUDA 11.4 at most, its version unknown",
        facts=with_gpu(driver=None, cuda_maximum="11.4"),
        expected="fails",
        message_has="CUDA 11.4 at most",
    ),
    Case(
        rule="MAC107",
        name="WSL 2 with a Windows driver older than 528.33",
        facts=on_linux(linux(wsl=2, gpus=(replace(NVIDIA_GPU, driver="526.98"),))),
        expected="fails",
        message_has=("528.33", "Windows side"),
    ),
    Case(
        rule="MAC107",
        name="a B200, the first Blackwell",
        facts=with_gpu(name="B200", compute_capability="10.0"),
        expected="fails",
        message_has="no released TensorFlow wheel carries code for the B200",
    ),
    Case(
        rule="MAC107",
        name="the oldest driver and the oldest GPU that do",
        facts=with_gpu(driver="525.60.13", compute_capability="6.0"),
        expected="passes",
    ),
    Case(
        rule="MAC107",
        name="a driver for CUDA 12.0 runs any CUDA 12",
        facts=with_gpu(driver=None, cuda_maximum="12.0"),
        expected="passes",
    ),
    Case(
        rule="MAC107",
        name="an RTX 50 (Blackwell)",
        facts=on_linux(linux(gpus=(BLACKWELL,))),
        expected="fails",
        message_has=("RTX 5090", "12.0", "nvcr.io/nvidia/tensorflow"),
    ),
    Case(
        rule="MAC107",
        name="a Maxwell GPU under TensorFlow 2.18",
        facts=with_gpu(name="GTX 980", compute_capability="5.2"),
        expected="fails",
        message_has=("GTX 980", "TensorFlow 2.16 or older"),
    ),
    Case(
        rule="MAC107",
        name="a Kepler GPU under TensorFlow 2.15",
        facts=on_linux(
            linux(gpus=(replace(NVIDIA_GPU, name="K40", compute_capability="3.5"),)), environment("tensorflow==2.15.1")
        ),
        expected="fails",
        message_has=("K40", "TensorFlow 2.14 or older"),
    ),
    Case(
        rule="MAC107",
        name="the same Maxwell GPU under TensorFlow 2.16",
        facts=on_linux(linux(gpus=(replace(NVIDIA_GPU, compute_capability="5.2"),)), environment("tensorflow==2.16.2")),
        expected="passes",
    ),
    Case(rule="MAC107", name="driver 550 under TensorFlow 2.18", facts=on_linux(NVIDIA_PC), expected="passes"),
    Case(
        rule="MAC107",
        name="driver 470 under TensorFlow 2.10 (CUDA 11.2)",
        facts=on_linux(linux(gpus=(replace(NVIDIA_GPU, driver="470.82.01"),)), environment("tensorflow==2.10.1")),
        expected="passes",
    ),
    Case(
        rule="MAC107",
        name="tensorflow-cpu does not look at GPUs",
        facts=on_linux(linux(gpus=(BLACKWELL,)), environment("tensorflow-cpu==2.18.1")),
        expected="passes",
    ),
    Case(rule="MAC107", name="no NVIDIA GPU", facts=on_linux(linux()), expected="passes"),
    Case(rule="MAC107", name="a Mac", facts=facts(), expected="passes"),
    Case(
        rule="MAC107",
        name="aarch64 wheels have no CUDA",
        facts=facts(linux(architecture="aarch64", gpus=(BLACKWELL,)), linux_python(machine="aarch64"), CUDA),
        expected="passes",
    ),
    Case(rule="MAC107", name="the GPUs unknown", facts=on_linux(linux(gpus=UNKNOWN)), expected="unknown"),
    Case(rule="MAC107", name="the driver unknown", facts=with_gpu(driver=None, cuda_maximum=None), expected="unknown"),
    Case(
        rule="MAC107",
        name="the compute capability unknown",
        facts=with_gpu(compute_capability=None),
        expected="unknown",
    ),
    Case(
        rule="MAC107",
        name="TensorFlow 2.22 does not record its CUDA",
        facts=on_linux(NVIDIA_PC, environment("tensorflow==2.22.0rc0")),
        expected="unknown",
        message_has="2.22.0rc0",
    ),
    Case(
        rule="MAC107",
        name="a TensorFlow older than the table",
        facts=on_linux(NVIDIA_PC, environment("tensorflow==2.4.0")),
        expected="unknown",
    ),
]
INTEL = [
    Case(
        rule="MAC108",
        name="an Intel Mac",
        facts=facts(intel_mac(), intel_python()),
        expected="fails",
        severity="info",
        remedy=True,
        message_has=("TensorFlow 2.16.2", "tensorflow-metal 1.0.0", "tensorflow==2.16.2"),
        also=(("matrix_used", True),),
    ),
    Case(
        rule="MAC108",
        name="no plugin in the matrix",
        facts=facts(intel_mac(), intel_python()),
        matrix=tiny_matrix(releases={"tensorflow-metal": []}),
        expected="fails",
        lacks=("tensorflow-metal",),
    ),
    Case(rule="MAC108", name="Apple silicon", facts=facts(), expected="passes"),
    Case(
        rule="MAC108",
        name="a chip that is no M-series one (MacBook Neo)",
        facts=facts(mac(chip="Apple A18 Pro", model="Mac17,5")),
        expected="passes",
    ),
    Case(rule="MAC108", name="x86_64 Linux", facts=on_linux(linux()), expected="passes"),
    Case(rule="MAC108", name="architecture unknown", facts=facts(mac(architecture=UNKNOWN)), expected="unknown"),
    Case(
        rule="MAC108",
        name="no TensorFlow in the matrix",
        facts=facts(intel_mac()),
        matrix=tiny_matrix(releases={"tensorflow": []}),
        expected="unknown",
    ),
]

CASES: list[Case] = [*SYSTEM, *SHIM, *FLOOR, *AVX, *CONTAINERS, *WSL, *NVIDIA, *INTEL]
