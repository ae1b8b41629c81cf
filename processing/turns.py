"""Fair shares: instruments take turns, so that a file of one never waits behind thousands of another.

Start-time fair queueing: a job's turn follows the last one of its instrument, or begins where reading has got to.
"""

from processing.models import ProcessingJob

FIRST_BACKGROUND_TURN = 2**40

# Of what arrived: nobody takes turns with what is read again in the background.
UNFINISHED_ARRIVALS = f"""
    {ProcessingJob._meta.db_table} AS job WHERE state IN ('waiting', 'running') AND turn < {FIRST_BACKGROUND_TURN}
"""
# Within a statement that has `given`, files with their instruments: the turn of the next job of each of these.
NEXT_TURNS_SQL = f"""
    SELECT instrument_id, GREATEST(
               COALESCE((SELECT turn FROM {UNFINISHED_ARRIVALS} AND lease_until IS NULL ORDER BY turn LIMIT 1),
                        (SELECT turn FROM {UNFINISHED_ARRIVALS} ORDER BY turn DESC LIMIT 1), 0),
               COALESCE((SELECT turn FROM {UNFINISHED_ARRIVALS} AND job.instrument_id = asking.instrument_id
                          ORDER BY turn DESC LIMIT 1), -1) + 1) AS turn
      FROM (SELECT DISTINCT instrument_id FROM given) AS asking
"""  # noqa: S608 (names and numbers of ours)
