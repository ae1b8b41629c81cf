"""Flow Cytometry Standard: what the text segments say, and how the events are spread."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from math import isfinite
from pathlib import Path
from typing import IO

from processing.facts import Facts
from processing.formats.table import Cell, Column, Table
from processing.processors.fcs_datasets import dataset_of_events
from processing.processors.fcs_events import (
    Channel,
    StoredEvents,
    amplify_events,
    channel_of,
    show_events,
    spreads,
    stored_events,
)
from processing.readings import MAX_VALUES_PER_FACT, MIB, Artefact, Input, Json, Output, Unreadable

HEADER_BYTES = 58
MOST_TEXT_BYTES = 4 * MIB
MOST_CHANNELS = 1000
MOST_NAMES_CHARACTERS = 200
ESCAPED = "\ue000"  # stands for a doubled delimiter
OTHERS_BYTES = 16  # of the header, where places of further segments begin
MOST_BEHIND = 256  # bytes
CLOCK = re.compile(r"\s*(\d{1,2}):(\d{2}):(\d{2})(?:[.:]\d*)?\s*([AaPp])?")
VERSION = re.compile(rb"FCS(\d\.\d) {4}")
DATE_FORMATS = ("%d-%b-%Y", "%Y-%b-%d", "%d-%b-%y", "%d %b %Y", "%b %d %Y", "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
REQUIRED = ("$PAR", "$DATATYPE", "$BYTEORD", "$MODE")  # by every version
KEYWORD = re.compile(r"\$(PAR|TOT|DATATYPE|BYTEORD|MODE|NEXTDATA|(BEGIN|END)(DATA|STEXT|ANALYSIS)|P\d+[NSBREGV])")
FACTS = {
    "instrument_model": "$CYT",
    "cytometer": "$CYT",
    "serial_number": "$CYTSN",
    "date": "$DATE",
    "begin": "$BTIM",
    "end": "$ETIM",
    "analyst": "$OP",
    "data_type": "$DATATYPE",
    "experiment": "$EXP",
    "institution": "$INST",
    "project": "$PROJ",
    "sample_id": "$SMNO",
    "specimen": "$SRC",
    "well": "$WELLID",
    "plate_id": "$PLATEID",
    "cells": "$CELLS",
}


def read(given: Input) -> Output:
    version, keywords, spans = segments(given.path)
    channels = channels_of(keywords)
    facts = Facts()
    facts.add("technique", "flow cytometry")
    facts.add("format", f"FCS{version}")
    for key, keyword in FACTS.items():
        facts.add(key, keywords.get(keyword))
    facts.add("software", keywords.get("$SYS") or keywords.get("CREATOR"))
    facts.add("events", count(keywords, "$TOT"))
    facts.add("parameters", count(keywords, "$PAR"))
    facts.add_all("channel", [short for short, _ in channels])
    facts.add_all("marker", [long for _, long in channels])
    started = moment_of(keywords, "$BEGINDATETIME", zone=given.time_zone) or time_of(
        keywords, "$BTIM", zone=given.time_zone
    )
    ended = moment_of(keywords, "$ENDDATETIME", zone=given.time_zone) or time_of(
        keywords, "$ETIM", zone=given.time_zone
    )
    if started:
        facts.add_times([started, max(started, ended or started)])
    named = [channel_of(keywords, number, long or short) for number, (short, long) in enumerate(channels, start=1)]
    events = stored_events(given.path, keywords, named, spans=spans)
    has_events = events is not None and events.total > 0
    if events is not None and not keywords.get("$TOT"):
        facts.add("events", events.total)  # FCS 2.0 leaves it free to say how many there are
    return Output(
        run=facts.as_json(),
        file={
            "channels": [short for short, _ in channels[:MAX_VALUES_PER_FACT]],
            **(describe_events(events) if events is not None and has_events else {}),
            **assumed_zone(started, given),
        },
        acquired_at=started.astimezone(UTC) if started else None,
        artefacts=[
            *(draw_events(events, named, keywords) if events is not None and has_events else []),
            tabulate_channels(channels, events if has_events else None).artefact("channels.json"),
        ],
        warnings=[
            *list_doubts(keywords, spans, events, has_events=has_events),
            *list_unannounced(given.path, keywords, spans),
        ],
        datasets=[dataset_of_events(events.block, channels, title=given.filename)] if events and has_events else [],
    )


def draw_events(events: StoredEvents, channels: list[Channel], keywords: dict[str, str]) -> list[Artefact]:
    amplified = amplify_events(events.sample, channels, keywords.get("$DATATYPE", "").upper())
    total = events.total
    drawn = [*show_events(channels, amplified, total=total), *spreads(channels, amplified, total=total)]
    return [replace(artefact, datasets=()) for artefact in drawn]  # of the events themselves there is one


def describe_events(events: StoredEvents) -> dict[str, Json]:
    """The first event and the mean of each channel, as they are stored."""
    first, means = events.sample[0], [mean for _, _, mean in events.summary]
    known = {"first_event": first.tolist(), "channel_means": means}
    return {key: values[:MAX_VALUES_PER_FACT] for key, values in known.items() if all(map(isfinite, values))}


def tabulate_channels(channels: list[tuple[str, str]], events: StoredEvents | None) -> Table:
    columns = [Column("Parameter"), Column("Channel"), Column("Marker")]
    rows: list[list[Cell]] = [[number, short, long] for number, (short, long) in enumerate(channels, start=1)]
    if events is None:
        return Table("Channels", columns, rows)
    columns += [Column("Least"), Column("Greatest"), Column("Mean")]
    return Table("Channels", columns, [[*row, *numbers] for row, numbers in zip(rows, events.summary, strict=True)])


def list_doubts(
    keywords: dict[str, str], spans: list[tuple[int, int]], events: StoredEvents | None, *, has_events: bool
) -> Iterator[str]:
    """What a person should know before trusting the events."""
    if events is not None and not all(isfinite(number) for summary in events.summary for number in summary):
        yield "Some events hold what is no number: the file may be damaged."
    if events is not None and events.strays:
        yield f"{events.strays:,} events hold numbers that their channels cannot: the file may be damaged."
    if len(set(spans)) > 1:
        yield "Header and text disagree about where the events stand; the place that all of them fill was read."
    if not has_events and (count(keywords, "$TOT") or 0) > 0:
        yield "Its events are not stored as a list of numbers of known size: none of them was read."
    if count(keywords, "$NEXTDATA"):
        yield "Further data sets follow the first one; they are not read."
    yield from list_lost_keywords(keywords)
    names = [
        keywords.get(f"$P{number}N", "") for number in range(1, min(count(keywords, "$PAR") or 0, MOST_CHANNELS) + 1)
    ]
    if repeated := sorted({name for name in names if name and names.count(name) > 1}):
        yield f"Several channels have the same name: {', '.join(repeated)[:MOST_NAMES_CHARACTERS]}."


def list_unannounced(path: Path, keywords: dict[str, str], spans: list[tuple[int, int]]) -> Iterator[str]:
    """A word about bytes behind everything that header and text announce; a checksum and padding are short."""
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES + OTHERS_BYTES)
    others = header[HEADER_BYTES : int(header[10:18])]
    if count(keywords, "$NEXTDATA") or not spans or others.strip(b" 0\0"):
        return  # further segments
    ends = [last for _, last in spans] + [count(keywords, key) or 0 for key in ("$ENDSTEXT", "$ENDANALYSIS")]
    ends += [int(part) for part in (header[18:26], header[50:58]) if part.strip().isdigit()]
    if path.stat().st_size - max(ends) > MOST_BEHIND:
        yield "It is longer than it announces: bytes may have been added, and others moved."


def list_lost_keywords(keywords: dict[str, str]) -> Iterator[str]:
    """Keywords that every file and channel must have, such as nobody gave, and such as stand where a value should."""
    numbers = range(1, min(count(keywords, "$PAR") or 0, MOST_CHANNELS) + 1)
    lost = [key for key in REQUIRED if key not in keywords]
    lost += [key for number in numbers for letter in "NBR" if (key := f"$P{number}{letter}") not in keywords]
    if lost:
        yield f"It lacks {', '.join(lost)[:MOST_NAMES_CHARACTERS]}: its text may be damaged."
    elif any(KEYWORD.fullmatch(value) for value in keywords.values()):
        yield "A keyword stands in it in the place of a value: its text may be damaged."
    if any(CONTROL.search(key + keywords[key].replace("\0", "")) for key in keywords if key.startswith("$")) or any(
        "\0" in keywords[key].rstrip("\0") for key in keywords if key.startswith("$")
    ):
        yield "Its keywords hold characters that stand in none: its text may be damaged."


def assumed_zone(time: datetime | None, given: Input) -> dict[str, str]:
    return {"assumed_time_zone": str(given.time_zone)} if time and time.tzinfo is given.time_zone else {}


def segments(path: Path) -> tuple[str, dict[str, str], list[tuple[int, int]]]:
    """The version, the keywords, upper case, of both text segments, and where header and text say the events are."""
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
        version = VERSION.match(header)
        if version is None:
            raise Unreadable("It does not begin as FCS does.")
        keywords = keywords_of(segment(file, header[10:18], header[18:26]))
        begin, end = keywords.get("$BEGINSTEXT", "0"), keywords.get("$ENDSTEXT", "0")
        if begin.strip("0 "):
            keywords = keywords_of(segment(file, begin.encode(), end.encode())) | keywords
    in_header = [int(part) if part.strip().isdigit() else 0 for part in (header[26:34], header[34:42])]
    in_text = [count(keywords, "$BEGINDATA") or 0, count(keywords, "$ENDDATA") or 0]
    return version[1].decode(), keywords, [(first, last) for first, last in (in_header, in_text) if first > 0]


def segment(file: IO[bytes], begin: bytes, end: bytes) -> bytes:
    """The bytes from `begin` to `end`, both decimal and inclusive."""
    try:
        first, last = int(begin), int(end)
    except ValueError as error:
        raise Unreadable("Its header does not say where its text stands.") from error
    length = last - first + 1
    if first < 0 or not 1 < length <= MOST_TEXT_BYTES:
        raise Unreadable("Its header gives its text an impossible length.")
    file.seek(first)
    text = file.read(length)
    if len(text) < length:
        raise Unreadable("It ends within its text: a part of the file is missing.")
    return text


def keywords_of(text: bytes) -> dict[str, str]:
    """Keyword, delimiter, value, delimiter. A doubled delimiter stands for itself, unless values are left empty."""
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError:
        decoded = text.decode("latin-1")
    delimiter, body = decoded[0], decoded[1:].rstrip("\0 \r\n")
    body = body.removesuffix(delimiter)
    escaped = body.replace(delimiter * 2, ESCAPED).split(delimiter)
    parts = [part.replace(ESCAPED, delimiter) for part in escaped]
    if len(parts) % 2:
        parts = body.split(delimiter)
    return {key.strip().upper(): value.strip() for key, value in zip(parts[::2], parts[1::2], strict=False)}


def channels_of(keywords: dict[str, str]) -> list[tuple[str, str]]:
    """Short and long name of every parameter, in order."""
    numbers = range(1, min(count(keywords, "$PAR") or 0, MOST_CHANNELS) + 1)
    return [(keywords.get(f"$P{number}N", ""), keywords.get(f"$P{number}S", "")) for number in numbers]


def count(keywords: dict[str, str], keyword: str) -> int | None:
    stated = keywords.get(keyword, "")
    return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 19 else None


def time_of(keywords: dict[str, str], keyword: str, *, zone: tzinfo) -> datetime | None:
    """$DATE with $BTIM or $ETIM: 19-FEB-2019 and 21:28:25.56. No zone is ever given."""
    date = next((found for form in DATE_FORMATS if (found := parsed(keywords.get("$DATE", ""), form))), None)
    clock = CLOCK.match(keywords.get(keyword, ""))
    if date is None or clock is None:
        return None
    try:
        afternoon = 12 * (clock[4] in ("P", "p") and int(clock[1]) < 12)
        return date.replace(hour=int(clock[1]) + afternoon, minute=int(clock[2]), second=int(clock[3]), tzinfo=zone)
    except ValueError:
        return None


def moment_of(keywords: dict[str, str], keyword: str, *, zone: tzinfo) -> datetime | None:
    """FCS 3.2 writes moments as ISO does."""
    try:
        moment = datetime.fromisoformat(keywords.get(keyword, "").strip())
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=zone)


def parsed(stated: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(stated.strip().title(), form)
    except ValueError:
        return None
