"""Prompts: what people ask most, as a first message that names the right tools."""

from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS
from pydantic import Field

from wire.fields import is_day


def register_prompts(server: MCPServer[Any]) -> None:
    for prompt in (daily_summary, troubleshoot_instrument, compare_runs):
        server.prompt(title=prompt.__name__.replace("_", " ").capitalize())(prompt)


async def daily_summary(date: Annotated[str, Field(description="YYYY-MM-DD; today when empty.")] = "") -> str:
    """What the lab did on a day, and what needs attention."""
    if date and not is_day(date):
        raise MCPError(code=INVALID_PARAMS, message="date: A day is needed, as YYYY-MM-DD; without it, today.")
    day = date or "today (get_system_status tells the service's time and time zone)"
    return f"""\
Summarise what the laboratory's instruments did on the day: {day}.

1. get_system_status: is anything degraded, is a watcher offline, do jobs wait?
2. search_runs with date_from and date_to set to that day; read all pages.
3. For every run that is `failed` or `stalled`: get_run, and quote the error_message of its failed files.
4. list_watchers: name the instruments that send nothing.

Answer in this order: what needs attention and what to do about it; runs by instrument (how many, by whom, how much \
data); anything unusual. Link nothing that you did not read. If there were no runs, say so in one sentence."""


async def troubleshoot_instrument(
    instrument_id: Annotated[str, Field(description="The instrument's id, such as hplc-2.")],
) -> str:
    """Why an instrument's data does not arrive or fails."""
    return f"""\
Find out what is wrong with the instrument `{instrument_id}`.

1. get_instrument: is it active, does it have a watcher?
2. list_watchers with this instrument_id: when was the watcher last heard, which folder does it watch?
3. list_watcher_events of that watcher, `error` and `upload_failed` first: what did it complain about?
4. search_runs of this instrument with status failed, stalled, pending_upload: get_run on the newest of each.

Tell the most likely cause first, with the messages and times that show it, then what a person can do at the \
instrument's computer and what in the dashboard. Say what you could not see."""


async def compare_runs(
    instrument_id: Annotated[str, Field(description="The instrument of both runs.")],
    run_id_1: Annotated[str, Field(description="The run_id of the first run.")],
    run_id_2: Annotated[str, Field(description="The run_id of the second run.")],
) -> str:
    """How two runs of an instrument differ."""
    return f"""\
Compare the runs `{run_id_1}` and `{run_id_2}` of the instrument `{instrument_id}`.

1. get_run of both: times, who ran them, status, metadata, files.
2. get_run_report of both: tables, curves and pictures.
3. list_run_comments of both: what did people say?

Show a table of the metadata that differs, then the differences in the results with numbers and units, then what may \
explain them. Keep apart what the data shows and what you suppose."""
