"""A run's report and files on its page: the viewer, the table, what is done with picked files."""

import json
import re

import pytest

from files.models import File
from processing.models import ProcessingJob
from tests.factories import make_file, make_run, make_stored_file, make_watcher
from tests.markup import address_of_run
from wire.clock import now

pytestmark = pytest.mark.django_db
STATE = re.compile(r'data-state="([^"]+)"')
CURVE = {
    "format": "ids-curve/1",
    "title": "Absorbance",
    "x": {"label": "Wavelength", "unit": "nm"},
    "y": {"label": "Absorbance", "unit": "AU"},
    "series": [{"label": "Sample", "x": [220, 280, 400], "y": [0.1, 0.8, 0.05]}],
}
PLATE = {
    "format": "ids-plate/1",
    "title": "Plate 2",
    "rows": 2,
    "columns": 3,
    "quantity": "A280",
    "unit": "AU",
    "wells": {"A1": {"value": 0.5, "sample": "lyso 1:2"}, "B3": {"value": None, "note": "OVRFLW"}},
}
TABLE = {
    "format": "ids-table/1",
    "title": "T",
    "columns": [{"name": "t", "unit": "min"}],
    "rows": [[5]],
    "total_rows": 9,
}


def make_artefact(kind, document, **fields):
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    known = {"category": "processed", "status": "completed", "processed_at": now(), "content_type": "application/json"}
    return make_stored_file(
        fields.pop("name", f"{kind}.json"), data, caller_metadata={"kind": kind}, **(known | fields)
    )


def test_a_curve_is_drawn_without_script(page):
    run = make_run()
    make_artefact("curve", CURVE, run=run)

    shown = page(run)

    assert '<path class="trace s1" d="M0 ' in shown
    assert "Wavelength (nm)" in shown
    assert "Sample is highest at 280 nm with 0.8 AU." in shown


def test_a_plate_is_a_table_of_wells(page):
    run = make_run()
    make_artefact("plate", PLATE, run=run)

    shown = page(run)

    assert 'title="A1: 0.5 AU, lyso 1:2"' in shown
    assert re.search(r'<td[^>]*class="vx[^>]*title="B3: OVRFLW"[^>]*>\s*OVR\s*</td>', shown)
    assert "1 well without a number: 1 OVRFLW" in shown


def test_a_table_tells_how_many_rows_there_are(page):
    run = make_run()
    make_artefact("table", TABLE, run=run)

    shown = page(run)

    assert "t (min)" in shown
    assert "the first 1 of 9 rows" in shown


def test_a_picture_comes_from_our_own_address(page):
    run = make_run()
    scan = make_file("field.tif", run=run, status="completed")
    picture = {"content_type": "image/png", "source_file": scan, "report_kind": "image"}
    made = make_artefact("image", b"\x89PNG\r\n", run=run, name="field.png", **picture)

    shown = page(run)

    assert f'<img src="/api/v1/files/{made.pk}/preview"' in shown
    assert "field.tif" in shown


def test_a_raw_picture_is_never_shown_itself(page):
    run = make_run()
    make_stored_file("photo.png", run=run)

    shown = page(run)

    assert "<img" not in shown
    assert "It is not read yet" in shown


def test_the_viewer_steps_through_the_items_in_natural_order(page):
    run = make_run()
    files = [make_artefact("curve", CURVE, run=run, name=f"s{number}.json") for number in (10, 9, 2)]

    first, last = page(run), page(run, f"?section=spectra&anchor={files[0].pk}")

    assert "s2.json" in first
    assert f"anchor={files[1].pk}" in first
    assert 'value="3"><span class="muted">of 3' in last
    assert 'value="2"><span class="muted">of 3' in page(run, "?section=spectra&position=2")
    assert 'value="3"><span class="muted">of 3' in page(run, "?section=spectra&position=99")


def test_a_drawing_that_is_alone_in_its_section_has_nothing_to_step_to_or_search(page):
    run = make_run()
    make_artefact("plate", PLATE, run=run)
    for name in "ab":
        make_artefact("curve", CURVE, run=run, name=f"{name}.json")

    assert page(run, "?section=plates").count('name="position"') == 0
    assert page(run, "?section=plates").count("Find by file name") == 0
    assert page(run, "?section=spectra").count('name="position"') == 1
    assert page(run, "?section=spectra").count('placeholder="Find by file name"') == 1


def test_an_anchor_alone_opens_the_section_that_shows_it(page):
    run = make_run()
    make_artefact("curve", CURVE, run=run)
    plate = make_artefact("plate", PLATE, run=run)

    assert "Plate map" in page(run, f"?anchor={plate.pk}")


@pytest.mark.parametrize(
    "query", ["?anchor=999999", "?anchor=x", "?section=nonsense", "?position=-1", "?part=99&step=99"]
)
def test_a_question_that_leads_nowhere_shows_the_first_item(page, query):
    run = make_run()
    make_artefact("curve", CURVE, run=run)

    assert "Wavelength (nm)" in page(run, query)


def test_items_are_found_by_their_name(page):
    run = make_run()
    make_artefact("curve", CURVE, run=run, name="alpha.json")
    make_artefact("curve", CURVE, run=run, name="beta.json")

    assert "of 1</span>" in page(run, "?section=spectra&find=BET")
    assert "No curve is called like that" in page(run, "?section=spectra&find=gamma")


@pytest.mark.parametrize(
    "document",
    [
        b"not json",
        b"[1]",
        b"{}",
        b"[" * 5000,
        {"format": "ids-curve/1", "series": "x"},
        {"format": "ids-curve/1", "series": [{"x": [1], "y": ["NaN"]}]},
        {"format": "ids-curve/1", "series": [{"x": [1e308, -1e308], "y": [1e308, -1e308]}]},
    ],
)
def test_an_artefact_that_is_none_is_offered_as_a_download(page, document):
    run = make_run()
    make_artefact("curve", document, run=run)

    assert "Nothing of it can be drawn here" in page(run)


def test_htmx_gets_the_viewer_alone(client, ines):
    run = make_run()
    make_artefact("curve", CURVE, run=run)

    response = client.get(f"{address_of_run(run)}/report?section=spectra&find=")

    assert "<html" not in response.content.decode()
    assert response["HX-Push-Url"] == f"{address_of_run(run)}?section=spectra"


def test_a_fragment_changes_its_own_part_of_the_address(client, ines):
    run = make_run()
    make_artefact("curve", CURVE, run=run)
    shown = {
        "HX-Request": "true",
        "HX-Current-URL": f"http://testserver{address_of_run(run)}?section=tables&name=a&edit=7",
    }

    report = client.get(f"{address_of_run(run)}/report?section=spectra&name=b", headers=shown)
    files = client.get(f"{address_of_run(run)}/files?name=b&state=", headers=shown)

    assert report["HX-Push-Url"] == f"{address_of_run(run)}?name=a&edit=7&section=spectra"
    assert files["HX-Push-Url"] == f"{address_of_run(run)}?section=tables&edit=7&name=b"


def test_what_is_shown_already_gets_no_second_entry_in_the_history(client, ines):
    run = make_run()

    response = client.get(
        f"{address_of_run(run)}/files?name=b",
        headers={"HX-Current-URL": f"http://testserver{address_of_run(run)}?name=b"},
    )

    assert "HX-Push-Url" not in response


def test_the_viewer_is_marked_anew_when_something_else_is_to_be_seen(page):
    run = make_run()
    first = make_file("a.jdx", run=run, status="uploaded")
    before = STATE.search(page(run))[1]
    again = STATE.search(page(run))[1]
    File.objects.filter(pk=first.pk).update(status="failed")

    assert again == before
    assert STATE.search(page(run))[1] != before


def test_the_table_shows_raw_files_and_narrows(page):
    run = make_run()
    make_file("a.csv", run=run, status="failed", error_message="Torn.")
    make_file("b.csv", run=run, status="completed")
    make_file("c.json", run=run, status="completed", category="processed")

    assert "c.json" not in page(run)
    assert "c.json" in page(run, "?type=processed")
    assert "Torn." in page(run, "?state=failed")
    assert "b.csv" not in page(run, "?state=failed")
    assert "No file is like that" in page(run, "?name=zzz")


def test_files_come_in_pages(client, page):
    run = make_run()
    for number in range(51):
        make_file(f"f{number}.csv", run=run)

    assert "f50.csv" not in page(run)
    assert "f50.csv" in page(run, "?page=2")
    assert "f50.csv" in client.get(f"{address_of_run(run)}/files?page=2").content.decode()


def test_waiting_files_are_asked_for(client, ines):
    watcher = make_watcher()
    run = make_run(instrument=watcher.instrument)
    file = make_file(run=run)

    client.post(f"{address_of_run(run)}/files/selection", {"do": "ask", "file": file.pk})

    file.refresh_from_db()
    assert file.status == "upload_requested"
    assert "The watcher is offline; it will be asked when it calls: 1 file." in client.get("/runs").content.decode()


def test_waiting_files_are_dismissed(client, ines):
    run = make_run()
    file, other = make_file(run=run), make_file()

    client.post(f"{address_of_run(run)}/files/selection", {"do": "dismiss", "file": [file.pk, other.pk]})

    file.refresh_from_db()
    other.refresh_from_db()
    assert file.deleted_at is not None
    assert other.deleted_at is None


def test_files_are_read_again(client, ines):
    file, other = make_file(status="failed"), make_file(status="failed")

    client.post(f"{address_of_run(file.run)}/files/selection", {"do": "reprocess", "file": [file.pk, other.pk]})

    assert list(ProcessingJob.objects.values_list("file", flat=True)) == [file.pk]
    assert "1 file being read again." in client.get("/runs").content.decode()


def test_what_is_done_with_files_leads_back_to_the_filters_they_were_picked_under(client, ines):
    file = make_file(status="failed")
    url = address_of_run(file.run)
    shown = f"http://testserver{url}?state=failed&page=2#files"

    answer = client.post(f"{url}/files/selection", {"do": "reprocess", "file": [file.pk]}, HTTP_REFERER=shown)

    assert answer["Location"] == f"{url}?state=failed&page=2#files"


def test_what_is_done_with_files_leads_to_no_other_page(client, ines):
    file = make_file(status="failed")
    url = address_of_run(file.run)

    answer = client.post(
        f"{url}/files/selection", {"do": "reprocess", "file": [file.pk]}, HTTP_REFERER="http://testserver/runs?q=a"
    )

    assert answer["Location"] == f"{url}#files"


def test_a_stored_file_is_not_dismissed(client, ines):
    file = make_file(status="uploaded")

    client.post(f"{address_of_run(file.run)}/files/selection", {"do": "dismiss", "file": file.pk})

    assert "The bytes of this file are stored" in client.get("/runs").content.decode()


@pytest.mark.parametrize(
    ("picked", "path"), [([7], "/api/v1/files/7/download"), ([7, 8], "{run}/archive?file_ids=7%2C8")]
)
def test_one_file_is_downloaded_as_it_is_and_several_as_one_zip(client, ines, picked, path):
    run = make_run()

    answer = client.post(f"{address_of_run(run)}/files/selection", {"do": "download", "file": picked})

    assert answer["Location"] == path.format(run=address_of_run(run))


def link_of(shown, name):
    """Where the name of a file in the table leads."""
    table = shown.partition('id="files"')[2]
    return re.search(rf'<a\s+class="name"\s+href="([^"]+)"\s+title="{re.escape(name)}"', table)[1].replace("&amp;", "&")


def test_a_files_name_opens_its_report_and_its_size_downloads_it(page):
    run = make_run()
    raw = make_file("scan.csv", run=run, status="completed")
    make_artefact("table", TABLE, run=run, source_file=raw, name="a-table.json")
    curve = make_artefact("curve", CURVE, run=run, source_file=raw, report_kind="spectrum")
    other = make_file("notes.txt", run=run, status="completed")

    shown = page(run, "?type=all")

    url = address_of_run(run)
    assert link_of(shown, "scan.csv") == f"{url}?type=all&anchor={curve.pk}#report"
    assert link_of(shown, "curve.json") == f"{url}?type=all&anchor={curve.pk}#report"
    assert link_of(shown, "notes.txt") == f"/api/v1/files/{other.pk}/download"
    assert f'class="get" href="/api/v1/files/{raw.pk}/download" aria-label="Download scan.csv"' in shown
    assert f'hx-get="{url}/report?anchor={curve.pk}"' in shown


def test_a_picture_is_its_own_report_and_what_is_kept_for_programs_none(page):
    run = make_run()
    picture = make_file("gel.png", run=run, status="completed")
    raw = make_file("plate.csv", run=run, status="completed")
    hidden = make_artefact("plate", PLATE, run=run, source_file=raw)
    File.objects.filter(pk=hidden.pk).update(caller_metadata={"kind": "plate", "shown": False})

    shown = page(run)

    assert link_of(shown, "gel.png") == f"{address_of_run(run)}?anchor={picture.pk}#report"
    assert link_of(shown, "plate.csv") == f"/api/v1/files/{raw.pk}/download"


def test_bytes_that_are_not_here_are_offered_by_nobody(page):
    run = make_run()
    make_file("late.raw", run=run, status="detected")

    shown = page(run)

    assert 'class="get"' not in shown
