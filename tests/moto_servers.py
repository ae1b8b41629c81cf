"""moto's S3 on loopback, and made to lack or to keep what other stores lack or keep."""

import io
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server
from werkzeug.wrappers import Response

from files.storage.checksums import crc32_of, crc32_to_base64

WsgiApp = Callable[[dict[str, Any], Any], Iterable[bytes]]
BAD_DIGEST = "<Error><Code>BadDigest</Code><Message>The checksums differ.</Message></Error>"


@contextmanager
def running_moto(*, without: tuple[str, ...] = (), verifies_checksums: bool = False) -> Iterator[str]:
    """The address of an S3 that never sees the headers `without`. All servers of a process share their buckets."""
    app = DomainDispatcherApplication(create_backend_app)
    adapted = hiding_headers(deciding_in_turn(verifying(app) if verifies_checksums else app), without)
    server = make_server("127.0.0.1", 0, adapted, threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()


def hiding_headers(app: WsgiApp, names: tuple[str, ...]) -> WsgiApp:
    variables = {f"HTTP_{name.upper().replace('-', '_')}" for name in names}

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        return app({name: value for name, value in environ.items() if name not in variables}, start_response)

    return answer


def deciding_in_turn(app: WsgiApp) -> WsgiApp:
    """Of two conditional writes of a key one wins, as in S3: of two threads of moto both may look before one writes."""
    turn = threading.Lock()

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if "HTTP_IF_NONE_MATCH" not in environ and "HTTP_IF_MATCH" not in environ:
            return app(environ, start_response)
        with turn:
            return list(app(environ, start_response))

    return answer


def verifying(app: WsgiApp) -> WsgiApp:
    """Refuses a body that has not the CRC32 which comes with it, as AWS does."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        announced = environ.get("HTTP_X_AMZ_CHECKSUM_CRC32")
        if announced is None or environ["REQUEST_METHOD"] != "PUT":
            return app(environ, start_response)
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        if crc32_to_base64(crc32_of(body)) != announced:
            return Response(BAD_DIGEST, status=400, content_type="application/xml")(environ, start_response)
        return app(environ | {"wsgi.input": io.BytesIO(body)}, start_response)

    return answer
