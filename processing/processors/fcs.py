"""Flow Cytometry Standard: what the text segments say, and how the events are spread."""

import re
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import IO

from processing.facts import Facts
from processing.formats.table import Cell, Column, Table
from processing.processors.fcs_events import spreads
from processing.readings import MIB, MOST_VALUES, Input, Output, Unreadable

HEADER_BYTES = 58
MOST_TEXT_BYTES = 4 * MIB
MOST_CHANNELS = 1000
CLOCK = re.compile(r"\s*(\d{1,2}):(\d{2}):(\d{2})(?:[.:]\d*)?\s*([AaPp])?")
VERSION = re.compile(rb"FCS(\d\.\d) {4}")
DATE_FORMATS = ("%d-%b-%Y", "%Y-%b-%d", "%d-%b-%y", "%d %b %Y", "%b %d %Y", "%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y")
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
    version, keywords, data = segments(given.path)
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
    columns = [Column("Parameter"), Column("Channel"), Column("Marker")]
    rows: list[list[Cell]] = [[number, short, long] for number, (short, long) in enumerate(channels, start=1)]
    return Output(
        run=facts.as_json(),
        file={"channels": [short for short, _ in channels[:MOST_VALUES]], **assumed_zone(started, given)},
        acquired_at=started.astimezone(UTC) if started else None,
        artefacts=[
            *spreads(
                given.path, keywords, begin=data[0], end=data[1], names=[long or short for short, long in channels]
            ),
            Table("Channels", columns, rows).artefact("channels.json"),
        ],
    )


def assumed_zone(time: datetime | None, given: Input) -> dict[str, str]:
    return {"assumed_time_zone": str(given.time_zone)} if time and time.tzinfo is given.time_zone else {}


def segments(path: Path) -> tuple[str, dict[str, str], tuple[int, int]]:
    """The version, the keywords, upper case, of both text segments, and where the events begin and end."""
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
        version = VERSION.match(header)
        if version is None:
            raise Unreadable("It does not begin as FCS does.")
        keywords = keywords_of(segment(file, header[10:18], header[18:26]))
        begin, end = keywords.get("$BEGINSTEXT", "0"), keywords.get("$ENDSTEXT", "0")
        if begin.strip("0 "):
            keywords = keywords_of(segment(file, begin.encode(), end.encode())) | keywords
    stated = [count(keywords, "$BEGINDATA"), count(keywords, "$ENDDATA")]
    in_header = [int(part) if part.strip().isdigit() else 0 for part in (header[26:34], header[34:42])]
    begin_data, end_data = (one or other or 0 for one, other in zip(in_header, stated, strict=True))
    return version[1].decode(), keywords, (begin_data, end_data)


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
    escaped = body.replace(delimiter * 2, "\0").split(delimiter)
    parts = [part.replace("\0", delimiter) for part in escaped]
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
