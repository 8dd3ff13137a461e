"""The HTML picture needs nothing but itself, says no more than was measured, and shows every number it was given."""

import itertools
import math
import re
from html.parser import HTMLParser

import pytest

from compat.facts.numerics import Check, Curve, Device, Numerics, Variable
from compat.report import drawing
from compat.report.picture import as_html, curve_text


class Page(HTMLParser):
    """The tags, texts and attributes of a page; fails on tags that do not close."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.texts, self._open = [], [], []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if data.strip():
            self.texts.append(((self._open or [""])[-1], " ".join(data.split())))

    def said(self, *tags):
        return [text for tag, text in self.texts if not tags or tag in tags]

    def marks(self):
        return [attrs["class"] for tag, attrs in self.tags if tag == "path"]


def check(name="conv2d/k3/int/y", status="passes", ratio=0.01, **rest):
    given = {"op": "Conv2D", "mode": "graph", "device": "GPU:0", "error_in_bounds": ratio, "shape": "2x9x7x3", **rest}
    return Check(id=name, status=status, **given)


def ran(*checks, **rest):
    return Numerics(outcome="ran", checks=checks, **rest)


def page(numerics, **rest):
    return Page(as_html(numerics, tool_version="1.2", **rest))


CURVE = Curve(device="GPU:0", losses=(0.7, 0.65, 0.6), wanted=(0.7, 0.65, 0.61), limits=(1e-3, 1e-3, 2e-2))


def test_a_pass_is_a_sentence_about_checks_never_about_the_device():
    found = page(ran(check(), comparisons=12))

    assert found.said("h1") == ["No numerical fault found by 1 check (12 comparisons) on GPU:0"]
    assert not any(re.search(r"GPU:?\d? (is )?(OK|fine|healthy)", text, re.IGNORECASE) for text in found.said())


def test_the_environment_is_there_with_what_changes_numerics():
    numerics = ran(
        check(),
        python="3.11.7",
        tensorflow="2.18.1",
        keras="3.5",
        numpy="2.0.2",
        devices=(Device(name="GPU:0", kind="GPU", description="METAL"),),
        variables=(Variable(name="NVIDIA_TF32_OVERRIDE", value="0"),),
    )
    found = page(numerics, machine="Apple M1, macOS 14.5").said("dd")

    assert found == [
        "2.18.1", "3.5", "2.0.2", "3.11.7", "GPU:0 GPU METAL", "NVIDIA_TF32_OVERRIDE=0", "Apple M1, macOS 14.5", "tfcompat 1.2",
    ]  # fmt: skip
    assert "not known" in page(ran(check())).said("dd")
    assert "none set" in page(ran(check())).said("dd")


def test_what_fails_comes_first_by_name_with_its_code_and_its_detail():
    bad = check("conv2d/k3/int/dw", "fails", 33, detail="all in the last row", code="tf.nn.conv2d(x, w)", op="Filter")
    found = page(ran(check("dense/n7/int/y"), check(), bad))

    assert found.said("h2")[0] == "What fails"
    assert found.said("h3")[:2] == ["conv2d", "dense"]
    assert "conv2d/k3/int/dw · graph · GPU:0" in found.said("text")
    assert {"all in the last row", "error 33 of its bound", "graph GPU:0 float32 2x9x7x3"} <= set(found.said("td"))
    assert "tf.nn.conv2d(x, w)" in found.said("code")
    assert "tfcompat smoke --repro conv2d/k3/int/dw --device GPU:0" in found.said("code")
    rows = [text for text in found.said("text") if " · " in text]
    assert rows[1] == "Filter · graph · GPU:0"


def test_every_check_is_a_mark_and_a_row_of_numbers():
    checks = [check(f"conv2d/{i}/int/y", ratio=0.1 * i, device=f"GPU:{i % 2}") for i in range(6)]
    found = page(ran(*checks, check("dense/a/int/y", "skipped", None)))

    assert found.marks() == ["passes"] * 6
    assert {"0.1", "0.5"} <= set(found.said("td"))
    assert {"Conv2D · graph · GPU:0", "Conv2D · graph · GPU:1"} <= set(found.said("text"))
    assert all(any(one.id in text for text in found.said("title")) for one in checks)


def place(ratio, status="passes", others=()):
    marks = [drawing.Mark(ratio=one, status="passes", title="") for one in others]
    drawn = drawing.errors(
        [drawing.Row(label="", marks=(drawing.Mark(ratio=ratio, status=status, title="here"), *marks))], ""
    )
    return float(re.search(r'<path class="\w+" d="M([\d.]+)', drawn).group(1)), bound(drawn)


def bound(drawn):
    return float(re.search(r'<line class="bound" x1="([\d.]+)"', drawn).group(1))


def test_the_axis_is_logarithmic_and_the_bound_is_where_1_is():
    places = [place(ratio, others=(1000,))[0] for ratio in (0.01, 0.1, 1, 10, 100)]
    steps = [after - before for before, after in itertools.pairwise(places)]

    assert max(steps) - min(steps) < 0.2
    assert steps[0] > 20
    x, mark = place(1, others=(1000,))
    assert abs(x + 3 - mark) < 0.2


@pytest.mark.parametrize("ratio", [None, math.inf, math.nan, 1e300])
def test_a_wrong_answer_without_a_number_stands_beyond_the_scale(ratio):
    x, mark = place(ratio, "fails")

    assert drawing.WIDTH - drawing.LANE < x < drawing.WIDTH
    assert mark < x


@pytest.mark.parametrize("ratio", [None, 0.0, 1e-30])
def test_an_exact_answer_and_a_statement_that_holds_stand_before_the_scale(ratio):
    assert drawing.LABELS < place(ratio)[0] < drawing.LABELS + drawing.LANE


def test_a_status_has_a_shape_of_its_own():
    shapes = {
        re.search(
            r'd="M[\d.]+ [\d.]+(\w\S)', drawing._mark(drawing.Mark(ratio=1, status=status, title=""), 9, 9)
        ).group(1)
        for status in ("passes", "fails", "crashed", "info")
    }

    assert len(shapes) == 4


@pytest.mark.parametrize(
    "evil",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=y>',
        "a & b < c",
        "'quoted'",
        "\x1b[31mred\x00",
        "</style>",
        "@FILL@ %s {}",
    ],
)
def test_text_of_others_stays_text(evil):
    bad = check(evil, "fails", 3, detail=evil, code=evil, op=evil, shape=evil, device=evil, mode=evil, dtype=evil)
    numerics = ran(
        bad,
        check("x/y", "info", reason="cpu", detail=evil),
        tensorflow=evil,
        devices=(Device(name=evil, kind=evil),),
        variables=(Variable(name=evil, value=evil),),
        curves=(Curve(device=evil, losses=(1.0,), wanted=(1.0,), limits=(1.0,)),),
    )
    found = page(numerics, machine=evil)

    assert not {tag for tag, _ in found.tags} & {"script", "img"}
    assert not [name for _, attrs in found.tags for name in attrs if name.startswith("on")]
    assert any("\x1b" in text or "\x00" in text for text in found.said()) is False
    assert evil.startswith("\x1b") or " ".join(evil.split()) in " ".join(found.said())


def test_the_page_asks_nobody_for_anything():
    text = as_html(ran(check(), check("a/b", "fails", 5), curves=(CURVE,)), tool_version="1")
    found = Page(text)

    assert not re.search(r"https?:|//|url\(|@import|@font-face", text)
    assert not [attrs for _, attrs in found.tags if {"src", "href"} & set(attrs)]
    policies = [
        attrs.get("content") for tag, attrs in found.tags if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_light_dark_and_paper_are_thought_of_and_drawings_have_names():
    text = as_html(ran(check(), curves=(CURVE,)), tool_version="1")

    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    drawings = [attrs for tag, attrs in Page(text).tags if tag == "svg"]
    assert len(drawings) == 2
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in drawings)
    assert ("html", {"lang": "en"}) in Page(text).tags


def test_both_curves_and_their_band_are_drawn():
    found = page(ran(check(), curves=(CURVE,)))
    lines = {attrs["class"]: attrs["points"].split() for tag, attrs in found.tags if tag in ("polyline", "polygon")}

    assert {name: len(points) for name, points in lines.items()} == {"losses": 3, "wanted": 3, "band": 6}
    assert lines["losses"][:2] == lines["wanted"][:2]
    below, above = (float(lines[name][2].split(",")[1]) for name in ("losses", "wanted"))
    assert below > above  # a smaller loss is lower on the page
    assert "GPU:0: loss 0.6 at step 3, 0.61 in float64; never leaves the band" in found.said("p")


def test_without_training_the_page_says_so():
    assert any("Not trained in this run" in text for text in page(ran(check())).said("p"))


@pytest.mark.parametrize(
    ("losses", "said"),
    [
        ((0.7, 0.7, 0.6), "leaves the band at step 2"),
        ((0.7,), "after step 1 of 3 it is no number"),
        ((), "no loss was a number"),
        ((math.nan, 1.0, 1.0), "no loss was a number"),
        ((0.7, 2e14, 3e14), "leaves the band at step 2"),
        ((0.7, math.inf, 1.0), "after step 1 of 3 it is no number"),
    ],
)
def test_a_curve_that_goes_wrong_is_told_and_drawn_all_the_same(losses, said):
    drawn = Curve(device="GPU:0", losses=losses, wanted=CURVE.wanted, limits=CURVE.limits)
    numbers = re.findall(r"-?\d+\.\d+", drawing.curve(drawn, "t"))

    assert said in curve_text(drawn)
    assert all(-1 <= float(number) <= drawing.WIDTH for number in numbers)
    assert not re.search(r"\b(nan|inf)\b", drawing.curve(drawn, "t"))


def test_a_loss_that_runs_away_does_not_flatten_the_reference():
    drawn = Curve(device="GPU:0", losses=(0.7, 2e3, 2e14), wanted=(0.7, 0.3, 0.1), limits=(0.01, 0.01, 0.01))
    points = re.search(r'class="wanted" points="([^"]+)"', drawing.curve(drawn, "t")).group(1).split()
    heights = [float(point.split(",")[1]) for point in points]

    assert heights[-1] - heights[0] > 5


@pytest.mark.parametrize(
    "curve",
    [Curve(device="", losses=(), wanted=(), limits=()), Curve(device="", losses=(0.0,), wanted=(0.0,), limits=(0.0,))],
)
def test_an_empty_or_flat_curve_is_drawn_too(curve):
    assert drawing.curve(curve, "t").count("<polyline") == 2


def test_remarks_are_grouped_by_reason():
    numerics = ran(
        check(),
        check("a/b/int/y", "info", None, reason="order", detail="y comes out differently"),
        check("c/d/real/y", "info", 9, reason="precision", detail="about 8 significant bits"),
        check("e/f/int/y", "info", None, reason="order", device="GPU:1"),
    )
    found = page(numerics)

    headings = found.said("h3")
    assert headings[-2:] == ["Fewer significant bits", "Answers that vary"]
    assert "c/d/real/y (graph): about 8 significant bits" in found.said("li")
    assert sum("answers differently when asked again" in text for text in found.said("p")) == 2


def test_a_battery_that_died_shows_what_it_said_last():
    numerics = Numerics(
        outcome="aborted", checks=(check(),), last_check="a (graph on GPU:0)", stderr_tail=("one", "<two>")
    )
    found = page(numerics)

    assert found.said("h1") == ["The battery did not end in a (graph on GPU:0), after 1 check: aborted"]
    assert found.said("pre") == ["one <two>"]
    assert page(Numerics(outcome="hung")).said("h1") == ["The battery did not run: hung"]


def test_the_same_record_is_the_same_page():
    numerics = ran(check(), check("a/b", "fails", 5), curves=(CURVE,))

    assert as_html(numerics, tool_version="1") == as_html(numerics, tool_version="1")
