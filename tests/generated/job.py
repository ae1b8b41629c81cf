"""The main job and a metadata filter through what openapi-python-client made of the document: URL TOKEN INSTRUMENT."""

import sys
import urllib.request

from ids_client import AuthenticatedClient
from ids_client.api.files import file_content_download, file_partial_update
from ids_client.api.instruments import instrument_create
from ids_client.api.runs import run_create, run_search_list
from ids_client.api.uploads import upload_request_url
from ids_client.models import (
    NewInstrumentRequest,
    NewRunRequest,
    RunSearchListMetadata,
    UploadRequestRequest,
)

CONTENT = b"well,value\nB3,0.5\n"


def main(url, token, instrument):
    client = AuthenticatedClient(f"{url}/api/v1", token, raise_on_unexpected_status=True)
    with client as client:
        instrument_create.sync(client=client, body=NewInstrumentRequest.from_dict({"id": instrument}))
        for run, analyst in (("7", "Jenny"), ("8", "Rosa")):
            body = NewRunRequest.from_dict({"run_id": run, "metadata": {"analyst": analyst}})
            run_create.sync(instrument, client=client, body=body)
        asked = {"filename": "raw.csv", "size_bytes": len(CONTENT)}
        body = UploadRequestRequest.from_dict(asked)
        ticket = upload_request_url.sync(instrument, "7", client=client, body=body).to_dict()
        send(ticket["upload_url"], ticket["headers"])
        file_partial_update.sync(ticket["file_id"], client=client, body={"status": "uploaded"})

        # It writes the names in `metadata` as they are: the brackets are said here.
        wanted = RunSearchListMetadata.from_dict({"metadata[analyst]": "Jenny"})
        found = run_search_list.sync(client=client, instrument_id=[instrument], metadata=wanted)
        assert [run.run_id for run in found.data] == ["7"], found
        answer = file_content_download.sync_detailed(ticket["file_id"], client=client)
        with urllib.request.urlopen(answer.headers["Location"]) as bytes_of_it:
            assert bytes_of_it.read() == CONTENT


def send(url, headers):
    request = urllib.request.Request(url, data=CONTENT, headers=headers, method="PUT")
    urllib.request.urlopen(request).close()


if __name__ == "__main__":
    main(*sys.argv[1:])
