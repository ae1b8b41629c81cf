"""Where the pages of runs are. A run's own id may hold any sign but / and \\, so it is escaped in full."""

from urllib.parse import quote


def path_of_run(instrument_id: str, run_id: str) -> str:
    return f"/instruments/{instrument_id}/runs/{quote(run_id, safe='')}"
