"""Questions: answered by an option, else by a person, else by the default."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rich.console import RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.prompt import Confirm, Prompt
from rich.text import Text

from instrument_watcher.cli.output import Output
from instrument_watcher.errors import AgentError, ExitCode

Value = TypeVar("Value")


class AnswerMissing(AgentError):
    def __init__(self, option: str) -> None:
        super().__init__(
            f"{option} is needed.", remedy="Nobody is there to ask: give it as an option.", code=ExitCode.USAGE
        )


class Asking:
    """`is_asking` is False in scripts: then options and defaults must do."""

    def __init__(self, output: Output, *, is_asking: bool) -> None:
        self.output, self.is_asking = output, is_asking

    def text(
        self,
        question: str,
        *,
        option: str,
        given: str | None,
        check: Callable[[str], Value],
        default: str | None = None,
        secret: bool = False,
    ) -> Value:
        """The checked answer. `check` raises ValueError or AgentError; a person is then asked again."""
        if given is not None:
            return _checked(check, given, option)
        if not self.is_asking:
            if default is None:
                raise AnswerMissing(option)
            return _checked(check, default, option)
        while True:
            answer = self._prompt(question, default=default, secret=secret)
            try:
                return check(answer)
            except AgentError as error:
                self._complain(error.message, remedy=error.remedy)
            except ValueError as error:
                text = str(error)
                self._complain(text[:1].upper() + text[1:])

    def choice(self, question: str, *, option: str, given: str | None, choices: Sequence[str], default: str) -> str:
        """One of the choices, by its number or its name."""

        def check(answer: str) -> str:
            if answer.isdigit() and 1 <= int(answer) <= len(choices):
                return choices[int(answer) - 1]
            if answer in choices:
                return answer
            raise ValueError(f"Give a number from 1 to {len(choices)}, or one of {', '.join(choices)}.")

        return self.text(question, option=option, given=given, check=check, default=default)

    def confirm(self, question: str, *, default: bool = True) -> bool:
        """Yes, where nobody is asked."""
        return Confirm.ask(f"\n{question}", default=default, console=self.output.console) if self.is_asking else True

    def show(self, what: RenderableType) -> None:
        """Something to look at, in line with the questions."""
        self.output.say(Padding(what, (0, 0, 0, 2)) if self.is_asking else what)

    def step(self, number: int, title: str) -> None:
        if self.is_asking:
            self.output.say()
            self.output.say(Text.assemble((f"{number} ", "accent"), (title, "title")))

    def hint(self, text: str) -> None:
        if self.is_asking:
            self.show(f"[dim]{text}[/]")

    def _complain(self, text: str, *, remedy: str = "") -> None:
        look = self.output.signs
        self.show(f"[bad]{look.bad}[/] {escape(text)}")
        if remedy:
            self.show(f"  [dim]{look.arrow} {escape(remedy)}[/]")

    def _prompt(self, question: str, *, default: str | None, secret: bool) -> str:
        asked = f"  [prompt]{escape(question)}[/]"
        shown = "" if default is None else default
        answer = Prompt.ask(
            asked, default=shown, show_default=bool(shown), password=secret, console=self.output.console
        )
        return answer.strip()


def _checked(check: Callable[[str], Value], answer: str, option: str) -> Value:
    try:
        return check(answer)
    except ValueError as error:
        raise AgentError(f"{option}: {error}", code=ExitCode.USAGE) from None
