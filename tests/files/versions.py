"""Sending versions of a file, for tests."""

from files.models import File
from tests.files.sending import announced, path_of, upload


def post(api, run, data, path="scan.raw", **more):
    return api.post(f"{path_of(run)}/request-upload-url", announced(data, path, **more))


def upload_versions(api, run, *contents, path="scan.raw"):
    return [upload(api, run, data, path, new_version=True) for data in contents]


def versions():
    return list(File.objects.order_by("id").values_list("relative_path", "filename", "version", "version_of"))
