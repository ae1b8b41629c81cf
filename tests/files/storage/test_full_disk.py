"""A disk that is really full: a small file system of its own, mounted where only the test's child process sees it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
MOUNTED = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
MOUNT_AND_RUN = 'mount -t tmpfs -o size=8m,nr_inodes=200 tmpfs "$1" && exec "$2" -c "$3" "$1"'
CHILD = """
import io, sys
from pathlib import Path
from files.storage.local import LocalStore
from files.storage.interface import StoreFull

store = LocalStore(root=Path(sys.argv[1]) / "objects", bucket="local", secret="s", base_url="http://lab")
def put(key, size):
    store.put(key, io.BytesIO(bytes(size)), size_bytes=size, content_type="text/plain")
def refused(action, *arguments):
    try:
        action(*arguments)
    except StoreFull:
        return True
    return False

put("first", 5_000_000)
assert refused(put, "second", 5_000_000)
assert [stored.key for stored in store.list()] == ["first"]
assert list(store.layout.staging.iterdir()) == []
with store.open_range("first") as source:
    assert len(source.read()) == 5_000_000

upload_id = store.start_multipart("parts", content_type="text/plain", size_bytes=None, part_size=5_000_000)
assert refused(lambda: store.put_part("parts", upload_id=upload_id, part_number=1, data=bytes(5_000_000)))
assert store.list_parts("parts", upload_id=upload_id) == []

store.delete("first")
part = store.put_part("parts", upload_id=upload_id, part_number=1, data=bytes(5_000_000))
assert store.complete_multipart("parts", upload_id=upload_id, parts=[part]).size_bytes == 5_000_000
store.delete("parts")

assert refused(lambda: [put(f"many/{number}", 1) for number in range(200)])
assert list(store.layout.staging.iterdir()) == []
"""


def can_mount() -> bool:
    return shutil.which("unshare") is not None and subprocess.run([*MOUNTED, "true"], check=False).returncode == 0


@pytest.mark.skipif(not can_mount(), reason="this machine lets nobody mount a file system of their own")
def test_a_full_disk_refuses_writes_and_keeps_everything_else(tmp_path):
    child = subprocess.run(
        [*MOUNTED, MOUNT_AND_RUN, "sh", str(tmp_path), sys.executable, CHILD],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )

    assert child.returncode == 0, child.stderr
