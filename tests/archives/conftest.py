import io
import zipfile
from collections.abc import Callable

import pytest

from archives.building import build_job
from archives.models import ArchiveJob
from files.storage import object_store
from wire.clock import now


@pytest.fixture
def built() -> Callable[[ArchiveJob], zipfile.ZipFile]:
    """Builds a job here and now and opens what was published."""

    def build(job: ArchiveJob) -> zipfile.ZipFile:
        build_job(job.pk, clock=now)
        with object_store().open_range(job.storage_key) as source:
            return zipfile.ZipFile(io.BytesIO(source.read()))

    return build
