#!/usr/bin/env python3
"""Tells of each run that is complete, once, also across restarts, with the Python client.

    python follow_runs.py position.txt

The service and the token are those of `ids-data login`, or of IDS_URL and IDS_TOKEN. Ctrl-C ends it; with
--once it ends when all was told.
"""

import argparse
from pathlib import Path

import instrument_data as ids


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("state", type=Path, help="the file that keeps the position")
    parser.add_argument("--once", action="store_true")
    asked = parser.parse_args()

    place = asked.state.read_text() if asked.state.exists() else None
    with ids.connect() as lab:
        follow = lab.changes if asked.once else lab.watch
        for change in follow(after=place, types="run.completed"):
            print(change.instrument_id, change.run_id, flush=True)
            asked.state.write_text(str(change.position))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except (ids.InstrumentDataError, OSError) as error:
        raise SystemExit(str(error)) from None
