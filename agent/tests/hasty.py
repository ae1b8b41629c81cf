"""The agent in a hurry: as operators run it, but for waits that would only make the tests long."""

from instrument_watcher import duties
from instrument_watcher.cli import upload
from instrument_watcher.cli.main import main
from instrument_watcher.service import link
from instrument_watcher.uploading import uploader
from instrument_watcher.watching import folder

duties.REPORT_EVERY = duties.CONFIG_EVERY = 0.5
duties.FIRST_UPDATE_WITHIN = 2.0
folder.AWAY_SECONDS = 1
link.LONGEST_WAIT = 2.0
uploader.FIRST_WAIT = 0.5
uploader.DEFER_SECONDS = 1.0
upload.WAIT_SECONDS = 0.2

if __name__ == "__main__":
    main()
