"""The columns of the run list: which there are, which the address names, and which are shown where it names none."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from django.http import QueryDict

from datasets.summaries import Summary, read_summary
from runs.metadata_terms import is_filterable_key
from wire.errors import ValidationError

PARAMETER, TYPED_KEY = "columns", "column"
MOVES = {"up": -1, "down": 1}  # buttons of the menu, by how far they move a column
METADATA = "metadata."
PREVIEW = "preview"
MAX_COLUMNS = 12
WIDTHS, WIDTH_INPUT = "widths", "width."
WIDTH = re.compile(r"([A-Za-z0-9_.-]+):([0-9]{1,5})")
MIN_WIDTH, MAX_WIDTH = 40, 1_200
LEAVING = ("", "", "", "p2", "p3", "p3", "p4", "p4")  # by place: what leaves first where the page is narrow
LAST_LEAVING = "p5"


@dataclass(frozen=True)
class Column:
    """A column: its name in the address, its heading, what it is sorted by, and its classes."""

    name: str
    title: str
    sort: str = ""
    first_order: str = "desc"
    kind: str = ""
    leaves: str = ""
    width: int | None = None  # pixels; None is as wide as it needs

    @property
    def key(self) -> str:
        """The metadata key; empty for a column of every run."""
        return self.name.removeprefix(METADATA) if self.name.startswith(METADATA) else ""

    @property
    def is_fact(self) -> bool:
        """A text of the run's own: a metadata value, or what its datasets come to."""
        return bool(self.key or self.summary)

    @property
    def summary(self) -> Summary | None:
        return read_summary(self.name)

    @property
    def origin(self) -> str:
        return "metadata" if self.key else "data" if self.summary else ""

    @property
    def head_css(self) -> str:
        return " ".join(filter(None, ("num" if self.kind.startswith("num") else "", self.leaves)))

    @property
    def css(self) -> str:
        return f"{self.kind} {self.leaves}".strip()


BUILT_IN = {
    column.name: column
    for column in (
        Column(PREVIEW, "Preview", kind="shot"),
        Column("run", "Run", sort="run_id", first_order="asc", kind="key"),
        Column("status", "Status"),
        Column("instrument", "Instrument", kind="cut dim"),
        Column("ran_by", "Ran by"),
        Column("started", "Started", sort="acquired_at", kind="num"),
        Column("arrived", "Arrived", sort="created_at", kind="num"),
        Column("files", "Files", kind="num dim"),
        Column("size", "Size", sort="total_size_bytes", kind="num dim"),
        Column("tags", "Tags", kind="cut dim"),
        Column("project", "Project", kind="cut dim"),
        Column("comments", "Comments", kind="num dim"),
    )
}
USUAL = (PREVIEW, "run", "status", "instrument", "ran_by", "files", "size", "started", "comments")
USUALLY_LEAVING = {"files": "p2", "size": "p2", "comments": "p3"}


def canonicalize_columns(asked: QueryDict) -> str:
    """The columns of an address or of the menu's form as one value: `run,status,metadata.od600`, each once."""
    names = list(dict.fromkeys(name for value in asked.getlist(PARAMETER) for name in value.split(",") if name))
    if typed := asked.get(TYPED_KEY, "").strip():
        key = typed if typed in BUILT_IN or read_summary(typed) else f"{METADATA}{typed.removeprefix(METADATA)}"
        names = list(dict.fromkeys([*names, key]))
    for move, distance in MOVES.items():
        if (name := asked.get(move)) in names:
            names = _move(names, name, distance)
    return ",".join(names)


def _move(names: Sequence[str], name: str, distance: int) -> list[str]:
    place = names.index(name)
    rest = [other for other in names if other != name]
    rest.insert(max(0, place + distance), name)
    return rest


def read_columns(query: QueryDict) -> list[Column]:
    """Those that the address names, the run always among them; none where it names none. Raises ValidationError."""
    names = [name for name in query.get(PARAMETER, "").split(",") if name]
    if not names:
        return []
    if len(names) > MAX_COLUMNS:
        raise ValidationError(fields={PARAMETER: [f"At most {MAX_COLUMNS} columns fit a list."]})
    columns = [_find_column(name) for name in (names if "run" in names else ["run", *names])]
    return [replace(column, leaves=_leaves_at(place)) for place, column in enumerate(columns)]


def canonicalize_widths(asked: QueryDict) -> str:
    """The widths of an address, and of the menu's inputs `width.<column>`, as one value: `run:320,started:120`."""
    widths = {**_parse_widths(asked.get(WIDTHS, ""))}
    for name in asked:
        if name.startswith(WIDTH_INPUT) and is_column(column := name.removeprefix(WIDTH_INPUT)):
            widths.pop(column, None)
            widths |= _parse_widths(f"{column}:{asked[name]}")
    return ",".join(f"{name}:{width}" for name, width in widths.items())


def apply_widths(columns: Sequence[Column], query: QueryDict) -> list[Column]:
    widths = _parse_widths(query.get(WIDTHS, ""))
    return [replace(column, width=widths.get(column.name)) for column in columns]


def _parse_widths(text: str) -> dict[str, int]:
    """What is no width of a column is left out; the others are brought within what can be read."""
    found = [WIDTH.fullmatch(one) for one in text.split(",")[: 2 * MAX_COLUMNS]]
    return {
        one[1]: min(max(int(one[2]), MIN_WIDTH), MAX_WIDTH) for one in found if one is not None and is_column(one[1])
    }


def is_column(name: str) -> bool:
    return (
        name in BUILT_IN
        or read_summary(name) is not None
        or (name.startswith(METADATA) and is_filterable_key(name.removeprefix(METADATA)))
    )


def _find_column(name: str) -> Column:
    if found := BUILT_IN.get(name):
        return found
    if summary := read_summary(name):
        return build_summary_column(summary)
    if name.startswith(METADATA) and is_filterable_key(name.removeprefix(METADATA)):
        return build_metadata_column(name.removeprefix(METADATA))
    known = ", ".join((*BUILT_IN, "metadata.<key>", "data.<dataset>.<column>.max or .min"))
    raise ValidationError(fields={PARAMETER: [f"There is no column {name[:80]}. There are {known}."]})


def build_metadata_column(key: str, *, leaves: str = "") -> Column:
    return Column(f"{METADATA}{key}", key, kind="cut dim", leaves=leaves)


def build_summary_column(summary: Summary) -> Column:
    return Column(summary.name, summary.title, kind="num dim")


def _leaves_at(place: int) -> str:
    return LEAVING[place] if place < len(LEAVING) else LAST_LEAVING


def list_usual_columns(*, keys: Sequence[str], instrument: str | None, has_previews: bool = True) -> list[Column]:
    """Where the address names none: without the instrument on its own page, and there with telling metadata.

    Previews stand where a run on the page has one.
    """
    facts = [build_metadata_column(key, leaves=f"p{place + 2}") for place, key in enumerate(keys)]
    names = [name for name in USUAL if has_previews or name != PREVIEW]
    usual = [replace(BUILT_IN[name], leaves=USUALLY_LEAVING.get(name, "")) for name in names]
    if instrument is None:
        return usual
    place = names.index("instrument")
    return [*usual[:place], *facts, *usual[place + 1 :]]


def list_summary_columns(shown: Iterable[Column], *, summaries: Iterable[Summary]) -> list[Column]:
    taken = {column.name for column in shown}
    return [build_summary_column(one) for one in summaries if one.name not in taken]


def list_addable_columns(shown: Iterable[Column], *, keys: Iterable[str]) -> list[Column]:
    """What the menu offers beside what is shown: the rest of those of every run, and these metadata keys."""
    taken = {column.name for column in shown}
    known = [*BUILT_IN.values(), *(build_metadata_column(key) for key in keys if is_filterable_key(key))]
    return [column for column in known if column.name not in taken]
