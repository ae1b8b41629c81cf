"""The walls around a process that reads a file. They know neither Django nor the service's settings."""
