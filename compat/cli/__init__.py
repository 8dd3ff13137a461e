"""The command line: a table of commands and how an exit code comes out of them."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from compat.errors import ExitCode, UsageError

COMMANDS = {
    "doctor": "look, judge, measure, and say what to do",
    "facts": "print a capture of this machine, for a bug report",
    "fix": "plan a working pinned environment, or build it",
    "bundle": "put a whole environment into a folder, for a machine without a network",
    "smoke": "run the numerical smoke test",
    "pins": "judge pins in dependency files",
    "explain": "explain a rule, a known issue or an error text",
    "fleet": "merge reports of many machines into one table",
    "matrix": "show and check what is known",
}


def run(argv: Sequence[str]) -> int:
    """Run one command line and return its exit code.

    typer is asked for one command only, so that a command pays for its own imports and no other's; the plain words of
    doctor and explain do not take it at all.
    """
    if argv and argv[0] == "doctor" and not _completing():
        from compat.cli.examine import examine
        from compat.cli.quick import parse

        asked = parse(argv)
        if asked is not None:
            return examine(asked)
    if argv and argv[0] == "explain" and not _completing():
        from compat.cli.explaining import answer
        from compat.cli.quick import parse_explain

        question = parse_explain(argv)
        if question is not None:
            return answer(question)
    return _through_typer(argv)


def _through_typer(argv: Sequence[str]) -> int:
    import typer

    try:
        result = application(argv)(list(argv), prog_name="tfcompat", standalone_mode=False)
    except typer.Exit as ended:
        if ended.exit_code == ExitCode.INTERRUPTED:  # how typer passes a Ctrl-C on
            raise KeyboardInterrupt from None
        return ended.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if not _is_usage_error(error):
            raise
        return _misused(error)
    if result == ExitCode.INTERRUPTED:
        raise KeyboardInterrupt
    return result if isinstance(result, int) else ExitCode.HEALTHY


def application(argv: Sequence[str]):  # type: ignore[no-untyped-def]  # noqa: ANN201 - click's class is typer's own
    """Return the command tree: whole for help and completion, else only the branch that is asked for."""
    import typer

    app = typer.Typer(
        name="tfcompat",
        help="Check, explain and build working TensorFlow environments on Apple silicon.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def root(
        *,
        version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
    ) -> None:
        """Check, explain and build working TensorFlow environments on Apple silicon."""

    asked = next((word for word in argv if not word.startswith("-")), None)
    for name in [asked] if asked in COMMANDS and not _completing() else COMMANDS:
        module = import_module(f"compat.cli.{name}")
        if name == "matrix":
            app.add_typer(module.app, name=name)
        else:
            app.command(name)(getattr(module, name))
    return typer.main.get_command(app)


def _completing() -> bool:
    import os

    return "_TFCOMPAT_COMPLETE" in os.environ


def _version(wanted: bool) -> None:
    if wanted:
        import typer

        from compat import __version__
        from compat.cli import output

        output.emit(f"tfcompat {__version__}\n")
        raise typer.Exit


def _misused(error: Any) -> ExitCode:  # noqa: ANN401 - click's class is typer's own
    """Tell click's mistakes as we tell ours; a bare command gets its help. Raises UsageError."""
    if type(error).__name__ == "NoArgsIsHelpError":
        error.show()
        return ExitCode.USAGE
    said = str(error.format_message()).rstrip(".")
    command = getattr(getattr(error, "ctx", None), "command_path", "tfcompat")
    raise UsageError(said[:1].lower() + said[1:], hint=f"`{command} -h` says what it takes") from error


def _is_usage_error(error: Exception) -> bool:
    """Tell click's usage errors by their face: typer carries click inside under changing names."""
    return hasattr(error, "show") and hasattr(error, "exit_code")
