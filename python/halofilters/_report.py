"""What runs measured, as tables of columns."""

import ctypes as c

from . import _lib
from ._libraries import numpy


class Table(dict):
    """A result: a dict of columns of one length, in order. pandas.DataFrame(table) makes a data frame.

    `kind` is what it is of: "stats", "hist", "fold", "peaks". `outside`, of a histogram, is the table of the
    samples in no bin; `moments`, of statistics, has the sums that those of parts are merged from.
    """

    kind = ""
    outside = None
    moments = None

    def __reduce__(self):
        return _table, (dict(self), self.kind, self.outside, self.moments)

    def rows(self):
        """The number of rows."""
        return len(next(iter(self.values()), ()))

    def row(self, i=-1):
        """Row i as a dict; the last by default, which is of all channels in `stats`."""
        return {name: column[i] for name, column in self.items()}


def _table(columns, kind, outside, moments):
    made = Table(columns)
    made.kind, made.outside, made.moments = kind, outside, moments
    return made


# Columns of tables whose rows are all doubles (halo/table.h), and whose values are whole.
_WHOLE = {
    "objects": ("label", "area", "bbox-0", "bbox-1", "bbox-2", "bbox-3", "euler_number", "touches_border"),
    "peaks": ("frame", "x", "y"),
}

_DTYPE = {2: (c.c_int64, "int64"), 3: (c.c_double, "float64")}


def _column(report, at, k, rows, whole):
    kind, data = c.c_int(), c.c_void_p()
    name = _lib.halo_report_column(report, at, k, c.byref(kind), c.byref(data)).decode()
    if kind.value == 1:
        texts = (c.c_char_p * rows).from_address(data.value) if rows else ()
        return name, [text.decode("utf-8", "replace") for text in texts]
    element, dtype = _DTYPE[kind.value]
    values = (element * rows).from_address(data.value) if rows else ()
    if numpy is not None:
        return name, numpy.array(values, dtype="int64" if name in whole else dtype)
    return name, list(map(int, values) if name in whole else values)


def read(report):
    """All tables of a report, copied."""
    tables = []
    rows, columns = c.c_int64(), c.c_int()
    while True:
        kind = _lib.halo_report_table(report, len(tables), c.byref(rows), c.byref(columns))
        if kind is None:
            break
        kind = kind.decode()
        whole = _WHOLE.get(kind, ())
        table = Table(_column(report, len(tables), k, rows.value, whole) for k in range(columns.value))
        table.kind = kind
        tables.append(table)
    joined = []
    for table in tables:
        if table.kind == "hist outside":
            joined[-1].outside = table
        elif table.kind == "stats moments":
            joined[-1].moments = table
        else:
            joined.append(table)
    return joined


def _joined(columns):
    if numpy is not None and not isinstance(columns[0], list):
        return numpy.concatenate(columns)
    return [value for column in columns for value in column]


def of_pages(tables):
    """The tables of one measurement, one for each page, as one with a column `page`, from 1."""
    if len(tables) == 1:
        return tables[0]
    numbers = [k for k, table in enumerate(tables, 1) for _ in range(table.rows())]
    columns = {"page": numpy.array(numbers, dtype="int64") if numpy is not None else numbers}
    columns.update((name, _joined([table[name] for table in tables])) for name in tables[0])
    made = _table(columns, tables[0].kind, None, None)
    for name in ("outside", "moments"):
        parts = [getattr(table, name) for table in tables]
        if None not in parts:
            setattr(made, name, of_pages(parts))
    return made
