#!/usr/bin/env python3
"""Downloads every raw file of the runs that a search finds, and compares what arrived with its SHA-256.

    IDS_TOKEN=ids_… python3 download_runs.py http://127.0.0.1:8000 ./downloads search=batch status=completed

Filters are those of GET /api/v1/instrument-runs. The token needs runs:read and files:read.
"""

import argparse
import hashlib
import json
import os
import urllib.error
import urllib.request
from pathlib import Path
from urllib.parse import quote, urlencode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("folder", type=Path)
    parser.add_argument("filters", nargs="*", metavar="name=value")
    asked = parser.parse_args()
    if not os.environ.get("IDS_TOKEN"):
        parser.error("IDS_TOKEN is not set: it holds the token")

    if wrong := [one for one in asked.filters if "=" not in one]:
        parser.error(f"{wrong[0]} is not name=value")
    filters = [tuple(one.split("=", 1)) for one in asked.filters]
    found = False
    for run in pages(asked.url, "/instrument-runs", filters):
        found = True
        path = f"/instruments/{quote(run['instrument_id'])}/runs/{quote(run['run_id'])}/files"
        for file in pages(asked.url, path, [("category", "raw")]):
            if file["uploaded_at"] and not file["purged_at"]:
                target = asked.folder / run["instrument_id"] / run["run_id"] / file["relative_path"]
                download(asked.url, file, target)
                print(target)
    if not found:
        raise SystemExit("No run is found.")


def pages(url, path, filters):
    """Every row of a list, by cursor: each comes once, whatever arrives meanwhile."""
    cursor = ""
    while cursor is not None:
        answer = get(url, f"{path}?{urlencode([*filters, ('per_page', 100), ('cursor', cursor)])}")
        yield from answer["data"]
        cursor = answer["pagination"]["next_cursor"]


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


def sentence(refusal):
    """What the service says, and which fields it means."""
    try:
        error = json.load(refusal)["error"]
    except (ValueError, KeyError):
        return f"The service answered {refusal.code}."
    faults = ((error["details"] or {}).get("fields") or {}).items()
    return " ".join([error["message"], *(f"{name}: {' '.join(texts)}" for name, texts in faults)])


if __name__ == "__main__":
    try:
        main()
    except urllib.error.HTTPError as refusal:
        raise SystemExit(sentence(refusal)) from None
    except urllib.error.URLError as error:
        raise SystemExit(f"The service does not answer: {error.reason}") from None
    except (OSError, ValueError) as error:  # a file, a connection that broke, an address that is none
        raise SystemExit(str(error)) from None
