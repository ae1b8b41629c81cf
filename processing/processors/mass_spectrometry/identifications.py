"""Peptide identifications in mzIdentML (PSI, 1.1 and 1.2) and in the XML of X!Tandem."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import ParseError, iterparse

from processing.facts import Facts
from processing.formats.table import MAX_ROWS, Cell
from processing.processors.mass_spectrometry.pepxml import parse_cell, tabulate
from processing.processors.mzml.arrays import local
from processing.readings import Input, Output, Unreadable

Row = dict[str, Cell]
ITEM_COLUMNS = {
    "rank": "Rank",
    "chargeState": "Charge",
    "experimentalMassToCharge": "m/z",
    "calculatedMassToCharge": "Calculated m/z",
    "passThreshold": "Passes",
}
SEQUENCES = ("Peptide", "DBSequence", "PeptideEvidence")
DOMAIN_COLUMNS = {
    "seq": "Peptide",
    "mh": "Calculated mass",
    "delta": "Mass difference",
    "expect": "Expectation",
    "hyperscore": "Hyperscore",
}
TANDEM_FACTS = {
    "process, version": "software",
    "process, start time": "process_start",
    "protein, cleavage site": "enzyme",
    "list path, sequence source #1": "database",
    "spectrum, path": "source_file",
}


@dataclass
class Counted:
    """The first rows, and how many spectra and hits there are."""

    rows: list[Row] = field(default_factory=list)
    spectra: int = 0
    hits: int = 0

    def add(self, found: list[Row]) -> None:
        self.spectra, self.hits = self.spectra + 1, self.hits + len(found)
        self.rows += found[: max(0, MAX_ROWS - len(self.rows))]


def read_mzidentml(given: Input) -> Output:
    return read_identifications(given, "mzIdentML", collect_results)


def read_tandem(given: Input) -> Output:
    return read_identifications(given, "X!Tandem", collect_models)


def read_identifications(given: Input, title: str, collect: Callable[[Path, Facts], Counted]) -> Output:
    facts = Facts()
    facts.add("technique", "peptide identification")
    facts.add("format", title)
    try:
        counted = collect(given.path, facts)
    except ParseError as error:
        raise Unreadable("The XML is damaged, or ends too early.") from error
    facts.add("spectrum_queries", counted.spectra)
    facts.add("hits", counted.hits)
    return Output(run=facts.as_json(), artefacts=[tabulate(counted.rows, total=counted.hits).artefact("peptides.json")])


def iterate_elements(path: Path, *forgotten: str) -> Iterator[Element]:
    """Each element at its end; those of the names given are taken out of the tree behind that."""
    parents: list[Any] = []
    for event, element in iterparse(path, events=("start", "end"), forbid_dtd=True):
        if event == "start":
            parents.append(element)
            continue
        parents.pop()
        yield element
        if parents and local(element) in forgotten:
            parents[-1].remove(element)


def collect_results(path: Path, facts: Facts) -> Counted:
    """mzIdentML: the results first, then what the rows that are kept refer to, which stands before them.

    So a file of any size needs no more memory than those rows.
    """
    counted = Counted()
    for element in iterate_elements(path, "SpectrumIdentificationResult", *SEQUENCES):
        kind = local(element)
        if kind == "AnalysisSoftware":
            facts.add("software", element.get("name") or next(list_names(element), None))
            facts.add("software_version", element.get("version"))
        elif kind == "SearchDatabase":
            facts.add("database", element.get("name") or element.get("location"))
        elif kind == "SpectraData":
            facts.add("source_file", element.get("name") or element.get("location"))
        elif kind == "SpectrumIdentificationResult":
            items = [one for one in element if local(one) == "SpectrumIdentificationItem"]
            has_room = len(counted.rows) < MAX_ROWS
            counted.add([describe_item(element, item) for item in items] if has_room else [{}] * len(items))
    resolve_references(path, counted.rows)
    return counted


def describe_item(result: Element, item: Element) -> Row:
    """With what it refers to in place of the peptide and the proteins."""
    row: Row = {"Spectrum": result.get("spectrumID"), "Peptide": item.get("peptide_ref") or ""}
    row |= {title: parse_cell(item.get(key)) for key, title in ITEM_COLUMNS.items()}
    row["Protein"] = " ".join(filter(None, (one.get("peptideEvidence_ref") for one in item)))
    scores = (one for one in [*result, *item] if local(one) in ("cvParam", "userParam") and one.get("value"))
    return row | {one.get("name", ""): parse_cell(one.get("value")) for one in scores}


def resolve_references(path: Path, rows: list[Row]) -> None:
    """Peptides by their sequences, evidence by the accessions of its proteins."""
    peptides = {str(row["Peptide"]): "" for row in rows}
    evidence = {one: "" for row in rows for one in str(row["Protein"]).split()}
    for element in iterate_sequences(path):
        kind, name = local(element), element.get("id", "")
        if kind == "Peptide" and name in peptides:
            peptides[name] = next((one.text or "" for one in element if local(one) == "PeptideSequence"), "")
        elif kind == "PeptideEvidence" and name in evidence:
            evidence[name] = element.get("dBSequence_ref", "")
    proteins = dict.fromkeys(evidence.values(), "")
    for element in iterate_sequences(path):
        if local(element) == "DBSequence" and element.get("id") in proteins:
            proteins[element.get("id", "")] = element.get("accession", "")
    for row in rows:
        found = (proteins.get(evidence[one], "") for one in str(row["Protein"]).split())
        row["Peptide"] = peptides[str(row["Peptide"])]
        row["Protein"] = ", ".join(dict.fromkeys(filter(None, found)))


def iterate_sequences(path: Path) -> Iterator[Element]:
    """What stands before the results."""
    for element in iterate_elements(path, *SEQUENCES):
        if local(element) == "SequenceCollection":
            return
        yield element


def list_names(element: Element) -> Iterator[str]:
    yield from (one.get("name", "") for one in element.iter() if local(one) in ("cvParam", "userParam"))


def collect_models(path: Path, facts: Facts) -> Counted:
    """X!Tandem: a group for each spectrum that it could explain, with the proteins whose peptides do."""
    counted = Counted()
    for element in iterate_elements(path, "group"):
        if local(element) == "note" and (key := TANDEM_FACTS.get(element.get("label", ""))):
            facts.add(key, element.text)
        elif local(element) == "group" and element.get("type") == "model":
            counted.add([describe_domain(element, domain) for domain in element.iter() if local(domain) == "domain"])
    return counted


def describe_domain(group: Element, domain: Element) -> Row:
    row: Row = {"Spectrum": parse_cell(group.get("id")), "Precursor mass": parse_cell(group.get("mh"))}
    row |= {"Charge": parse_cell(group.get("z")), "Protein": group.get("label")}
    return row | {title: parse_cell(domain.get(key)) for key, title in DOMAIN_COLUMNS.items()}
