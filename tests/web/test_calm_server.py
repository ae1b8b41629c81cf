from importlib import import_module

from web.calm_server import CalmServer, use_calm_server


def test_the_command_of_uvicorn_runs_it(monkeypatch):
    module, ran = import_module("uvicorn.main"), []
    monkeypatch.setattr(module, "Server", module.Server)  # is put back
    monkeypatch.setattr(
        CalmServer, "run", lambda self, sockets=None: ran.append(type(self)) or setattr(self, "started", True)
    )

    use_calm_server()
    module.main(["tests.web.test_calm_server:application", "--port", "0"], standalone_mode=False)

    assert ran == [CalmServer]


async def application(scope, receive, send):
    """Nobody asks it."""
