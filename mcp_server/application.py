"""The MCP server as web/server/dispatch.py mounts it: Streamable HTTP, stateless, JSON answers."""

from mcp.server.transport_security import TransportSecuritySettings

from mcp_server.access import CONNECT
from mcp_server.auth import Gate
from mcp_server.server import LabServer
from wire.asgi import ASGIApp, Receive, Scope, Send

MOUNT_PATHS = ("/mcp", "/mcp/", "/mcp/v1", "/mcp/v1/")
TRANSPORT_SECURITY = TransportSecuritySettings(enable_dns_rebinding_protection=False)


class McpApp:
    """Answers MCP requests and the lifespan events of the process."""

    access = CONNECT  # the gate asks it

    def __init__(self, server: LabServer) -> None:
        self._lifespan = server.streamable_http_app(
            json_response=True, stateless_http=True, transport_security=TRANSPORT_SECURITY
        )
        self._gate = Gate(server.session_manager.handle_request, writing_tools=server.writing_tools)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        else:
            await self._gate(scope, receive, send)

    @property
    def mounts(self) -> dict[str, ASGIApp]:
        return dict.fromkeys(MOUNT_PATHS, self)
