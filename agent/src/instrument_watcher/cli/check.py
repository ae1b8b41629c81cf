"""instrument-watcher check: would it work, and what would it do?"""

import rich_click as click
from click.exceptions import Exit
from rich.markup import escape

from instrument_watcher.cli.options import Call, common
from instrument_watcher.config.model import Config
from instrument_watcher.errors import AgentError
from instrument_watcher.home import Home
from instrument_watcher.journal.journal import Journal
from instrument_watcher.journal.rows import SETTLED
from instrument_watcher.preview import Candidate, plan_runs, survey_folder
from instrument_watcher.probing import Finding, Probe
from instrument_watcher.terminal import tables


@click.command()
@common
def check(call: Call) -> None:
    """Look at everything and change nothing; show what would be uploaded.

    Stops at the first thing that does not hold, and says how to mend it.
    """
    probe, findings = Probe(call.home), list[Finding]()
    try:
        for finding in probe.findings():
            findings.append(finding)
            _show(call, finding)
    except AgentError as error:
        call.output.result(
            {
                "ok": False,
                "checks": _rows(findings),
                "error": {"code": error.code.name, "message": error.message, "remedy": error.remedy},
            }
        )
        call.output.bad(escape(error.message), remedy=escape(error.remedy))
        raise Exit(error.code) from None
    assert probe.config is not None, "the first finding is about the configuration"
    _show_plan(call, probe.config, findings)


def _show(call: Call, finding: Finding) -> None:
    say = call.output.warn if finding.warning else call.output.ok
    warning = f"  [warn]{escape(finding.warning)}[/]" if finding.warning else ""
    say(f"[key]{finding.name:<13}[/] {escape(finding.detail)}{warning}")


def _show_plan(call: Call, config: Config, findings: list[Finding]) -> None:
    survey = survey_folder(config.watch_directory, wanted=config.file_patterns, ignored=config.ignore_patterns)
    new = _without_known(call.home, survey.wanted)
    plan, look = plan_runs(new, config.run_grouping), call.output.signs
    call.output.result(
        {
            "ok": True,
            "checks": _rows(findings),
            "upload_mode": config.upload_mode.value,
            "matching_files": len(survey.wanted),
            "other_files": len(survey.other),
            "new_files": len(new),
            "new_bytes": sum(file.size for file in new),
            "runs": [{"run_id": run.run_id, "files": run.files, "size_bytes": run.size} for run in plan.runs],
            "refused": [{"path": path, "reason": reason} for path, reason in plan.refused],
        }
    )
    call.output.say()
    if not new:
        call.output.say(f"Nothing new: {len(survey.wanted):,} files match, and all are known.")
        return
    verb = "uploaded" if config.upload_mode.value == "auto" else "reported, and uploaded when somebody asks"
    call.output.say(f"Would be {verb}: [title]{tables.totals(new, plan.runs)}[/]\n")
    call.output.say(tables.runs(plan, look))
    if plan.refused:
        call.output.say()
        call.output.say(tables.refused(plan, look))


def _without_known(home: Home, files: list[Candidate]) -> list[Candidate]:
    """The files that the journal, where there is one, does not count as done."""
    if not home.journal.exists():
        return files
    journal = Journal(home.journal)
    try:
        known = {path: journal.files.find(path) for path in (file.path for file in files)}
    finally:
        journal.close()
    return [file for file in files if (row := known[file.path]) is None or row.state not in SETTLED]


def _rows(findings: list[Finding]) -> list[dict[str, str]]:
    return [{"name": one.name, "detail": one.detail, "warning": one.warning} for one in findings]
