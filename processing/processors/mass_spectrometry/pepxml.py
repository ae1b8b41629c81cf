"""Peptide identifications in pepXML: which peptide a search engine found for each spectrum."""

from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import ParseError, iterparse

from processing.facts import Facts
from processing.formats.table import MAX_ROWS, Cell, Column, Table
from processing.processors.mzml.arrays import local
from processing.readings import Input, Output, Unreadable

QUERY_COLUMNS = {
    "spectrum": "Spectrum",
    "start_scan": "Scan",
    "precursor_neutral_mass": "Precursor neutral mass",
    "assumed_charge": "Charge",
}
HIT_COLUMNS = {
    "hit_rank": "Rank",
    "peptide": "Peptide",
    "protein": "Protein",
    "calc_neutral_pep_mass": "Calculated mass",
    "massdiff": "Mass difference",
}
RUN_FACTS = {
    "search_summary": {"search_engine": "software", "precursor_mass_type": "precursor_mass_type"},
    "sample_enzyme": {"name": "enzyme"},
    "search_database": {"local_path": "database"},
    "msms_run_summary": {"msModel": "instrument_model", "msManufacturer": "manufacturer"},
}


def read(given: Input) -> Output:
    facts = Facts()
    facts.add("technique", "peptide identification")
    facts.add("format", "pepXML")
    try:
        rows, queries, hits = collect_hits(given.path, facts)
    except ParseError as error:
        raise Unreadable("The XML is damaged, or ends too early.") from error
    facts.add("spectrum_queries", queries)
    facts.add("hits", hits)
    return Output(run=facts.as_json(), artefacts=[tabulate(rows, total=hits).artefact("peptides.json")])


def collect_hits(path: Path, facts: Facts) -> tuple[list[dict[str, Cell]], int, int]:
    """The first rows, the number of spectra asked about, and of all hits. Each spectrum is forgotten once read."""
    rows: list[dict[str, Cell]] = []
    queries = hits = 0
    parents: list[Any] = []
    for event, element in iterparse(path, events=("start", "end"), forbid_dtd=True):
        if event == "start":
            parents.append(element)
            for attribute, key in RUN_FACTS.get(local(element), {}).items():
                facts.add(key, element.get(attribute))
            continue
        parents.pop()
        if local(element) == "spectrum_query":
            found = [describe_hit(element, hit) for hit in element.iter() if local(hit) == "search_hit"]
            queries, hits = queries + 1, hits + len(found)
            rows += found[: max(0, MAX_ROWS - len(rows))]
            parents[-1].remove(element)
    return rows, queries, hits


def describe_hit(query: Element, hit: Element) -> dict[str, Cell]:
    row: dict[str, Cell] = {title: parse_cell(query.get(key)) for key, title in QUERY_COLUMNS.items()}
    row |= {title: parse_cell(hit.get(key)) for key, title in HIT_COLUMNS.items()}
    for inner in hit.iter():
        if local(inner) == "search_score":
            row[inner.get("name", "")] = parse_cell(inner.get("value"))
        elif local(inner).endswith("prophet_result"):
            row["Probability"] = parse_cell(inner.get("probability"))
    return row


def tabulate(rows: list[dict[str, Cell]], *, total: int) -> Table:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [[row.get(name) for name in names] for row in rows]
    return Table("Peptides", [Column(name) for name in names], cells, total_rows=total)


def parse_cell(text: str | None) -> Cell:
    try:
        return int(text or "") if (text or "").strip().isdigit() else float(text or "")
    except ValueError:
        return text
