"""Results of several parts: named tuples that can be pickled."""
import collections
import functools


@functools.lru_cache(maxsize=None)
def result_type(name, fields):
    """The named tuple of these fields. One that Python could not spell, such as a frame's name, is called _0, _1, ..."""
    base = collections.namedtuple(name, fields, rename=True)
    return type(name, (base,), {"__slots__": (), "__module__": "catena",
                                "__reduce__": lambda self: (_restore, (name, fields, tuple(self)))})


def _restore(name, fields, values):
    return result_type(name, fields)(*values)
