"""Spectra in JCAMP-DX, read strictly: what fails the ordinate check is refused, a wrong number of points is told."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import groupby

import numpy as np

from processing.facts import Facts
from processing.formats.curve import Curve, Series
from processing.formats.numbers import simplify_number
from processing.formats.table import Column, Table
from processing.processors.jcamp.chemical_shifts import shift_to_ppm
from processing.processors.jcamp.maps import build_map, draw_maps
from processing.processors.jcamp.records import Block, parse_blocks, parse_number
from processing.processors.jcamp.scans import holds_scans, iterate_scans
from processing.processors.jcamp.traces import Trace, traces_of
from processing.processors.jcamp.vocabulary import build_x_axis, build_y_axis, facts_of, measured_at
from processing.processors.mass_spectrometry.peak_lists import CUT_OFF
from processing.processors.mass_spectrometry.scans import summarise_scans
from processing.processors.nmr.experiment import Experiment, add_experiment_facts
from processing.readings import Artefact, Input, Output, Unreadable, Unrecognised
from processing.text_encoding import decode_text

REQUIRED_RECORDS = {"DATATYPE": "DATA TYPE"}
REAL_PART, IMAGINARY_PART = (re.compile(rf"\b{word}\b", re.IGNORECASE) for word in ("real", "imag(inary)?"))
AUDIT_TRAIL = re.compile(r"\s*##TITLE=\s*Audit trail", re.IGNORECASE)


def read(given: Input) -> Output:
    """Facts, curves and peak tables of every block."""
    text = decode_text(given.path.read_bytes()).text
    if holds_scans(text):
        return read_scans(text)
    blocks = parse_blocks(text)
    described = [(block, [shift_to_ppm(block, trace) for trace in traces_of(block)]) for block in blocks]
    maps = {id(block): built for block, traces in described if (built := build_map(block, traces)) is not None}
    found = [(block, trace) for block, traces in described for trace in traces]
    if not found and AUDIT_TRAIL.match(text):
        raise Unrecognised("It is kept, and not read: it is the audit trail of an experiment.")
    if not found:
        raise Unreadable("It holds no data: neither points nor peaks.")
    times = [time for block, _ in described if (time := measured_at(block, zone=given.time_zone))]
    facts = Facts()
    for block, traces in described:
        add_facts(facts, block, traces, map_=maps.get(id(block)))
    found = [(block, trace) for block, trace in found if id(block) not in maps]
    facts.add("curve_count", len(found) + len(maps))
    facts.add("format", f"JCAMP-DX {blocks[0].text('JCAMPDX') or ''}".strip())
    facts.add_times(times)
    return Output(
        run=facts.as_json(),
        file=state_assumed_zone(times, given),
        acquired_at=min(times).astimezone(UTC) if times else None,
        artefacts=[*draw_maps(list(maps.values())), *build_curves(found), *build_peak_tables(found)],
        warnings=[
            *dict.fromkeys(trace.warning for _, traces in described for trace in traces if trace.warning),
            *list_missing_records([block for block, traces in described if traces]),
            *list_missing_ends([block for block, _ in described if id(block) in maps]),
        ],
    )


def list_missing_records(blocks: Sequence[Block]) -> Iterator[str]:
    """Those that no block with data may leave out."""
    for label, name in REQUIRED_RECORDS.items():
        if not all(block.text(label) for block in blocks):
            yield f"A block has no ##{name}=, which each must have: the file may be damaged."


def list_missing_ends(planes: Sequence[Block]) -> Iterator[str]:
    """Of a plane each line may be whole where some are missing; the length of the first variable says how many."""
    for block in planes:
        stated = parse_number((block.text("VARDIM") or "").partition(",")[0])
        pages = len({table.page for table in block.tables})
        if stated and stated != pages:
            yield f"It announces {stated:,.0f} pages, and holds {pages:,}: a part may be missing."
    if not all(block.has_end for block in planes):
        yield "A block has no ##END=: the file may be cut off."


def read_scans(text: str) -> Output:
    """A run of GC-MS: ion curves and scans. Retention times are in seconds where nothing else is said."""
    summary = summarise_scans(iterate_scans(text), time_unit="s")
    facts = Facts()
    facts.add("technique", "mass spectrometry")
    facts.add("format", "JCAMP-DX")
    summary.add_facts(facts)
    is_whole = text.endswith("\n")
    return Output(run=facts.as_json(), artefacts=summary.build_artefacts(), warnings=[] if is_whole else [CUT_OFF])


def state_assumed_zone(times: list[datetime], given: Input) -> dict[str, str]:
    """Says that a time was taken as the instrument's own, because the file gives no offset."""
    return {"assumed_time_zone": str(given.time_zone)} if any(time.tzinfo is given.time_zone for time in times) else {}


def add_facts(facts: Facts, block: Block, traces: list[Trace], *, map_: Experiment | None) -> None:
    """A block without data only links others: its type and technique are theirs."""
    described = facts_of(block)
    data_type = described.pop("data_type", "")
    if traces:
        facts.add("technique", data_type.lower())
        facts.add("data_type", data_type)
    for key, text in described.items():
        facts.add(key, text)
    facts.add("instrument_model", described.get("instrument"))
    if map_ is not None:
        add_experiment_facts(facts, map_)
        return
    for trace in traces:
        add_numbers(facts, trace)


def add_numbers(facts: Facts, trace: Trace) -> None:
    facts.add("x_unit", trace.x_quantity.units)
    facts.add("y_unit", trace.y_quantity.units)
    facts.add("points", len(trace.x))
    known = np.flatnonzero(np.isfinite(trace.y))
    if not len(known):
        return
    highest = known[np.argmax(trace.y[known])]
    for key, value in (
        ("x_first", trace.x[0]),
        ("x_last", trace.x[-1]),
        ("y_first", trace.y[known[0]]),
        ("y_max", trace.y[highest]),
        ("x_at_y_max", trace.x[highest]),
    ):
        facts.add(key, simplify_number(float(f"{value:.10g}")))


def build_curves(found: list[tuple[Block, Trace]]) -> list[Artefact]:
    """One artefact for each pair of axes, in the order of the file."""
    drawn = [
        ((build_x_axis(trace, data_type=block.text("DATATYPE") or ""), build_y_axis(trace), trace.are_peaks), trace)
        for block, trace in found
    ]
    order = {axes: place for place, axes in reversed(list(enumerate(axes for axes, _ in drawn)))}
    drawn.sort(key=lambda item: order[item[0]])
    artefacts: list[Artefact] = []
    for (x, y, are_peaks), group in groupby(drawn, key=lambda item: item[0]):
        traces = [trace for _, trace in group]
        has_real = any(REAL_PART.search(trace.y_quantity.name or "") for trace in traces)
        series = [
            Series(label, trace.x, trace.y, is_hidden=has_real and is_imaginary(trace))
            for label, trace in zip(label_traces(traces), traces, strict=True)
        ]
        curve = Curve(traces[0].title, x, y, series, style="sticks" if are_peaks and x.unit != "V" else "line")
        artefacts.append(curve.artefact("curves.json" if not artefacts else f"curves-{len(artefacts) + 1}.json"))
    return artefacts


def is_imaginary(trace: Trace) -> bool:
    return IMAGINARY_PART.search(trace.y_quantity.name or "") is not None


def label_traces(traces: Sequence[Trace]) -> list[str]:
    """Their titles; with the quantity, and the page, where these alone tell them apart."""
    parts = [(trace.title, trace.y_quantity.name if trace.page else None, trace.page) for trace in traces]
    for count in range(1, 4):
        labels = [", ".join(filter(None, said[:count])) for said in parts]
        if all(labels) and len(set(labels)) == len(labels):
            break
    return [label or "1" for label in labels]


def build_peak_tables(found: list[tuple[Block, Trace]]) -> list[Artefact]:
    peaks = [(block, trace) for block, trace in found if trace.are_peaks]
    if not peaks:
        return []
    block, first = peaks[0]
    x, y = build_x_axis(first, data_type=block.text("DATATYPE") or ""), build_y_axis(first)
    columns = [Column("Spectrum"), Column(x.label, x.unit), Column(y.label, y.unit)]
    rows = [
        [label, float(place), None if np.isnan(height) else float(height)]
        for label, trace in zip(label_traces([trace for _, trace in peaks]), [trace for _, trace in peaks], strict=True)
        for place, height in zip(trace.x, trace.y, strict=True)
    ]
    return [Table("Peaks", columns, rows).artefact("peaks.json")]
