"""Entry point of the command ``supple``: puts the commands together, and turns what goes wrong into messages."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Annotated, Any

import typer

import supple
from supple.cli.console import note, say
from supple.cli.failures import BAD_USAGE, FAILED, FINE, code_of, is_expected, text_of, wants_traceback
from supple.cli.gallery import NAMES
from supple.cli.signals import INTERRUPTED, Interrupted, came, leave, raising

#: What the parser raises about arguments; typer brings a parser of its own or takes click's, depending on its version.
ParserError: Any = typer.BadParameter.__mro__[1]

#: Commands in the order of the help, with the module and the name of each: a function, or a group of further commands.
COMMANDS = {
    "list": ("supple.cli.list", "list_systems"),
    "info": ("supple.cli.info", "info"),
    "run": ("supple.cli.run", "run"),
    "statics": ("supple.cli.statics", "statics"),
    "view": ("supple.cli.view", "view"),
    "check": ("supple.cli.check", "check"),
    "convert": ("supple.cli.convert", "convert"),
    "compile": ("supple.cli.compiling", "compile_kernels"),
    "doctor": ("supple.cli.doctor", "doctor"),
    "bench": ("supple.cli.bench", "bench"),
}


class _Debug:
    """Whether errors are shown with their traceback."""

    wanted = False


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"supple {supple.__version__}")
        raise typer.Exit()


def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors (or set SUPPLE_DEBUG=1).")] = False,
) -> None:
    """Differentiable simulation of hybrid soft-rigid robots.

    Begin with `supple list`, `supple info NAME` and `supple run NAME`.

    Exit codes: 0 fine, 1 a check or a simulation failed, 2 bad usage, 130 interrupted.
    """
    _Debug.wanted = debug or wants_traceback()
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def application(arguments: Sequence[str]) -> typer.Typer:
    """The commands that arguments may mean: the one they begin with, loaded alone, or all if they begin with none."""
    app = typer.Typer(
        rich_markup_mode="markdown",
        invoke_without_command=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    first = next((word for word in arguments if not word.startswith("-")), "")
    for name in [first] if first in COMMANDS else COMMANDS:
        module, attribute = COMMANDS[name]
        command = getattr(import_module(module), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=name)
        else:
            app.command(name)(command)
    return app


def straight(words: Sequence[str]) -> Callable[[], Any] | None:
    """What words say that need no parser, or None: ``view NAME``, of which a page is to be there at once.

    A parser, and what it takes to check values by their types, is loaded for longer than a page takes to be served.
    """
    if len(words) < 2 or words[0] != "view" or words[1] not in NAMES or not {*words[2:]} <= {"--no-browser"}:
        return None
    from supple.cli.view import view

    return partial(view, words[1], no_browser=len(words) > 2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns its exit code."""
    return leave(_run(arguments))


def _run(arguments: Sequence[str] | None) -> int:
    _Debug.wanted = wants_traceback()
    try:
        with raising(), warnings.catch_warnings():
            warnings.showwarning = _show_warning
            given = sys.argv[1:] if arguments is None else list(arguments)
            # the parser's own way to sys.argv expands * where shells do not
            words = None if arguments is None else given
            command = straight(given) or partial(
                application(given), args=words, prog_name="supple", standalone_mode=False
            )
            code = command()
        return code if isinstance(code, int) else FINE
    except Interrupted as stop:
        note(str(stop), "interrupted:", "bold yellow")
        return code_of(stop)
    except ParserError as error:
        return _refuse(error)
    except Exception as error:
        # what breaks after a signal is not worth a message
        return INTERRUPTED if came() else _report(error)


def _refuse(error: Any) -> int:
    """What to say of arguments that cannot be parsed."""
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "supple"
    note(f"{error.format_message()} (see '{path} --help')", "error:", "bold red")
    return BAD_USAGE


def _report(error: Exception) -> int:
    """What to say of an error."""
    if _Debug.wanted:
        import traceback

        traceback.print_exception(error)
        return code_of(error)
    if is_expected(error):
        note(text_of(error), "error:", "bold red")
        return code_of(error)
    note(
        f"{text_of(error)}\nNobody expected this error. To see where it is from: supple --debug ...",
        "error:",
        "bold red",
    )
    return FAILED


def _show_warning(message: Warning | str, *where: Any, **further: Any) -> None:
    """Warnings in one line, without the place in the code that gave them."""
    note(str(message), "warning:", "yellow")


if __name__ == "__main__":
    sys.exit(main())
