"""`python -m tests.benchmarks.one_build JOB` builds an archive, prints the seconds and the peak of memory in bytes."""

import resource
import sys
import time
from uuid import UUID

import django

django.setup()

from archives.building import build_job  # noqa: E402  (models need the setup)
from wire.clock import now  # noqa: E402

began = time.perf_counter()
build_job(UUID(sys.argv[1]), clock=now)
taken = time.perf_counter() - began
print(taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
