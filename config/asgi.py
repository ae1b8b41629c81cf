"""What the web server runs: `python -m web`."""

from urllib.parse import urlsplit

from django.conf import settings

import config.celery  # noqa: F401 (binds the tasks to their broker)
from config.wsgi import application as wsgi  # sets Django up: what follows has models
from files.storage import object_store, require_suitable_store
from files.storage.local import LocalStore
from files.storage.object_server import ObjectServer
from mcp_server.application import McpApp
from mcp_server.server import shared_server
from web.lanes.calling import THREADS, build_calling_lanes
from web.lanes.downloads import DOWNLOAD_THREADS, DownloadLane
from web.lanes.downloads import QUEUED_PIECES as QUEUED_DOWNLOAD_PIECES
from web.lanes.handing_over import find_query_server
from web.lanes.queries import QUERY_THREADS, QUEUED_PIECES, QueryLane
from web.lanes.sign_in import SignInLane
from web.routes import mount_faults
from web.server.bridge import PATIENT, serve_in_threads, share_interpreter
from web.server.dispatch import Dispatcher
from web.startup import exempt_loaded_code, refuse_faults
from web.stream.change_stream import build_stream_lane
from web.telemetry.process import trace_requests
from wire.kernel import forbid_inspection
from wire.settings.database import BoundedConnection
from wire.telemetry.process_metrics import ProcessSampler

forbid_inspection()
share_interpreter()
BoundedConnection.response_timeout = settings.DATABASE_SECONDS or None
django = serve_in_threads(wsgi, threads=settings.WEB_THREADS)
require_suitable_store()
store = object_store()
objects = ObjectServer(store, accel_prefix=settings.ACCEL_REDIRECT_PREFIX) if isinstance(store, LocalStore) else None
mcp = McpApp(shared_server())
objects_host = urlsplit(settings.OBJECTS_URL).netloc or None
sign_ins = SignInLane(serve_in_threads(wsgi, threads=1, niceness=PATIENT))
calling = build_calling_lanes(lambda: serve_in_threads(wsgi, threads=THREADS))
queries = QueryLane(
    serve_in_threads(wsgi, threads=QUERY_THREADS, queued_pieces=QUEUED_PIECES, niceness=PATIENT),
    elsewhere=find_query_server(),
)
downloads = DownloadLane(serve_in_threads(wsgi, threads=DOWNLOAD_THREADS, queued_pieces=QUEUED_DOWNLOAD_PIECES))
dispatcher = Dispatcher(
    django=django,
    lifespan=mcp,
    objects=objects,
    lanes=(sign_ins, queries, downloads, *calling, build_stream_lane()),
    mounts=mcp.mounts,
    objects_host=objects_host,
)
refuse_faults(mount_faults(dispatcher.beside_django))
ProcessSampler("web").start()
application = trace_requests(dispatcher)
exempt_loaded_code()
