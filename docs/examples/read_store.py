#!/usr/bin/env python3
"""Reads a results store with Python's own sqlite3: read_store.py STORE

Prints, for each design, the number of runs with a weighted speed-up and its mean; then the run that
spent most page walks, with the command that makes its numbers. docs/data.md explains the columns.
"""
import json
import sqlite3
import sys


def main(path):
    # "mode=ro": a typing error must not make a new file
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    db.row_factory = sqlite3.Row

    print(f"{'design':<16}{'runs':>6}{'speed-up':>10}")
    for row in db.execute(
        "SELECT design, count(*) AS runs, avg(weighted_speedup) AS speedup FROM runs"
        " WHERE weighted_speedup IS NOT NULL GROUP BY design ORDER BY design"
    ):
        print(f"{row['design']:<16}{row['runs']:>6}{row['speedup']:>10.3f}")

    # every counter of a run is in its result, a JSON document
    most, walks = None, -1
    for row in db.execute("SELECT command, result FROM run WHERE status = 'done' ORDER BY key"):
        apps = json.loads(row["result"])["apps"]
        n = sum(app["walk"]["walks"] for app in apps)
        if n > walks:
            most, walks = row["command"], n
    print(f"\nmost page walks, {walks}:\n{most}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
