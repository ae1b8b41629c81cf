"""The viewer of a run's report: one item of one section, drawn on the server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.authentication import caller_of_page
from accounts.callers import Caller
from dashboard.files.listing import drop_empty_parameters
from dashboard.files.report_viewer import (
    Section,
    SectionItem,
    count_items,
    find_section_item,
    name_sections,
    section_of_file,
)
from dashboard.files.tiles import put_on_page
from dashboard.fragments import build_address, push_address
from dashboard.guard import page
from files import access
from files.choices import StorageClass
from files.drawing.curve import build_plot
from files.drawing.documents import NotDrawable, read_document
from files.drawing.events import build_events_view
from files.drawing.plate import build_plate_view
from files.drawing.stack import build_stack_view
from files.drawing.table import build_table_view
from files.models import File
from files.report_items import AnchorMissing
from processing.jobs import holds_waiting_files
from runs.addresses import path_of_run
from runs.lifecycle import find_run
from runs.models import Run
from wire.errors import NotFound, ServiceError

MAX_DIGITS = 18
REPORT_PARAMETERS = (
    "section",
    "find",
    "anchor",
    "position",
    "part",
    "step",
    "colour",
)  # what of the run page's address is about the report


@dataclass(frozen=True)
class Drawing:
    """How a part is shown: the template of the look and what it needs."""

    look: str  # curve, events, plate, table, stack, image, nothing, away
    file: File | None = None
    view: Any = None

    @property
    def address(self) -> str:
        """Of the document or picture that script draws from."""
        return f"/api/v1/files/{self.file.pk}/preview" if self.file else ""


@dataclass(frozen=True)
class ReportView:
    """What the viewer shows. Without an exhibit nothing was found, or nothing can be shown yet."""

    query: QueryDict
    counts: Mapping[str, int]
    section: Section | None = None
    section_item: SectionItem | None = None
    part: int = 1
    drawing: Drawing = field(default_factory=lambda: Drawing("nothing"))
    find: str = ""
    sections: Sequence[Section] = ()
    is_waiting: bool = False  # for files that are still to be read

    @property
    def state(self) -> str:
        """Differs when something else is to be seen: the page refreshes the viewer only then."""
        item = self.section_item.item if self.section_item else None
        shown = (item.pk, item.status, self.part, self.drawing.look) if item else ()
        return "/".join(map(str, (*self.counts.items(), *shown, self.find)))

    @property
    def tabs(self) -> list[tuple[Section, int]]:
        return [(section, self.counts[section.name]) for section in self.sections]

    @property
    def has_others(self) -> bool:
        """Whether the section holds more than one to step through and to search, a search made or not."""
        return self.section is not None and self.counts[self.section.name] > 1


@require_safe
@page(access.READ)
def report_fragment(request: HttpRequest, instrument_id: str, run_id: str) -> HttpResponse:
    """The viewer alone, for htmx; the address that shows the same is the run's page."""
    by = caller_of_page(request)
    run = find_run(instrument=instrument_id, run_id=run_id, by=by)
    query = drop_empty_parameters(request.GET)
    shown = {"run": run, "url": path_of_run(instrument_id, run_id), "report": report_of(run, query, by=by)}
    response = render(request, "files/_report.html", shown)
    is_sliding = request.headers.get("HX-Trigger-Name") == "step"  # a slider leaves no trail in the history
    address = build_address(request, path_of_run(instrument_id, run_id), own=REPORT_PARAMETERS)
    push_address(response, request, address, header="HX-Replace-Url" if is_sliding else "HX-Push-Url")
    return response


def report_of(run: Run, query: QueryDict, *, by: Caller) -> ReportView:
    """What the query asks to see of a run's report; what it names wrongly is shown as the first of all."""
    counts = count_items(run)
    if not counts:
        return ReportView(query, counts, is_waiting=holds_waiting_files(run))
    wanted = query.get("section") or section_of_file(run, _read_whole_number(query.get("anchor", ""), 0))
    sections = name_sections(run, counts)
    section = next((one for one in sections if one.name == wanted), sections[0])
    find = query.get("find", "").replace("\0", "").strip()[:255]
    exhibit = _find_item(run, section, query, find=find, counted=counts[section.name])
    if exhibit is None:
        return ReportView(query, counts, section, find=find, sections=sections)
    part = max(1, min(_read_whole_number(query.get("part", ""), 1), len(exhibit.parts)))
    drawing = draw_part(exhibit.parts[part - 1], query, by=by) if exhibit.parts else Drawing("nothing")
    return ReportView(query, counts, section, exhibit, part, drawing, find, sections)


def draw_part(file: File, query: QueryDict, *, by: Caller) -> Drawing:
    """A part as it is drawn here; `nothing` where it cannot be, `away` while the store is."""
    kind = file.metadata.get("kind")
    if file.storage_class == StorageClass.COLD:
        return Drawing("nothing", file)
    if (file.content_type or "").startswith("image/"):
        return Drawing("image", file, file.metadata.get("title") or file.filename)
    try:
        document = read_document(file, by=by)
        match kind:
            case "curve":
                return Drawing("curve", file, build_plot(document))
            case "events":
                return Drawing("events", file, build_events_view(document))
            case "stack":
                stack = build_stack_view(file, document)
                return Drawing("stack", file, put_on_page(stack)) if stack else Drawing("nothing", file)
            case "plate":
                step, by_sample = _read_whole_number(query.get("step", ""), 0), query.get("colour") == "samples"
                return Drawing("plate", file, build_plate_view(document, step=step, by_sample=by_sample))
            case "table":
                return Drawing("table", file, build_table_view(document))
    except (NotDrawable, NotFound):
        return Drawing("nothing", file)
    except ServiceError:
        return Drawing("away", file)
    return Drawing("nothing", file)


def _find_item(run: Run, section: Section, query: QueryDict, *, find: str, counted: int) -> SectionItem | None:
    anchor, position = _read_whole_number(query.get("anchor", ""), 0), _read_whole_number(query.get("position", ""), 1)
    find_at = partial(find_section_item, run, section, search=find, position=position, counted=counted)
    try:
        return find_at(anchor=anchor or None)
    except AnchorMissing:
        return find_at(anchor=None)


def _read_whole_number(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_DIGITS else otherwise
