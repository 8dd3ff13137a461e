"""Cases of the BIN rules."""

from __future__ import annotations

from compat.facts.known import NOT_APPLICABLE, UNKNOWN, Unknown
from tests.verdict.rules.builders import (
    PLUGIN,
    SITE,
    dist,
    environment,
    facts,
    intel_python,
    linux,
    linux_python,
    mac,
    pair,
    plugin,
    proof,
    python,
    windows,
)
from tests.verdict.rules.cases import Case
from tests.verdict.rules.tiny_matrix import LOG_MESSAGE, PYWRAP, binary, known_issue, link, tiny_matrix

NOT_PROVED = Unknown("TensorFlow's libraries are not there")
CTOR = "__ZN10tensorflow16TensorShapeProtoC1ERKS0_"
NO_IMAGE = proof(loads=False, layer=1, missing_libraries=(PYWRAP,))
NO_SYMBOL = proof(loads=False, layer=2, missing=(LOG_MESSAGE, CTOR))
USER_SITE = "~/Library/Python/3.12/lib/python/site-packages"
USER_PLUGIN = f"{USER_SITE}/tensorflow-plugins/libmetal_plugin.dylib"
LEAK = plugin(path=USER_PLUGIN, site=USER_SITE, from_user_site=True)
ENABLED = python(user_site_enabled=True)
THIRD = "tensorflow-metal-plugin==0.4.1"


def with_plugins(installed, *plugins, interpreter=None, machine=None, **changes):
    """An environment whose plugin files are these."""
    return facts(machine, interpreter, environment(*installed, plugins=plugins, **changes))


def proved(link_proof, tensorflow="2.18.1", metal="1.2.0", **changes):
    owner = f"tensorflow-metal=={metal}"
    return with_plugins((f"tensorflow=={tensorflow}", owner), plugin(owner, link_proof=link_proof), **changes)


LOADING = [
    Case(
        rule="BIN401",
        name="a symbol is missing on the files and in the matrix: a newer plugin loads",
        facts=proved(NO_SYMBOL, metal="1.1.0"),
        expected="fails",
        severity="error",
        message_has=(
            f"tensorflow-metal 1.1.0 cannot load with tensorflow 2.18.1: this TensorFlow does not export the symbol {LOG_MESSAGE}",
            "proved on the installed files: it cannot load (layer 2",
            "and 1 more",
            "the matrix: it cannot load (layer 2",
            f"uv pip install --python {python().path} tensorflow-metal==1.2.0",
        ),
        lacks=("disagree", "uninstall"),
        also=(("matrix_used", False), ("caused_by", None), ("issue", None)),
    ),
    Case(
        rule="BIN401",
        name="a library is missing and no plugin loads: uninstall it, or another pair",
        facts=proved(NO_IMAGE, tensorflow="2.20.0"),
        expected="fails",
        message_has=(
            f"no library of this TensorFlow is called {PYWRAP}",
            f"uv pip uninstall --python {python().path} tensorflow-metal",
            "tfcompat fix --create-venv",
            "TensorFlow 2.19.1 with tensorflow-metal 1.2.0",
        ),
        lacks=("third-party", "stub", "rm ", "and 0 more"),
    ),
    Case(
        rule="BIN401",
        name="TensorFlow 2.21 on macOS 15 has a third-party plugin",
        facts=proved(NO_IMAGE, tensorflow="2.21.0", machine=mac(os_version="15.0")),
        expected="fails",
        message_has="third-party tensorflow-metal-plugin",
    ),
    Case(
        rule="BIN401",
        name="TensorFlow 2.21 on macOS 14 has not",
        facts=proved(NO_IMAGE, tensorflow="2.21.0"),
        expected="fails",
        lacks=("third-party",),
    ),
    Case(
        rule="BIN401",
        name="a flat symbol is missing, and the matrix has no such pair",
        facts=proved(proof(loads=False, layer=3, missing=(CTOR,)), tensorflow="2.14.0", metal="1.0.1"),
        expected="fails",
        message_has=(f"nothing in this TensorFlow exports the symbol {CTOR}", "the matrix does not judge this pair"),
    ),
    Case(
        rule="BIN401",
        name="only the matrix knows: the files were not proved",
        facts=proved(NOT_PROVED, tensorflow="2.21.0"),
        expected="fails",
        message_has=(
            "not proved on the installed files (TensorFlow's libraries are not there)",
            "the matrix: it cannot load (layer 1",
        ),
        also=(("matrix_used", True),),
    ),
    Case(
        rule="BIN401",
        name="a report names the versions and no file",
        facts=facts(None, None, pair("2.18.1", "1.1.0", plugins=UNKNOWN)),
        expected="fails",
        message_has=("tensorflow-metal 1.1.0", LOG_MESSAGE),
    ),
    Case(
        rule="BIN401",
        name="the files fail where the matrix says they load: the files win",
        facts=proved(NO_SYMBOL),
        expected="fails",
        severity="error",
        message_has="the two disagree, and the installed files win",
    ),
    Case(
        rule="BIN401",
        name="the files load where the matrix says they cannot: said as a remark",
        facts=proved(proof(), metal="1.1.0"),
        expected="fails",
        severity="info",
        message_has=("loads with tensorflow 2.18.1 as installed, though the matrix says it cannot", "disagree"),
        also=(("matrix_used", True),),
    ),
    Case(
        rule="BIN401",
        name="in a conda environment nothing is installed over conda's files",
        facts=proved(NO_SYMBOL, metal="1.1.0", kind="conda", conda_prefix="/opt/conda"),
        expected="fails",
        message_has="tfcompat fix --create-venv",
        lacks=("uv pip",),
    ),
    Case(
        rule="BIN401",
        name="a plugin nobody owns, which cannot load",
        facts=with_plugins(("tensorflow==2.18.1",), plugin(owners=(), link_proof=NO_SYMBOL)),
        expected="fails",
        message_has=(PLUGIN, "does not judge this pair"),
        lacks=("uv pip uninstall",),
    ),
    Case(
        rule="BIN401",
        name="a plugin of the user site, which cannot load",
        facts=with_plugins(
            ("tensorflow==2.18.1",), plugin(path=USER_PLUGIN, site=USER_SITE, from_user_site=True, link_proof=NO_SYMBOL)
        ),
        expected="fails",
        also=(("caused_by", "BIN404"),),
        lacks=("uv pip",),
    ),
    Case(
        rule="BIN401",
        name="a folder installed for another machine, whose Python is not known",
        facts=facts(None, Unknown("a folder has none"), pair("2.18.1", "1.1.0", plugins=UNKNOWN, kind="target")),
        expected="fails",
        message_has="a new environment can have a pair",
    ),
    Case(
        rule="BIN401",
        name="a matrix without one pair that loads",
        facts=proved(NO_IMAGE, tensorflow="2.20.0"),
        matrix=tiny_matrix(links=[link("2.20.0", "1.2.0", 1)]),
        expected="fails",
        message_has="(layer 1)",
        lacks=(", as TensorFlow",),
    ),
    Case(
        rule="BIN401",
        name="a known problem says the same",
        facts=proved(NO_IMAGE, tensorflow="2.20.0"),
        matrix=tiny_matrix(issues=[known_issue("BIN401", package="tensorflow-metal")]),
        expected="fails",
        also=(("issue", "ISS900"),),
    ),
    Case(
        rule="BIN402",
        name="a known problem says the same",
        facts=proved(proof(minimum_macos="13.0"), machine=mac(os_version="12.6")),
        matrix=tiny_matrix(issues=[known_issue("BIN402", package="tensorflow-metal")]),
        expected="fails",
        also=(("issue", "ISS900"),),
    ),
    Case(
        rule="BIN403",
        name="a known problem says the same",
        facts=with_plugins(("tensorflow==2.21.0", "tensorflow-metal==1.2.0", THIRD), plugin()),
        matrix=tiny_matrix(
            issues=[known_issue("BIN403", package="tensorflow-metal", with_package="tensorflow-metal-plugin")]
        ),
        expected="fails",
        also=(("issue", "ISS900"),),
    ),
    Case(
        rule="BIN401",
        name="the pair that is named is final and of this architecture",
        facts=proved(NO_IMAGE, tensorflow="2.20.0"),
        matrix=tiny_matrix(
            links=[
                link("2.31.0rc1", "1.2.0"),
                link("2.30.0", "1.2.0", arch="x86_64"),
                link("2.19.1", "1.1.0"),
                link("2.19.1", "1.2.0"),
            ]
        ),
        expected="fails",
        message_has="as TensorFlow 2.19.1 with tensorflow-metal 1.2.0",
    ),
    Case(
        rule="BIN401",
        name="a shell without TensorFlow's code is judged by the proof too",
        facts=with_plugins(
            (dist("tensorflow==2.13.0", provides_top_level=False), "tensorflow-metal==1.0.1"),
            plugin("tensorflow-metal==1.0.1", link_proof=NO_IMAGE),
        ),
        expected="fails",
        message_has="cannot load with tensorflow 2.13.0",
    ),
    Case(
        rule="BIN401",
        name="the proof names nothing that is missing",
        facts=proved(proof(loads=False, layer=1)),
        expected="fails",
        message_has="is called something it needs",
    ),
    Case(rule="BIN401", name="2.18.1 with 1.2.0, proved", facts=facts(), expected="passes"),
    Case(rule="BIN401", name="2.18.1 with 1.2.0, by the matrix", facts=proved(NOT_PROVED), expected="passes"),
    Case(
        rule="BIN401",
        name="proved, and not in the matrix",
        facts=proved(proof(), tensorflow="2.14.0", metal="1.1.0"),
        expected="passes",
    ),
    Case(
        rule="BIN401", name="no plugin", facts=facts(environment=environment("tensorflow==2.18.1")), expected="passes"
    ),
    Case(
        rule="BIN401",
        name="no TensorFlow",
        facts=facts(environment=environment(plugins=(plugin(),))),
        expected="passes",
    ),
    Case(
        rule="BIN401",
        name="neither proof nor row",
        facts=proved(NOT_PROVED, tensorflow="2.14.0", metal="1.0.1"),
        expected="unknown",
        message_has=(PLUGIN, "TensorFlow's libraries are not there"),
    ),
    Case(
        rule="BIN401",
        name="a pair that the matrix knows and did not judge",
        facts=with_plugins(("tensorflow==2.21.0", THIRD), plugin(THIRD, link_proof=NOT_APPLICABLE)),
        matrix=tiny_matrix(
            links=[
                link("2.21.0", "0.4.1", plugin="tensorflow-metal-plugin", loads=None, reason="source distribution only")
            ]
        ),
        expected="unknown",
        message_has="no proof applies here",
    ),
    Case(
        rule="BIN401",
        name="plugin files not looked at and no plugin known",
        facts=facts(environment=environment("tensorflow==2.18.1", plugins=UNKNOWN)),
        expected="unknown",
    ),
    Case(rule="BIN401", name="no environment", facts=facts(environment=UNKNOWN), expected="unknown"),
    Case(
        rule="BIN402",
        name="a binary for macOS 13.0 on macOS 12.6",
        facts=proved(proof(minimum_macos="13.0"), machine=mac(os_version="12.6")),
        expected="fails",
        severity="warning",
        message_has=("macOS 13.0 and newer, this is 12.6", "upgrade macOS to 13.0"),
    ),
    Case(
        rule="BIN402",
        name="the matrix knows the binary (0.5.0: tag macosx_11_0, built for 12.3)",
        facts=proved(NOT_PROVED, metal="0.5.0", machine=mac(os_version="12.1")),
        matrix=tiny_matrix(binaries=[binary("0.5.0", "12.3")]),
        expected="fails",
        message_has="tensorflow-metal 0.5.0 is built for macOS 12.3",
    ),
    Case(
        rule="BIN402",
        name="a report names the version and no file",
        facts=facts(mac(os_version="12.0"), None, pair(plugins=UNKNOWN)),
        expected="fails",
        message_has="tensorflow-metal 1.2.0 is built for macOS 12.1",
    ),
    Case(
        rule="BIN402",
        name="a binary for macOS 12.1 on macOS 12.1",
        facts=proved(proof(minimum_macos="12.1"), machine=mac(os_version="12.1")),
        expected="passes",
    ),
    Case(
        rule="BIN402", name="no plugin", facts=facts(environment=environment("tensorflow==2.18.1")), expected="passes"
    ),
    Case(
        rule="BIN402",
        name="nobody's file without a deployment target",
        facts=with_plugins(("tensorflow==2.18.1",), plugin(owners=(), link_proof=proof(minimum_macos=None))),
        expected="unknown",
    ),
    Case(
        rule="BIN402",
        name="a release whose binary nobody read",
        facts=proved(NOT_PROVED, metal="0.6.0"),
        expected="unknown",
        message_has="tensorflow-metal 0.6.0",
    ),
    Case(
        rule="BIN402", name="macOS unknown", facts=proved(proof(), machine=mac(os_version=UNKNOWN)), expected="unknown"
    ),
    Case(
        rule="BIN402",
        name="plugin files not looked at",
        facts=facts(environment=environment("tensorflow==2.18.1", plugins=UNKNOWN)),
        expected="unknown",
    ),
]
TWO = ("tensorflow-metal==1.2.0", THIRD)
FILES = [
    Case(
        rule="BIN403",
        name="Apple's and the third-party plugin, TensorFlow 2.21: only the latter can load",
        facts=with_plugins(("tensorflow==2.21.0", *TWO), plugin(owners=TWO)),
        expected="fails",
        severity="error",
        message_has=(
            "one has overwritten the other",
            f"uv pip uninstall --python {python().path} tensorflow-metal tensorflow-metal-plugin",
            f"uv pip install --python {python().path} tensorflow-metal-plugin==0.4.1",
        ),
    ),
    Case(
        rule="BIN403",
        name="both, with a TensorFlow on which Apple's loads",
        facts=with_plugins(("tensorflow==2.18.1", *TWO), plugin(owners=TWO)),
        expected="fails",
        lacks=("both own",),
        message_has="python tensorflow-metal==1.2.0",
    ),
    Case(
        rule="BIN403",
        name="both, Apple's in a release that does not load here",
        facts=with_plugins(("tensorflow==2.18.1", "tensorflow-metal==1.1.0", THIRD), plugin(owners=TWO)),
        expected="fails",
        message_has="python tensorflow-metal==1.2.0",
    ),
    Case(
        rule="BIN403",
        name="both, and no TensorFlow",
        facts=with_plugins(TWO, plugin(owners=TWO)),
        expected="fails",
        message_has="python tensorflow-metal-plugin==0.4.1",
    ),
    Case(
        rule="BIN403",
        name="two distributions of which one is nobody's idea own a file",
        facts=with_plugins(
            ("tensorflow==2.18.1", "tensorflow-metal==1.2.0", "mine==1"),
            plugin(owners=("tensorflow-metal==1.2.0", "mine==1")),
        ),
        expected="fails",
        message_has=("tensorflow-metal==1.2.0 and mine==1 both own libmetal_plugin.dylib", "tensorflow-metal mine"),
    ),
    Case(
        rule="BIN403",
        name="a plugin in the environment and one in the user site",
        facts=with_plugins(("tensorflow==2.18.1", "tensorflow-metal==1.2.0"), plugin(), LEAK),
        expected="fails",
        message_has=(
            "2 Metal plugins",
            "in the user site, of tensorflow-metal 1.2.0",
            f"in {SITE}, of tensorflow-metal 1.2.0",
            "keep one; a new environment",
        ),
    ),
    Case(
        rule="BIN403",
        name="a second plugin named by the variable",
        facts=with_plugins(
            ("tensorflow==2.18.1", "tensorflow-metal==1.2.0"),
            plugin(),
            plugin(path="/tmp/libMetal.dylib", owners=(), from_variable=True),
        ),
        expected="fails",
        message_has=("keep one: unset TF", "| unset TF_PLUGGABLE_DEVICE_LIBRARY_PATH"),
    ),
    Case(
        rule="BIN403",
        name="a second plugin nobody owns",
        facts=with_plugins(
            ("tensorflow==2.18.1", "tensorflow-metal==1.2.0"),
            plugin(),
            plugin(path=f"{SITE}/tensorflow-plugins/old_metal.dylib", owners=()),
        ),
        expected="fails",
        message_has="of no known distribution",
    ),
    Case(rule="BIN403", name="one plugin of one owner", facts=facts(), expected="passes"),
    Case(
        rule="BIN403",
        name="a second plugin that is not Metal's",
        facts=with_plugins(
            ("tensorflow==2.18.1", "tensorflow-metal==1.2.0"),
            plugin(),
            plugin(path=f"{SITE}/tensorflow-plugins/libnpu.dylib", owners=("npu==1",)),
        ),
        expected="passes",
    ),
    Case(rule="BIN403", name="files not looked at", facts=facts(environment=pair(plugins=UNKNOWN)), expected="unknown"),
    Case(
        rule="BIN404",
        name="a plugin of the user site in an environment that sees it",
        facts=with_plugins(("tensorflow==2.18.1",), LEAK, interpreter=ENABLED),
        expected="fails",
        severity="warning",
        message_has=("tensorflow-metal 1.2.0 in the user site", "export PYTHONNOUSERSITE=1"),
        lacks=("rm ",),
    ),
    Case(
        rule="BIN404",
        name="one that cannot load",
        facts=with_plugins(
            ("tensorflow==2.21.0",),
            plugin(path=USER_PLUGIN, site=USER_SITE, owners=(), from_user_site=True, link_proof=NO_IMAGE),
            interpreter=ENABLED,
        ),
        expected="fails",
        severity="error",
        message_has="uninstall the plugin from it",
    ),
    Case(
        rule="BIN404",
        name="the user site is disabled",
        facts=with_plugins(("tensorflow==2.18.1",), LEAK),
        expected="passes",
    ),
    Case(
        rule="BIN404",
        name="TensorFlow itself is in the user site",
        facts=with_plugins((dist("tensorflow==2.18.1", location=USER_SITE),), LEAK, interpreter=ENABLED),
        expected="passes",
    ),
    Case(rule="BIN404", name="no TensorFlow", facts=with_plugins((), LEAK, interpreter=ENABLED), expected="passes"),
    Case(rule="BIN404", name="the plugin is the environment's", facts=facts(interpreter=ENABLED), expected="passes"),
    Case(
        rule="BIN404",
        name="whether the user site is enabled unknown",
        facts=with_plugins(("tensorflow==2.18.1",), LEAK, interpreter=python(user_site_enabled=UNKNOWN)),
        expected="unknown",
    ),
    Case(rule="BIN404", name="files not looked at", facts=facts(environment=pair(plugins=UNKNOWN)), expected="unknown"),
]
ARM_TAG, INTEL_TAG = ("cp312-cp312-macosx_11_0_arm64",), ("cp312-cp312-macosx_10_9_x86_64",)
ARCHITECTURES = [
    Case(
        rule="BIN405",
        name="an x86_64 NumPy in an arm64 environment",
        facts=facts(
            environment=environment(
                dist("tensorflow==2.18.1", wheel_tags=ARM_TAG),
                dist("numpy==1.26.4", wheel_tags=INTEL_TAG),
                binary_architectures=("arm64", "x86_64"),
            )
        ),
        expected="fails",
        severity="error",
        message_has=("runs as arm64, numpy 1.26.4 is built", "tfcompat fix --create-venv"),
    ),
    Case(
        rule="BIN405",
        name="the extension modules alone tell",
        facts=facts(environment=environment("tensorflow==2.18.1", binary_architectures=("x86_64",))),
        expected="fails",
        message_has="extension modules are x86_64",
    ),
    Case(
        rule="BIN405",
        name="the wheels' tags alone tell",
        facts=facts(environment=environment(dist("numpy==1.26.4", wheel_tags=INTEL_TAG), binary_architectures=())),
        expected="fails",
        lacks=("extension modules",),
    ),
    Case(
        rule="BIN405",
        name="an arm64 environment run by a translated Python",
        facts=facts(
            interpreter=intel_python(), environment=environment(dist("tensorflow==2.18.1", wheel_tags=ARM_TAG))
        ),
        expected="fails",
        message_has="runs as x86_64",
    ),
    Case(
        rule="BIN405",
        name="universal2 wheels fit both",
        facts=facts(
            environment=environment(
                dist("tensorflow==2.18.1", wheel_tags=ARM_TAG),
                dist("ml-dtypes==0.4.0", wheel_tags=("cp312-cp312-macosx_10_9_universal2",)),
                dist("keras==3.5.0", wheel_tags=("py3-none-any",)),
                binary_architectures=("arm64", "x86_64"),
            )
        ),
        expected="passes",
    ),
    Case(
        rule="BIN405",
        name="aarch64 and arm64 are one",
        facts=facts(
            linux(architecture="aarch64"),
            linux_python(machine="aarch64"),
            environment(
                dist("tensorflow==2.18.1", wheel_tags=("cp312-cp312-manylinux_2_17_aarch64",)),
                binary_architectures=("aarch64",),
            ),
        ),
        expected="passes",
    ),
    Case(
        rule="BIN405",
        name="AMD64 and x86_64 are one",
        facts=facts(
            windows(),
            python(machine="AMD64"),
            environment(
                dist("tensorflow==2.18.1", wheel_tags=("cp312-cp312-win_amd64",)), binary_architectures=("amd64",)
            ),
        ),
        expected="passes",
    ),
    Case(
        rule="BIN405",
        name="a folder installed for an arm64 Mac",
        facts=facts(None, UNKNOWN, pair(kind="target")),
        expected="passes",
    ),
    Case(
        rule="BIN405",
        name="nothing compiled is installed",
        facts=facts(environment=environment("keras==3.5.0", binary_architectures=())),
        expected="passes",
    ),
    Case(
        rule="BIN405",
        name="tags alone say that all is well",
        facts=facts(environment=environment(dist("tensorflow==2.18.1", wheel_tags=ARM_TAG), binary_architectures=())),
        expected="passes",
    ),
    Case(
        rule="BIN405",
        name="neither tags nor files",
        facts=facts(environment=environment("tensorflow==2.18.1", binary_architectures=())),
        expected="unknown",
    ),
    Case(
        rule="BIN405",
        name="how Python runs unknown",
        facts=facts(interpreter=python(machine=UNKNOWN)),
        expected="unknown",
    ),
    Case(
        rule="BIN406",
        name="a plugin file no RECORD names",
        facts=with_plugins(("tensorflow==2.18.1",), plugin(owners=())),
        expected="fails",
        severity="warning",
        message_has=(PLUGIN, "named in no RECORD", "installing tensorflow-metal makes it the owner"),
        lacks=("rm ", "delete"),
    ),
    Case(
        rule="BIN406",
        name="one of the user site",
        facts=with_plugins(
            ("tensorflow==2.18.1",), plugin(path=USER_PLUGIN, site=USER_SITE, owners=(), from_user_site=True)
        ),
        expected="fails",
        also=(("caused_by", "BIN404"),),
    ),
    Case(rule="BIN406", name="a plugin file with its owner", facts=facts(), expected="passes"),
    Case(
        rule="BIN406",
        name="the user named the file",
        facts=with_plugins(("tensorflow==2.18.1",), plugin(owners=(), from_variable=True)),
        expected="passes",
    ),
    Case(
        rule="BIN406",
        name="an orphan beside an installed plugin that owns another file",
        facts=with_plugins(
            ("tensorflow==2.18.1", "tensorflow-metal==1.2.0"), plugin(), plugin(path="/x.dylib", owners=())
        ),
        expected="fails",
        message_has="/x.dylib",
    ),
    Case(
        rule="BIN406",
        name="a plugin without RECORD",
        facts=with_plugins(
            ("tensorflow==2.18.1", dist("tensorflow-metal==1.2.0", has_record=False)), plugin(owners=())
        ),
        expected="unknown",
        message_has="tensorflow-metal has no RECORD",
    ),
    Case(rule="BIN406", name="files not looked at", facts=facts(environment=pair(plugins=UNKNOWN)), expected="unknown"),
]

CASES: list[Case] = [*LOADING, *FILES, *ARCHITECTURES]
