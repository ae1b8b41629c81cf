"""Where the page of a run is."""

from runs.models import Run
from wire.page_paths import path_of_run as path_of_run


def run_address(run: Run) -> str:
    return path_of_run(run.instrument_id, run.run_id)
