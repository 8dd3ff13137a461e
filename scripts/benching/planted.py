"""The environments that tfcompat and its peers are shown: one healthy, the others with one cause planted in each.

All are real installations by uv. The last is a machine nobody here has: facts captured from a public report.
"""

from __future__ import annotations

from dataclasses import dataclass

from benching.judging import Rule

FACTS = "tests/data/machines/gh-tf-58339.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """One environment and what is wrong with it."""

    id: str
    title: str
    cause: str
    """In words, for the reader of the table."""
    rule: Rule
    requirements: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    """Installed afterwards without looking at what the others ask for."""
    python: str | None = None
    """None for the one the bench runs on."""
    mac: bool = False
    facts: str | None = None


WANTS = ("needs", "require", "incompatib", "not compatible", "built for", "compiled")
"""How one says that two things do not go together; a list of versions has none of these words."""
NUMPY = Rule(groups=(("numpy",), (*WANTS, "<2")))
PLANTED = (
    Planted(
        id="healthy",
        title="healthy",
        cause="nothing: TensorFlow 2.18.1, TensorBoard works",
        rule=Rule(),
        requirements=("tensorflow-cpu==2.18.1", "setuptools<82", "pip"),
    ),
    Planted(
        id="numpy-drift",
        title="NumPy 2 drift",
        cause="TensorFlow 2.10.1 as it installs today: its metadata lets NumPy 2.2.6 in, its import fails",
        rule=NUMPY,
        requirements=("tensorflow-cpu==2.10.1", "numpy==2.2.6", "setuptools<82", "pip"),
        python="3.10",
    ),
    Planted(
        id="numpy-forced",
        title="NumPy 2 forced",
        cause="NumPy 2.2.6 put beside TensorFlow 2.15.1, whose metadata asks for numpy<2",
        rule=NUMPY,
        requirements=("tensorflow-cpu==2.15.1", "setuptools<82", "pip"),
        forced=("numpy==2.2.6",),
    ),
    Planted(
        id="tensorboard-drift",
        title="TensorBoard drift",
        cause="setuptools 82.0.1 beside TensorFlow 2.18.1: TensorBoard needs the pkg_resources it no longer brings",
        rule=Rule(
            groups=(("setuptools", "pkg_resources"), (*WANTS, "no longer", "missing", "no module", "without", "<82"))
        ),
        requirements=("tensorflow-cpu==2.18.1", "setuptools==82.0.1", "pip"),
    ),
    Planted(
        id="wrong-pair",
        title="wrong pair",
        cause="a Mac's environment, TensorFlow 2.20.0 with tensorflow-metal 1.2.0: the plugin cannot load",
        rule=Rule(
            groups=(
                ("tensorflow-metal", "metal plugin", "libmetal_plugin"),
                (*WANTS, "cannot load", "cannot be loaded", "does not work", "_pywrap_tensorflow_internal"),
            )
        ),
        requirements=("tensorflow==2.20.0", "tensorflow-metal==1.2.0", "setuptools<82"),
        mac=True,
    ),
    Planted(
        id="x86-python",
        title="x86 Python",
        cause="an x86_64 Python on an M1, captured from a public report (tensorflow/tensorflow#58339)",
        rule=Rule(
            groups=(("x86_64", "rosetta", "intel"), ("python", "interpreter"), ("arm64", "apple silicon", "rosetta"))
        ),
        facts=FACTS,
    ),
)
