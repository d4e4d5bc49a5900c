"""Makes one program of the C++ blocks of all pages: `cpp_blocks.py FILE` writes it, `--list` prints the pages it reads.

A page is a function, in which each block sees what the blocks before it defined. A block that no longer compiles breaks the
build, with the page and its line; started with the name of a page, the program runs that page's blocks."""
import os
import re
import sys
from pathlib import Path

os.environ.setdefault("CATENA_BINARY", "")  # not used here
from pages import ROOT, all_pages, blocks

# What a page takes for granted before its n-th block.
PRELUDE = {
    ("docs/batch.md", 0): "catena::Matrix q = catena::Matrix::Constant(7, 4, 0.1), v = q, tau = q, a(7, 4), J(42, 4);",
    ("docs/batch.md", 2): """const int nq = 7, nv = 7, B = 4, steps = 20;
        std::vector<double> forces(7 * 4 * 20), configurations(7 * 4 * 2);
        double *tau = forces.data(), *q_on_the_way = configurations.data();
        catena::Matrix q_end(7, 4), v_end(7, 4);""",
    ("docs/compile.md", 0): """catena::Vector q = catena::Vector::Constant(7, 0.1), v = q, a = q, tau(7);
        catena::Matrix J(6, 7);
        std::vector<double> inputs(21, 0.1), outputs(98);""",
    ("docs/conventions.md", 0): """using namespace catena;
        const Model arm = read::load("puma560");
        const Vector q = Vector::Constant(6, 0.1), v = q, a = q;""",
    ("docs/operators.md", 0): """const catena::Model arm = catena::read::load("arm7");
        const catena::Vector q = catena::Vector::Constant(7, 0.1), v = q;""",
    ("docs/parameters.md", 0): """const catena::Model arm = catena::read::load("arm7");
        catena::Matrix q = catena::Matrix::Constant(7, 4, 0.1), v = q, tau = q, a(7, 4);
        const catena::Matrix numbers = catena::Matrix::Constant(2, 4, 0.1);""",
    ("docs/sensitivities.md", 0): """using namespace catena;
        const Model model = read::load("planar_3r");
        const Vector q = neutral_configuration(model), v = Vector::Zero(3);""",
    ("docs/papers/angeles.md", 0): "using namespace catena;",
    ("docs/papers/saha.md", 0): "using namespace catena;",
}
INCLUDES = ["catena/dynamics/reactions.hpp", "catena/reference/denoc.hpp", "catena/reference/noc.hpp", "catena/read/robot.hpp", "catena/control/inputs.hpp",
            "catena/simulate/sensitivity.hpp"]


def pages_with_blocks():
    for page in all_pages():
        found = [block for block in blocks(page)[0] if block.language == "cpp"]
        if found:
            yield page, str(page.relative_to(ROOT)), found


def program():
    includes, functions, table = [f"#include <{name}>" for name in INCLUDES], "", ""
    for k, (page, name, found) in enumerate(pages_with_blocks()):
        functions += f"void page_{k}() {{\n"
        for n, block in enumerate(found):
            includes += re.findall(r"^#include .*$", block.text, re.M)
            text = re.sub(r"^#include .*$", "", block.text, flags=re.M)  # keeps the numbers of the lines
            functions += f'{{ {PRELUDE.get((name, n), "")}\n#line {block.line} "{page}"\n{text}\n'
        functions += "}" * len(found) + "\n}\n"
        table += f'  if (page == "{name}") return page_{k}(), 0;\n'
    return "\n".join(["// Made by tests/pages/cpp_blocks.py from the C++ blocks of the pages.", *dict.fromkeys(includes),
                      "#include <iostream>\n#include <string>\n#include <vector>\n", functions,
                      "int main(int argc, char** argv) {\n  const std::string page = argc > 1 ? argv[1] : \"\";", table,
                      "  return 1;\n}\n"])


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(";".join(str(page) for page, _, _ in pages_with_blocks()))
    else:
        Path(sys.argv[1]).write_text(program())
