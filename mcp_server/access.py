"""Who may reach the MCP server at all; each tool then asks the policy of its REST route."""

from accounts.access import Access
from accounts.scopes import Scope

CONNECT = Access(scope=Scope.READ)
