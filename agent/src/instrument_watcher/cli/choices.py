"""The lists that init lets people choose from."""

from dataclasses import replace
from typing import Any

from rich.box import Box
from rich.markup import escape
from rich.table import Table

from instrument_watcher.config.model import GroupBy, Grouping
from instrument_watcher.preview import Survey, plan_runs
from instrument_watcher.sizes import count_text
from instrument_watcher.terminal import tables

GROUPINGS = {
    GroupBy.STEM: "the name without its ending: plate7.csv, plate7.log",
    GroupBy.PREFIX: "the name up to a separator: R12_a.csv, R12_b.csv",
    GroupBy.TOP_FOLDER: "the first folder below the watched one",
    GroupBy.DEEPEST_FOLDER: "the folder the file lies in",
    GroupBy.REGEX: "what a regular expression finds in the path",
}


def instrument_table(instruments: list[dict[str, Any]], box: Box) -> Table:
    table = tables.plain(box, ("", "right"), ("id", "left"), ("name", "left"), ("status", "left"))
    for number, row in enumerate(instruments, start=1):
        style = "dim" if row["status"] == "inactive" else ""
        name = "" if row["display_name"] == row["id"] else escape(row["display_name"])
        table.add_row(f"[accent]{number}[/]", row["id"], name, row["status"], style=style)
    return table


def grouping_table(survey: Survey, default: Grouping, box: Box) -> Table:
    """Each rule, and how many runs it would make of the files that are there."""
    table = tables.plain(box, ("", "right"), ("grouping", "left"), ("a run is", "left"), ("here", "right"))
    for number, (by, meaning) in enumerate(GROUPINGS.items(), start=1):
        table.add_row(
            f"[accent]{number}[/]", by.value, f"[dim]{meaning}[/]", _would_be(survey, replace(default, by=by))
        )
    return table


def _would_be(survey: Survey, grouping: Grouping) -> str:
    """Nothing where nothing is known: no file yet, or a pattern yet to be given."""
    if not survey.wanted or (grouping.by is GroupBy.REGEX and not grouping.pattern):
        return ""
    return count_text(len(plan_runs(survey.wanted, grouping).runs), "run")
