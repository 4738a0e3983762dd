#!/usr/bin/env python3
"""arrows.py finds what is planted."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ARROWS = Path(__file__).with_name("arrows.py")


class Arrows(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("common/web/url.h", "#include <string>\n")
        self.write("common/simple_crawl/crawl.h", '#include "common/web/url.h"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def test_each_fault_is_found_and_a_tree_without_faults_passes(self):
        url = '#include "common/web/url.h"\n'
        for files, said in [
                ({}, "each room knows only those that it may"),
                ({"stage3_queue_crawler/http/a.cpp": url + '#include "common/simple_crawl/crawl.h"\n'},
                 "stage3_queue_crawler/http/a.cpp:2: stage3_queue_crawler/http must not know "
                 "common/simple_crawl: see KNOWS in tests/lint/arrows.py"),
                ({"common/cellar/wine.h": url}, "common/cellar/wine.h:1: common/cellar must not know .*"),
                ({"common/web/links.h": '#include "url.h"\n'},
                 "common/web/links.h:1: includes url.h, which isn't there.*"),
                ({"common/web/a.h": "std::string a(); // std::vector\n",
                  "common/web/b.h": url + "std::string b();\n"},
                 "common/web/a.h: uses std::string, and doesn't include <string>"),
                ({f"common/web/{one}.h": f'#include "common/web/{other}.h"\n' for one, other in ("ab", "bc", "ca")},
                 "a circle: common/web/a.h -> common/web/b.h -> common/web/c.h -> common/web/a.h")]:
            with self.subTest(said):
                for name, text in files.items():
                    self.write(name, text)
                run = subprocess.run([sys.executable, ARROWS, self.root], capture_output=True, text=True)
                for name in files:
                    (self.root / name).unlink()
                self.assertEqual(run.returncode, 1 if files else 0, run.stdout)
                self.assertRegex(run.stdout.strip(), f"^{said}$")


if __name__ == "__main__":
    unittest.main()
