@echo off
title Instrument watcher
"%~dp0instrument-watcher.exe" status
"%~dp0instrument-watcher.exe" service status
pause
