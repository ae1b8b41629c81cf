"""Machines that lack a wall: imported by the fork server, each replaces the call that would raise it."""
