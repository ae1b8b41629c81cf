"""`./ids manage`: how a command ends."""

import subprocess
import sys
from pathlib import Path

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
