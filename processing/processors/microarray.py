"""Microarrays: intensities of Affymetrix CEL files (version 3 is text, 4 binary) and spots of GenePix results (GPR)."""

import csv
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from processing.facts import Facts
from processing.formats.table import Cell, Column, Table
from processing.local_times import as_utc, describe_zone, parse_local_time
from processing.processors.image.limits import check_pixels
from processing.processors.image.pixels import encode_png, render_image
from processing.readings import Artefact, Input, Json, Kind, Output, Unreadable
from processing.text_encoding import decode_text

CEL_4 = struct.Struct("<5i")  # magic, version, columns, rows, cells
CEL_4_CELL = np.dtype([("mean", "<f4"), ("deviation", "<f4"), ("pixels", "<i2")])
CEL_4_TRAILER_BYTES = 16  # margin, outliers, masks, subgrids
CEL_3_LISTS = ("MASKS", "OUTLIERS", "MODIFIED")
SCANNED_AT = re.compile(r"\d\d/\d\d/\d\d \d\d:\d\d:\d\d")
CHIP = re.compile(r"(\S+)\.1sq")
PREVIEW_PIXELS = 1024
GPR_FACTS = {"Scanner": "instrument_model", "Settings": "method", "Creator": "software", "Barcode": "sample_id"} | {
    "ImageName": "image_name",
    "GalFile": "gal_file",
}


@dataclass(frozen=True)
class Chip:
    version: int
    header: dict[str, str]
    intensities: NDArray[np.float64]  # rows, columns


def read_cel(given: Input) -> Output:
    """Unreadable: fewer cells than the header counts."""
    content = given.path.read_bytes()
    chip = parse_cel_3(content.decode("latin-1")) if content.lstrip()[:5] == b"[CEL]" else parse_cel_4(content)
    rows, columns = chip.intensities.shape
    check_pixels(columns, rows)
    scan = chip.header.get("DatHeader", "")
    stated = SCANNED_AT.search(scan)
    scanned_at = parse_local_time(stated[0], "%m/%d/%y %H:%M:%S", given=given) if stated else None
    facts = Facts()
    facts.add("technique", "microarray")
    facts.add("format", f"CEL {chip.version}")
    facts.add("manufacturer", "Affymetrix")
    facts.add("algorithm", chip.header.get("Algorithm"))
    facts.add("chip", found[1] if (found := CHIP.search(scan)) else None)
    if scanned_at:
        facts.add_times([scanned_at])
    numbers: dict[str, Json] = {"columns": columns, "rows": rows, "cells": chip.intensities.size}
    numbers |= {
        "first_intensity": float(chip.intensities[0, 0]),
        "mean_intensity": float(chip.intensities.mean()),
        "max_intensity": float(chip.intensities.max()),
    }
    shown = render_image(np.log2(np.maximum(chip.intensities, 1)))
    picture = encode_png(shown.resize(scale_up(shown.size)) if max(shown.size) < 256 else shown, most=PREVIEW_PIXELS)
    return Output(
        run=facts.as_json(),
        file={**numbers, **describe_zone(scanned_at, given)},
        acquired_at=as_utc(scanned_at),
        artefacts=[Artefact("intensities.png", Kind.IMAGE, "image/png", picture, "Intensities, logarithmic")],
    )


def scale_up(size: tuple[int, int]) -> tuple[int, int]:
    factor = max(1, 256 // max(size))
    return size[0] * factor, size[1] * factor


def parse_cel_3(text: str) -> Chip:
    _, _, body = text.partition("[HEADER]")
    head, _, cells = body.partition("[INTENSITY]")
    header = dict(pair for line in head.splitlines() if (pair := split_pair(line)))
    lines = cells.partition("[")[0].strip().splitlines()
    try:
        columns, rows = int(header["Cols"]), int(header["Rows"])
        count = int(lines[0].partition("=")[2])
        table = [line.split() for line in lines[2:] if line.strip()]
        check_pixels(columns, rows)
        intensities = np.full((rows, columns), np.nan)
        for x, y, mean, *_ in table:
            intensities[int(y), int(x)] = float(mean)
        check_count(int(np.isfinite(intensities).sum()), count, rows * columns)
    except (KeyError, IndexError, ValueError) as error:
        raise Unreadable("Its header or its intensities are damaged, or a part of the file is missing.") from error
    check_lists(cells)
    return Chip(3, header, intensities)


def check_lists(text: str) -> None:
    """Masked, outlying and modified cells stand behind the intensities, each list with its length."""
    for name in CEL_3_LISTS:
        _, found, body = text.partition(f"[{name}]")
        first, *lines = body.partition("[")[0].strip().splitlines() or [""]
        count = first.partition("=")[2].strip()
        if not found or not count.isdigit() or len([line for line in lines[1:] if line.strip()]) != int(count):
            raise Unreadable(f"Its list of {name.lower()} is not whole: a part of the file is missing.")


def split_pair(line: str) -> tuple[str, str] | None:
    name, sign, value = line.partition("=")
    return (name.strip(), value.strip()) if sign else None


def check_count(found: int, *stated: int) -> None:
    if set(stated) != {found} or not found:
        raise Unreadable(f"It should hold {stated[0]:,} cells; {found:,} are there.")


def parse_cel_4(content: bytes) -> Chip:
    try:
        _, version, columns, rows, count = CEL_4.unpack_from(content)
        at, texts = CEL_4.size, []
        for _ in range(3):  # header, algorithm, its parameters
            (length,) = struct.unpack_from("<i", content, at)
            texts.append(content[at + 4 : at + 4 + length].decode("latin-1"))
            at += 4 + length
        check_count(count, rows * columns)
        cells = np.frombuffer(content, CEL_4_CELL, count, at + CEL_4_TRAILER_BYTES)
    except (struct.error, ValueError) as error:
        raise Unreadable("It ends before its cells do, or its header is damaged.") from error
    header = dict(pair for line in texts[0].splitlines() if (pair := split_pair(line)))
    return Chip(version, header | {"Algorithm": texts[1]}, cells["mean"].astype(np.float64).reshape(rows, columns))


def read_gpr(given: Input) -> Output:
    """ATF: two counts, that many lines of facts, a line of names, the spots."""
    lines = list(csv.reader(decode_text(given.path.read_bytes()).text.splitlines(), delimiter="\t"))
    try:
        records, width = int(lines[1][0]), int(lines[1][1])
        notes = dict(pair for line in lines[2 : 2 + records] if (pair := split_pair("\t".join(line))))
        names = lines[2 + records]
        spots = [line for line in lines[3 + records :] if line]
    except (IndexError, ValueError) as error:
        raise Unreadable("Its header is damaged, or a part of the file is missing.") from error
    if all(isinstance(as_cell(name), int | float) for name in names[:2]):
        raise Unreadable(f"Below its {records} lines of facts there is no line of names: lines are missing.")
    if len(names) != width or not spots or any(len(spot) != width for spot in spots):
        raise Unreadable(f"A row has another number of columns than the {width} that it counts.")
    scanned_at = parse_local_time(notes.get("DateTime", ""), "%Y/%m/%d %H:%M:%S", given=given)
    rows = [[as_cell(text) for text in spot] for spot in spots]
    wavelengths: list[Json] = [int(part) for part in notes.get("Wavelengths", "").split() if part.isdigit()]
    facts = Facts()
    facts.add("technique", "microarray")
    facts.add("format", notes.get("Type", "ATF"))
    for name, key in GPR_FACTS.items():
        facts.add(key, notes.get(name))
    if scanned_at:
        facts.add_times([scanned_at])
    return Output(
        run=facts.as_json(),
        file={
            "header_records": records,
            "spots": len(rows),
            "wavelengths_nm": wavelengths,
            "first": list[Json](rows[0]),
            "flagged": count_flagged(names, rows),
            **describe_medians(names, rows),
            **describe_zone(scanned_at, given),
        },
        acquired_at=as_utc(scanned_at),
        artefacts=[Table("Spots", [Column(name) for name in names], rows).artefact("spots.json")],
        warnings=list(list_lost_spots(names, rows)),
    )


def list_lost_spots(names: list[str], rows: list[list[Cell]]) -> Iterator[str]:
    """GenePix writes every spot of a block, found or not."""
    if not {"Block", "Column", "Row"} <= set(names):
        return
    columns = [[row[names.index(name)] for row in rows] for name in ("Block", "Column", "Row")]
    numbers = [[value for value in column if isinstance(value, int)] for column in columns]
    spots = set(zip(*columns, strict=True))
    expected = len(set(columns[0])) * max(numbers[1], default=0) * max(numbers[2], default=0)
    if len(spots) < expected:
        yield f"Of {expected:,} spots {len(spots):,} are there: rows may be missing."


def as_cell(text: str) -> Cell:
    try:
        number = float(text)
    except ValueError:
        return text
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def count_flagged(names: list[str], rows: list[list[Cell]]) -> int:
    place = names.index("Flags") if "Flags" in names else None
    return 0 if place is None else sum(row[place] != 0 for row in rows)


def describe_medians(names: list[str], rows: list[list[Cell]]) -> dict[str, Json]:
    """The greatest median of each wavelength: max_F635_Median."""
    found: dict[str, Json] = {}
    for place, name in enumerate(names):
        if re.fullmatch(r"F\d+ Median", name):
            values = [value for row in rows if isinstance(value := row[place], int | float)]
            found |= {f"max_{name.replace(' ', '_')}": max(values)} if values else {}
    return found
