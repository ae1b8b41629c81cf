@echo off
title Instrument watcher
if "%1" == "again" goto again
"%~dp0instrument-watcher.exe" open >nul 2>nul && exit /b
rem the key of the page is for administrators: ask to be one
powershell -NoProfile -Command "Start-Process -Verb RunAs -FilePath '%~f0' -ArgumentList again"
exit /b
:again
"%~dp0instrument-watcher.exe" open || pause
