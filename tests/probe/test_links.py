"""The link proof decides as dyld does, layer by layer; lief confirms it on wheels of the index."""

from __future__ import annotations

import sys
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from compat.errors import BadBinary, CannotLook
from compat.probe.links import ROOT_IMAGE, find_images, prove, prove_installed
from compat.probe.macho import read_image, read_slice
from compat.probe.trie import exported
from tests.probe.machobuilder import FLAT, Binary, fat, trie_of

CPP, INTERNAL = "/usr/lib/libc++.1.dylib", "@rpath/_pywrap_tensorflow_internal.so"
CC, FRAMEWORK = "@rpath/libtensorflow_cc.2.dylib", "@rpath/libtensorflow_framework.2.dylib"


def plugin(two_level=(), flat=(), weak=(), weak_flat=(), library=(INTERNAL, "load"), **more):
    undefined = [("_memcpy", 1, 0), *((name, 2, 0) for name in two_level)]
    undefined += [(name, FLAT, 0) for name in flat] + [(name, 2, 0x40) for name in weak]
    undefined += [(name, FLAT, 0x40) for name in weak_flat]
    return Binary(libraries=[(CPP, "load"), library], undefined=undefined, **more).build()


def tensorflow(internal=None, framework=None, cc=None, **more):
    def image(install_name, exports, libraries=()):
        libraries = [(name, "load") for name in libraries]
        return Binary(install_name=install_name, libraries=libraries, exports=exports or {}, **more).build()

    return [
        image(INTERNAL, internal, [CPP, CC, FRAMEWORK]),
        image(FRAMEWORK, framework),
        image(CC, cc, [FRAMEWORK]),
    ]


def verdict(proof):
    return proof.loads, proof.layer, proof.missing_libraries or proof.missing


def test_a_plugin_that_finds_everything_loads():
    images = tensorflow(internal={"_TF_A": None}, cc={"_TF_B": None})

    proof = prove(plugin(["_TF_A"], ["_TF_B"]), images, "arm64")

    assert verdict(proof) == (True, 0, ())
    assert (proof.architecture, proof.minimum_macos) == ("arm64", "12.1")


def test_layer_1_a_library_must_be_there_under_that_very_install_name():
    renamed = Binary(install_name="bazel-out/bin/lib_pywrap.dylib", exports={"_TF_A": None}).build()

    proof = prove(plugin(["_TF_A"]), [renamed], "arm64")

    assert verdict(proof) == (False, 1, (INTERNAL,))


@pytest.mark.parametrize("kind", ["weak", "lazy"])
def test_a_library_that_may_be_absent_stops_nothing_and_nor_do_its_symbols(kind):
    proof = prove(plugin(["_TF_A"], library=("@rpath/gone.dylib", kind)), tensorflow(), "arm64")

    assert verdict(proof) == (True, 0, ())


@pytest.mark.parametrize("kind", ["reexport", "upward"])
def test_a_library_named_by_another_kind_of_command_must_be_there(kind):
    proof = prove(plugin(library=("@rpath/gone.dylib", kind)), tensorflow(), "arm64")

    assert verdict(proof) == (False, 1, ("@rpath/gone.dylib",))


def test_layer_2_a_symbol_in_another_library_does_not_count():
    proof = prove(plugin(["_TF_B", "_TF_A"]), tensorflow(internal={}, cc={"_TF_A": None, "_TF_B": None}), "arm64")

    assert verdict(proof) == (False, 2, ("_TF_A", "_TF_B"))


def test_layer_2_comes_before_layer_3():
    assert prove(plugin(["_TF_A"], ["_TF_B"]), tensorflow(), "arm64").missing == ("_TF_A",)


def test_a_reexported_symbol_counts_where_the_library_it_comes_from_has_it():
    moved = {"_TF_A": (2, ""), "_TF_B": (3, "_TF_B_new")}  # ordinals: 1 libc++, 2 cc, 3 framework

    proof = prove(plugin(["_TF_A", "_TF_B"]), tensorflow(moved, {"_TF_B_new": None}, {"_TF_A": None}), "arm64")

    assert verdict(proof) == (True, 0, ())


def test_a_reexported_symbol_that_its_own_library_lost_is_missing():
    proof = prove(plugin(["_TF_A"]), tensorflow(internal={"_TF_A": (2, "")}, framework={"_TF_A": None}), "arm64")

    assert verdict(proof) == (False, 2, ("_TF_A",))


def test_a_symbol_reexported_from_the_system_is_taken_as_given():
    assert prove(plugin(["_TF_A"]), tensorflow(internal={"_TF_A": (1, "_malloc")}), "arm64").loads


def test_a_whole_library_may_be_reexported():
    images = [
        Binary(install_name=INTERNAL, libraries=[(CC, "reexport")]).build(),
        Binary(install_name=CC, exports={"_TF_A": None}).build(),
    ]

    assert prove(plugin(["_TF_A"]), images, "arm64").loads


def test_reexports_that_go_round_in_circles_define_nothing():
    there = Binary(install_name=INTERNAL, libraries=[(CC, "reexport")], exports={"_TF_A": (1, "")}).build()
    back = Binary(install_name=CC, libraries=[(INTERNAL, "reexport")], exports={"_TF_A": (1, "")}).build()

    assert verdict(prove(plugin(["_TF_A"]), [there, back], "arm64")) == (False, 2, ("_TF_A",))


def test_a_reexport_from_a_library_that_is_not_named_is_refused():
    with pytest.raises(BadBinary, match="library 9 of 3"):
        prove(plugin(["_TF_A"]), tensorflow(internal={"_TF_A": (9, "")}), "arm64")


FLAT_NAMES = {
    "_TF_NewStatus": True,
    "_TSL_Thing": True,
    "__ZN10tensorflow8internal10LogMessageD1Ev": True,
    "__ZNK6google8protobuf7Message11DebugStringEv": True,
    "__ZN3tsl8internal10LogMessageC1EPKcii": True,
    "__ZN4absl12lts_2023080211string_viewC1Ev": True,
    "_objc_msgSend": False,
    "__ZNSt3__16vectorIiNS_9allocatorIiEEE9push_backERKi": False,
    "__ZN13tslike_thing_5otherEv": False,
    "_PyObject_Call": False,
}


@pytest.mark.parametrize("name, ours", FLAT_NAMES.items())
def test_layer_3_only_names_that_tensorflow_could_define_are_judged(name, ours):
    proof = prove(plugin(flat=[name]), tensorflow(), "arm64")

    assert verdict(proof) == ((False, 3, (name,)) if ours else (True, 0, ()))


@pytest.mark.parametrize("where", ["internal", "framework", "cc"])
def test_layer_3_any_image_may_define_the_symbol(where):
    assert prove(plugin(flat=["_TF_A"]), tensorflow(**{where: {"_TF_A": None}}), "arm64").loads


def test_weak_references_are_no_requirement():
    assert prove(plugin(weak=["_TF_A"], weak_flat=["_TF_B"]), tensorflow(), "arm64").loads


def test_the_matching_part_of_universal_files_is_used():
    good, bad = tensorflow(internal={"_TF_A": None}), tensorflow(architecture="x86_64")
    images = [fat({"x86_64": other, "arm64": ours}) for ours, other in zip(good, bad, strict=True)]
    both = fat({"x86_64": plugin(["_TF_A"], architecture="x86_64"), "arm64": plugin(["_TF_A"])})

    assert prove(both, images, "arm64").loads
    assert not prove(both, images, "x86_64").loads


@pytest.fixture
def site_packages(tmp_path):
    """An installed TensorFlow laid out as 2.12 to 2.19 are, in a folder whose name needs care."""
    folder = tmp_path / "site packages é"

    def image(path, install_name, libraries, rpaths, exports):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        loads = [(name, "load") for name in libraries]
        file.write_bytes(Binary(install_name=install_name, libraries=loads, rpaths=rpaths, exports=exports).build())

    up = ["@loader_path/../../_solib/", "@loader_path/", "@loader_path/.."]
    image(ROOT_IMAGE, INTERNAL, [CPP, CC, FRAMEWORK], up, {"_TF_A": (2, "")})
    image("tensorflow/libtensorflow_cc.2.dylib", CC, [FRAMEWORK], ["@loader_path/"], {"_TF_A": None})
    image("tensorflow/libtensorflow_framework.2.dylib", FRAMEWORK, [CPP], [], {"_TF_B": None})
    image("tensorflow/python/_pywrap_bystander.so", None, [], [], {"_TF_C": None})
    (folder / "tensorflow-plugins").mkdir()
    return folder


def installed_plugin(site_packages, *arguments, **more):
    file = site_packages / "tensorflow-plugins" / "libmetal_plugin.dylib"
    file.write_bytes(plugin(*arguments, **more))
    return file


def test_the_images_are_those_the_load_commands_lead_to(site_packages):
    names = ["python/_pywrap_tensorflow_internal.so", "libtensorflow_cc.2.dylib", "libtensorflow_framework.2.dylib"]

    assert find_images(site_packages) == tuple(site_packages / "tensorflow" / name for name in names)


def test_a_library_finds_its_own_through_the_paths_of_who_loaded_it(site_packages):
    bare = Binary(install_name=CC, libraries=[("@rpath/libdeep.dylib", "load")]).build()
    (site_packages / "tensorflow/libtensorflow_cc.2.dylib").write_bytes(bare)
    deep = site_packages / "tensorflow/python/libdeep.dylib"
    deep.write_bytes(Binary(install_name="@rpath/libdeep.dylib").build())

    assert deep in find_images(site_packages)


def test_an_installed_plugin_is_proved_beside_its_tensorflow(site_packages):
    file = installed_plugin(site_packages, ["_TF_A"], ["_TF_B"])

    proof = prove_installed(site_packages, file)

    assert (proof.plugin, verdict(proof)) == (str(file), (True, 0, ()))


def test_what_an_image_outside_the_chain_exports_does_not_count(site_packages):
    assert prove_installed(site_packages, installed_plugin(site_packages, flat=["_TF_C"])).missing == ("_TF_C",)


def test_a_library_the_plugin_brings_along_is_found_by_the_plugins_own_paths(site_packages):
    name = "@rpath/libhelper.dylib"
    file = installed_plugin(site_packages, ["_TF_H"], library=(name, "load"), rpaths=["@loader_path/lib"])
    assert prove_installed(site_packages, file).missing_libraries == (name,)

    helper = site_packages / "tensorflow-plugins/lib/libhelper.dylib"
    helper.parent.mkdir()
    helper.write_bytes(Binary(install_name="libhelper of another name", exports={"_TF_H": None}).build())

    assert prove_installed(site_packages, file).loads


def test_no_tensorflow_or_a_shell_of_one_cannot_be_looked_at(tmp_path):
    (tmp_path / "tensorflow").mkdir()

    with pytest.raises(CannotLook, match="no TensorFlow for macOS"):
        find_images(tmp_path)


def test_a_plugin_of_another_architecture_is_named_as_such(site_packages):
    file = installed_plugin(site_packages, architecture="x86_64")

    with pytest.raises(BadBinary, match=r"libmetal_plugin\.dylib: no arm64 in this file, only x86_64"):
        prove_installed(site_packages, file)


@pytest.mark.parametrize("content", [b"", b"#!/bin/sh\n", plugin()[:100]], ids=["empty", "script", "cut short"])
def test_a_file_that_is_no_binary_is_named(site_packages, content):
    file = site_packages / "tensorflow-plugins" / "libbroken.dylib"
    file.write_bytes(content)

    with pytest.raises(BadBinary, match=r"libbroken\.dylib: "):
        prove_installed(site_packages, file)


def test_a_plugin_that_is_gone_or_a_folder_cannot_be_looked_at(site_packages):
    for path in (site_packages / "gone.dylib", site_packages / "tensorflow"):
        with pytest.raises(CannotLook, match="no such file"):
            prove_installed(site_packages, path)


def test_an_edge_without_a_name_is_followed_as_dyld_follows_it():
    exports = {"_HMAC_Init": None, "_HMAC_Init_ex": None}

    assert exported(memoryview(trie_of(exports, self_edges=True)), [*exports, "_HMAC_Ini", "_HMAC_Init_e"]) == set(
        exports
    )


# Against lief, on files of the index.


def fetch_members(distribution, file_name, wanted, folder):
    import requests

    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
    from linking.index import list_files
    from refreshing.web import Web
    from remote_wheel import RemoteWheel

    session = requests.Session()
    file = next(each for each in list_files(Web(session=session), distribution) if each.name == file_name)
    wheel = RemoteWheel(session, file.url, file.size)
    for member in (name for name in wheel.members if name.endswith(wanted)):
        path = folder / member
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as target:
            wheel.unpack(member, target)
        yield path


def lief_exports(path):
    lief = pytest.importorskip("lief")
    image = lief.MachO.parse(str(path)).at(0)
    source = image.dyld_info if image.has_dyld_info else image.dyld_exports_trie
    return {entry.symbol.name for entry in source.exports if entry.symbol}


def lief_needs(path):
    """Name and library (None: flat) of every undefined symbol that is not weak."""
    lief = pytest.importorskip("lief")
    image = lief.MachO.parse(str(path)).at(0)
    own = lief.MachO.LoadCommand.TYPE.ID_DYLIB
    libraries = [library.name for library in image.libraries if library.command != own]
    for symbol in image.symbols:
        ordinal = symbol.description >> 8 & 0xFF
        if symbol.raw_type & 0xEF == 0x01 and not symbol.description & 0x40:
            yield symbol.name, None if ordinal == 0xFE else libraries[ordinal - 1]


PLUGIN_WHEELS = (
    "tensorflow_metal-0.5.1-cp310-cp310-macosx_12_0_arm64.whl",
    "tensorflow_metal-1.0.0-cp310-cp310-macosx_12_0_x86_64.whl",
    "tensorflow_metal-1.2.0-cp312-cp312-macosx_12_0_arm64.whl",
)


@pytest.mark.network
@pytest.mark.parametrize("wheel", PLUGIN_WHEELS)
def test_lief_reads_the_same_needs_from_real_plugins(wheel, tmp_path):
    (path,) = fetch_members("tensorflow-metal", wheel, ".dylib", tmp_path)
    needs = read_image(path.read_bytes(), wheel.rsplit("_0_")[-1].removesuffix(".whl"), str(path)).needs

    assert sorted((need.symbol, need.library) for need in needs if not need.weak) == sorted(
        lief_needs(path), key=lambda need: (need[0], need[1])
    )


@pytest.mark.network
def test_lief_reads_the_same_exports_from_real_images(tmp_path):
    wheel = "tensorflow_macos-2.15.0-cp310-cp310-macosx_12_0_arm64.whl"  # its tries hold edges without a name
    wanted = ("/_pywrap_tensorflow_internal.so", "/libtensorflow_framework.2.dylib")
    for path in fetch_members("tensorflow-macos", wheel, wanted, tmp_path):
        theirs = lief_exports(path)

        asked = theirs | {name + "x" for name in theirs} | {name[:-1] for name in theirs}
        assert exported(read_slice(path.read_bytes(), "arm64").trie, asked) == theirs


@pytest.mark.network
def test_a_wheel_read_by_ranges_gives_what_the_whole_wheel_holds(tmp_path):
    import requests

    (path,) = fetch_members("tensorflow-metal", PLUGIN_WHEELS[0], ".dylib", tmp_path)
    page = requests.get(
        "https://pypi.org/simple/tensorflow-metal/",
        timeout=60,
        headers={"Accept": "application/vnd.pypi.simple.v1+json"},
    )
    url = next(each["url"] for each in page.json()["files"] if each["filename"] == PLUGIN_WHEELS[0])
    with zipfile.ZipFile(BytesIO(requests.get(url, timeout=60).content)) as whole:
        assert path.read_bytes() == whole.read(str(path.relative_to(tmp_path)))
