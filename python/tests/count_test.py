"""Operation counts: the dictionaries of `catena count --json`."""
from support import *


class Count(TestCase):
    def test_of_a_robot(self):
        out = catena.count(catena.load("stanford_arm"))
        self.assertEqual(out["counts"]["inverse"]["trig"], 10)  # five revolute joints
        for name, operations in out["counts"].items():
            for kind, total in operations.items():
                self.assertEqual(sum(sweep[kind] for sweep in out["sweeps"][name].values()), total, name)
        self.assertIn("forward_denoc", out["counts"])
        self.assertLess(out["specialised"]["inverse"]["mul"], out["counts"]["inverse_denoc"]["mul"])

    def test_formulas_tables_and_crossovers(self):
        out = catena.count()
        self.assertEqual(set(out["formulas"]), {"general", "denavit_hartenberg", "perpendicular"})
        rows = {row["row"]: row for row in out["tables"][2]["rows"]}  # Angeles, Table 7.1
        self.assertEqual(rows["c̈"]["printed"], {"mul": "32n", "add": "28n"})
        self.assertEqual(rows["c̈"]["counted"], {"mul": "32n", "add": "28n"})
        saha = out["crossovers"][0]
        self.assertEqual((saha["fast"], saha["from"], saha["from_mul"], saha["from_add"]), ("Saha (DeNOC)", 12, 11, 15))
        self.assertTrue(any(p["method"] == "Saha (DeNOC)" and p["algorithm"] == "forward_denoc" for p in out["papers"]))
