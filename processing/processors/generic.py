"""Files of instruments whose type nobody has set: a vendor only when it is certain, else columns, else left alone."""

import json
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from allotropy.parser_factory import Vendor
from defusedxml.ElementTree import ParseError, iterparse

from processing.processors.asm.reader import read_as
from processing.processors.asm.sniffing import vendors_claiming
from processing.processors.columns import reader as columns
from processing.readings import Input, Json, Output, Unreadable, Unrecognised

COLUMN_EXTENSIONS = {"csv", "tsv", "txt", "xlsx", "xlsm", "xlsb", "xls", "ods"}
OFTEN_COLUMNS = {"tab", "asc", "dat", "prn", "xy"}  # unless they are something else
OLE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
UNKNOWN = "No reader knows this file."


def read(given: Input) -> Output:
    """A vendor is believed when exactly one claims the file and its parser succeeds. Two are never chosen between."""
    check_container(given.path)
    claiming = vendors_claiming(given)
    if len(claiming) == 1:
        try:
            output = read_as(claiming[0], given)
        except Exception as error:  # whatever is wrong with it, it is not this vendor's file
            return as_columns(given, claiming, reason=error)
        return with_file_facts(output, {"recognised_as": type_name(claiming[0])})
    return as_columns(given, claiming)


def as_columns(given: Input, claiming: list[Vendor], *, reason: Exception | None = None) -> Output:
    """The table in it, with the vendors that might know more."""
    candidates: dict[str, Json] = {"vendor_candidates": [type_name(vendor) for vendor in claiming]} if claiming else {}
    if given.path.suffix[1:].lower() in COLUMN_EXTENSIONS:
        try:
            return with_file_facts(columns.read(given), candidates)
        except columns.NoTable:
            pass
    elif given.path.suffix[1:].lower() in OFTEN_COLUMNS:
        with suppress(Unreadable):
            return with_file_facts(columns.read(given), candidates)
    if reason is not None:
        raise Unreadable(f"It looks like {claiming[0].display_name}, but: {reason}") from reason
    if candidates:
        return Output(file=candidates, warnings=["Several readers might know this file: set the instrument's type."])
    raise Unrecognised(UNKNOWN)


def with_file_facts(output: Output, facts: dict[str, Json]) -> Output:
    return replace(output, file={**output.file, **facts})


def type_name(vendor: Vendor) -> str:
    return vendor.name.lower().replace("_", "-")


def check_container(path: Path) -> None:
    """A file that is not even what its name says is damaged, whoever might have written it."""
    check = CONTAINERS.get(path.suffix[1:].lower())
    if check is not None:
        check(path)


def check_zip(path: Path) -> None:
    if not zipfile.is_zipfile(path):
        raise Unreadable("It is no ZIP archive, or a damaged one.")


def check_xml(path: Path) -> None:
    try:
        for _, element in iterparse(path, forbid_dtd=True):
            element.clear()
    except ParseError as error:
        raise Unreadable("The XML is damaged, or ends too early.") from error


def check_json(path: Path) -> None:
    try:
        json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise Unreadable("The JSON is damaged, or ends too early.") from error


def check_ole(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(len(OLE_MARK)) != OLE_MARK:
            raise Unreadable("It is damaged, or another kind of file.")


CONTAINERS: dict[str, Callable[[Path], None]] = {
    "zip": check_zip,
    "rslt": check_zip,
    "xml": check_xml,
    "wsp": check_xml,
    "json": check_json,
    "blr": check_ole,
    "bme": check_ole,
}
