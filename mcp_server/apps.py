from django.apps import AppConfig


class McpServerConfig(AppConfig):
    """The lab's data for AI clients. Has no tables of its own."""

    name = "mcp_server"
