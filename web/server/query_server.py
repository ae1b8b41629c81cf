"""What web servers and the server of queries agree on."""

QUERY_SOCKET = "IDS_QUERY_SOCKET"  # `./ids serve` sets it for its web servers; where nobody does, they answer all
HAND_OVER = "ids.hand_over"  # an extension of a scope, with `hand_over` of the connection that it came on
MAX_HANDED_BYTES = 160 * 1024  # of a head, which has 64 KiB at most, written anew
