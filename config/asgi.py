"""What the web server runs: `uvicorn config.asgi:application`."""

from django.conf import settings

import config.celery  # noqa: F401 (binds the tasks to their broker)
from config.bridge import in_threads
from config.dispatch import Dispatcher
from config.postgres_connection import BoundedConnection
from config.wsgi import application as wsgi  # sets Django up: what follows has models
from files.storage import object_store
from files.storage.local import LocalStore
from files.storage.serving import ObjectServer
from mcp_server.application import McpApp
from mcp_server.server import build_server

BoundedConnection.patience = settings.DATABASE_SECONDS or None
django = in_threads(wsgi, threads=settings.WEB_THREADS)
store = object_store()
objects = ObjectServer(store) if isinstance(store, LocalStore) else None
mcp = McpApp(build_server())
application = Dispatcher(django=django, lifespan=mcp, objects=objects, mounted=mcp.mounted)
