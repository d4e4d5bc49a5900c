"""Links between the pages lead somewhere, tests and files that they name exist, and every page can be reached from the
README."""
import re
import unittest

from pages import ROOT, all_pages, blocks


def anchors(page):
    """The names that a page's headings get: lower case, no punctuation, blanks to hyphens."""
    headings = re.findall(r"^#+ (.*)$", blocks(page)[1], re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(page):
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", blocks(page)[1]) if not re.match(r"\w+:", link)]


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        count = 0
        for page in all_pages():
            for link in links(page):
                with self.subTest(f"{page.relative_to(ROOT)}: {link}"):
                    name, _, anchor = link.partition("#")
                    target = (page.parent / name).resolve() if name else page
                    self.assertTrue(target.exists(), "no such file")
                    if anchor:
                        self.assertIn(anchor, anchors(target))
                    count += 1
        self.assertGreater(count, 80)

    def test_reach_every_page(self):
        reached, waiting = set(), [ROOT / "README.md"]
        while waiting:
            page = waiting.pop()
            if page in reached:
                continue
            reached.add(page)
            waiting += [(page.parent / link.partition("#")[0]).resolve() for link in links(page)
                        if link.partition("#")[0].endswith(".md")]
        self.assertEqual([str(page.relative_to(ROOT)) for page in all_pages() if page not in reached], [])

    def test_named_tests_and_files_exist(self):
        """`Suite.Test` in a table and `linear/algorithm6.hpp` in a sentence are promises too."""
        tests = set()
        for file in [*(ROOT / "tests").rglob("*.cpp")]:
            tests |= {f"{suite}.{name}" for suite, name in re.findall(r"\bTEST(?:_[FP])?\((\w+), (\w+)\)", file.read_text())}
        suites = {test.split(".")[0] for test in tests}
        self.assertGreater(len(tests), 300)
        for page in all_pages():
            text = page.read_text()
            for suite, name in re.findall(r"`([A-Z]\w+)\.([A-Z]\w+|\*)`", text):
                with self.subTest(f"{page.relative_to(ROOT)}: {suite}.{name}"):
                    self.assertIn(*((suite, suites) if name == "*" else (f"{suite}.{name}", tests)))
            for file in re.findall(r"`((?:[\w./]+/)?\w+\.(?:hpp|cpp|py|toml|cmake)|[\w/]+/)`", text):
                if "NAME" in file or "/" not in file and not file.endswith("_test.cpp"):
                    continue  # a placeholder, a file of the reader, or one of the folder in the sentence
                with self.subTest(f"{page.relative_to(ROOT)}: {file}"):
                    places = [ROOT, ROOT / "src" / "catena", ROOT / "src", ROOT / "tests"]
                    self.assertTrue(any((place / file).exists() for place in places), "no such file")

    def test_codes_of_the_doctor_are_those_of_its_page(self):
        """Scripts rely on the codes of findings: each is in a table of docs/doctor.md, and no other."""
        files = [*(ROOT / "src/catena/model").glob("*.cpp"), *(ROOT / "src/catena/read").glob("*.cpp"),
                 ROOT / "cli/what_else.cpp"]
        text = "".join(file.read_text() for file in files if file.name not in ("state.cpp", "csv.cpp"))
        used = set(re.findall(r'"([a-z]+(?:-[a-z]+)+|loop|xacro)"', text))
        used |= {f"{kind}-doubled" for kind in ("body", "joint") if '"{}-doubled"' in text}
        listed = set()
        for row in re.findall(r"^\|(.*?)\|", (ROOT / "docs" / "doctor.md").read_text(), re.M):
            listed |= set(re.findall(r"`([a-z-]+)`", row))
        self.assertGreater(len(used), 80)
        self.assertEqual(sorted(used - listed), [], "not in docs/doctor.md")
        self.assertEqual(sorted(listed - used), [], "in docs/doctor.md, but nobody reports it")


if __name__ == "__main__":
    unittest.main()
