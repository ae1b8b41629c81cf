"""Made from `_async` by client/make_sync.py, but for waiting.py and shown.py."""
