"""Where web servers find the process that answers queries for them (web/lanes/forwarding.py)."""

QUERY_SOCKET = "IDS_QUERY_SOCKET"  # `./ids serve` sets it for its web servers; where nobody does, they answer all
