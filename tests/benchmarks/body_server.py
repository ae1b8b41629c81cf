"""The front door alone, for uvicorn: what stands behind it answers 404."""

import config.wsgi  # noqa: F401 (sets Django up: what follows has models)
from tests.live_server import empty_app
from web.server.dispatch import Dispatcher

application = Dispatcher(django=empty_app, lifespan=empty_app)
