"""Programs of `./ids serve` that work behind the others."""

import os
import subprocess
import sys

import pytest

from operations.embedded.programs import CHECKOUT

LAUNCH = """
import os, sys
from pathlib import Path
from operations.embedded.programs import ForkedProgram
program = ForkedProgram(Path(sys.argv[1]), ["-m", "timeit", "-r1", "-n1", "__import__('time').sleep(30)"], niceness=10)
program.launch()
print(os.getpriority(os.PRIO_PROCESS, program.child.pid))
os.kill(program.child.pid, 9)
"""


@pytest.mark.parametrize(("of_the_service", "of_the_program"), [(0, 10), (15, 15)])
def test_a_program_is_never_less_nice_than_the_service_that_starts_it(tmp_path, of_the_service, of_the_program):
    more = of_the_service - os.getpriority(os.PRIO_PROCESS, 0)
    if more < 0:
        pytest.skip("these tests themselves run niced")

    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, tmp_path / "log"],
        cwd=CHECKOUT,
        preexec_fn=lambda: os.nice(more),
        capture_output=True,
        text=True,
        check=True,
    )

    assert int(done.stdout) == of_the_program
