#!/usr/bin/env python3
"""Downloads every file of the runs that a search finds, and compares what arrived with its SHA-256.

    IDS_TOKEN=ids_… python download_runs.py http://127.0.0.1:8000 ./downloads search=batch status=completed

Filters are those of GET /api/v1/instrument-runs. The token needs runs:read and files:read.
"""

import argparse
import hashlib
import json
import os
import urllib.request
from pathlib import Path
from urllib.parse import quote, urlencode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("filters", nargs="*", metavar="name=value")
    asked = parser.parse_args()

    filters = [tuple(one.split("=", 1)) for one in asked.filters]
    for run in pages(asked.url, "/instrument-runs", filters):
        path = f"/instruments/{quote(run['instrument_id'])}/runs/{quote(run['run_id'])}/files"
        for file in pages(asked.url, path, []):
            if file["uploaded_at"]:
                target = asked.folder / run["instrument_id"] / run["run_id"] / file["relative_path"]
                download(asked.url, file, target)
                print(target)


def pages(url, path, filters):
    """Every row of a page-indexed list."""
    page, last = 1, 1
    while page <= last:
        answer = get(url, f"{path}?{urlencode([*filters, ('per_page', 100), ('page', page)])}")
        yield from answer["data"]
        page, last = page + 1, answer["pagination"]["total_pages"]


def download(url, file, target):
    """The signed URL needs no token and lives for fifteen minutes."""
    ticket = get(url, f"/files/{file['id']}/download")
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with urllib.request.urlopen(ticket["download_url"], timeout=60) as source, target.open("wb") as out:
        while chunk := source.read(1024 * 1024):
            digest.update(chunk)
            out.write(chunk)
    if file["sha256"] not in (None, digest.hexdigest()):
        raise SystemExit(f"{target} is not what was sent")


def get(url, path):
    headers = {"Authorization": f"Bearer {os.environ['IDS_TOKEN']}", "Accept": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/api/v1{path}", headers=headers), timeout=60) as answer:
        return json.load(answer)


if __name__ == "__main__":
    main()
