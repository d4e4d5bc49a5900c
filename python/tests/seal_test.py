"""Objects come from the library alone: none is made with nothing in it, which a method would then read."""
import copy
import copyreg
import gc
import pickle
import subprocess
import sys
import textwrap

from catena import _catena
from support import *

PYBIND = catena.Model.__mro__[-2]  # the base of all classes
SEALED = [c for c in vars(_catena).values() if isinstance(c, type) and issubclass(c, PYBIND)]


def ways_to_make(kind):
    """Everything in Python that could make an object without a constructor."""
    def derived(**members):
        return type("Derived", (kind,), members)

    def mixed():
        return type("Mixed", (type("Plain", (), {}), kind), {})

    return {
        "call": lambda: kind(),
        "call with arguments": lambda: kind(1, b=2),
        "__new__": lambda: kind.__new__(kind),
        "object.__new__": lambda: object.__new__(kind),
        "pybind11's __new__": lambda: PYBIND.__new__(kind),
        "another's __new__": lambda: SEALED[SEALED.index(kind) - 1].__new__(kind),
        "subclass": lambda: derived()(),
        "subclass of a subclass": lambda: type("More", (derived(),), {})(),
        "subclass without base's __init__": lambda: derived(__init__=lambda self: None)(),
        "subclass, __new__": lambda: kind.__new__(derived()),
        "subclass, object.__new__": lambda: object.__new__(derived()),
        "subclass, pybind11's __new__": lambda: PYBIND.__new__(derived()),
        "subclass with a __new__ of object's": lambda: derived(__new__=lambda c: object.__new__(c))(),
        "subclass with a __new__ of pybind11's": lambda: derived(__new__=PYBIND.__new__)(),
        "subclass with slots": lambda: derived(__slots__=("x",))(),
        "two bases": lambda: mixed()(),
        "two sealed bases": lambda: type("Two", (kind, SEALED[SEALED.index(kind) - 1]), {})(),
        "__newobj__": lambda: copyreg.__newobj__(kind),
        "the base of all": lambda: PYBIND(),
        "a class made by the metaclass": lambda: type(kind)("Made", (PYBIND,), {})(),
        "_reconstructor": lambda: copyreg._reconstructor(kind, object, None),
    }


def objects():
    model = catena.load("planar_3r")
    return {"Model": model, "CompiledFunction": model.compile("forward"), "CompiledModel": model.compile(),
            "Batch": model.batch("forward"), "Rollout": model.rollout(), "Operators": model.operators([0, 0, 0])}


class Seal(TestCase):
    def test_every_class_is_here(self):
        self.assertEqual({c.__name__ for c in SEALED}, set(objects()))
        for kind in SEALED:
            self.assertEqual(kind.__module__, "catena")
            self.assertIs(getattr(catena, kind.__name__), kind)

    def test_no_object_is_made_by_hand(self):
        for kind in SEALED:
            for way, make in ways_to_make(kind).items():
                with self.subTest(kind=kind.__name__, backend=way):
                    with self.assertRaises(TypeError):
                        make()
            with self.assertRaisesRegex(TypeError, f"a catena.{kind.__name__} is not made by hand: the library makes "
                                                   rf"it; help\(catena.{kind.__name__}\) says how"):
                kind.__new__(kind)

    def test_none_but_a_model_is_copied_or_pickled(self):
        for name, x in objects().items():
            if name == "Model":
                self.assertEqual(copy.deepcopy(x).hash, x.hash)
                continue
            backends = [copy.copy, copy.deepcopy, lambda x: x.__reduce_ex__(4)]
            backends += [lambda x, p=p: pickle.dumps(x, p) for p in range(pickle.HIGHEST_PROTOCOL + 1)]
            for way in backends:
                with self.subTest(name), self.assertRaisesRegex(TypeError, f"catena.{name} cannot be copied or pick"):
                    way(x)

    @unittest.skipIf(sys.version_info < (3, 10), "classes cannot be closed before Python 3.10")
    def test_none_takes_the_place_of_another(self):
        things = objects()
        for name, x in things.items():
            for other in SEALED + [type("Derived", (type(x),), {})]:
                if other is type(x):
                    continue
                with self.subTest(name=name, other=other), self.assertRaises(TypeError):
                    x.__class__ = other
            with self.assertRaises(TypeError):
                type(x).__new__ = object.__new__
            with self.assertRaises((TypeError, AttributeError)):
                x.__init__()

    def test_methods_refuse_another_self(self):
        """Every attribute of every class, taken off the class and given what is none of its objects."""
        things = objects()
        for kind in SEALED:
            others = [None, 1, object(), kind] + [x for x in things.values() if type(x) is not kind]
            for name in sorted({n for base in kind.__mro__[:-2] for n in vars(base)}):
                member = vars(kind)[name]
                if name in ("__new__", "__module__", "__doc__", "__dict__", "__weakref__", "__reduce_ex__"):
                    continue
                for other in others:
                    with self.subTest(kind=kind.__name__, member=name, given=type(other).__name__):
                        with self.assertRaises((TypeError, AttributeError)):
                            if isinstance(member, property):
                                member.fget(other)
                            elif hasattr(member, "__get__") and callable(member):
                                member(other)
                            else:
                                raise TypeError("no function")

    def test_an_error_whose_text_cannot_be_written_is_an_error_too(self):
        """pybind11 ended the process over a keyword that is no text when it listed the arguments that do not fit."""
        class Unsayable:
            def __repr__(self):
                raise RuntimeError("nothing to see")

        for name, x in objects().items():
            for member in sorted(n for n in dir(x) if n[:1] != "_" and callable(getattr(x, n))):
                for named in ({"\udc80": 1}, {"q": Unsayable()}, {"x": "\udc80"}):
                    with self.subTest(kind=name, member=member), self.assertRaises(Exception):
                        getattr(x, member)(*[Unsayable()] * 9, **named)
        for call in (catena.load, catena.models, catena.functions):
            with self.assertRaises((TypeError, ValueError)):
                call(**{"\udc80": 1})

    def test_what_is_made_by_force_cannot_be_used(self):
        """The walk of the fault as it was: each attribute and method of an object with nothing in it, in a process of
        its own because it used to end there."""
        script = textwrap.dedent("""
            import catena
            from catena import _catena
            base = catena.Model.__mro__[-2]
            tried = made = 0
            for kind in vars(_catena).values():
                if not (isinstance(kind, type) and issubclass(kind, base)):
                    continue
                for make in (lambda: kind.__new__(kind), lambda: base.__new__(kind),
                             lambda: type("D", (kind,), {"__init__": lambda self: None})()):
                    tried += 1
                    try:
                        x = make()
                    except TypeError:
                        continue
                    made += 1
                    for name in dir(kind):
                        try:
                            member = getattr(x, name)
                            if callable(member):
                                member()
                        except Exception:
                            pass
            print(tried, made)
        """)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.split(), [str(3 * len(SEALED)), "0"])

    def test_objects_still_live_and_die(self):
        things = objects()
        self.assertIn("planar_3r", repr(things["Model"]))
        things["CompiledModel"].note = "an attribute of one's own"
        things.clear()
        gc.collect()


if __name__ == "__main__":
    unittest.main()
