"""A scope of its own for links by which outsiders read a run."""

# online: the database knows no scopes, nothing is run

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0013_sight_of_answers"),
    ]

    operations = [
        migrations.AlterField(
            model_name="token",
            name="scopes",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(
                    choices=[
                        ("instruments:read", "See instruments, filter options and the system status"),
                        ("instruments:create", "Add instruments"),
                        ("instruments:write", "Confirm, rename and deactivate instruments"),
                        ("runs:read", "Find and read runs, comments and the global search"),
                        ("runs:create", "Report runs"),
                        ("runs:update", "Change runs"),
                        ("runs:delete", "Delete and restore runs"),
                        ("runs:upload", "Upload files"),
                        ("runs:comment", "Write, edit and delete its own comments"),
                        ("runs:share", "Make links by which outsiders read a run and download its files"),
                        ("runs:reprocess", "Process the files of a run again"),
                        ("files:reprocess", "Process a file again"),
                        ("files:read", "See and download files, archives and reports"),
                        ("files:create", "Add file records"),
                        ("files:update", "Change file records"),
                        ("files:delete", "Dismiss files that were not uploaded"),
                        ("watchers:read", "See watchers, their heartbeats, events and configuration"),
                        ("watchers:report", "Register as a watcher and report"),
                        ("watchers:admin", "Deregister watchers"),
                        ("archive-jobs:write", "Build archives as an external worker"),
                        ("notifications:create", "Send notifications to people"),
                        ("read", "Connect to the MCP server"),
                        ("write", "Call MCP tools that change data"),
                    ],
                    max_length=40,
                ),
                size=None,
            ),
        ),
    ]
