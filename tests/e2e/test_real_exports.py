"""Every real export through a running service: what is in it finds its run, and its page shows something right."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from processing.confined.output import TILES_MAGIC
from tests.browser import chromium, signed_in, visit, width_of
from tests.e2e.lab_script import LabScript, path_of
from tests.factories import PASSWORD
from tests.samples.expected import FILES, FOLDER, facts_of, needs_real_exports, type_of
from tests.service import Service

pytestmark = [needs_real_exports, pytest.mark.slow]

SCOPES = "instruments:read,instruments:create,runs:read,runs:create,runs:update,runs:upload,files:read,files:update"
PERSON = "ines@halden.example"
PATIENCE = 120.0  # seconds for all of them
SHOWN = ".plot path.trace, .plot.density .traces path, .plate td[class], .picture img, .imager, table.values tbody tr"
LEAST_SHADES = 8  # of a photograph; a stage without its tiles has one
COUNT_SHADES = """() => {
  const canvas = document.querySelector(".imager .stage canvas");
  if (!canvas?.width) return 0;
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0); // to read the stage itself again and again makes the browser complain
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""


@dataclass(frozen=True)
class Lab:
    service: Service
    script: LabScript
    files: dict[str, dict[str, Any]]  # the records, by the name in expected.json


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A service on an empty directory that was sent every file, each as a run of an instrument of its type."""
    with Service(tmp_path_factory.mktemp("real") / "data") as service:
        service.manage("create_admin", PERSON, "--name", "Ines Example", IDS_ADMIN_PASSWORD=PASSWORD)
        script = LabScript(service.url, service.manage("create_token", "lab script", "--scopes", SCOPES).strip())
        for name in sorted({type_of(expected) for expected in FILES.values()}):
            script.call("POST", "/instruments", {"id": name, "instrument_type": name})
        sent = {name: send(script, name) for name in FILES}
        yield Lab(service, script, {name: ended(script, file_id) for name, file_id in sent.items()})


def send(script: LabScript, name: str) -> int:
    path = FOLDER / name
    script.call("POST", f"/instruments/{type_of(FILES[name])}/runs", {"run_id": path.name})
    return script.upload(path_of(type_of(FILES[name]), path.name), path, path.name)


def ended(script: LabScript, file_id: int) -> dict[str, Any]:
    until = time.monotonic() + PATIENCE
    while (file := script.call("GET", f"/files/{file_id}"))["status"] not in ("completed", "failed"):
        assert time.monotonic() < until, f"{file['filename']} is {file['status']} still"
        time.sleep(0.2)
    return file


def terms_of(expected: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every fact, and each member of those that are lists."""
    facts = facts_of(expected) | {"sample_id": expected.get("sample_identifiers", [])[:5]}
    for key, value in facts.items():
        for one in value if isinstance(value, list) else [value]:
            whole = int(one) if isinstance(one, float) and one.is_integer() else one
            yield f"metadata.{key}", str(whole)


@pytest.mark.parametrize("name", FILES)
def test_every_fact_of_a_file_finds_its_run(lab, name):
    assert (lab.files[name]["status"], lab.files[name]["error_message"]) == ("completed", None)

    missed = [
        (key, value)
        for key, value in terms_of(FILES[name])
        if Path(name).name not in lab.script.find_runs(instrument_id=type_of(FILES[name]), per_page=100, **{key: value})
    ]

    assert missed == []


@pytest.mark.parametrize("name", FILES)
def test_artefacts_of_a_file_are_served(lab, name):
    files = lab.script.call(
        "GET", f"{path_of(type_of(FILES[name]), Path(name).name)}/files", category="processed", per_page=100
    )["data"]

    shown = [one for one in files if one["metadata"]["kind"] not in ("tiles", "dataset")]

    assert shown
    for one in shown:
        assert lab.script.http.get(preview_of(lab, one), timeout=60).status_code == 200
    for tiles in files:
        if tiles["metadata"]["kind"] == "tiles":
            assert_tiles_of_a_stack(lab, tiles, shown)


def preview_of(lab: Lab, file: dict[str, Any]) -> str:
    return f"{lab.script.root}/files/{file['id']}/preview"


def assert_tiles_of_a_stack(lab: Lab, tiles: dict[str, Any], shown: list[dict[str, Any]]) -> None:
    """Bytes are no preview (four types are); whoever takes the file finds each tile where a stack says it lies."""
    stacks = [one for one in shown if one["metadata"]["kind"] == "stack"]
    documents = [lab.script.http.get(preview_of(lab, one), timeout=60).json() for one in stacks]
    (stack,) = (one for one in documents if tiles["filename"] == one["tiles"])

    refused = lab.script.http.get(preview_of(lab, tiles), timeout=60)
    content = lab.script.http.get(f"{lab.script.root}/files/{tiles['id']}/download", timeout=60).content

    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "NOT_FOUND")
    assert content.startswith(TILES_MAGIC)
    assert len(content) == tiles["size_bytes"] == max(map(sum, zip(stack["offsets"], stack["lengths"], strict=True)))


@pytest.fixture(scope="module")
def page(lab: Lab) -> Iterator[Page]:
    """Ines, whose browser complains of nothing to the end."""
    with chromium() as browser:
        state = signed_in(browser, lab.service.url, PERSON)
        with visit(browser, lab.service.url, storage_state=state, viewport={"width": 1280, "height": 900}) as visitor:
            yield visitor.page


@pytest.mark.browser
@pytest.mark.parametrize("name", FILES)
def test_the_page_of_a_run_draws_what_is_in_it(page, name):
    page.goto(f"/instruments/{type_of(FILES[name])}/runs/{quote(Path(name).name, safe='')}")
    sections = page.get_by_role("navigation", name="Kinds of report").get_by_role("link")

    addresses = [section.get_attribute("href") for section in sections.all()]

    assert addresses
    for address in addresses:
        page.goto(address)
        page.locator(SHOWN).first.wait_for(state="attached")
        if page.locator(".plot").count():
            page.locator(".plot[data-state=ready]").wait_for()
        for picture in page.locator(".picture img, .imager:not([data-library^='/']) .stage-picture").all():
            assert width_of(picture) > 0
        if page.locator(".imager[data-library^='/']").count():
            page.locator(".imager[data-state=ready]").wait_for()
            assert is_drawn(page)


def is_drawn(page: Page) -> bool:
    """Whether the stage comes to show a photograph; asked again and again, as the content policy refuses to wait."""
    for _ in range(1_200):
        if page.evaluate(COUNT_SHADES) >= LEAST_SHADES:
            return True
        page.wait_for_timeout(50)
    return False
