"""Runs with names as laboratories give them, spread over two weeks, in every state a run can have."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.models import User
from files.choices import FileStatus
from instruments.models import Instrument
from operations.demo import drawings
from operations.demo.everyday import draw_everyday, draw_field
from operations.demo.exports import export
from operations.demo.store import RawFile, add_artefact, add_drawing, add_file
from operations.demo.traces import NAMED_RUNS
from runs.models import Claim, Comment, Run, RunSource
from runs.status import STALLED_AFTER
from wire.audit_context import Principal, audit_context

COMPLETED = FileStatus.COMPLETED
RUN_KINDS = {
    "synergy-neo2": ("plate reader", "txt", 1, 55_000),
    "biacore-t200": ("SPR", "blr", 3, 6_200_000),
    "zeiss-axio-observer-z1-imaging-core": ("widefield microscopy", "tif", 24, 88_000_000),
    "akta-pure-25": ("chromatography", "res", 3, 7_600_000),
    "quantstudio-7-a": ("qPCR", "eds", 3, 640_000),
    "tapestation-4200": ("electrophoresis", "xml", 5, 1_540_000),
    "vi-cell-blu": ("cell count", "csv", 11, 8_700_000),
    "ftir-spectrum-two": ("FT-IR", "jdx", 2, 205_000),
    "q-exactive-hf": ("LC-MS", "mzML", 2, 700_000_000),
    "cary-60-uvvis-bench-3": ("UV-Vis spectroscopy", "jdx", 9, 214_000),
}
RUN_NAMES = (
    ("biacore-t200", "2026-11-20_anti-HER2_kinetics_chip-CM5_cycle-04"),
    ("zeiss-axio-observer-z1-imaging-core", "U2OS_siBRCA1_DAPI-gH2AX_24h_field-scan_20x_tile-4x6"),
    ("akta-pure-25", "unicorn_run_0871"),
    ("quantstudio-7-a", "qPCR_BRCA1-panel_plate-11_triplicate"),
    ("tapestation-4200", "TS_gDNA_ScreenTape_2026-11-20_B"),
    ("synergy-neo2", "B01 KC-A-W---91-US"),
    ("vi-cell-blu", "CLB001\u2013CLB010_viability"),
    ("cary-60-uvvis-bench-3", "2026-11-20_lysozyme-refold_timecourse_1of4"),
    ("q-exactive-hf", "QE-HF_DIA_HeLa-digest_200ng_qc_morning"),
    ("cary-60-uvvis-bench-3", "2026-11-19_BSA-standards_280nm_blank-corrected"),
    ("ftir-spectrum-two", "indene_ATR_reference_2cm-1"),
    ("synergy-neo2", "472-0016"),
    ("cary-60-uvvis-bench-3", "2026-11-19_lysozyme-refold_pilot"),
    ("akta-pure-25", "unicorn_1"),
    ("synergy-neo2", "ELISA_cytokine-25plex_cohort-B_visit-3"),
)  # fmt: skip
FILE_STATES = {
    1: FileStatus.PROCESSING, 2: FileStatus.DETECTED, 3: FileStatus.UPLOADED, 11: FileStatus.FAILED,
}  # fmt: skip
DAYS = 15
REMARKS = (
    "Looks right.",
    "The baseline drifts from minute 12 on, see the blank.",
    "Air bubble in well H4, left out.",
    "Repeat with fresh buffer, the old one was a week over its date.",
    "Same as last month, so the new column is fine.",
)


@dataclass(frozen=True)
class DemoLaboratory:
    people: list[User]
    instruments: dict[str, Instrument]
    at: datetime


def make_runs(lab: DemoLaboratory) -> None:
    """The oldest first, as they would have come: ids grow with time."""
    chance = random.Random(7)
    for number, began in reversed(list(enumerate(sorted(_draw_earlier_times(lab.at, chance=chance), reverse=True)))):
        name = chance.choice(list(RUN_KINDS))
        run_id = f"{began:%Y-%m-%d}_{RUN_KINDS[name][0].replace(' ', '-')}_{chance.choice('ABCD')}{number:03d}"
        run = make_run(lab, name, run_id, began=began, state=COMPLETED, chance=chance)
        if name.startswith("zeiss"):
            picture = draw_field(run_id)
            add_drawing(
                run.files.order_by("pk")[0], "preview.png", kind="image", title="Field 1", content=picture, at=began
            )
    for number, (name, run_id) in reversed(list(enumerate(RUN_NAMES))):
        began = lab.at - timedelta(minutes=9 + number * 61)
        run = make_run(lab, name, run_id, began=began, state=FILE_STATES.get(number, COMPLETED), chance=chance)
        if name.startswith("zeiss"):
            add_field_pictures(run, at=began)
        if run_id in NAMED_RUNS:
            document = NAMED_RUNS[run_id](1)
            first = run.files.order_by("pk")[0]
            add_artefact(first, "curve.json", kind="curve", title=document["title"], content=document, at=began)
    make_special_runs(lab)


def add_field_pictures(run: Run, *, at: datetime) -> None:
    """Pictures of the first fields of view."""
    for seed, file in enumerate(run.files.order_by("pk")[:3]):
        field = drawings.build_picture(width=480, height=320, seed=seed)
        add_artefact(file, "preview.png", kind="image", title=f"Field {seed + 1}", content=field, at=at)


def _draw_earlier_times(at: datetime, *, chance: random.Random) -> Iterator[datetime]:
    """Some days are busy, some are not, and few people work at weekends."""
    for days in range(1, DAYS):
        day = at - timedelta(days=days)
        for _ in range(chance.randint(9, 26) // (4 if day.weekday() > 4 else 1)):
            yield day + timedelta(hours=chance.uniform(0, 7))


def make_run(
    lab: DemoLaboratory, name: str, run_id: str, *, began: datetime, state: FileStatus, chance: random.Random
) -> Run:
    technique, _, files, _ = RUN_KINDS[name]
    facts = {"technique": technique, "operator": chance.choice(["io", "tv", "sdk"]), "sample_count": files * 4}
    if name == "cary-60-uvvis-bench-3":
        facts |= {"wavelength_nm": chance.choice([280, 340, 595]), "temperature_C": chance.choice([15.0, 25.0, 37.0])}
    run = Run.objects.create(
        instrument=lab.instruments[name],
        run_id=run_id,
        source=RunSource.WATCHER,
        watcher=lab.instruments[name].watchers.first(),
        extracted=facts,
        acquired_at=began,
        created_at=began,
        updated_at=began,
    )
    _add_files(run, RUN_KINDS[name], state=state, at=began)
    claimants = chance.sample(lab.people, chance.choice([0, 1, 1, 1, 2]))
    Claim.objects.bulk_create([Claim(run=run, user=person, claimed_at=began) for person in claimants])
    if chance.random() < 0.2:
        person = chance.choice(lab.people)
        with audit_context(Principal("person", str(person.pk), person.name)):  # for the trail
            Comment.objects.create(run=run, user=person, body=chance.choice(REMARKS), created_at=began)
    return run


def _add_files(run: Run, kind: tuple[str, str, int, int], *, state: FileStatus, at: datetime) -> None:
    """As the instrument writes them, and as text what is to be seen: of a plate reader that is one file."""
    technique, ending, count, size = kind
    document = None if run.run_id in NAMED_RUNS else draw_everyday(technique, run_id=run.run_id)
    stem, drawn = run.run_id[:40], None
    if document and count == 1 and state == COMPLETED:
        drawn = add_file(run, RawFile(f"{stem}_1.{ending}", data=export(document)), at=at)
    for index in range(0 if drawn else count):
        status = state if index == count - 1 else COMPLETED
        made = RawFile(f"{stem}_{index + 1}.{ending}", status=status, size_bytes=size + index * 317)
        add_file(run, made, at=at + timedelta(seconds=index * 20))
    if document and count > 1:
        drawn = add_file(run, RawFile(f"{stem}_export.csv", data=export(document)), at=at)
    if document and drawn:
        shape = "plate" if "wells" in document else "curve"
        add_drawing(drawn, f"{shape}.json", kind=shape, title=document["title"], content=document, at=at)


def make_special_runs(lab: DemoLaboratory) -> None:
    """An empty run, one that stalled and one that was deleted."""
    neo = lab.instruments["synergy-neo2"]
    began = lab.at - timedelta(hours=7)
    Run.objects.create(instrument=neo, run_id="echo_dose-response_DMSO-backfill_plate-4", acquired_at=began)
    stalled = Run.objects.create(
        instrument=neo, run_id="472-0017_long-kinetics", acquired_at=lab.at - timedelta(hours=2)
    )
    silent = lab.at - STALLED_AFTER * 2
    add_file(stalled, RawFile("472-0017.txt", status=FileStatus.PROCESSING, size_bytes=96_000), at=silent)
    Run.objects.create(
        instrument=neo, run_id="test-delete-me", acquired_at=began, deleted_at=lab.at, deleted_by=lab.people[0]
    )
