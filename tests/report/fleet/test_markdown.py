"""The Markdown shows every text as it is, and stays short enough for an issue tracker."""

from compat.report.fleet.markdown import markdown
from compat.verdict.fleet.merge import merge
from tests.report.fleet.test_columns import TABLE
from tests.verdict.fleet.machines import BUILD, fault, seen, unseen


def test_the_tables_and_the_fixes():
    text = markdown(TABLE, "0.1.0")

    assert "**6 machines: 3 with errors" in text
    assert (
        "| 2 | TF311 ISS026 | error | NumPy 2.3.4 is installed | uv pip install --python PYTHON 'numpy\\<2' | mac-01, mac-02 |"
        in text
    )
    assert "1. `uv pip install --python PYTHON 'numpy<2'`: for 2 of 3 (TF311)" in text
    assert "| mac-06 | not seen: no route to host |" in text


def test_texts_cannot_break_out_of_the_table():
    text = markdown(
        merge([seen("a|b", fault("TF311", message="x | <img src=y> `z`")), unseen("c", "not seen: |\n# no")]), "0.1.0"
    )

    assert "a\\|b" in text
    assert "x \\| \\<img src=y\\> \\`z\\`" in text
    assert "\n# no" not in text


def test_a_fleet_without_errors_has_no_fixes():
    assert "commands are" not in markdown(merge([seen("a")]), "0.1.0")


def test_ten_thousand_machines_fit_into_an_issue():
    many = [seen(f"m{at}", fault("TF311", f"do {at}")) for at in range(500)] + [unseen(f"u{at}") for at in range(500)]
    text = markdown(merge(many + [seen(f"n{at}", fault("PY201", *BUILD)) for at in range(9000)]), "0.1.0")

    assert len(text) < 65_536
    assert "and 451 more" in text
