"""instrument-watcher check: would it work, and what would it do?"""

import rich_click as click
from click.exceptions import Exit
from rich.markup import escape

from instrument_watcher.checking import look_ahead
from instrument_watcher.cli.options import Call, common
from instrument_watcher.config.model import Config
from instrument_watcher.errors import AgentError
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
    outlook, look = look_ahead(call.home, config), call.output.signs
    new, plan = outlook.new, outlook.plan
    call.output.result(
        {
            "ok": True,
            "checks": _rows(findings),
            "upload_mode": config.upload_mode.value,
            "matching_files": outlook.matching,
            "other_files": outlook.other,
            "new_files": len(new),
            "new_bytes": sum(file.size for file in new),
            "runs": [{"run_id": run.run_id, "files": run.files, "size_bytes": run.size} for run in plan.runs],
            "refused": [{"path": path, "reason": reason} for path, reason in plan.refused],
        }
    )
    call.output.say()
    if not new:
        call.output.say(f"Nothing new: {outlook.matching:,} files match, and all are known.")
        return
    verb = "uploaded" if config.upload_mode.value == "auto" else "reported, and uploaded when somebody asks"
    call.output.say(f"Would be {verb}: [title]{tables.totals(new, plan.runs)}[/]\n")
    call.output.say(tables.runs(plan, look))
    if plan.refused:
        call.output.say()
        call.output.say(tables.refused(plan, look))


def _rows(findings: list[Finding]) -> list[dict[str, str]]:
    return [{"name": one.name, "detail": one.detail, "warning": one.warning} for one in findings]
