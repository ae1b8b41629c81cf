"""Where each row of a stored Parquet file is from, as columns that whoever reads many of them together needs.

They begin with an underscore, which no dataset's own column does, and are no columns of the dataset: answers of the
service leave them out, and say it by columns of their own (datasets/stacking.py).
"""

from collections.abc import Mapping

from files.models import File

INSTRUMENT, RUN, SOURCE_FILE = "_instrument", "_run", "_source_file"
ORIGIN_COLUMNS = (INSTRUMENT, RUN, SOURCE_FILE)


def describe_place(source: File) -> Mapping[str, str]:
    """By column: the instrument's id, the run's name, the path of the file within its run."""
    return {INSTRUMENT: source.run.instrument_id, RUN: source.run.run_id, SOURCE_FILE: source.relative_path}
