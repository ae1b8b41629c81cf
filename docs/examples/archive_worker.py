#!/usr/bin/env python3
"""An archive worker of its own: builds the ZIPs of an Instrument Data Service with the public API alone.

    ARCHIVE_WORKER_SECRET=… IDS_TOKEN=ids_… python archive_worker.py --port 9000

Start the service with ARCHIVE_WORKER_URL=http://127.0.0.1:9000/ and the same ARCHIVE_WORKER_SECRET. The token needs the
scope archive-jobs:write. Standard library only; turn `do_POST` into the handler of your serverless platform.
"""

import argparse
import hashlib
import hmac
import json
import os
import tempfile
import threading
import urllib.request
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CHUNK = 1024 * 1024
TIMEOUT = 60


class Worker(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not is_signed(body, self.headers.get("X-IDS-Signature", "")):
            self.send_error(403)
            return
        threading.Thread(target=work, args=(json.loads(body),)).start()
        self.send_response(202)
        self.send_header("Content-Length", "0")
        self.end_headers()


def is_signed(body, signature):
    """Only the service knows the secret, so only its orders are carried out."""
    secret = os.environ["ARCHIVE_WORKER_SECRET"].encode()
    expected = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected.encode(), signature.encode())


def work(order):
    """Build, upload, report. Whatever goes wrong is reported as the reason of the failure."""
    try:
        with tempfile.TemporaryFile() as archive:
            build(order, archive)
            size = archive.tell()
            upload(order["upload"], archive, size)
        report(order, {"status": "ready", "size_bytes": size})
    except Exception as error:
        report(order, {"status": "failed", "error_message": f"{type(error).__name__}: {error}"})
        raise


def build(order, archive):
    """Stored entries in the order of the members, the manifest last."""
    files = []
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as target:
        for member in order["members"]:
            digest = hashlib.sha256()
            entry = zipfile.ZipInfo(member["path"])
            entry.file_size = member["size_bytes"]
            download = urllib.request.urlopen(member["download_url"], timeout=TIMEOUT)
            with download as source, target.open(entry, "w") as out:
                while chunk := source.read(CHUNK):
                    digest.update(chunk)
                    out.write(chunk)
            if entry.file_size != member["size_bytes"] or member["crc32"] not in (None, f"{entry.CRC:08x}"):
                raise ValueError(f"{member['path']} is not what its record says")
            names = ("file_id", "path", "size_bytes")
            sums = {"sha256": digest.hexdigest(), "crc32": f"{entry.CRC:08x}"}
            files.append({**{name: member[name] for name in names}, **sums})
        about = {"format": "ids-archive/1", **{name: order[name] for name in ("instrument_id", "run_id", "created_at")}}
        target.writestr("manifest.json", json.dumps({**about, "files": files}, ensure_ascii=False, indent=1))


def upload(where, archive, size):
    """One request, or for large archives one a part; the service puts the parts together when it hears `ready`."""
    archive.seek(0)
    if "url" in where:
        send("PUT", where["url"], archive, {**where["headers"], "Content-Length": str(size)})
        return
    for url in where["part_urls"][: -(-size // where["part_size"])]:
        part = archive.read(where["part_size"])
        send("PUT", url, part, {**where["headers"], "Content-Length": str(len(part))})


def report(order, result):
    token = os.environ["IDS_TOKEN"]
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    send("PATCH", order["report_url"], json.dumps(result).encode(), headers)


def send(method, url, body, headers):
    request = urllib.request.Request(url, data=body, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
        return answer.read()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=9000)
    ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Worker).serve_forever()
