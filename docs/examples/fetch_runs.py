#!/usr/bin/env python3
"""Fetches the files of the runs that a search finds, each once and verified, with the Python client.

    python fetch_runs.py ./downloads --since "last week" plate_id=P7

The service and the token are those of `ids-data login`, or of IDS_URL and IDS_TOKEN.
"""

import argparse
from pathlib import Path

import instrument_data as ids


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--instrument")
    parser.add_argument("--since")
    parser.add_argument("metadata", nargs="*", metavar="name=value")
    asked = parser.parse_intermixed_args()
    if wrong := [one for one in asked.metadata if "=" not in one]:
        parser.error(f"{wrong[0]} is not name=value")

    metadata = dict(one.split("=", 1) for one in asked.metadata)
    with ids.connect() as lab:
        for run in lab.runs(instrument=asked.instrument, since=asked.since, metadata=metadata):
            for path in run.files.save(asked.folder / run.instrument_id / run.run_id):
                print(path)


if __name__ == "__main__":
    try:
        main()
    except (ids.InstrumentDataError, OSError, ValueError) as error:
        raise SystemExit(str(error)) from None
