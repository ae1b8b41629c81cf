"""The filters of the run list as people see them: each a chip that can be set, changed and taken off."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from django.http import QueryDict

from accounts.models import User
from dashboard.runs.columns import PARAMETER as COLUMNS
from dashboard.runs.columns import WIDTHS, canonicalize_columns, canonicalize_widths
from instruments.models import Instrument
from runs.group_keys import PARAMETER as GROUP_BY
from runs.group_keys import SAMPLE
from runs.metadata_filters import SIGNS, is_metadata_parameter, read_parameter
from runs.serializers import ME, UNATTRIBUTED

PARAMETERS = (
    *("search", "q", "instrument_id", "status", "ranBy", "source", "date_from", "date_to", "updated_since"),
    *("tag", "project_id"),
    *("include_deleted", "sort", "order", "group_by", "columns", "widths", "density", "page", "per_page", "view"),
)
DEFAULT_VIEW, ALL_RUNS = "view", "all"  # the parameter that keeps an instrument's page from its default view
DEFAULTS = {"page": "1", "sort": "acquired_at", "order": "desc", "include_deleted": "false", "density": "normal"}
METADATA_INPUTS = ("fact", "compared", "value")  # of the form that adds a metadata filter
CARRIED_PARAMETERS = (  # without an input of theirs
    *("q", "include_deleted", "source", "updated_since", "tag", "project_id", "columns", "widths", "density", "view"),
    "group_by",
)
PRESENTATION_PARAMETERS = (
    "sort",
    "order",
    "group_by",
    "columns",
    "widths",
    "density",
    "page",
    "per_page",
    "view",
)  # how it is shown, not what is found
DATE_PRESETS = {"Today": 0, "Yesterday": 1, "Last 7 days": 6, "Last 4 weeks": 27, "Last 12 months": 364}
WHOLE_DAYS = {"Yesterday"}  # that one and no day after it


@dataclass(frozen=True)
class Chips:
    """The filters that are set, by the menu that sets them."""

    words: "Chip | None" = None
    date: "Chip | None" = None
    instrument: "Chip | None" = None
    status: "Chip | None" = None
    who: "Chip | None" = None
    gathered: tuple["Chip", ...] = ()  # tags and a project
    facts: tuple["Chip", ...] = ()
    deleted: "Chip | None" = None


@dataclass(frozen=True)
class Chip:
    """A filter that is set: what it is called, what it is set to, and the query string without it."""

    label: str
    text: str
    without: str


def canonicalize_query(asked: QueryDict) -> QueryDict:
    """The one spelling of a view's address: no empty values, no defaults, no page parameters that mean nothing."""
    query = QueryDict(mutable=True)
    for name in sorted({*asked, *_read_added_filter(asked)} - {*METADATA_INPUTS}, key=_parameter_order):
        values = dict.fromkeys([*asked.getlist(name), *_read_added_filter(asked).get(name, [])])
        kept = [value for value in values if value and value != DEFAULTS.get(name)]
        if kept and (name in PARAMETERS or is_metadata_parameter(name)):
            query.setlist(name, kept)
    if query.get(DEFAULT_VIEW, ALL_RUNS) != ALL_RUNS:
        del query[DEFAULT_VIEW]
    if columns := canonicalize_columns(asked):
        query[COLUMNS] = columns
    if widths := canonicalize_widths(asked):
        query[WIDTHS] = widths
    else:
        query.pop(WIDTHS, None)
    if query.get(GROUP_BY) == "sample":
        query[GROUP_BY] = SAMPLE
    return query


def needs_redirect(asked: QueryDict, query: QueryDict) -> bool:
    """The address asked for has another spelling, its order aside, so the browser is sent to the one that counts."""
    return dict(asked.lists()) != dict(query.lists())


def build_chips(
    query: QueryDict,
    *,
    instruments: Mapping[str, str],
    projects: Mapping[str, str],
    people: Iterable[User],
    today: date,
) -> Chips:
    """The chips of what is set. The text of `search` stands in its own input."""
    facts = [name for name in query if is_metadata_parameter(name)]
    shown = {
        "words": ("Anywhere", query.get("q", ""), ("q",)),
        "date": ("Date", format_dates(query, today=today), ("date_from", "date_to")),
        "instrument": (
            "Instrument",
            _format_instruments(query.getlist("instrument_id"), instruments),
            ("instrument_id",),
        ),
        "status": ("Status", ", ".join(map(_format_status, query.getlist("status"))), ("status",)),
        "who": ("Ran by", _format_person(query.get("ranBy", ""), people), ("ranBy",)),
        "deleted": ("Deleted runs", "shown" if query.get("include_deleted") else "", ("include_deleted",)),
    }
    return Chips(
        gathered=tuple(_list_gathering_chips(query, projects)),
        facts=tuple(
            Chip(_label_metadata(name), " and ".join(query.getlist(name)), drop_parameters(query, name))
            for name in facts
        ),
        **{
            name: Chip(label, text, drop_parameters(query, *parameters))
            for name, (label, text, parameters) in shown.items()
            if text
        },
    )


def _label_metadata(name: str) -> str:
    asked = read_parameter(name)
    return " ".join(filter(None, (asked.key, SIGNS.get(asked.operator, "")))) if asked else name


def _list_gathering_chips(query: QueryDict, projects: Mapping[str, str]) -> Iterable[Chip]:
    tags = query.getlist("tag")
    for tag in tags:
        rest = query.copy()
        rest.setlist("tag", [other for other in tags if other != tag])
        yield Chip("Tag", tag, drop_parameters(rest))
    if project := query.get("project_id", ""):
        yield Chip("Project", projects.get(project, "unknown"), drop_parameters(query, "project_id"))


def list_date_presets(*, today: date) -> dict[str, tuple[str, str | None]]:
    """{"Last 7 days": ("2026-11-14", None)}: from when and until when each of them is."""
    days = {label: f"{today - timedelta(days=days)}" for label, days in DATE_PRESETS.items()}
    return {label: (day, day if label in WHOLE_DAYS else None) for label, day in days.items()}


def format_dates(query: QueryDict, *, today: date) -> str:
    """`Last 7 days`, `2026-11-14`, `2026-11-01 to 2026-11-14`; empty where no date is asked for."""
    since, until = query.get("date_from", "")[:10], query.get("date_to", "")[:10]
    if not since and not until:
        return ""
    known = {preset: label for label, preset in list_date_presets(today=today).items()}
    if label := known.get((since, until or None)):
        return label
    if since == until:
        return since
    return f"{since or '…'} to {until or 'now'}" if since else f"until {until}"


def drop_parameters(query: QueryDict, *names: str) -> str:
    """The query string less these parameters, from the first page on."""
    rest = query.copy()
    for name in (*names, "page"):
        rest.pop(name, None)
    return rest.urlencode()


def keep_presentation(query: QueryDict) -> str:
    """The query string of how the list is shown, with nothing that is looked for."""
    return drop_parameters(query, *(name for name in query if name not in PRESENTATION_PARAMETERS))


def _format_instruments(asked: list[str], names: Mapping[str, str]) -> str:
    return f"any of {len(asked)}" if len(asked) > 1 else "".join(names.get(name, name) for name in asked)


def _format_status(state: str) -> str:
    return state.replace("_", " ").capitalize()


def _format_person(ran_by: str, people: Iterable[User]) -> str:
    fixed = {"": "", ME: "Me", UNATTRIBUTED: "Nobody yet"}
    if ran_by in fixed:
        return fixed[ran_by]
    return next((user.name for user in people if str(user.pk) == ran_by), "Somebody")


def _read_added_filter(asked: QueryDict) -> dict[str, list[str]]:
    """The metadata filter that the form adds."""
    fact, compared, value = (asked.get(name, "").strip() for name in METADATA_INPUTS)
    name = f"metadata[{fact}][{compared}]" if compared in SIGNS else f"metadata.{fact}"
    return {name: [value]} if fact and value else {}


def _parameter_order(name: str) -> tuple[int, str]:
    return (PARAMETERS.index(name) if name in PARAMETERS else -1, name)


def map_display_names(instruments: Iterable[Instrument]) -> dict[str, str]:
    return {instrument.pk: instrument.display_name for instrument in instruments}
