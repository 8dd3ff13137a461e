"""What the line of TensorFlow that misses AVX means: Rosetta, an emulated container, or an old processor.

Only a TensorFlow built for x86_64 prints it. On Apple silicon outside a container its Python runs under Rosetta.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from compat.facts.pasted import Line, Pasted
from compat.matrix.load import Matrix
from compat.verdict.diagnose.cause import LOW, MEDIUM, Cause, of_issue
from compat.verdict.diagnose.picture import Picture
from compat.verdict.finding import Evidence

AVX = "compiled to use AVX instructions"
CONTAINER, ROSETTA, PROCESSOR = "ISS058", "ISS011", "ISS065"
"""The known problems that end in this line."""
_SOURCE = "https://github.com/tensorflow/tensorflow/blob/master/tensorflow/core/platform/cpu_feature_guard.cc"


def weighed(found: Iterable[Cause], pasted: Pasted, picture: Picture, matrix: Matrix) -> Iterator[Cause]:
    """Yield the causes, those of the AVX line by what is known of the machine."""
    line = next((hit.line for hit in pasted.hits if AVX in hit.signature), None)
    if line is None or picture.container:
        yield from found
        return
    for cause in found:
        is_words_alone = cause.id == CONTAINER and cause.line is not None and AVX in cause.line.text
        if not is_words_alone:
            yield cause
        elif not picture.os or "linux" in picture.os:
            yield replace(cause, confidence=LOW, missing=(*cause.missing, "os"))
    for name, confidence, missing in _meant(picture):
        yield from _named(name, confidence, missing, line, matrix)


def _meant(picture: Picture) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the problems it may be, how surely, and what would tell."""
    if picture.os == ("macos",) and picture.hardware == ("arm64",):
        yield ROSETTA, MEDIUM, ("process",)
    elif picture.os == ("macos",) and picture.hardware != ("x86_64",):
        yield ROSETTA, LOW, ("chip",)  # Intel Macs have AVX since 2011
    elif picture.os:
        yield PROCESSOR, MEDIUM, ()
    else:
        yield PROCESSOR, LOW, ("os",)


def _named(name: str, confidence: str, missing: tuple[str, ...], line: Line, matrix: Matrix) -> Iterator[Cause]:
    for issue in matrix.issues():
        if issue.id == name and issue.withdrawn is None:
            yield of_issue(
                issue,
                confidence=confidence,
                line=line,
                evidence=(Evidence(fact="only a TensorFlow built for x86_64 asks for AVX", source=_SOURCE),),
                missing=missing,
                weight=len(AVX),
                is_final=True,
            )
