"""What Spark counts and averages over Parquet files where they lie; run by a Python of its own that has PySpark.

Reads {"files": {address: run}} and writes {"count", "wells": {well: [count, mean]}, "runs": {run: sum}}.
"""

import json
import sys

from pyspark.sql import SparkSession
from pyspark.sql.functions import avg, col, count
from pyspark.sql.functions import sum as total

files = json.load(sys.stdin)["files"]
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.sources.parallelPartitionDiscovery.threshold": "5000",  # else a task a file
}
spark = SparkSession.builder.master("local[2]").config(map=SETTINGS).getOrCreate()
placed = spark.createDataFrame(list(files.items()), ["file_path", "run"])
rows = spark.read.parquet(*files).withColumn("file_path", col("_metadata.file_path"))
wells = rows.groupBy("well").agg(count("value"), avg("value")).collect()
runs = rows.join(placed, "file_path").groupBy("run").agg(total("value")).collect()
found = {
    "count": rows.count(),
    "wells": {well: [known, mean] for well, known, mean in wells},
    "runs": dict(map(tuple, runs)),
}
json.dump(found, sys.stdout)
spark.stop()
