#!/usr/bin/env python3
"""Reports a folder as one run of an instrument and uploads every file in it; repeating it is harmless.

    IDS_TOKEN=ids_… python3 upload_run.py http://127.0.0.1:8000 hplc-2 2026-11-21-batch-7 ./results

The token needs runs:create, runs:upload and files:update, and instruments:create where the instrument is new. Standard
library only: copy it and change what you need.
"""

import argparse
import hashlib
import http.client
import json
import os
import urllib.error
import urllib.request
import zlib
from pathlib import Path
from urllib.parse import quote, urlsplit

CHUNK = 1024 * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("instrument")
    parser.add_argument("run")
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    if not os.environ.get("IDS_TOKEN"):
        parser.error("IDS_TOKEN is not set: it holds the token")
    files = sorted(file for file in asked.folder.rglob("*") if file.is_file())
    if not files:
        parser.error(f"there is no file in {asked.folder}")

    path = f"/instruments/{quote(asked.instrument)}/runs"
    try:
        call(asked.url, "POST", path, {"run_id": asked.run})  # 201, or 200 when it is there already
    except urllib.error.HTTPError as refusal:
        if refusal.code != 404:
            raise
        call(asked.url, "POST", "/instruments", {"id": asked.instrument})
        call(asked.url, "POST", path, {"run_id": asked.run})
    for file in files:
        name = file.relative_to(asked.folder).as_posix()
        print(upload(asked.url, f"{path}/{quote(asked.run)}", file, name), name)


def upload(url, run, file, name):
    """`uploaded`, or `known` when the service has these bytes. It never replaces bytes: others are a 409."""
    size, sha256, crc32 = measure(file)
    about = {"filename": file.name, "relative_path": name, "size_bytes": size, "sha256": sha256, "crc32": crc32}
    ticket = call(url, "POST", f"{run}/request-upload-url", about)
    if ticket["already_uploaded"]:
        return "known"
    if ticket["upload_type"] == "multipart":
        stored = send_parts(url, ticket, file, size)
    else:
        with file.open("rb") as source:
            put(ticket["upload_url"], source, ticket["headers"])
        stored = call(url, "PATCH", f"/files/{ticket['file_id']}", {"status": "uploaded"})
    if stored["sha256"] != sha256:
        raise SystemExit(f"{name}: somebody else sent other bytes for this path meanwhile; these are not stored")
    return "uploaded"


def send_parts(url, ticket, file, size):
    """From 100 MiB on. Each part has a URL of its own, which binds its length and CRC32. The record of the file."""
    path, sent = f"/files/{ticket['file_id']}/multipart-upload", []
    with file.open("rb") as source:
        for number in range(1, ticket["part_count"] + 1):
            data = source.read(min(ticket["part_size"], size - source.tell()))
            part = {"part_number": number, "crc32": f"{zlib.crc32(data):08x}"}
            asked = {"upload_id": ticket["upload_id"], "parts": [part]}
            signed = call(url, "POST", f"{path}/part-urls", asked)["parts"][0]
            sent.append({"part_number": number, "etag": put(signed["upload_url"], data, signed["headers"])})
    return call(url, "POST", f"{path}/complete", {"upload_id": ticket["upload_id"], "parts": sent})


def measure(file):
    """Size, SHA-256 and CRC32 in one read, whatever the size of the file."""
    size, digest, crc32 = 0, hashlib.sha256(), 0
    with file.open("rb") as source:
        while chunk := source.read(CHUNK):
            size, crc32 = size + len(chunk), zlib.crc32(chunk, crc32)
            digest.update(chunk)
    return size, digest.hexdigest(), f"{crc32:08x}"


def call(url, method, path, body):
    headers = {"Authorization": f"Bearer {os.environ['IDS_TOKEN']}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/v1{path}", json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def put(url, body, headers):
    """Sends the bytes with exactly the headers that were signed; the ETag of what is stored."""
    parts = urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=60)
    connection.request("PUT", f"{parts.path}?{parts.query}", body, headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise SystemExit(f"the store refused the bytes: {answer.status} {text.decode(errors='replace')}")
    return answer.headers["ETag"]


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
