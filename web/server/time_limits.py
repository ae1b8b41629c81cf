"""How long the web server waits for others."""

GRACE_SECONDS = 15  # a request under way gets to finish when the server ends
KEEP_ALIVE_SECONDS = 75  # an idle connection is kept: longer than proxies do, which else send into one that closes
