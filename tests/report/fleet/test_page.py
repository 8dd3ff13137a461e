"""The page needs nothing but itself, shows every machine, and nothing a machine says can run in it."""

from compat.report.fleet.page import as_html
from compat.verdict.fleet.merge import merge
from tests.report.fleet.test_columns import TABLE
from tests.report.test_picture import Page
from tests.verdict.fleet.machines import fault, seen, unseen


def test_every_machine_cause_and_fix_is_in_it():
    page = Page(as_html(TABLE, "0.1.0"))

    assert page.said("h1") == [
        "6 machines: 3 with errors, 1 with warnings, 1 without a fault found, 1 not seen or not readable"
    ]
    assert set(page.said("td")) >= {
        "mac-01",
        "mac-02",
        "mac-03",
        "mac-04",
        "mac-05",
        "mac-06",
        "TF311 ISS026",
        "MAC102",
    }
    assert "uv pip install --python PYTHON 'numpy<2'" in page.said("code")
    assert any("it is all that 2 of them lack" in text for text in page.said("li"))
    assert "not seen: no route to host" in page.said("td")


def test_nothing_is_fetched_and_nothing_runs():
    evil = "<script>alert(1)</script><img src=x onerror=y>\"'"
    text = as_html(
        merge([seen(evil, fault("TF311", evil, message=evil, text=evil), chip=evil), unseen(evil + "2", evil)]), evil
    )
    page = Page(text)

    assert not {tag for tag, _ in page.tags} & {"script", "img", "link", "iframe"}
    assert any(attrs.get("http-equiv") == "Content-Security-Policy" for _, attrs in page.tags)
    assert "http://" not in text
    assert "https://" not in text


def test_long_lists_of_names_are_folded_and_whole():
    page = Page(as_html(merge(seen(f"mac-{at:02}", fault("MAC107")) for at in range(30)), "0.1.0"))

    assert any("and 18 more" in text for text in page.said("summary"))
    assert any("mac-29" in text for text in page.said("details"))


def test_a_fleet_of_nobody_is_a_page():
    assert Page(as_html(merge([]), "0.1.0")).said("h1") == ["0 machines: none"]
