"""`./ids manage`: how a command ends."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from operations.embedded.postgres import SERVICE

ROOT = Path(__file__).parents[2]
# A command that writes more than a pipe holds, in the place of one of Django's.
WRITES_ON = """
import sys
import manage

def write_on(words):
    while True:
        print("a line of many", file=sys.stdout)

manage.execute_from_command_line = write_on
sys.argv = ["manage.py", "process_file"]
manage.main()
"""


def test_a_command_whose_reader_has_enough_ends_without_a_traceback():
    command = subprocess.Popen(
        [sys.executable, "-c", WRITES_ON], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with command:
        assert command.stdout.readline() == "a line of many\n"
        command.stdout.close()
        said = command.stderr.read()

    assert (command.returncode, said) == (141, "")


def write_empty_export(folder):
    folder.mkdir()
    (folder / "pieces.jsonl").write_bytes(b"")
    told = {"format": "ids-export/1", "export_id": "0190f2b4-0000-7000-8000-000000000001"}
    (folder / "manifest.json").write_text(json.dumps(told | {"pieces_sha256": hashlib.sha256(b"").hexdigest()}))


@pytest.mark.parametrize(
    "command", [["create_admin", "mira@lab.example"], ["import_everything", "export"], ["purge", "--dry-run"]]
)
def test_a_database_that_no_service_was_started_on_is_told_in_words(postgres, tmp_path, command):
    write_empty_export(tmp_path / "export")
    secret = {"SECRET_KEY": "x" * 40, "IDS_ADMIN_PASSWORD": "Pw-xyzzy-of-mira-7"}
    environ = os.environ | secret | {"IDS_DATA": str(tmp_path), "DATABASE_URL": postgres.url(SERVICE)}

    ended = subprocess.run(
        [sys.executable, ROOT / "manage.py", *command], cwd=tmp_path, env=environ, capture_output=True, text=True
    )

    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("./ids manage: The database is not prepared for this version: start the service")
