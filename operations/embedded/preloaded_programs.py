"""The service's own processes, forked from one that has loaded their code, so that they share its memory (IDS_DATA).

`python -m operations.embedded.preloaded_programs DESCRIPTOR`, which `./ids serve` runs; the descriptor is of the socket
to listen on. It opens no connection and starts no thread, since neither survives a fork.
"""

import gc
import os
import socket
import sys
import time
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path

import django
import redis.utils
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import reverse
from django.utils.module_loading import import_string

from operations.embedded.compiling import begin_anew_after_compiling
from operations.embedded.data_directory import DataDirectory
from operations.embedded.forking import share_loaded_code
from operations.embedded.memory import is_small
from operations.embedded.programs import (
    ForkedProgram,
    make_builder_program,
    make_query_program,
    make_reader_program,
    make_small_builder_program,
    make_web_programs,
    make_worker_program,
)
from operations.embedded.supervisor import Supervisor
from web.server.refusing import refuse_clients, refuse_waiting
from web.startup import require_declared_access_once
from wire.kernel import forbid_inspection

TASKS = "config.celery"
# What the web server and the workers load, beside the applications of Django.
SHARED_MODULES = (
    "anyio._backends._asyncio",
    "billiard.pool",
    "celery.apps.beat",
    "celery.apps.worker",
    "celery.concurrency.thread",
    "celery.events.receiver",
    "celery.events.state",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer.delayed_delivery",
    "config.urls",
    "files.storage.object_server",
    "jobs.quiet_scheduler",
    "jobs.worker",
    "kombu.transport.redis",
    "mcp_server.application",
    "mcp_server.server",
    "psycopg_pool",
    "uvicorn.lifespan.on",
    "uvicorn.loops.auto",
    "uvicorn.main",
    "uvicorn.protocols.websockets.auto",
    "uvloop",
    "web.__main__",
    "web.server.accepting",
    "web.server.bridge",
    "web.lanes.calling",
    "web.stream.change_stream",
    "web.server.dispatch",
    "web.lanes.downloads",
    "web.lanes.handing_over",
    "web.server.handed",
    "web.server.http",
    "web.lanes.queries",
    "web.lanes.sign_in",
)


def main() -> None:
    forbid_inspection()
    began = time.time()
    load_code()
    begin_anew_after_compiling("operations.embedded.preloaded_programs", since=began)
    data = DataDirectory(Path(os.environ["IDS_DATA"]))
    listener = socket.socket(fileno=int(sys.argv[1]))
    awaited = [] if is_small() else [make_query_program(data)]
    programs = [*awaited, *make_programs(data, listener=listener.fileno())]
    with Supervisor(servers=[], programs=programs) as supervisor:
        supervisor.start(programs)
        supervisor.watch()
    for program in awaited:
        refuse_waiting(program.listener)
        program.close()
    refuse_clients(listener)


def make_programs(data: DataDirectory, *, listener: int) -> Sequence[ForkedProgram]:
    """They work as the service's role: the environment has not the owner's address."""
    builders = (make_small_builder_program,) if is_small() else (make_builder_program, make_reader_program)
    return [
        make_worker_program(data),
        *(make(data) for make in builders),
        *make_web_programs(data, listener=listener),
    ]


def load_code() -> None:
    """Checked once, for all of them: a page that declares no access ends the start, here as in each of them."""
    app = import_module(TASKS).app  # it says where the settings are
    django.setup()
    app.loader.init_worker()  # looks for tasks, which no worker does again then
    app.finalize()
    for part in ("amqp", "backend", "control", "events", "log"):  # each is made when it is first asked for
        getattr(app, part)
    for module in SHARED_MODULES:
        import_module(module)
    require_declared_access_once()
    import_module("mcp_server.server").shared_server()
    import_string(settings.STORAGES["objects"]["BACKEND"])  # with the client that it takes
    reverse("home")  # lays out all routes
    get_wsgi_application()  # each web server builds one more, of the modules and the routes that this one loads
    os.environ["CELERY_SKIP_CHECKS"] = "1"  # Celery throws their findings away
    remember_driver_version()
    share_loaded_code()


def remember_driver_version() -> None:
    """Each connection tells Valkey the version of redis-py, which reads its package's metadata anew for that."""
    redis.utils.get_lib_version = cache(redis.utils.get_lib_version)
    redis.utils.get_lib_version()


if __name__ == "__main__":
    gc.disable()  # what is loaded stays; the children collect
    main()
