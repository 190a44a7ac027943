#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows each rule a small tree that breaks it, and one that does not."""
import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import includes  # noqa: E402
import records  # noqa: E402
import sizes  # noqa: E402
import words  # noqa: E402
from tree import Tree  # noqa: E402

HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


class Rules(unittest.TestCase):
    def find(self, rule, files, **options):
        """The findings of `rule` on a tree of these files ({path: text})."""
        with tempfile.TemporaryDirectory() as folder:
            for path, text in files.items():
                target = pathlib.Path(folder, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
            return list(rule(Tree(folder), **options))

    def refuses(self, rule, files, *parts, **options):
        found = self.find(rule, files, **options)
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def accepts(self, rule, files, **options):
        self.assertEqual(self.find(rule, files, **options), [])


class Includes(Rules):
    def arrow(self, path, target):
        return {path: HEAD + f'#include "{target}"\n', target: HEAD}

    def test_arrows_that_point_the_wrong_way(self):
        for path, target in (("reference/stages/x.cpp", "fixtures/io/safetensors.h"),
                             ("fixtures/io/x.cpp", "conformance/verdict/verdict.h"),
                             ("oracles/exact/x.cpp", "reference/formats/storage.h"),
                             ("oracles/exact/x.cpp", "reference/scalar/real.h"),
                             ("oracles/diagram/x.cpp", "reference/registry/schema.h"),
                             ("oracles/laws/x.cpp", "oracles/exact/ball.h"),
                             ("conformance/runner/x.cpp", "oracles/exact/ball.h"),
                             ("conformance/runner/x.cpp", "fast/simd/decode.h"),
                             ("fast/stages/x/x.cpp", "reference/formats/storage.h"),
                             ("fast/stages/x/x.cpp", "reference/scalar/contract.h"),
                             ("fast/stages/x/x.cpp", "conformance/contract/budget.h"),
                             ("reports/x.cpp", "reference/registry/schema.h"),
                             ("reference/stages/x_test.cpp", "tools/plumb/verb.h")):
            with self.subTest(path=path, target=target):
                self.refuses(includes.check_arrows, self.arrow(path, target), path + ":2", target)

    def test_arrows_that_point_the_right_way(self):
        for path, target in (("reference/stages/x.cpp", "reference/exact/dot.h"),
                             ("oracles/exact/x.cpp", "oracles/exact/ball.h"),
                             ("oracles/agreement/x_test.cpp", "oracles/exact/ball.h"),
                             ("conformance/runner/x.cpp", "oracles/laws/law.h"),
                             ("fast/stages/x/x.cpp", "conformance/abi/plumb_kernel.h"),
                             ("tools/plumb/x.cpp", "conformance/runner/plan.h")):
            with self.subTest(path=path, target=target):
                self.accepts(includes.check_arrows, self.arrow(path, target))

    def test_a_path_that_does_not_start_at_the_root(self):
        self.refuses(includes.check_arrows,
                     {"reference/a/x.cpp": HEAD + '#include "x.h"\n', "reference/a/x.h": HEAD}, '"x.h"')

    def test_two_folders_that_include_each_other(self):
        files = {"reference/a/x.h": HEAD + '#include "reference/b/y.h"\n',
                 "reference/b/y.h": HEAD + '#include "reference/a/z.h"\n', "reference/a/z.h": HEAD}
        found = self.find(includes.check_arrows, files)
        self.assertEqual(len(found), 2, found)
        self.assertIn("includes itself", found[0])

    def test_costly_libraries(self):
        for path, library in (("reference/stages/x.cpp", "boost/multiprecision/cpp_bin_float.hpp"),
                              ("tools/plumb/run.cpp", "CLI/CLI.hpp"),
                              ("conformance/runner/x.cpp", "rapidcheck.h"),
                              ("reports/x.h", "nlohmann/json.hpp"),
                              ("reference/exact/x.cpp", "flint/flint.h"),
                              ("conformance/runner/x.cpp", "hwy/highway.h")):
            with self.subTest(library=library):
                self.refuses(includes.check_libraries, {path: HEAD + f"#include <{library}>\n"}, library)
        self.accepts(includes.check_libraries, {
            "reference/scalar/real.cpp": HEAD + "#include <boost/multiprecision/cpp_bin_float.hpp>\n",
            "reference/exact/dot_bench.cpp": HEAD + "#include <boost/multiprecision/cpp_bin_float.hpp>\n",
            "tools/plumb/main.cpp": HEAD + "#include <CLI/CLI.hpp>\n"})

    def test_rapidcheck_in_too_many_tests(self):
        files = {f"reference/stages/x{n}_test.cpp": HEAD + "#include <rapidcheck.h>\n" for n in range(7)}
        self.refuses(includes.check_libraries, files, "7 files")


class Sizes(Rules):
    def test_a_long_file(self):
        self.refuses(sizes.check_sizes, {"a.cpp": HEAD + "\n" * 400}, "401 lines")
        self.refuses(sizes.check_sizes, {"CMakeLists.txt": "\n" * 401}, "401 lines")
        self.accepts(sizes.check_sizes, {"a.cpp": HEAD + "\n" * 399})

    def test_a_long_function(self):
        for head in ("int f(int x = 3) {", "X::X() : a_(1) {", "bool operator==(const X& a) const {",
                     "template <class T = int>\nvoid f(T x) {", "TEST(A, B) {", "auto f() -> int {",
                     "namespace n {\nclass X {\n public:\n  void f() const {"):
            body = head + "\n" + "  if (x) { y(); }\n" * 59 + "}\n" * head.count("{")
            with self.subTest(head=head):
                self.refuses(sizes.check_sizes, {"a.cpp": HEAD + body}, "function of 61 lines")
                self.accepts(sizes.check_sizes, {"a.cpp": HEAD + body.replace("  if", "//", 1).replace(
                    "// (x) { y(); }\n", "")})

    def test_text_with_braces_and_data_are_no_code(self):
        text = 'void f() {\n  s = "}{";  // }{\n  c = \'{\';\n  r = R"x({{)x";\n}\n' + "int a = 1;\n" * 70
        self.accepts(sizes.check_sizes, {"a.cpp": HEAD + text})
        self.accepts(sizes.check_sizes, {"a.cpp": HEAD + 'S f() {\n  return R"x(' + "\n{" * 90 + ')x";\n}\n'})
        table = "S f() {\n  return {\n" + "      {1, 2},\n" * 90 + "  };\n}\n"
        self.accepts(sizes.check_sizes, {"a.cpp": HEAD + table})
        code = "S f() {\n  return g([&](int x) {\n" + "    h(x);\n" * 90 + "  });\n}\n"
        self.refuses(sizes.check_sizes, {"a.cpp": HEAD + code}, "function of 94 lines")


class Records(Rules):
    def files(self, header, records_=("R1-001", "R1-002")):
        return {"reference/registry/data/r1_records.json": json.dumps([{"id": tag} for tag in records_]),
                "reference/registry/data/r1_discrepancies.json": json.dumps([{"id": "R1-D01"}]),
                "reference/stages/x.h": HEAD + header}

    def test_tags(self):
        rule = records.check_records
        self.refuses(rule, self.files("// y  [R1-003]\nvoid f();\n"), "R1-003", "no record", complete=())
        self.refuses(rule, self.files("// y  [R1-001]\nvoid f();\n// z  [R1-001]\nvoid g();\n"),
                     "one function", complete=())
        elsewhere = {"reference/models/r1/y.h": "// [R1-001]\n"}
        self.refuses(rule, {**self.files("// y  [R1-001]\n"), **elsewhere}, "x.h", complete=())
        self.accepts(rule, self.files("// y  [R1-001]\n//   [R1-002] [R1-001]\n"))

    def test_records_left_over(self):
        files = self.files("// y  [R1-001]\n")
        self.accepts(records.check_records, files, complete=())
        self.refuses(records.check_records, files, "no reference function cites R1-002")

    def test_summary_counts(self):
        self.assertEqual(self.find(records.summary, self.files("// y  [R1-001]\n")),
                         ["R1: 1 of 2 records cited; left: 002"])

    def test_discrepancies(self):
        self.refuses(records.check_discrepancies, self.files("// R1-D02 b\n"), "R1-D02")
        self.accepts(records.check_discrepancies, self.files("// R1-D01 b\n"))
        self.accepts(records.check_discrepancies,
                     {**self.files(""), "reference/stages/x_test.cpp": HEAD + "// R1-D99\n"})


class Words(Rules):
    def test_first_line(self):
        for path in ("a.cpp", "a.h", "a.cu", "a.py", "a.sh", "a.cmake", "CMakeLists.txt", "tools/run"):
            with self.subTest(path=path):
                self.refuses(words.check_spdx, {path: "\n" + HEAD}, path)
        self.accepts(words.check_spdx, {"tools/run": "#!/bin/sh\n# " + HEAD, "a.h": "/* " + HEAD})

    def test_left_overs(self):
        for word in ("TO" "DO", "FIX" "ME", "XX" "X", "/wo" "rk/main", "../sha" "red"):
            with self.subTest(word=word):
                self.refuses(words.check_words, {"a.md": f"see {word} there\n"}, "a.md:1", word[:5])
        self.accepts(words.check_words, {"a.md": "build/work/x, method, framework/a\n"})

    def test_globs(self):
        self.refuses(words.check_globs, {"CMakeLists.txt": "file(" "GLOB x *.cpp)\n"}, "list them")


if __name__ == "__main__":
    unittest.main()
