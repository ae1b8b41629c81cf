"""What the page tells of the agent itself: what it watches, what a check found, its log."""

import time
from xml.etree.ElementTree import Element

from instrument_watcher.config.model import GroupBy, UploadMode
from instrument_watcher.journal.rows import FileState
from instrument_watcher.local_page.actions import CheckResult
from instrument_watcher.local_page.layout import ago, section
from instrument_watcher.local_page.log_tail import LogLine
from instrument_watcher.local_page.markup import Child, element, name
from instrument_watcher.local_page.view import View
from instrument_watcher.sizes import bytes_text, count_text, seconds_text

RUNS = {
    GroupBy.STEM: "by file name without its ending",
    GroupBy.PREFIX: "by file name up to a separator",
    GroupBy.TOP_FOLDER: "by first folder",
    GroupBy.DEEPEST_FOLDER: "by the folder a file lies in",
    GroupBy.REGEX: "by a regular expression",
}
CHECK_SHOWN_SECONDS = 900.0


def watched(view: View) -> Element:
    config, activity, heard = view.parts.config, view.parts.activity, view.entries.heard_at
    scanned = activity.scanned_at
    everything = config.upload_mode is UploadMode.AUTO
    facts: list[tuple[str, Child]] = [
        ("Folder", element("bdi", str(config.watch_directory), class_="mono")),
        ("Looked through", ago(view.at, scanned) if scanned else "not yet"),
        ("Files", element("bdi", ", ".join(config.file_patterns), class_="mono")),
        ("Runs", RUNS[config.run_grouping.by]),
        ("Uploads", "everything" if everything else "what people ask for"),
        ("Service", element("a", config.server, href=config.server, rel="noopener")),
        ("Answered", ago(view.at, heard) if heard else "never"),
        *_counts(view),
        ("Agent runs", f"for {seconds_text(activity.uptime)}"),
    ]
    rows = [element("div", element("dt", term), element("dd", said)) for term, said in facts]
    return section("watched", "What it watches", element("dl", *rows, class_="facts"))


def check(view: View) -> Element | None:
    found = view.checked
    if found is None or view.at - found.at > CHECK_SHOWN_SECONDS:
        return section("check", "Check", is_shown=False)
    lines = [_finding("▲" if one.warning else "✓", one.name, one.detail, one.warning) for one in found.findings]
    if found.fault is not None:
        lines.append(_finding("✗", "", found.fault.message, found.fault.remedy))
    body: list[Child] = [element("ul", *lines, class_="findings")]
    if found.fault is None:
        body.append(element("p", _outlook(found)))
    return section("check", "Check", *body, beside=ago(view.at, found.at))


def log(view: View) -> Element:
    lines = [_log_line(line) for line in view.log]
    shown = (
        element("ol", *lines, class_="log", tabindex="0", aria_labelledby="h-log")
        if lines
        else element("p", "It has said nothing yet.", class_="empty")
    )
    return section("log", "Log", shown)


def _counts(view: View) -> list[tuple[str, Child]]:
    count, size = view.entries.files.get(FileState.UPLOADED, (0, 0))
    return [("Uploaded in all", f"{count_text(count, 'file')}, {bytes_text(size)}")] if count else []


def _finding(sign: str, subject: str, detail: str, warning: str) -> Element:
    kind = {"✓": "ok", "▲": "warn", "✗": "bad"}[sign]
    return element(
        "li",
        element("span", sign, class_=f"sign {kind}", aria_hidden="true"),
        element("span", subject, class_="muted"),
        element("span", name(detail), element("br") if warning else None, element("span", warning, class_="muted")),
    )


def _outlook(found: CheckResult) -> str:
    refused = f" {count_text(found.refused, 'file')} would not be taken." if found.refused else ""
    if not found.files:
        return f"Everything holds. Nothing in the folder is new.{refused}"
    files, runs = count_text(found.files, "file"), count_text(found.runs, "run")
    return f"Everything holds. Not uploaded yet: {files}, {bytes_text(found.size)}, in {runs}.{refused}"


def _log_line(line: LogLine) -> Element:
    at = element("time", line.at[11:] if line.at[:10] == time.strftime("%Y-%m-%d") else line.at)
    level = element("span", line.level, class_=f"level {line.level}")
    return element("li", at, level, element("bdi", line.message))
