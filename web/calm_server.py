"""uvicorn's server, as its command starts it, for a process that mostly waits."""

import asyncio
from importlib import import_module

import uvicorn

LOOK_SECONDS = 0.5


class CalmServer(uvicorn.Server):
    """Looks twice a second whether it is to end, instead of ten times: that was a quarter of a percent of a core."""

    async def main_loop(self) -> None:
        while not await self.on_tick(0):
            await asyncio.sleep(LOOK_SECONDS)


def use_calm_server() -> None:
    """The command has no option for it."""
    import_module("uvicorn.main").Server = CalmServer  # type: ignore[attr-defined]
