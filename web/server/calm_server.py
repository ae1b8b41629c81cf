"""uvicorn's server, for a process that mostly waits, and whose callers lose nothing when it ends."""

import asyncio
import socket
from contextlib import suppress

import uvicorn

LOOK_SECONDS = 0.5


class CalmServer(uvicorn.Server):
    """Looks twice a second whether it is to end, instead of ten times: that was a quarter of a percent of a core."""

    async def main_loop(self) -> None:
        while not await self.on_tick(0):
            await asyncio.sleep(LOOK_SECONDS)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Whoever is connected already, accepted or not, is answered: the system resets what waits when it closes."""
        listeners = [sock.dup() for sock in sockets or []]
        for server in self.servers:
            server.close()
        self.servers = []
        for listener in listeners:
            await self.open_waiting(listener)
        await super().shutdown(sockets)

    async def open_waiting(self, listener: socket.socket) -> None:
        connections = []
        listener.setblocking(False)
        with listener, suppress(OSError):
            while True:
                connections.append(listener.accept()[0])
        loop = asyncio.get_running_loop()
        for connection in connections:
            connection.setblocking(False)
            with suppress(OSError):
                await loop.connect_accepted_socket(self._make_protocol, connection)

    def _make_protocol(self) -> asyncio.Protocol:
        made: asyncio.Protocol = self.config.http_protocol_class(  # type: ignore[call-arg]
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return made
