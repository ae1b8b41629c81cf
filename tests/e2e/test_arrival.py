"""In a real browser: a run arrives while somebody looks, is read, and is taken home."""

import zipfile

import pytest
from playwright.sync_api import expect

from tests.browser import chromium, signed_in, visit, width_of
from tests.e2e.lab_script import LabScript
from tests.factories import PASSWORD
from tests.samples.instruments import pdf
from tests.service import FirstStart

INES = "ines@halden.example"
RUN = "/instruments/reader-7/runs/first-run"
SCOPES = ",".join(
    [
        "instruments:read",
        "instruments:create",
        "instruments:write",
        "runs:create",
        "runs:update",
        "runs:upload",
        "files:update",
        "notifications:create",
        "watchers:report",
    ]
)
SOON = 120_000  # ms: pages refresh every ten seconds

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """An empty service with one admin."""
    with FirstStart(tmp_path_factory.mktemp("arrival") / "data") as service:
        service.manage("create_admin", INES, "--name", "Ines Example", IDS_ADMIN_PASSWORD=PASSWORD)
        yield service


@pytest.fixture(scope="module")
def script(service):
    return LabScript(service.url, service.manage("create_token", "bench PC", "--scopes", SCOPES).strip())


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def session(service, browser):
    return signed_in(browser, service.url, INES)


@pytest.fixture
def ines(service, browser, session):
    with visit(browser, service.url, storage_state=session) as visitor:
        yield visitor.page


@pytest.fixture
def without_script(service, browser, session):
    with visit(browser, service.url, storage_state=session, java_script_enabled=False) as visitor:
        yield visitor.page


def test_an_empty_service_turns_into_a_laboratory_while_one_looks(ines, service, script, tmp_path):
    ines.goto("/")
    expect(ines.locator(".steps .now")).to_contain_text("The program")  # the token is there
    script.call("POST", "/instruments", {"id": "reader-7", "display_name": "Reader 7"})
    script.call("POST", "/watchers/register", {"instrument_id": "reader-7", "hostname": "BENCH-PC"})
    expect(ines.get_by_text("waits for your confirmation")).to_be_visible(timeout=SOON)
    ines.get_by_role("button", name="Confirm").click()
    expect(ines.get_by_text("1 instrument: active.")).to_be_visible()

    script.call("POST", "/instruments/reader-7/runs", {"run_id": "first-run"})

    expect(ines.get_by_role("heading", name="Latest runs")).to_be_visible(timeout=SOON)
    ines.get_by_role("link", name="first-run").click()
    expect(ines.get_by_text("Nothing to look at yet")).to_be_visible()

    bring_files(script, tmp_path)

    expect(ines.get_by_role("link", name="PDF pages")).to_be_visible(timeout=SOON)
    picture = ines.locator(".picture img")
    expect(picture).to_be_visible(timeout=SOON)
    assert width_of(picture) > 100
    expect(ines.locator("#files tbody tr")).to_have_count(2)


def bring_files(script, folder):
    """Again and again, if need be: bytes that are there are not sent twice."""
    for name, data, path in (
        ("report.pdf", pdf("Made by Reader 7"), "report.pdf"),
        ("notes.txt", b"Lamp changed.\n", "day 1/notes.txt"),
    ):
        (folder / name).write_bytes(data)
        script.upload(RUN, folder / name, path)


@pytest.fixture
def first_run(script, tmp_path):
    """The run with its two files, also where the test of its arrival was left out."""
    if "reader-7" not in [one["id"] for one in script.call("GET", "/instruments")["data"]]:
        script.call("POST", "/instruments", {"id": "reader-7", "display_name": "Reader 7"})
        script.call("PATCH", "/instruments/reader-7", {"status": "active"})
    script.call("POST", "/instruments/reader-7/runs", {"run_id": "first-run"})
    bring_files(script, tmp_path)


@pytest.mark.usefixtures("first_run")
def test_one_several_and_all_files_come_home(ines):
    ines.goto(RUN)
    with ines.expect_download() as one:
        ines.get_by_role("link", name="Download day 1/notes.txt").click()
    assert one.value.path().read_text() == "Lamp changed.\n"

    for box in ines.locator("#files tbody .pick").all():
        box.check()
    with ines.expect_download() as several:
        ines.get_by_role("region", name="Selected files").get_by_role("button", name="Download").click()
    assert {"day 1/notes.txt", "report.pdf"} <= set(zipfile.ZipFile(several.value.path()).namelist())

    ines.goto(RUN)
    with ines.expect_download() as everything:
        ines.get_by_role("link", name="Download all").click()
    assert {"day 1/notes.txt", "report.pdf", "manifest.json"} <= set(
        zipfile.ZipFile(everything.value.path()).namelist()
    )


def test_a_message_is_read_in_the_inbox(ines, script):
    me = ines.request.get("/api/v1/whoami").json()["id"]
    script.call("POST", "/notifications/dispatch", {"user_ids": [me], "message": "QC passed, CV 2.1 %."})

    ines.goto("/inbox")
    expect(ines.get_by_text("QC passed, CV 2.1 %.")).to_be_visible()
    ines.get_by_role("button", name="Mark all read").click()

    expect(ines.get_by_text("Nothing unread")).to_be_visible()
    ines.get_by_role("link", name="All", exact=True).click()
    expect(ines.get_by_text("QC passed, CV 2.1 %.")).to_be_visible()


@pytest.mark.usefixtures("first_run")
def test_deleting_and_bringing_back_work_without_script(without_script, service):
    page = without_script
    page.goto("/runs")
    page.locator("tbody .pick").first.check()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Run deleted.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="first-run")).to_be_visible()


@pytest.mark.usefixtures("first_run")
def test_remarks_and_filters_work_without_script(without_script, service):
    page = without_script
    page.goto("/runs")
    page.locator("summary", has_text="Status").click()
    page.get_by_label("Failed").check()
    page.get_by_role("button", name="Apply").locator("visible=true").click()
    expect(page).to_have_url(f"{service.url}/runs?status=failed")

    page.goto(RUN)
    page.get_by_label("Your comment").fill("Keep it")
    page.get_by_role("button", name="Comment").click()
    page.get_by_role("link", name="Edit").click()
    page.locator("#edit-comment").fill("Kept")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".md", has_text="Kept")).to_be_visible()
    page.get_by_role("link", name="Edit").click()
    page.locator("form summary", has_text="Delete").click()
    page.get_by_role("button", name="Delete for good").click()
    expect(page.locator(".md")).to_have_count(0)


@pytest.mark.usefixtures("first_run")
def test_downloads_members_and_instruments_work_without_script(without_script, service):
    page = without_script
    page.goto(RUN)
    page.get_by_role("link", name="Download all").click()
    with page.expect_download():  # once it is packed: until then the page reloads itself
        page.get_by_role("link", name="Download", exact=True).click()

    service.manage("create_user", "mia@halden.example", "--name", "Mia", IDS_USER_PASSWORD=PASSWORD)
    page.goto("/settings/members")
    page.get_by_label("Select Mia").check()
    page.get_by_role("button", name="Make admin").click()
    expect(page.get_by_text("Mia is now an admin.")).to_be_visible()
    page.goto("/instruments")
    page.get_by_label("Select Reader 7").check()
    page.get_by_role("button", name="Follow", exact=True).click()
    expect(page.get_by_role("list", name="Followed").get_by_text("Reader 7")).to_be_visible()
