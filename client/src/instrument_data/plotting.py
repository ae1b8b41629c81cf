"""A first look at a dataset, by matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from instrument_data.tables import need, read_arrow, units_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_TRACES = 12


NOTHING_TO_DRAW = "There is nothing to draw a line of: no column is an axis, or none a value."


def check_drawable(roles: dict[str, str | None]) -> None:
    """Raises ValueError."""
    if not {"axis", "value"} <= set(roles.values()):
        raise ValueError(NOTHING_TO_DRAW)


def draw(stream: bytes, roles: dict[str, str | None], *, axes: Any = None, title: str = "") -> Axes:
    """One line for each trace over the axis. Raises ValueError where there is no axis or nothing to draw over it."""
    axes = axes or need("matplotlib.pyplot", "plot").subplots()[1]
    table = read_arrow(stream)
    units = units_of(table)
    x, keys = _first(table, roles, "axis"), _all(table, roles, "key")
    values = _all(table, roles, "value")
    if x is None or not values:
        raise ValueError(NOTHING_TO_DRAW)
    for name, rows in _traces(table, keys).items():
        axes.plot(rows[x].to_numpy(), rows[values[0]].to_numpy(), label=name or None)
    axes.set_xlabel(label_of(x, units))
    axes.set_ylabel(label_of(values[0], units))
    axes.set_title(title)
    if keys and 1 < len(axes.lines) <= MAX_TRACES:
        axes.legend()
    return axes


def label_of(column: str, units: dict[str, str | None]) -> str:
    return f"{column} [{units[column]}]" if units.get(column) else column


def _traces(table: Any, keys: Sequence[str]) -> dict[str, Any]:
    if not keys:
        return {"": table}
    compute = need("pyarrow.compute", "plot")
    return {str(one): table.filter(compute.equal(table[keys[0]], one)) for one in table[keys[0]].unique()}


def _all(table: Any, roles: dict[str, str | None], role: str) -> list[str]:
    return [name for name in table.column_names if roles.get(name) == role]


def _first(table: Any, roles: dict[str, str | None], role: str) -> str | None:
    return next(iter(_all(table, roles, role)), None)
