@echo off
title Instrument watcher
"%~dp0instrument-watcher.exe" init && "%~dp0instrument-watcher.exe" service install
pause
