"""What follows from what, with the real rules: the root cause stands first and its consequences under it."""

from __future__ import annotations

import pytest

from compat.verdict.judge import judge
from compat.verdict.rules import (
    binaries,
    hosts,
    interpreter,
    machine,
    numerics,
    nvidia,
    plugin_files,
    starting,
    tools,
)
from tests.verdict.rules.builders import (
    CPU,
    CPU_PASSES,
    check,
    environment,
    facts,
    intel_mac,
    intel_python,
    linux,
    linux_python,
    mac,
    pair,
    plugin,
    proof,
    python,
    smoke,
)
from tests.verdict.rules.tiny_matrix import PYWRAP, tiny_matrix

RULES = [
    rule
    for module in (machine, hosts, nvidia, interpreter, tools, binaries, plugin_files, numerics, starting)
    for rule in module.RULES
]
CANNOT = proof(loads=False, layer=1, missing_libraries=(PYWRAP,))
IMPORT_FAILED = smoke(outcome="import-failed", devices=(), error="NotFoundError: dlopen")
USER_SITE = "~/Library/Python/3.12/lib/python/site-packages"
LEAK = plugin(path=f"{USER_SITE}/x_metal.dylib", site=USER_SITE, from_user_site=True, link_proof=CANNOT)
NO_TENSORFLOW = environment("numpy==1.26.4", binary_architectures=())

CHAINS = {
    "a plugin that cannot load makes the import fail": (
        facts(environment=pair("2.21.0", plugins=(plugin(link_proof=CANNOT),)), numerics=IMPORT_FAILED),
        [("BIN401", None), ("NUM601", "BIN401")],
    ),
    "a leaked plugin that cannot load makes both fail": (
        facts(
            interpreter=python(user_site_enabled=True),
            environment=environment("tensorflow==2.21.0", plugins=(LEAK,)),
            numerics=IMPORT_FAILED,
        ),
        [("BIN404", None), ("BIN401", "BIN404"), ("NUM601", "BIN404")],
    ),
    "no AVX is an illegal instruction at import": (
        facts(
            intel_mac(avx=False),
            intel_python(),
            environment("tensorflow==2.16.2", binary_architectures=("x86_64",)),
            smoke(outcome="aborted", signal=4, last_check="import", devices=()),
        ),
        [("MAC104", None), ("NUM601", "MAC104")],
    ),
    "an x86_64 Python finds no wheel": (
        facts(mac(), intel_python("3.13.1"), NO_TENSORFLOW),
        [("PY201", None), ("PY204", "PY201")],
    ),
    "macOS 11 has no wheel": (
        facts(mac(os_version="11.7"), environment=NO_TENSORFLOW),
        [("MAC103", None), ("PY204", "MAC103")],
    ),
    "CUDA libraries that find no GPU": (
        facts(
            linux(gpus=()),
            linux_python(),
            environment("tensorflow==2.18.1", "nvidia-cudnn-cu12==9.3.0.75", binary_architectures=("x86_64",)),
            smoke(CPU_PASSES, devices=(CPU,)),
        ),
        [("NUM604", None)],
    ),
    "a control that fails says nothing of the GPU": (
        facts(numerics=smoke(check("x", "fails", device="CPU:0"), check("x", "fails"))),
        [("NUM602", None), ("NUM603", "NUM602")],
    ),
    "wrong numbers on a machine that is otherwise well stand alone": (
        facts(numerics=smoke(CPU_PASSES, check("x", "fails"))),
        [("NUM603", None)],
    ),
    "a healthy pair": (facts(numerics=smoke(CPU_PASSES, check("x"))), []),
}


@pytest.mark.parametrize("name", CHAINS)
def test_consequences_fold_under_their_root_cause(name):
    given, wanted = CHAINS[name]

    found = judge(given, tiny_matrix(), RULES).findings

    failing = [(f.id, f.caused_by) for f in found if f.status.value == "fails" and f.severity.value != "info"]
    assert failing == wanted
    assert not [finding.message for finding in found if finding.status.value == "crashed"]


def test_every_rule_explains_itself():
    for rule in RULES:
        page = type(rule).__doc__ or ""
        assert {word for word in ("Looks at:", "Remedy:", "Source:") if word not in page} == set(), rule.id
        assert rule.title
        assert not rule.title.endswith(".")


def test_every_cause_named_is_of_a_known_family():
    assert {cause[:-3] for rule in RULES for cause in rule.consequence_of} <= {"MAC", "PY", "TF", "BIN", "NUM"}
    assert all(rule.id not in rule.consequence_of for rule in RULES)


def test_ids_are_given_once():
    ids = [rule.id for rule in RULES]

    assert len(ids) == len(set(ids)) == 33
