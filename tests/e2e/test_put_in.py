"""In a real browser: files put in by hand, a large one in parts, with a reload in the middle."""

import base64
import hashlib
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser import Visit, chromium, signed_in, visit
from tests.e2e.lab_script import LabScript, path_of
from tests.factories import PASSWORD
from tests.service import Service

INES = "ines@halden.example"
SCOPES = "instruments:create,instruments:read,runs:create,runs:read,runs:upload,files:read,files:update"
AT_ONCE = 3  # files that are on their way: dashboard/static/uploads.js
LARGE = 20 * 1024 * 1024  # three parts
SPECTRUM = "wavelength [nm],absorbance [AU]\n" + "".join(f"{250 + n},{n * n / 1000}\n" for n in range(60))
PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP6DwABBQECz6AuzQAAAABJRU5ErkJggg=="
)  # one grey pixel
GOES_IN_PART = re.compile(r"/objects/.*[?&]part=(\d+)")

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with Service(tmp_path_factory.mktemp("put-in") / "data") as service:
        service.manage("create_admin", INES, "--name", "Ines Example", IDS_ADMIN_PASSWORD=PASSWORD)
        yield service


@pytest.fixture(scope="module")
def script(service: Service) -> LabScript:
    script = LabScript(service.url, service.manage("create_token", "lab", "--scopes", SCOPES).strip())
    script.call("POST", "/instruments", {"id": "reader", "display_name": "Reader"})
    return script


@pytest.fixture
def visitor(service: Service, script: LabScript) -> Iterator[Visit]:
    with chromium() as browser, visit(browser, service.url, storage_state=signed_in(browser, service.url, INES)) as one:
        yield one


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "lysozyme"
    (folder / "raw").mkdir(parents=True)
    (folder / "t000.csv").write_text(SPECTRUM)
    (folder / "t015.csv").write_text(SPECTRUM.replace("absorbance", "scattering"))
    (folder / "raw" / "camera.dat").write_bytes(random.Random(3).randbytes(LARGE))
    return folder


def make_run(page: Page, name: str) -> None:
    page.goto("/instruments/reader")
    page.get_by_role("link", name="Upload files").click()
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_role("button", name="Create run").click()
    expect(page.get_by_role("heading", name="Upload files", exact=True)).to_be_visible()
    page.wait_for_load_state()  # whole, and it takes files
    if not page.locator("#put-in").count():
        pytest.skip("no @noble/hashes here: npm reached no registry")


def row(page: Page, name: str, state: str) -> None:
    expect(page.locator(f"li:has-text('{name}')")).to_have_attribute("data-state", state)


def test_a_folder_arrives_complete_though_the_page_was_reloaded_in_the_middle(
    visitor: Visit, script: LabScript, folder: Path
) -> None:
    page, sent = visitor.page, list[str]()

    def stop_at_the_third(route: Route) -> None:
        if GOES_IN_PART.search(route.request.url)[1] != "3":  # type: ignore[index]
            route.continue_()

    make_run(page, "timecourse")
    page.route(GOES_IN_PART, stop_at_the_third)
    with page.expect_request(re.compile("part=3"), timeout=60_000):  # checksums first
        page.locator("#pick-folder").set_input_files(folder)
    for name in ("t000.csv", "t015.csv"):
        row(page, name, "sent")
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    page.unroute(GOES_IN_PART)

    page.on("request", lambda request: sent.append(request.url) if request.method == "PUT" else None)
    expect(page.get_by_text("1 file was begun and not finished")).to_be_visible()
    page.locator("#pick-folder").set_input_files(folder)
    row(page, "t000.csv", "here")
    row(page, "raw/camera.dat", "sent")
    page.get_by_role("link", name="Open the run").click()

    assert [GOES_IN_PART.search(url)[1] for url in sent] == ["3"]  # type: ignore[index]
    expect(page.locator("aside").get_by_text("Ines Example").first).to_be_visible()
    files = script.call("GET", f"{path_of('reader', 'timecourse')}/files", category="raw")["data"]
    assert {one["relative_path"] for one in files} == {"t000.csv", "t015.csv", "raw/camera.dat"}
    for one in files:
        assert script.download(one["id"]) == hashlib.sha256((folder / one["relative_path"]).read_bytes()).hexdigest()
    for _ in range(600):  # two minutes and a half: machines of the tests are busy
        found = script.call("GET", path_of("reader", "timecourse"))["files"]
        if {one["status"] for one in found if one["filename"].endswith(".csv")} == {"completed"}:
            break
        page.wait_for_timeout(250)
    assert {one["status"] for one in found if one["filename"].endswith(".csv")} == {"completed"}


def drop(page: Page, name: str, text: str) -> None:
    """As a pointer would, from outside, once the page listens."""
    page.wait_for_load_state()
    page.evaluate(
        """([name, text]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([text], name, { type: "text/csv" }));
          const about = { dataTransfer, bubbles: true, cancelable: true };
          document.body.dispatchEvent(new DragEvent("dragover", about));
          document.body.dispatchEvent(new DragEvent("drop", about));
        }""",
        [name, text],
    )


def test_a_drop_onto_an_instrument_makes_a_run_and_a_second_one_tells_what_is_there(visitor: Visit) -> None:
    page = visitor.page
    make_run(page, "to see whether it can be done")
    page.goto("/instruments/reader")

    drop(page, "scan 7.csv", SPECTRUM)
    expect(page.get_by_label("Name", exact=True)).to_have_value("scan 7")
    page.get_by_role("button", name="Create run and send 1 file").click()
    row(page, "scan 7.csv", "sent")
    page.get_by_role("link", name="Open the run").click()
    expect(page.get_by_role("heading", name="scan 7")).to_be_visible()

    drop(page, "scan 7.csv", SPECTRUM + "310,1\n")
    row(page, "scan 7.csv", "other_bytes")
    expect(page.get_by_role("group", name="1 file needs your decision.")).to_be_visible()
    expect(page.get_by_text("The run has a file of this name with other bytes.")).to_be_visible()
    page.get_by_label("What to do with it").select_option("leave")
    expect(page.get_by_role("link", name="Open the run")).to_be_visible()
    page.get_by_label("What to do with it").select_option("send")
    page.get_by_role("button", name="Send 1").click()
    row(page, "scan 7.csv", "sent")


def tab_to(page: Page, *, role: str, name: str) -> None:
    """As a person without a pointer gets there."""
    wanted = page.get_by_role(role, name=name, exact=True).first  # type: ignore[arg-type]
    expect(wanted).to_be_visible()
    for _ in range(80):
        page.keyboard.press("Tab")
        if wanted.evaluate("one => one === document.activeElement"):
            return
    raise AssertionError(f"no {role} {name} is reached")


def test_a_run_is_uploaded_and_signed_by_the_keyboard_alone(visitor: Visit, folder: Path) -> None:
    page = visitor.page
    page.on("filechooser", lambda chooser: chooser.set_files([folder / "t000.csv", folder / "t015.csv"]))
    page.goto("/runs/new?instrument=reader")
    page.locator("#pick-files").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Create run and send 2 files")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("by keys alone")
    page.keyboard.press("Enter")
    done = page.get_by_role("link", name="Open the run")
    expect(done).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="by keys alone")).to_be_visible()

    page.get_by_label("More actions").press("Enter")
    tab_to(page, role="link", name="Sign…")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Sign the run")).to_be_visible()
    tab_to(page, role="combobox", name="I have")
    expect(page.get_by_label("I have")).to_have_value("")  # nobody signs as author because it stood there first
    page.keyboard.type("reviewed")
    tab_to(page, role="textbox", name=f"Password of {INES}")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")

    signed = page.locator(".signatures b")
    expect(signed).to_have_text("Ines Example")
    box = signed.bounding_box()
    assert box
    assert box["height"] < 30  # one line


def test_a_drop_marks_where_one_is_and_shows_names_as_they_are_spelt(visitor: Visit) -> None:
    page = visitor.page
    page.goto("/instruments/reader")
    drop(page, "turned \u202evsc.exe", SPECTRUM)
    name = page.get_by_label("Name", exact=True)
    expect(name).to_have_value("turned vsc")
    runs = page.get_by_role("navigation", name="Main").get_by_role("link", name="Runs")
    expect(runs).to_have_attribute("aria-current", "page")
    name.fill("turned")
    page.get_by_role("button", name="Create run and send 1 file").click()

    row(page, "turned \ufffdvsc.exe", "failed")
    expect(runs).to_have_attribute("aria-current", "page")
    visitor.trouble.clear()  # the browser writes down what was refused


def test_a_store_that_is_full_says_so_and_what_was_not_sent_goes_later(visitor: Visit, folder: Path) -> None:
    page = visitor.page
    full = '{"error": {"code": "SERVICE_UNAVAILABLE", "message": "The object store is full.", "details": null}}'
    make_run(page, "while full")
    page.route("**/objects/**", lambda route: route.fulfill(status=503, body=full, content_type="application/json"))
    page.locator("input[type=file]:not([webkitdirectory])").set_input_files(folder / "t000.csv")
    row(page, "t000.csv", "failed")
    expect(page.locator("li:has-text('t000.csv')")).to_contain_text("The object store is full. It can be sent again.")
    page.unroute("**/objects/**")
    page.get_by_role("button", name="Send 1").click()

    row(page, "t000.csv", "sent")
    visitor.trouble.clear()  # the browser writes down what was refused


def test_what_a_script_stored_for_the_name_meanwhile_is_not_taken_for_the_file(
    visitor: Visit, script: LabScript, folder: Path
) -> None:
    page, theirs = visitor.page, folder / "theirs" / "t000.csv"
    theirs.parent.mkdir()
    theirs.write_text("other bytes")
    waiting = [theirs]

    def overtake(route: Route) -> None:
        if waiting:
            script.upload("/instruments/reader/runs/overtaken", waiting.pop(), "t000.csv")
        route.continue_()

    make_run(page, "overtaken")
    page.route("**/confirm", overtake)
    page.locator("#pick-files").set_input_files(folder / "t000.csv")

    row(page, "t000.csv", "failed")
    expect(page.locator("li:has-text('t000.csv')")).to_contain_text("Somebody else sent another file of this name")


def test_a_second_file_of_a_name_is_asked_about_first_and_becomes_its_version(visitor: Visit, tmp_path: Path) -> None:
    page, sent = visitor.page, list[str]()
    for place in ("monday", "tuesday"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "scan.csv").write_text(f"{place}\n{SPECTRUM}")
    make_run(page, "two of a name")
    page.on("request", lambda request: sent.append(request.url) if request.method == "PUT" else None)
    page.locator("#pick-files").set_input_files([tmp_path / place / "scan.csv" for place in ("monday", "tuesday")])

    expect(page.get_by_role("group", name="1 file needs your decision.")).to_be_visible()
    expect(page.locator(".uploads li").first).to_have_attribute("data-state", "twice")
    assert sent == []
    page.get_by_role("button", name="Send 2").click()

    expect(page.get_by_text("All of them are here.")).to_be_visible()
    assert len(sent) == 2


def test_the_same_bytes_under_two_names_of_one_choice_are_told(visitor: Visit, folder: Path) -> None:
    page, copy = visitor.page, folder / "t000 (copy).csv"
    copy.write_text(SPECTRUM)
    make_run(page, "chosen with a copy")
    page.locator("#pick-files").set_input_files([folder / "t000.csv", copy, folder / "t015.csv"])

    expect(page.get_by_text("t000.csv, chosen too, has the same bytes.")).to_be_visible()
    twin = page.locator(".uploads li").first
    expect(twin).to_have_attribute("data-state", "other_name")
    expect(page.get_by_role("button", name="Send 3")).to_be_focused()
    page.get_by_role("button", name="Leave it out, send 2").click()

    for name in ("t000.csv", "t015.csv"):
        expect(page.locator(f".uploads li:has(.name:text-is('{name}'))")).to_have_attribute("data-state", "sent")
    expect(twin).to_have_attribute("data-state", "other_name")
    expect(page.get_by_text("2 of 3 are here.")).to_be_visible()


def test_what_is_being_sent_is_stopped_and_goes_on(visitor: Visit, folder: Path) -> None:
    page, held = visitor.page, list[Route]()
    for number in range(5):
        (folder / f"more {number}.csv").write_text(f"{number}\n{SPECTRUM}")
    make_run(page, "stopped")
    page.route("**/objects/**", lambda route: held.append(route))
    page.locator("#pick-files").set_input_files([folder / f"more {number}.csv" for number in range(5)])
    for _ in range(1_200):
        if len(held) >= AT_ONCE:
            break
        page.wait_for_timeout(50)
    page.get_by_role("button", name="Stop").click()
    for route in held:
        route.continue_()
    page.unroute("**/objects/**")
    page.get_by_role("button", name="Send 2").click()

    expect(page.get_by_text("All of them are here.")).to_be_visible()


def test_it_is_stopped_and_goes_on_by_the_keyboard_alone(visitor: Visit, folder: Path) -> None:
    page, held = visitor.page, list[Route]()
    files = [folder / f"more {number}.csv" for number in range(5)]
    for number, path in enumerate(files):
        path.write_text(f"{number}\n{SPECTRUM}")
    make_run(page, "stopped by keys")
    page.route("**/objects/**", lambda route: held.append(route))
    page.locator("#pick-files").set_input_files(files)
    stop = page.locator("#stop")
    expect(stop).to_be_visible()
    stop.press("Enter")
    expect(stop).to_have_text("Stopping")
    expect(stop).to_be_focused()
    expect(page.get_by_text("stops after what is on its way")).to_be_visible()
    for _ in range(1_200):
        if len(held) >= AT_ONCE:
            break
        page.wait_for_timeout(50)
    for route in held:
        route.continue_()
    page.unroute("**/objects/**")
    again = page.get_by_role("button", name="Send 2")
    expect(again).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.get_by_text("All of them are here.")).to_be_visible()
    expect(page.get_by_role("link", name="Open the run")).to_be_focused()


def test_a_file_that_changed_after_it_was_chosen_is_told_and_taken_anew(visitor: Visit, tmp_path: Path) -> None:
    page, growing = visitor.page, tmp_path / "growing.csv"
    growing.write_text(SPECTRUM)
    os.utime(growing, (1_700_000_000, 1_700_000_000))  # browsers know a change by the second
    make_run(page, "still measuring")
    page.route("**/put-in/known", lambda route: (growing.write_text(f"{SPECTRUM}400,1\n"), route.continue_()))
    page.locator("#pick-files").set_input_files(growing)
    row(page, "growing.csv", "unreadable")
    page.unroute("**/put-in/known")
    expect(page.get_by_text("it was changed, moved or deleted since. Choose it again.")).to_be_visible()
    expect(page.get_by_text("0 of 1 are here.")).to_be_visible()

    page.locator("#pick-files").set_input_files(growing)

    row(page, "growing.csv", "sent")
    visitor.trouble.clear()  # the browser writes down that it refused to send


def test_without_a_network_it_waits_and_goes_on_by_itself(visitor: Visit, folder: Path) -> None:
    page = visitor.page

    def lose_the_network(route: Route) -> None:
        page.context.set_offline(True)
        route.abort()

    make_run(page, "in the lift")
    page.route("**/put-in/tickets", lose_the_network)
    page.locator("#pick-files").set_input_files(folder / "t000.csv")
    expect(page.get_by_text("You are offline; it goes on by itself when the network is back.")).to_be_visible()
    page.unroute("**/put-in/tickets")
    page.context.set_offline(False)

    row(page, "t000.csv", "sent")
    visitor.trouble.clear()  # the browser writes down what it did not reach


def test_a_proxy_that_finds_no_service_for_a_moment_is_asked_again(visitor: Visit, folder: Path) -> None:
    page = visitor.page
    make_run(page, "during the update")
    gone = {"status": 502, "body": "<h1>Bad gateway</h1>", "content_type": "text/html"}
    page.route("**/put-in/tickets", lambda route: route.fulfill(**gone), times=1)
    page.locator("#pick-files").set_input_files(folder / "t000.csv")

    row(page, "t000.csv", "sent")
    visitor.trouble.clear()  # the browser writes down what was refused


def test_files_dropped_when_the_session_has_ended_are_kept(visitor: Visit, script: LabScript) -> None:
    page = visitor.page
    page.goto("/instruments/reader")
    session = page.context.cookies()
    page.context.clear_cookies()
    drop(page, "late.csv", SPECTRUM)
    expect(page.get_by_text("The files are kept. Your session has ended: sign in in another tab.")).to_be_visible()
    page.context.add_cookies(session)  # type: ignore[arg-type]  # as playwright gave them
    page.get_by_role("button", name="Try again").click()

    expect(page.get_by_text("It is sent as soon as the run is created.")).to_be_visible()
    expect(page.get_by_label("Name", exact=True)).to_have_value("late")


def test_that_files_are_kept_stays_said_when_the_page_looks_again_for_news(visitor: Visit, script: LabScript) -> None:
    page = visitor.page
    page.clock.install()
    page.goto("/instruments/reader")
    page.context.clear_cookies()
    drop(page, "late.csv", SPECTRUM)
    said = page.get_by_text("The files are kept. Your session has ended: sign in in another tab.")
    expect(said).to_be_visible()

    with page.expect_response(lambda answer: "/accounts/login/" in answer.url):
        page.clock.run_for(11_000)
    page.wait_for_timeout(500)
    page.context.set_offline(True)
    page.context.set_offline(False)

    expect(said).to_be_visible()
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_an_instrument_added_by_hand_takes_its_first_files(visitor: Visit, folder: Path) -> None:
    page = visitor.page
    page.goto("/instruments")
    page.get_by_role("link", name="Add by hand").click()
    page.get_by_label("Name", exact=True).fill("Cell counter")
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_text("Drop files or a folder")).to_be_visible()
    page.locator("#pick-files").set_input_files(folder / "t000.csv")
    page.get_by_role("button", name="Create run").click()
    expect(page.get_by_role("heading", name="Upload files", exact=True)).to_be_visible()
    if not page.locator("#put-in").count():
        pytest.skip("no @noble/hashes here: npm reached no registry")
    page.get_by_role("link", name="Open the run").click()

    expect(page.get_by_role("heading", name="t000")).to_be_visible()


PASTE = """(box, bytes) => {
  const clipboardData = new DataTransfer();
  clipboardData.items.add(new File([Uint8Array.from(bytes)], "gel.png", { type: "image/png" }));
  box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}"""


def test_a_picture_is_chosen_by_the_keyboard_before_the_script_of_pictures_has_come(
    visitor: Visit, script: LabScript, tmp_path: Path
) -> None:
    page, held, gel = visitor.page, list[Route](), tmp_path / "gel.png"
    page.on("filechooser", lambda _: None)  # so that the driver listens by the time that a key opens one
    gel.write_bytes(bytes(PICTURE))
    script.call("POST", "/instruments/reader/runs", {"run_id": "chosen"})
    page.route("**/comment_pictures*.js*", lambda route: held.append(route))
    page.goto("/instruments/reader/runs/chosen")
    box = page.get_by_label("Your comment")

    box.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Add a picture")).to_be_focused()
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(gel)
    for route in held:
        route.continue_()
    page.unroute("**/comment_pictures*.js*")

    expect(box).to_have_value(re.compile(r"^!\[gel\]\(\S+\)\n$"))


@pytest.mark.parametrize("is_away_at_first", [False, True], ids=["slow", "away"])
def test_a_picture_that_is_pasted_before_the_script_of_pictures_has_come_is_not_lost(
    visitor: Visit, script: LabScript, *, is_away_at_first: bool
) -> None:
    page, held = visitor.page, list[Route]()
    run = f"pasted-{is_away_at_first}"
    script.call("POST", "/instruments/reader/runs", {"run_id": run})
    page.route("**/comment_pictures*.js*", lambda route: held.append(route))
    page.goto(f"/instruments/reader/runs/{run}")
    box = page.get_by_label("Your comment")

    box.focus()
    box.evaluate(PASTE, list(PICTURE))
    page.wait_for_timeout(300)
    assert "![" not in box.input_value()
    for route in held:
        route.abort() if is_away_at_first else route.continue_()
    page.unroute("**/comment_pictures*.js*")
    if is_away_at_first:
        page.get_by_role("alert").get_by_role("button", name="Try again").click()
        visitor.trouble[:] = [one for one in visitor.trouble if "ERR_FAILED" not in one]

    expect(box).to_have_value(re.compile(r"^!\[gel\]\(\S+\)\n$"))
