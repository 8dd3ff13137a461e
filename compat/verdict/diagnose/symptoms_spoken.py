"""Ways in which people tell of faults that print no error, by the words that must stand in the text together.

Each way names the known problems it may be, the likeliest first. The words are those of everyday speech and of the
programs; what is said is matched word by word, so their order and the words between do not matter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from compat.verdict.diagnose.cause import LOW, MEDIUM

MAC, ARM_MAC, LINUX, ANY = "mac", "arm-mac", "linux", "any"
"""Where a way of speaking means its problem: on a Mac, on one with Apple's chip, on Linux (WSL too), or anywhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """Some way to tell of a symptom."""

    groups: tuple[frozenset[str], ...]
    """One word of each group must stand in the text."""
    otherwise: str
    """The problem that is meant, unless a stated fact excludes it."""
    about: str = ""
    """Of the ways that tell of one thing only the first counts; empty: its problem is the thing."""
    first: tuple[str, ...] = ()
    """Special cases that are meant instead where the stated facts bear out all their conditions."""
    guesses: tuple[str, ...] = ()
    """What may be meant where facts exclude the problem: at low confidence, the first that they leave open."""
    tensorflow: str = ""
    """PEP 440 set outside of which it means nothing."""
    where: str = ARM_MAC
    most: str = MEDIUM
    needs: tuple[str, ...] = ()
    """Distributions of which one must be named."""
    is_error: bool = False
    """Whether it tells of an error, so that an error in the text does not speak against it."""


def _any(words: str) -> frozenset[str]:
    return frozenset(words.split())


_RISES = _any(
    "grows grow growing rises rise rising climbs climb climbing explodes explode exploded exploding explosion diverges"
    " diverge diverged diverging increases increasing blows skyrockets strange weird odd wrong nonsense huge spikes"
)
_FALLS = _any(
    "falls falling drops drop dropped dropping collapses collapsed degrades decreases worse lower poor chance"
)
_NOT = _any("does doesn dont never fails failed cannot didn refuses won not")
_LEARNS = _any("converge converges converging decrease improve improves learn learns train trains minimise minimize")
_DIFFERS = _any(
    "different differ differs differing difference wrong incorrect incorrectly nonsense garbage gibberish inconsistent"
    " mismatch mismatched disagree disagrees noise"
)
_NUMBERS = _any(
    "results result output outputs prediction predictions predicts inference values numbers numerical loss losses"
    " accuracy metrics autoencoder classifier gradients"
)
GPU_WORDS = _any("gpu gpus metal plugin mps")
"""Words for Apple's GPU, where the text does not name its plugin as a distribution."""
_CPU = _any("cpu cpus colab linux cuda nvidia")
_FINE = _any("fine right correct ok okay works good normal normally converges expected")
_GONE = _any("applied apply applies ignored ignores skipped skips missing lost disabled")
_SLOWER = _any("slower slow slowly slowest longer faster slowdown")
_TIMED = _any("step steps epoch epochs second seconds minutes batch milliseconds")
_SMALL = _any("rnn lstm gru recurrent bidirectional simplernn bilstm small tiny cpu")
_RELU = _any("relu relus")
_CONFLICTS = _any("conflict conflicts conflicting conflicted incompatible incompatibility clash clashes unsatisfiable")
_REQUIRED = _any("dependency dependencies requirement requirements requires require depends pins pinned pin")

_NUMERIC = ("ISS042", "ISS043", "ISS112", "ISS125", "ISS126", "ISS127")


def _numbers(*groups: frozenset[str]) -> Way:
    return Way(
        groups=groups,
        otherwise="ISS043",
        about="numbers",
        first=_NUMERIC,
        guesses=("ISS042", "ISS112", "ISS041"),
        where=MAC,
    )


def _relu(*groups: frozenset[str]) -> Way:
    return Way(groups=groups, otherwise="ISS041", about="numbers")


def _slow(*groups: frozenset[str]) -> Way:
    return Way(groups=groups, otherwise="ISS051", first=("ISS040",))


LEGACY = ">=2.11,<2.14"
"""Releases whose Keras, of the same minor, swaps optimizers on Apple silicon."""

OWN_NAME = "<2.13"
"""Releases without wheels for Apple silicon under the name tensorflow."""

WAYS = (
    _relu(_RELU, _GONE),
    _relu(_RELU, _any("negative linear"), _any("output outputs values predictions activations behaves behave acts")),
    _relu(_RELU, _DIFFERS),
    _relu(_any("matmul dense linear"), _any("biasadd"), _RELU),
    _relu(
        _RELU, _any("elu selu gelu tanh swish leakyrelu sigmoid"), _any("instead replacing replaced switching"), _FINE
    ),
    _numbers(_any("loss losses"), _RISES),
    _numbers(_any("accuracy"), _FALLS),
    _numbers(_any("loss losses accuracy model network training"), _NOT, _LEARNS, GPU_WORDS),
    _numbers(_NUMBERS, _DIFFERS, GPU_WORDS),
    _numbers(GPU_WORDS, _CPU, _FINE, _DIFFERS | (_RISES - {"grow", "rise"})),
    _slow(_SLOWER, GPU_WORDS, _TIMED | _SMALL),
    _slow(_any("step steps second seconds minutes milliseconds"), GPU_WORDS, _any("without")),
    replace(_slow(_TIMED, _any("gpu gpus"), _any("cpu cpus")), most=LOW),
    Way(
        groups=(_any("amd radeon"), _any("adam"), _any("learn learns train trains learning training")),
        otherwise="ISS113",
        about="numbers",
        where=MAC,
    ),
    Way(
        groups=(_any("adamw adafactor lion"), _any("unknown legacy fallback falling fails crashes unsupported")),
        otherwise="ISS038",
        tensorflow=LEGACY,
        is_error=True,
    ),
    Way(
        groups=(_any("legacy"), _any("optimizer optimizers"), _any("fallback falling forced swaps swapped replaced")),
        otherwise="ISS038",
        tensorflow=LEGACY,
        is_error=True,
    ),
    Way(groups=(_any("dlopen"), _any("cygrpc")), otherwise="ISS033", is_error=True),
    Way(
        groups=(
            _any("tf_keras"),
            _any("import imports importing importerror"),
            _any("fails fail failed failing error errors broken breaks crashes importerror attributeerror"),
        ),
        otherwise="ISS087",
        where=ANY,
        needs=("tensorflow", "tf-keras"),
        is_error=True,
    ),
    Way(
        groups=(_any("ml_dtypes"), _CONFLICTS, _any("tensorflow"), _REQUIRED),
        otherwise="ISS031",
        where=ANY,
        is_error=True,
    ),
    Way(
        groups=(
            _any("dtypes"),
            _CONFLICTS,
            _any("tensorflow"),
            _REQUIRED,
            _any("pip conda poetry uv resolver resolve"),
        ),
        otherwise="ISS031",
        where=ANY,
        most=LOW,
        is_error=True,
    ),
    Way(
        groups=(_any("hardcodes hardcode hardcoded hardcoding"), _any("tensorflow")),
        otherwise="ISS069",
        tensorflow=OWN_NAME,
    ),
    Way(groups=(_any("hard"), _any("codes code coded"), _any("tensorflow")), otherwise="ISS069", tensorflow=OWN_NAME),
    Way(
        groups=(
            _any("requires require depends wants needs insists expects"),
            _any("satisfied satisfy recognized recognised recognize recognise accept accepts counted"),
            _any("tensorflow"),
        ),
        otherwise="ISS069",
        tensorflow=OWN_NAME,
        most=LOW,
        needs=("tensorflow-macos",),
    ),
    Way(
        groups=(
            _any("missing dynamic shared dlopen"),
            _any("library libraries libcudnn libcudart libcublas"),
            _any("cuda cudnn cudatoolkit gpu gpus nvidia"),
        ),
        otherwise="ISS059",
        where=LINUX,
        is_error=True,
    ),
    Way(
        groups=(_any("killed"), _any("python import importing")),
        otherwise="ISS067",
        where=MAC,
        most=LOW,
        is_error=True,
    ),
)
"""All ways. ISS067 restates its symptom, so it is never more than a guess; nor is ISS031 by its name without ``ml``,
which is how a text's words keep ``ml-dtypes``: it is the plural of dtype as well."""
