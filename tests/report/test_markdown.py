"""Markdown for an issue tracker: what is text stays text."""

from compat.report.markdown import escape, markdown
from compat.verdict.finding import Evidence, Remedy, Severity, Status
from tests.report.test_columns import document, finding


def test_causes_and_consequences_are_a_nested_list():
    text = markdown(
        document(
            finding(
                "BIN401",
                evidence=(Evidence(fact="seen", source="links"),),
                remedy=Remedy(text="do", commands=("run it",)),
            ),
            finding("NUM601", caused_by="BIN401"),
        )
    )

    assert "- **BIN401** (error) message of BIN401\n  - seen: seen (links)\n  - do: do\n  - `run it`\n" in text
    assert "\n  - **NUM601** (error) message of NUM601\n" in text


def test_a_healthy_environment_says_so():
    text = markdown(document(finding("PY201", Status.PASSES, Severity.INFO)))

    assert "No fault found." in text
    assert "1 check passed, 0 could not be answered." in text


def test_text_cannot_become_markup():
    assert escape("<script> `x` [a](b) | *c*\nd") == r"\<script\> \`x\` \[a\](b) \| \*c\* d"


def test_a_command_cannot_leave_its_code_span():
    text = markdown(document(finding("TF311", remedy=Remedy(commands=("a `b` c",)))))

    assert "  - `a b c`" in text
