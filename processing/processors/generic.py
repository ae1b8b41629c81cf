"""Files of instruments whose type nobody has set: a vendor only when it is certain, else columns, else left alone."""

import json
import zipfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from pkgutil import resolve_name
from tempfile import TemporaryDirectory

from allotropy.parser_factory import Vendor
from defusedxml.ElementTree import ParseError, iterparse

from processing.doubts.every_rule import list_all_doubts
from processing.facts import shorten_text
from processing.failures import clean_sentence, explain_error
from processing.gzip_files import is_gzip
from processing.processors.asm.endings import explain_lost_part
from processing.processors.asm.forms import Form, list_forms
from processing.processors.asm.reader import DOCUMENT_NAME, read_as_vendor
from processing.processors.asm.sniffing import Claims, find_claims, list_vendors_of_extension
from processing.processors.columns import reader as columns
from processing.processors.diffraction import texts as diffraction_texts
from processing.readings import (
    HEAD_BYTES,
    MAX_WARNING_CHARACTERS,
    MIB,
    Input,
    InstrumentType,
    Json,
    Output,
    Unreadable,
    Unrecognised,
)
from processing.registry import choose_type
from processing.single_members import find_only_member, list_members, unpack_member

COLUMN_EXTENSIONS = {"csv", "tsv", "txt", "xlsx", "xlsm", "xlsb", "xls", "ods"}
POSSIBLE_COLUMN_EXTENSIONS = {"tab", "asc", "dat", "prn", "xy"}  # unless they are something else
STEPPED_EXTENSIONS = {"txt", "dat", "asc", "prn", "xy"}  # of counts below a start, a step and a stop, too
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
UNKNOWN_FILE_MESSAGE = "No reader knows this file."


def read(given: Input) -> Output:
    """A vendor is believed when it alone, of all that claim the file, can read it. Two are never chosen between."""
    if given.path.stat().st_size > columns.MAX_HELD_BYTES:
        return columns.read(given)  # vendors' parsers hold all of a file
    check_container(given.path)
    claims, trial = find_readers(given)
    if trial.output is not None and len(trial.outputs) == 1:
        return with_file_facts(trial.output, {"recognised_as": type_name(trial.readers[0])})
    if len(trial.readers) > 1:
        return ask_which(given, trial)
    if not claims.claiming and (name := find_only_member(given.path)):
        return read_member(given, name)
    excuse = explain_refusals(trial) if trial.refusals else claims.excuse or explain_lost_part(given.path.read_bytes())
    return read_as_columns(given, claims.claiming, excuse=excuse, refusal=next(iter(trial.refusals.items()), None))


def read_member(given: Input, name: str) -> Output:
    """The only file of an archive, as whoever reads such a file reads it."""
    with TemporaryDirectory() as folder:
        path = unpack_member(given.path, name, folder=Path(folder))
        kind = find_kind(path, given)
        member = replace(given, path=path, filename=path.name)
        output: Output = resolve_name(kind.process)(member)
        doubts = list(list_all_doubts(path, output))
    return replace(with_file_facts(output, {"unpacked": path.name}), warnings=[*output.warnings, *doubts])


def find_kind(path: Path, given: Input) -> InstrumentType:
    """Raises Unrecognised."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    kind = choose_type(filename=path.name, head=head, instrument_type=given.instrument_type)
    if kind is None or is_gzip(head):
        raise Unrecognised(f"{UNKNOWN_FILE_MESSAGE} It holds {path.name}.")
    if path.stat().st_size > kind.limits.input_bytes:
        raise Unrecognised(f"{path.name}, which is in it, has more than {kind.limits.input_bytes // MIB} MiB.")
    return kind


@dataclass
class Trial:
    """What those of several vendors find who read a file, and why the others do not."""

    outputs: dict[Vendor, Output] = field(default_factory=dict)
    refusals: dict[Vendor, Exception] = field(default_factory=dict)

    @property
    def readers(self) -> list[Vendor]:
        return list(self.outputs)

    @property
    def size(self) -> int:
        """Of what they find, in bytes."""
        return sum(len(artefact.data) for output in self.outputs.values() for artefact in output.artefacts)

    @property
    def output(self) -> Output | None:
        return next(iter(self.outputs.values()), None)


def find_readers(given: Input) -> tuple[Claims, Trial]:
    """Whoever reads the first form of the file that anybody reads; else who claimed the first that anybody claimed."""
    found: tuple[Claims, Trial] | None = None
    with closing(list_forms(given)) as forms:
        for form in forms:
            claims = find_claims(form.given)
            trial = try_vendors(claims.remaining, form)
            if found is not None and found[1].outputs:
                return max(found, (claims, trial), key=lambda one: one[1].size)
            if trial.outputs and not form.has_rival:
                return claims, trial
            if trial.outputs:
                found = claims, trial
                continue
            if found is None or (claims.claiming and not found[0].claiming):
                found = claims, trial
            if claims.excuse:
                break
    return found or (Claims(), Trial())


def try_vendors(vendors: Iterable[Vendor], form: Form) -> Trial:
    """Have each of them read it, one after the other."""
    trial = Trial()
    for vendor in vendors:
        try:
            trial.outputs[vendor] = read_as_vendor(vendor, form)
        except MemoryError:
            raise
        except Exception as error:  # whatever is wrong with it, it is not this vendor's file
            trial.refusals[vendor] = error
    return trial


def ask_which(given: Input, trial: Trial) -> Output:
    """What all of them find alike, without a vendor's name; the plain table where they find different things."""
    names = " and ".join(vendor.display_name for vendor in trial.readers)
    common = find_common(list(trial.outputs.values()))
    if common is None:
        excuse = f"{names} can both read this file: choose which of them wrote it."
        return read_as_columns(given, trial.readers, excuse=excuse)
    candidates = {"vendor_candidates": [type_name(vendor) for vendor in trial.readers]}
    question = f"{names} can both read this file, and find the same in it: choose which of them wrote it."
    return replace(common, file={**common.file, **candidates}, warnings=[question, *common.warnings])


def find_common(outputs: Sequence[Output]) -> Output | None:
    """Their tables, curves and plates, with the facts in which they agree; None where these differ."""
    first, *others = outputs
    if any(list_shown(other) != list_shown(first) or other.acquired_at != first.acquired_at for other in others):
        return None
    return replace(
        first,
        run={key: value for key, value in first.run.items() if all(other.run.get(key) == value for other in others)},
        file={key: value for key, value in first.file.items() if all(other.file.get(key) == value for other in others)},
        artefacts=[artefact for artefact in first.artefacts if artefact.name != DOCUMENT_NAME],
    )


def list_shown(output: Output) -> list[tuple[str, bytes]]:
    """All but the document itself, in which the name of the program stands."""
    return [(artefact.name, artefact.data) for artefact in output.artefacts if artefact.name != DOCUMENT_NAME]


def explain(given: Input) -> Output:
    """How the file is recognised, step by step, as warnings of an output that holds nothing else."""
    claims, trial = find_readers(given)
    extension = given.path.suffix[1:].lower()
    steps = [f"{len(list_vendors_of_extension(extension))} vendors write files that end in .{extension}."]
    steps += [claims.excuse] if claims.excuse else []
    steps.append(f"By their contents these may have: {list_names(claims.claiming)}.")
    if claims.remaining != claims.claiming:
        steps.append(f"Words that tell siblings apart leave: {list_names(claims.remaining)}.")
    steps += [f"{vendor.display_name} reads it." for vendor in trial.readers]
    steps += [f"{vendor.display_name} refuses: {explain_refusal(error)}" for vendor, error in trial.refusals.items()]
    if len(trial.readers) == 1:
        steps.append(f"So it is {trial.readers[0].display_name} ({type_name(trial.readers[0])}).")
    elif trial.readers:
        steps.append("So a person is asked which of them it is.")
    else:
        steps.append("So it is a plain table, if it holds one.")
    return Output(warnings=[shorten_text(step, MAX_WARNING_CHARACTERS) for step in steps])


def list_names(vendors: Iterable[Vendor]) -> str:
    return ", ".join(vendor.display_name for vendor in vendors) or "none"


def explain_refusals(trial: Trial) -> str:
    vendor, error = next(iter(trial.refusals.items()))
    return f"It looks like {vendor.display_name}, but: {clean_sentence(explain_refusal(error))}"


def explain_refusal(error: Exception) -> str:
    return str(error) if isinstance(error, Unreadable) else explain_error(error)


def read_as_columns(
    given: Input, claiming: Sequence[Vendor], *, excuse: str = "", refusal: tuple[Vendor, Exception] | None = None
) -> Output:
    """The table in it, marked as less than a vendor's reading where vendors claim it, and why."""
    facts: dict[str, Json] = {}
    if claiming:
        facts = {"vendor_candidates": [type_name(vendor) for vendor in claiming], "degraded": True}
    table = find_table(given)
    if table is not None:
        warnings = [shorten_text(f"{excuse} It is shown as a plain table.", MAX_WARNING_CHARACTERS)] if excuse else []
        return replace(with_file_facts(table, facts), warnings=[*warnings, *table.warnings])
    if len(claiming) == 1 and refusal is not None:
        raise Unreadable(excuse) from refusal[1]
    if claiming:
        return Output(file=facts, warnings=[shorten_text(excuse, MAX_WARNING_CHARACTERS)])
    raise Unrecognised(explain_unrecognised(given, excuse))


def find_table(given: Input) -> Output | None:
    """The columns of the file, if it has any. Raises Unreadable for a file that should have some and is damaged."""
    extension = given.path.suffix[1:].lower()
    if extension in STEPPED_EXTENSIONS:
        with suppress(Unreadable, Unrecognised):
            return diffraction_texts.read(given)
    if extension in COLUMN_EXTENSIONS:
        with suppress(columns.NoTable):
            return columns.read(given)
    elif extension in POSSIBLE_COLUMN_EXTENSIONS:
        with suppress(Unreadable):
            return columns.read(given)
    return None


def explain_unrecognised(given: Input, excuse: str) -> str:
    """Why nobody reads the file, and what would."""
    extension = given.path.suffix[1:].lower()
    if len(members := list_members(given.path)) > 1:
        excuse = f"It holds {len(members):,} files: send them unpacked, as files of one run."
    asked = [vendor.display_name for vendor in list_vendors_of_extension(extension)]
    if not asked:
        return UNKNOWN_FILE_MESSAGE
    return (
        f"{UNKNOWN_FILE_MESSAGE} {excuse} Of its kind (.{extension}) these are known: {', '.join(asked)}."
        " If it is one of them, set the instrument's type."
    ).replace("  ", " ")


def with_file_facts(output: Output, facts: dict[str, Json]) -> Output:
    return replace(output, file={**output.file, **facts})


def type_name(vendor: Vendor) -> str:
    return vendor.name.lower().replace("_", "-")


def check_container(path: Path) -> None:
    """A file that is not even what its name says is damaged, whoever might have written it."""
    check = CONTAINER_CHECKS.get(path.suffix[1:].lower())
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
        if file.read(len(OLE_MAGIC)) != OLE_MAGIC:
            raise Unreadable("It is damaged, or another kind of file.")


CONTAINER_CHECKS: dict[str, Callable[[Path], None]] = {
    "zip": check_zip,
    "rslt": check_zip,
    "xml": check_xml,
    "wsp": check_xml,
    "json": check_json,
    "blr": check_ole,
    "bme": check_ole,
}
