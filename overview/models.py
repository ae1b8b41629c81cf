from django.db import models


class Backup(models.Model):
    """One that `./ids manage backup` finished, so that its age is seen where people look. Whether it is still there
    only its directory knows."""

    name = models.CharField(max_length=32)  # of its folder: 20260101T020000Z
    made_at = models.DateTimeField()
    has_objects = models.BooleanField()  # else of the database alone: the store is copied by other means
    objects_count = models.BigIntegerField()
    size_bytes = models.BigIntegerField()
    differences = models.IntegerField()  # objects that the store lacked, or had otherwise

    class Meta:
        indexes = (models.Index(fields=["-made_at"], name="newest_backup"),)

    def __str__(self) -> str:
        return self.name


class Import(models.Model):
    """An export of another service that is brought in here, so that the same one may go on and no other begins."""

    export_id = models.UUIDField(primary_key=True)
    began_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"import of {self.export_id}"
