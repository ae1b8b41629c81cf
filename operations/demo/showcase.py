"""The run that shows everything: spectra, a plate, a table, pictures, a failed file, one that waits, a discussion."""

from datetime import timedelta

from files.choices import FileStatus
from operations.demo import drawings
from operations.demo import printed_report as papers
from operations.demo.runs import DemoLaboratory
from operations.demo.store import RawFile, add_artefact, add_file
from runs.models import Claim, Comment, Run, RunSource
from wire.audit_context import Principal, audit_context

RUN_ID = "2026-11-20_lysozyme-refold_timecourse_2of4_after-lamp-change"
METADATA = {
    "technique": "UV-Vis spectroscopy",
    "instrument_model": "Cary 60",
    "serial_number": "MY1420A017",
    "software": "Cary WinUV Scan 5.1",
    "wavelength_nm": 280,
    "sample_id": ["LYS-refold-B"],
    "sample_count": 7,
    "method": "refold_timecourse_220-400nm_1nm_0.1s_double-beam_baseline-corrected.MSW",
    "temperature_C": 25.0,
    "buffer": "50 mM Tris pH 8.2",
}
DAMAGED_MESSAGE = (
    "JCAMP-DX could not read this file (damaged or another format): NPOINTS says 8,192, the data ends after 7,020."
)
REPORT_NAME = "refold_2of4_report.pdf"
LONG_NAME = "timecourse overview, exported by Cary WinUV Kinetics 5.1 on CARY60-BENCH3 (page set 2 of 4).pdf"
REMARKS = (
    (
        0,
        "Lamp replaced at 15:20, warmed up for 20 min. **Baseline redone** before `t000`. Readings at 280 nm against "
        "the run of this morning:\n\n| Time | 1of4 | 2of4 |\n|---|---|---|\n| 0 min | 0.412 | 0.409 |\n"
        "| 30 min | 0.791 | 0.801 |\n\nGood enough to go on.",
    ),
    (
        1,
        "> Good enough to go on.\n\nThe shoulder at 290 nm is real, it is there in the blank-corrected scan too. "
        "Before we change the buffer I would like to see:\n\n- rep 3 with the old lamp settings\n"
        "- the same series at 15 °C",
    ),
)


def make_showcase(lab: DemoLaboratory) -> Run:
    cary, began = lab.instruments["cary-60-uvvis-bench-3"], lab.at - timedelta(minutes=21)
    run = Run.objects.create(
        instrument=cary,
        run_id=RUN_ID,
        source=RunSource.WATCHER,
        watcher=cary.watchers.first(),
        extracted=METADATA,
        acquired_at=began,
        created_at=began + timedelta(seconds=20),
    )
    _add_files(run, lab)
    Claim.objects.create(run=run, user=lab.people[0], claimed_at=began + timedelta(minutes=5))
    for number, (who, body) in enumerate(REMARKS):
        at = began + timedelta(minutes=7 + 9 * number)
        person = lab.people[who]
        with audit_context(Principal("person", str(person.pk), person.name)):  # for the trail
            Comment.objects.create(run=run, user=person, body=body, created_at=at)
    return run


def _add_files(run: Run, lab: DemoLaboratory) -> None:
    at, curves = lab.at - timedelta(minutes=20), []
    for number, (minutes, replicate) in enumerate(((0, 1), (15, 1), (30, 1), (30, 2))):
        name = f"lyso_t{minutes:03d}_rep{replicate}.jdx"
        title = f"{name}, absorbance against wavelength"
        file = add_file(
            run, RawFile(name, data=f"##TITLE={name}\n".encode() * 200), at=at + timedelta(minutes=number * 3)
        )
        curve = drawings.build_spectrum(title, minutes=minutes, seed=number)
        add_artefact(file, "curves.json", kind="curve", title=title, content=curve, at=at)
        curves.append((f"{minutes} min, replicate {replicate}", curve))
    torn = b"##TITLE=lyso_t045_rep1\n##NPOINTS=8192\n##XYDATA=(X++(Y..Y))\n" + b"220+0412+0409+0405\n" * 9_600
    add_file(
        run,
        RawFile("lyso_t045_rep1.jdx", FileStatus.FAILED, data=torn, error=DAMAGED_MESSAGE),
        at=at + timedelta(minutes=12),
    )
    sheet = papers.draw_page("Lysozyme refolding, series 2 of 4", curves)
    paper = add_file(
        run, RawFile(REPORT_NAME, data=papers.encode_page(sheet, "PDF"), content_type="application/pdf"), at=at
    )
    picture = papers.encode_page(sheet, "PNG")
    add_artefact(paper, "page-1.png", kind="image", title=f"{REPORT_NAME}, page 1", content=picture, at=at)
    add_file(run, RawFile(LONG_NAME, FileStatus.PROCESSING, 1_100_000), at=lab.at - timedelta(minutes=2))
    plates = add_file(run, RawFile("plates/Abs280_plate2.csv", data=b"well,A280\nA2,1.274\n" * 90), at=at)
    plate, table = (
        drawings.build_plate("Plate 2, absorbance at 280 nm", seed=3),
        drawings.build_table("A280 over time", seed=4),
    )
    add_artefact(plates, "plate.json", kind="plate", title="Plate 2, absorbance at 280 nm", content=plate, at=at)
    add_artefact(plates, "table.json", kind="table", title="A280 over time", content=table, at=at)
    scan = add_file(run, RawFile("cells/field_03_gfp.tif", data=b"II*\0" * 9000), at=at)
    add_artefact(scan, "field_03_gfp.png", kind="image", title="Field 3, GFP", content=drawings.build_picture(), at=at)
    add_file(run, RawFile("cuvette-photo_before-cleaning.jpg", FileStatus.DETECTED, 3_800_000), at=lab.at)
