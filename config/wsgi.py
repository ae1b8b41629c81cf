"""Django as a WSGI application; config/asgi.py mounts it."""

import os

from django.core.wsgi import get_wsgi_application

import config.celery  # noqa: F401 (binds the tasks to their broker)
from web.startup import require_declared_access_once
from web.telemetry.process import start_telemetry

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

start_telemetry("web")  # before Django builds its middleware
application = get_wsgi_application()
require_declared_access_once()
