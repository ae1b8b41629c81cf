"""The source of both faces; `_sync` is made from it by client/make_sync.py."""
