"""A run's report as people look at it: sections, in each one item at a time, and what can be shown of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import Case, Count, IntegerField, Q, When

from files.choices import FileCategory, ReportKind
from files.drawing.trace_names import join_names
from files.models import File, FileQuerySet
from files.previews import PREVIEW_TYPES
from files.report_items import ReportWindow, select_window
from processing.declarations import list_declared_viewers
from runs.models import Run

WINDOW_ITEMS = 3  # the item with the one before and the one after
MAX_TRACE_NAMES = 3  # so many kinds of traces are simply curves


@dataclass(frozen=True)
class Section:
    """One kind of thing a report holds. `shows` is the kind of artefact in which its items can be seen."""

    name: str
    title: str
    singular: str
    icon: str
    artefact_kind: str
    report_kind: ReportKind = ReportKind.NONE  # none: the artefacts themselves are the items


SECTIONS = (
    Section("events", "Events", "tube", "curve", "events"),
    Section("spectra", "Curves", "curve", "curve", "curve", ReportKind.SPECTRUM),  # named by what the run holds
    Section("plates", "Plates", "plate", "plate", "plate"),
    Section("images", "Images", "image", "image", "image", ReportKind.IMAGE),
    Section("pages", "PDF pages", "document", "pdf", "image", ReportKind.PDF),
    Section("tables", "Tables", "table", "table", "table"),
)
OWN_KINDS = [section.artefact_kind for section in SECTIONS if not section.report_kind]
SECTION_ORDER = Case(
    *(
        When(report_kind=section.report_kind, then=place)
        if section.report_kind
        else When(metadata__kind=section.artefact_kind, then=place)
        for place, section in enumerate(SECTIONS)
    ),
    output_field=IntegerField(),
)


@dataclass(frozen=True)
class SectionItem:
    """One item of a section. `position` begins with 1; `parts` are what can be shown of it, often one."""

    section: Section
    item: File
    position: int
    total: int
    previous: int | None
    next: int | None
    parts: Sequence[File]

    @property
    def original(self) -> File:
        """The instrument's own file, where the item was made from one."""
        return self.item.source_file or self.item


def count_items(run: Run) -> Mapping[str, int]:
    """How many items each section holds, by name; sections without any are left out."""
    stored = File.objects.filter(run=run).active().stored()
    kinds = stored.exclude(report_kind=ReportKind.NONE).order_by().values_list("report_kind").annotate(n=Count("id"))
    counts = {ReportKind(kind): count for kind, count in kinds}
    artefacts = exclude_hidden(stored.filter(metadata__kind__in=OWN_KINDS)).order_by()
    shown = dict(artefacts.values_list("metadata__kind").annotate(n=Count("id")))
    found = {s.name: counts.get(s.report_kind, 0) if s.report_kind else shown.get(s.artefact_kind, 0) for s in SECTIONS}
    return {name: count for name, count in found.items() if count}


def name_sections(run: Run, counts: Mapping[str, int]) -> list[Section]:
    """The sections that hold anything: first, and by their names, those that a plug-in declares; then ours."""
    found = [section for section in SECTIONS if section.name in counts]
    viewers = {str(viewer.kind): viewer for viewer in list_declared_viewers(run)}
    declared = {
        section.artefact_kind: replace(section, title=viewer.plural, singular=viewer.singular)
        for section in found
        if section.name != "pages" and (viewer := viewers.get(section.artefact_kind))
    }
    others = [section for section in found if section.name == "pages" or section.artefact_kind not in declared]
    ours = [name_traces(run, section) if section.artefact_kind == "curve" else section for section in others]
    return [*(declared[kind] for kind in viewers if kind in declared), *ours]


def name_traces(run: Run, section: Section) -> Section:
    drawn = items_of_kind(run, section.artefact_kind).order_by()
    slugs = drawn.values_list("metadata__trace", flat=True).distinct()[: MAX_TRACE_NAMES + 1]
    name = join_names(sorted(slug if isinstance(slug, str) else "" for slug in slugs))
    return replace(section, title=name.plural, singular=name.singular)


def items_of_kind(run: Run, kind: str) -> FileQuerySet:
    return File.objects.filter(run=run, category=FileCategory.PROCESSED, metadata__kind=kind).active().stored()


def section_of_file(run: Run, file_id: int) -> str:
    """The name of the section that shows a file of the run; empty where none does."""
    file = File.objects.filter(run=run, pk=file_id).only("report_kind", "metadata").first() if file_id else None
    if file is None:
        return ""
    kind = file.metadata.get("kind")
    fits = (
        s.name for s in SECTIONS if (s.report_kind == file.report_kind if s.report_kind else s.artefact_kind == kind)
    )
    return next(fits, "")


def find_section_item(
    run: Run, section: Section, *, search: str, position: int, anchor: int | None, counted: int | None = None
) -> SectionItem | None:
    """The item at this position, or the anchor, of `counted` in the section; None where nothing is found.

    Raises AnchorMissing.
    """
    files = items_of(run, section)
    window = ReportWindow(
        section.report_kind, search=search, offset=max(0, position - 2), limit=WINDOW_ITEMS, anchor=anchor
    )
    found = select_window(files, window, counted=counted)
    if not found.items and 0 < found.total < position:
        return find_section_item(run, section, search=search, position=found.total, anchor=None, counted=counted)
    if not found.items:
        return None
    place = found.anchor_index if found.anchor_index is not None else min(position, found.total) - 1
    here = min(max(0, place - found.offset), len(found.items) - 1)
    item = File.objects.select_related("source_file").get(pk=found.items[here].pk)
    return SectionItem(
        section,
        item,
        position=found.offset + here + 1,
        total=found.total,
        previous=found.items[here - 1].pk if here else None,
        next=found.items[here + 1].pk if here + 1 < len(found.items) else None,
        parts=parts_of(item, section),
    )


def items_of(run: Run, section: Section) -> FileQuerySet:
    files = File.objects.filter(run=run).active().stored()
    if section.report_kind:
        return files.filter(report_kind=section.report_kind)
    return exclude_hidden(files.filter(metadata__kind=section.artefact_kind))


def exclude_hidden(files: FileQuerySet) -> FileQuerySet:
    """Artefacts for the eye; what processing keeps for programs says so."""
    return files.filter(category=FileCategory.PROCESSED).exclude(metadata__contains={"shown": False})


def find_shown_items(run: Run, files: Sequence[File]) -> Mapping[int, int]:
    """By file the item of the report that shows it: the file itself, else the first of what was made from it."""
    own = {file.pk: file.pk for file in files if is_item(file)}
    sources = [file.pk for file in files if file.category == FileCategory.RAW and file.uploaded_at]
    made = File.objects.filter(run=run, source_file__in=set(sources) - own.keys()).active().stored()
    drawn = Q(metadata__kind__in=OWN_KINDS, category=FileCategory.PROCESSED)
    items = made.filter(drawn | ~Q(report_kind=ReportKind.NONE)).exclude(metadata__contains={"shown": False})
    first = items.order_by("source_file", SECTION_ORDER, "natural_key", "pk").distinct("source_file")
    return own | {source: item for source, item in first.values_list("source_file", "pk") if source}


def is_item(file: File) -> bool:
    if not file.uploaded_at or file.deleted_at or file.purged_at:
        return False
    is_own = file.category == FileCategory.PROCESSED and file.metadata.get("kind") in OWN_KINDS
    return file.report_kind != ReportKind.NONE or (is_own and file.metadata.get("shown") is not False)


def list_stacks(item: File) -> list[File]:
    source_id = item.source_file_id if item.category == FileCategory.PROCESSED else item.pk
    made = File.objects.active().stored().filter(source_file_id=source_id, metadata__kind="stack")
    return list(made.order_by("natural_key", "id")) if source_id else []


def parts_of(item: File, section: Section) -> list[File]:
    """The artefact itself, or what reading the raw file left behind of this kind; of images all planes, if it did."""
    if section.report_kind == ReportKind.IMAGE and (stacks := list_stacks(item)):
        return stacks
    if item.category == FileCategory.PROCESSED:
        return [item]
    made = File.objects.active().stored().filter(source_file=item, metadata__kind=section.artefact_kind)
    return list(made.filter(content_type__in=PREVIEW_TYPES).order_by("natural_key", "id")[:50])
