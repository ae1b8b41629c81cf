"""The questions of init, one step each; every answer also comes as an option."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.markup import escape

from instrument_watcher.cli.answers import named, slug, slug_of, split_patterns, stability
from instrument_watcher.cli.asking import Asking
from instrument_watcher.cli.choices import GROUPINGS, grouping_table, instrument_table
from instrument_watcher.config.checks import group_pattern, server_address
from instrument_watcher.config.model import Config, GroupBy, Grouping, UploadMode
from instrument_watcher.enrolling import is_code
from instrument_watcher.errors import AgentError, ExitCode
from instrument_watcher.preview import Plan, Survey, plan_runs, survey_folder
from instrument_watcher.probing import (
    find_instrument,
    find_scheme,
    plain_http_warning,
    refuse_inactive,
    refuse_missing_scopes,
    refuse_silence,
)
from instrument_watcher.registering import refuse_held
from instrument_watcher.service.api import Service
from instrument_watcher.service.connection import Connection
from instrument_watcher.sizes import bytes_text, count_text
from instrument_watcher.terminal import tables

NEW = "new"
MOST_LISTED = 20


@dataclass(frozen=True)
class Given:
    """The answers that came as options."""

    server: str | None = None
    token: str | None = None
    code: str | None = None
    instrument: str | None = None
    new_instrument: str | None = None
    folder: str | None = None
    patterns: tuple[str, ...] = ()
    group_by: str | None = None
    separator: str | None = None
    regex: str | None = None
    stability: str | None = None
    mode: str | None = None


@dataclass(frozen=True)
class Access:
    """A token with the service it opens, or a code, which is traded once all is answered."""

    token: str = ""
    service: Service | None = None
    code: str = ""


class CodeMalformed(AgentError):
    def __init__(self) -> None:
        super().__init__(
            "--code: a code is four times four letters and digits, such as AB2C-DE3F-GH4J-KL5M.", code=ExitCode.USAGE
        )


class Wizard:
    """Asks in order; each method is one step. `known` is the configuration that is there already, if any."""

    def __init__(self, asking: Asking, given: Given, known: Config | None, known_token: str | None) -> None:
        self._asking, self._given, self._known, self._known_token = asking, given, known, known_token
        self._output = asking.output

    def server(self) -> str:
        def check(answer: str) -> str:
            if "://" not in answer:
                return find_scheme(server_address(f"https://{answer}").removeprefix("https://"))
            server = server_address(answer)
            if self._asking.is_asking:
                refuse_silence(server)
            return server

        self._asking.step(1, "Where is the service?")
        server = self._asking.text(
            "Address", option="--server", given=self._given.server, check=check,
            default=self._known.server if self._known else None,
        )  # fmt: skip
        if warning := plain_http_warning(server):
            self._output.warn(warning)
        return server

    def access(self, server: str) -> "Access":
        """A token that the service knows and that may do what an agent does, or a code to be traded for one."""

        def check(answer: str) -> Access:
            if is_code(answer):
                return Access(code=answer)
            token = answer or self._known_token or ""
            if not re.fullmatch(r"[\x21-\x7e]+", token):
                raise ValueError("A token is a text such as ids_Ab12…, without spaces.")
            service = Service(Connection(server, read_token=lambda: token))
            identity = service.whoami()
            refuse_missing_scopes(identity)
            self._ok(f"{escape(server)} answers; the token is “{escape(str(identity.get('name')))}”")
            return Access(token=token, service=service)

        self._asking.step(2, "With which enrolment code or token?")
        if self._given.code is not None and not is_code(self._given.code):
            raise CodeMalformed
        self._asking.hint(
            "An admin makes a code in the dashboard, Instruments, Connect an instrument; or a token in Settings,"
            " Access tokens, preset “Watcher”." + (" Empty keeps the one that is there." if self._known_token else "")
        )
        return self._asking.text(
            "Token", option="--token", given=self._given.code or self._given.token, check=check, secret=True,
            default="" if self._known_token else None,
        )  # fmt: skip

    def instrument(self, service: Service) -> dict[str, Any]:
        self._asking.step(3, "Which instrument?")
        given = NEW if self._given.new_instrument else self._given.instrument
        listed = service.instruments() if self._asking.is_asking and given is None else []
        if listed:
            self._asking.show(instrument_table(listed[:MOST_LISTED], self._output.signs.table))
            self._asking.hint("A number or an id from the list, or “new”.")

        def check(answer: str) -> dict[str, Any]:
            if answer == NEW:
                return self._new_instrument(service)
            if answer.isdigit() and 1 <= int(answer) <= len(listed):
                answer = listed[int(answer) - 1]["id"]
            found = find_instrument(service, answer)
            refuse_inactive(found)
            refuse_held(service, self._known, instrument_id=found["id"])
            return found

        is_first = self._asking.is_asking and not listed
        default = self._known.instrument_id if self._known else (NEW if is_first else None)
        found = self._asking.text("Instrument", option="--instrument", given=given, check=check, default=default)
        self._ok(f"{escape(found['display_name'])} [dim]{found['id']}[/]")
        return found

    def folder(self) -> Path:
        def check(answer: str) -> Path:
            folder = Path(answer.strip("\"'")).expanduser()
            if not folder.is_absolute():
                folder = folder.absolute()
            if not folder.is_dir():
                raise ValueError(f"{folder} is not a folder that can be reached from here.")
            return folder

        self._asking.step(4, "Where does the instrument write its files?")
        default = str(self._known.watch_directory) if self._known else None
        return self._asking.text("Folder", option="--folder", given=self._given.folder, check=check, default=default)

    def patterns(self, folder: Path) -> tuple[tuple[str, ...], Survey]:
        """Patterns, and what they match there now."""
        self._asking.step(5, "Which of its files are data?")
        self._asking.hint('Patterns with commas between them; "*" takes all but temporary files. Case does not matter.')
        default = ", ".join(self._known.file_patterns) if self._known else "*"
        given = ", ".join(self._given.patterns) or None
        while True:
            wanted = self._asking.text(
                "Patterns", option="--pattern", given=given, check=split_patterns, default=default
            )
            survey = survey_folder(folder, wanted=wanted)
            self._show_matches(survey)
            if given is not None or self._asking.confirm("  Are these the right files?"):
                return wanted, survey

    def grouping(self, survey: Survey) -> Grouping:
        self._asking.step(6, "Which files make up a run?")
        known = self._known.run_grouping if self._known else Grouping()
        default = replace(known, separator=self._given.separator or known.separator)
        if self._asking.is_asking:
            self._asking.show(grouping_table(survey, default, self._output.signs.table))
        while True:
            grouping = self._grouping_asked(default)
            plan = plan_runs(survey.wanted, grouping)
            self._show_runs(survey, plan)
            if self._given.group_by is not None or self._asking.confirm("  Are these the right runs?"):
                return grouping

    def stability(self) -> float:
        self._asking.step(7, "When is a file complete?")
        self._asking.hint(
            "When its size and time have not changed for so many seconds. Longer than the instrument pauses."
        )
        default = f"{self._known.stability_seconds if self._known else Config.stability_seconds:g}"
        return self._asking.text(
            "Seconds", option="--stability", given=self._given.stability, check=stability, default=default
        )

    def mode(self) -> UploadMode:
        self._asking.step(8, "Upload everything, or what people ask for?")
        self._asking.hint("auto uploads each file once it is complete; manual reports it and waits for a request.")
        default = (self._known.upload_mode if self._known else UploadMode.AUTO).value
        choices = [mode.value for mode in UploadMode]
        return UploadMode(
            self._asking.choice("Mode", option="--mode", given=self._given.mode, choices=choices, default=default)
        )

    def _new_instrument(self, service: Service) -> dict[str, Any]:
        name = self._asking.text("Its name", option="--new-instrument", given=self._given.new_instrument, check=named)
        instrument_id = self._asking.text(
            "Its id", option="--instrument", given=self._given.instrument, check=slug, default=slug_of(name)
        )
        return service.create_instrument(instrument_id, display_name=name)

    def _grouping_asked(self, default: Grouping) -> Grouping:
        choices = [by.value for by in GROUPINGS]
        by = GroupBy(
            self._asking.choice(
                "Grouping", option="--group-by", given=self._given.group_by, choices=choices, default=default.by.value
            )
        )
        if by is GroupBy.PREFIX:
            separator = self._asking.text(
                "Separator",
                option="--separator",
                given=self._given.separator,
                check=named,
                default=default.separator,
            )
            return Grouping(by, separator=separator)
        if by is GroupBy.REGEX:
            pattern = self._asking.text(
                "Pattern, with one group", option="--regex", given=self._given.regex, check=group_pattern,
                default=default.pattern or None,
            )  # fmt: skip
            return Grouping(by, pattern=pattern)
        return Grouping(by)

    def _ok(self, text: str) -> None:
        self._asking.show(f"[ok]{self._output.signs.ok}[/] {text}")

    def _show_matches(self, survey: Survey) -> None:
        size = bytes_text(sum(file.size for file in survey.wanted))
        self._output.say()
        if survey.wanted:
            self._asking.show(tables.matches(survey, self._output.signs))
        between = self._output.signs.between
        other = f" [dim]{between} {count_text(len(survey.other), 'other file')}[/]" if survey.other else ""
        self._asking.show(f"[title]{count_text(len(survey.wanted), 'file')}, {size}[/]{other}")
        if survey.is_cut_off:
            self._output.warn("The folder holds more; this preview ends here.")

    def _show_runs(self, survey: Survey, plan: Plan) -> None:
        if not survey.wanted:
            self._asking.hint("No file is there yet; runs appear as the instrument writes.")
            return
        self._output.say()
        self._asking.show(tables.runs(plan, self._output.signs))
        self._asking.show(f"[title]{tables.totals(survey.wanted, plan.runs)}[/]")
        if plan.refused:
            self._asking.show(tables.refused(plan, self._output.signs))
