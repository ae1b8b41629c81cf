#!/usr/bin/env python3
"""Sends a folder as one run with the Python client; repeating it sends only what is missing.

    python send_folder.py ./results hplc-2 2026-11-21-batch-7 plate_id=P7 analyst=Ines

The service and the token are those of `ids-data login`, or of IDS_URL and IDS_TOKEN.
"""

import argparse

import instrument_data as ids


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("instrument")
    parser.add_argument("run")
    parser.add_argument("metadata", nargs="*", metavar="name=value")
    asked = parser.parse_args()
    if wrong := [one for one in asked.metadata if "=" not in one]:
        parser.error(f"{wrong[0]} is not name=value")

    metadata = dict(one.split("=", 1) for one in asked.metadata)
    with ids.connect() as lab:
        report = lab.upload(asked.folder, instrument=asked.instrument, run=asked.run, metadata=metadata)
    print(f"{len(report.uploaded)} sent, {len(report.known)} known already")


if __name__ == "__main__":
    try:
        main()
    except (ids.InstrumentDataError, OSError, ValueError) as error:
        raise SystemExit(str(error)) from None
