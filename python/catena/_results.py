"""Results of several parts: named tuples that can be pickled."""
import collections
import functools


# The papers' matrices by the names that people search for, with the sign of a partial derivative.
_derivatives = {"dtau_dq": ("B_D", 1), "dtau_dv": ("A_D", 1),
                "da_dq": ("B_C", -1), "da_dv": ("A_C", -1), "da_dtau": ("M_inv", 1)}


def _derivative(name, field, sign):
    def value(self):
        return getattr(self, field) if sign > 0 else -getattr(self, field)
    return property(value, doc=f"The partial derivative {name.replace('_d', '/d', 1)}: "
                               f"{'' if sign > 0 else '-'}{field}.")


@functools.lru_cache(maxsize=None)
def result_type(name, fields):
    """The named tuple of these fields. One that Python could not spell, such as a frame's name, is called _0, _1, ..."""
    base = collections.namedtuple(name, fields, rename=True)
    members = {"__slots__": (), "__module__": "catena",
               "__reduce__": lambda self: (_restore, (name, fields, tuple(self)))}
    if name.startswith("linearize"):
        members.update({key: _derivative(key, field, sign) for key, (field, sign) in _derivatives.items()
                        if field in fields})
    return type(name, (base,), members)


def _restore(name, fields, values):
    return result_type(name, fields)(*values)
