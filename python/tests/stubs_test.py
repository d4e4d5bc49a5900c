"""The stubs say what is there at run time, exactly: mypy's stubtest compares them."""
import os
import shutil
import subprocess
import tempfile

from support import *

# What pybind11's classes have that no stub can say.
ALLOWED = r"""
catena\.(_catena\.)?(Batch|CompiledFunction|CompiledModel|Model|Operators|Rollout)(\.__init__)?
catena\._(results|robots|simulation)\.(NamedTuple|kind@\d+)
catena\.(_robots|_simulation|_tool|interop)\.(NamedTuple|Model|Mapping|Sequence|Callable|Iterator)(\..*)?
catena\.torch.*
"""


class Stubs(TestCase):
    @unittest.skipUnless(shutil.which("stubtest"), "stubtest comes with Debian's mypy")
    def test_match_run_time(self):
        package = os.path.dirname(os.path.dirname(catena.__file__))
        with tempfile.TemporaryDirectory() as folder:
            allowed = os.path.join(folder, "allowed.txt")
            with open(allowed, "w") as out:
                out.write(ALLOWED)
            run = subprocess.run(["stubtest", "catena", "--concise", "--allowlist", allowed], cwd=folder, text=True,
                                 capture_output=True, timeout=280,
                                 env={**os.environ, "PYTHONPATH": package, "MYPYPATH": package})
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)


if __name__ == "__main__":
    unittest.main()
