"""The arguments by which tools find runs, and the search that they ask for: that of REST."""

from typing import Annotated, Any

from pydantic import Field

from accounts.callers import Caller
from mcp_server.arguments import as_query
from runs.models import RunSource
from runs.search import RunSearch
from runs.serializers import read_run_search
from runs.status import RunStatus

Value = str | int | float | bool
InstrumentIds = Annotated[list[str] | str | None, Field(description="Ids in list_instruments; all when absent.")]
Words = Annotated[
    str, Field(description="Words, all in a run's name, metadata, file names, comments or instrument's name.")
]
PartOfRunId = Annotated[str, Field(description="Part of the run_id.")]
Statuses = Annotated[
    list[RunStatus] | RunStatus | None,
    Field(description="`failed`: a file was not readable; `stalled`: reading takes too long."),
]
RanBy = Annotated[str, Field(description="A person's name or UUID, `me` or `unattributed`.")]
Source = Annotated[RunSource | None, Field(description="Who reported the run.")]
DateFrom = Annotated[str, Field(description="First day (YYYY-MM-DD) or date-time with offset.")]
DateTo = Annotated[str, Field(description="Last day or date-time, inclusive.")]
MetadataFilter = Annotated[
    dict[str, Value | dict[str, Value]] | None,
    Field(
        description='All must hold: {"analyst": "Jenny", "wavelength_nm": {"ge": 280}}; '
        "gt, ge, lt, le, ne, contains, exists."
    ),
]
Tags = Annotated[list[str] | str | None, Field(description="Tags, all of which the run has.")]
ProjectId = Annotated[str, Field(description="`project_id` of a run.")]
UpdatedSince = Annotated[str, Field(description="Changed since this day or date-time.")]


def read_run_filters(*, metadata: dict[str, Any] | None, by: Caller, **filters: Any) -> RunSearch:
    """What REST would look for. Raises ValidationError, which names every bad filter."""
    return read_run_search(as_query(**filters, **name_metadata(metadata or {})), by=by)


def name_metadata(metadata: dict[str, Any]) -> dict[str, Any]:
    """The parameters by which REST takes what is asked of the metadata."""
    compared = {key: value for key, value in metadata.items() if isinstance(value, dict)}
    exact = {f"metadata.{key}": value for key, value in metadata.items() if key not in compared}
    return exact | {
        f"metadata[{key}][{operator}]": value for key, asked in compared.items() for operator, value in asked.items()
    }
