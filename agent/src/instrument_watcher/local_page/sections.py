"""The parts of the page about files: what is under way, waits, failed and arrived; and what can be done."""

import time
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from instrument_watcher.activity import Phase, Transfer
from instrument_watcher.clock import parse_stamp
from instrument_watcher.journal.rows import FileRow, FileState
from instrument_watcher.local_page.actions import PAUSES
from instrument_watcher.local_page.layout import button, form, rest, section, table
from instrument_watcher.local_page.markup import Child, element, name
from instrument_watcher.local_page.view import SLOT_MINUTES, Slot, View
from instrument_watcher.sizes import bytes_text, count_text, seconds_text
from instrument_watcher.words import STATES, clock_text

BAR_HEIGHT, BAR_STEP, BAR_WIDTH = 40, 10, 8


def buttons(view: View) -> Element:
    """The three things that can be done here, without which the page only shows."""
    pause = form("/resume", button("Go on uploading", primary=True)) if view.paused_until else _pause_form()
    return element(
        "div",
        form("/upload-now", button("Upload now")),
        pause,
        form("/check", button("Checking…" if view.checking else "Check", disabled=view.checking)),
        class_="actions",
        id="actions",
        data_live=True,
    )


def notice(view: View) -> Element:
    """Why nothing goes on, where that is so."""
    shown = [element("p", view.why, class_=f"note {view.tone}")] if view.why else []
    return element("div", *shown, id="notice", role="status", data_live=True)


def under_way(view: View) -> Element | None:
    rows = [_transfer(transfer) for transfer in view.transfers]
    return section("under-way", "Under way", *rows, is_shown=bool(rows))


def waiting(view: View) -> Element:
    entries, settling = view.entries, view.parts.activity.settling
    under_way = {transfer.path for transfer in view.transfers}
    files = max(0, entries.files_waiting - len(view.transfers))
    size = max(0, entries.bytes_waiting - sum(transfer.size for transfer in view.transfers))
    body: list[Child] = []
    rows = [[_file(row), _run(row), _size(row), _why(row)] for row in entries.waiting if row.path not in under_way]
    if rows:
        body = [
            table({"File": "key", "Run": "run", "Size": "num", "State": "rest"}, rows),
            rest(files - len(rows), "file"),
        ]
    else:
        body = [element("p", "Nothing waits.", class_="empty")]
    if settling:
        body.append(element("p", f"{count_text(settling, 'file')} being written, or just found.", class_="muted"))
    on_request = _on_request(view)
    if on_request:
        told = f"{count_text(on_request, 'file')} reported, and sent when somebody asks for them."
        body.append(element("p", told, class_="muted"))
    told = f"{count_text(files, 'file')}, {bytes_text(size)}"
    return section("waiting", "Waiting", *body, beside=told if files else "")


def trouble(view: View) -> Element:
    entries = view.entries
    if not entries.trouble:
        return section("trouble", "Needs attention", element("p", "Nothing failed.", class_="empty"))
    rows = [[_file(row), _run(row), _size(row), _reason(row)] for row in entries.trouble]
    told = count_text(entries.in_trouble, "file")
    shown = table({"File": "key", "Run": "run", "Size": "num", "Why": "rest"}, rows)
    return section("trouble", "Needs attention", shown, rest(entries.in_trouble - len(rows), "file"), beside=told)


def last_hour(view: View) -> Element:
    slots, latest = view.entries.last_hour, view.entries.latest
    files, size = sum(slot.files for slot in slots), sum(slot.size for slot in slots)
    told = f"{count_text(files, 'file')}, {bytes_text(size)} arrived" if files else "nothing arrived"
    body: list[Child] = [_bars(slots)] if slots else []
    if latest:
        rows: list[list[Child]] = [[_file(row), _size(row), _uploaded(row)] for row in latest]
        body.append(table({"Latest": "key", "Size": "num", "Arrived": "num at"}, rows))
    return section("last-hour", "The last hour", *body, beside=told)


def _pause_form() -> Element:
    choices = [element("option", text, value=minutes) for minutes, text in PAUSES.items()]
    select = element("select", *choices, name="minutes", class_="btn", aria_label="How long")
    return form("/pause", button("Pause"), select)


def _file(row: FileRow) -> Element:
    return name(row.path)


def _run(row: FileRow) -> Element | None:
    return name(row.run_id) if row.run_id else None


def _size(row: FileRow) -> str:
    return bytes_text(row.sighting.size)


def _why(row: FileRow) -> Element:
    if row.attempts:
        return element("span", f"failed {count_text(row.attempts, 'time')}, is tried again", class_="warn")
    return element("span", STATES[row.state][0])


def _reason(row: FileRow) -> Element:
    word, tone = STATES[row.state]
    return element("span", row.reason or word, class_="warn" if tone == "busy" else tone)


def _uploaded(row: FileRow) -> str:
    moment = parse_stamp(row.uploaded_at)
    return "" if moment is None else clock_text(moment / 1000)


def _transfer(transfer: Transfer) -> Element:
    span = max(0.001, time.monotonic() - transfer.began)
    speed = transfer.done / span
    verb = "reading" if transfer.phase is Phase.HASHING else "uploading"
    told = f"{bytes_text(transfer.done)} of {bytes_text(transfer.size)}"
    if span > 1 and speed:
        told += f", {bytes_text(speed)}/s, {seconds_text((transfer.size - transfer.done) / speed)} left"
    done = 100.0 * transfer.done / transfer.size if transfer.size else 100.0
    return element(
        "div",
        element("span", f"{verb} ", name(transfer.path)),
        element("span", told, class_="muted"),
        element("progress", value=f"{done:.0f}", max="100", aria_label=f"{verb} {transfer.path}"),
        class_="progress",
    )


def _bars(slots: Sequence[Slot]) -> Element:
    """A bar for every five minutes; what each says stands in its title and, for those who see none, in the label."""
    most = max((slot.size for slot in slots), default=0) or 1
    bars = []
    for number, slot in enumerate(slots):
        height = max(2.0, BAR_HEIGHT * slot.size / most) if slot.files else 1.0
        told = f"from {slot.begins}: {count_text(slot.files, 'file')}, {bytes_text(slot.size)}"
        place = {"x": str(number * BAR_STEP), "y": f"{BAR_HEIGHT - height:.1f}", "height": f"{height:.1f}"}
        kind = "bar" if slot.files else "none"
        bars.append(element("rect", element("title", told), width=str(BAR_WIDTH), class_=kind, **place))
    picture = element(
        "svg", *bars, class_="bars", viewBox=f"0 0 {len(slots) * BAR_STEP - BAR_STEP + BAR_WIDTH} {BAR_HEIGHT}",
        preserveAspectRatio="none", role="img", aria_label=f"Bytes that arrived in each {SLOT_MINUTES} minutes",
    )  # fmt: skip
    begins, now = element("span", slots[0].begins), element("span", "now")
    return element("div", picture, element("div", begins, now, class_="scale"), class_="hour")


def _on_request(view: View) -> int:
    """Files in manual mode of which nobody has asked for the bytes."""
    reported, _ = view.entries.files.get(FileState.REPORTED, (0, 0))
    return max(0, reported - view.entries.to_upload)
