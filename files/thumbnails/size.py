"""How small a run's small picture is: asked where it is made, kept and shown."""

MAX_THUMBNAIL_BYTES = 4096
SIDES = (96, 60)  # twice the 48 by 30 pixels that a list shows
