#!/bin/sh
exec @PREFIX@/bin/python -m instrument_watcher "$@"
