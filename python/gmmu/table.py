"""Rows of results: a pandas frame where there is pandas, else a table of our own with the little that scripts need."""
import csv
import sys


class Table:
    """Rows as dictionaries; a column by its name, several as a table of them.

    >>> t = Table([{"design": "ideal", "ipc": 2}, {"design": "native"}])
    >>> len(t), t.columns, t["ipc"]
    (2, ['design', 'ipc'], [2, None])
    >>> t[["ipc"]]
    <gmmu.Table: 2 rows, 1 columns>
    """

    def __init__(self, rows):
        self.rows = list(rows)
        self.columns = list(dict.fromkeys(key for row in self.rows for key in row))

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    def __getitem__(self, column):
        if isinstance(column, list):
            return Table(dict(zip(column, values)) for values in zip(*(self[name] for name in column)))
        if column not in self.columns:
            raise KeyError(column)
        return [row.get(column) for row in self.rows]

    def to_csv(self, path=None):
        """Comma-separated values, to a file or the standard output.

        >>> Table([{"design": "ideal", "ipc": 2}]).to_csv()
        design,ipc\r
        ideal,2\r
        """
        out = open(path, "w", newline="") if path else sys.stdout
        try:
            writer = csv.DictWriter(out, self.columns)
            writer.writeheader()
            writer.writerows(self.rows)
        finally:
            if path:
                out.close()

    def __repr__(self):
        return "<gmmu.Table: %d rows, %d columns>" % (len(self), len(self.columns))


def frame(rows):
    rows = list(rows)
    try:
        import pandas
    except ImportError:
        return Table(rows)
    return pandas.DataFrame(rows)


def records(data):
    """The rows of a frame or a table, as dictionaries."""
    return data.to_dict("records") if hasattr(data, "to_dict") else list(data)


def flat(value, prefix=""):
    """Numbers and words of nested dictionaries, by dotted names; lists are left out."""
    out = {}
    for key, part in value.items():
        if isinstance(part, dict):
            out.update(flat(part, prefix + key + "."))
        elif not isinstance(part, list):
            out[prefix + key] = part
    return out
