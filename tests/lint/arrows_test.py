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

    def check(self):
        run = subprocess.run([sys.executable, ARROWS, self.root], capture_output=True, text=True)
        return run.returncode, run.stdout

    def test_a_tree_without_faults_passes(self):
        status, said = self.check()
        self.assertEqual(status, 0, said)

    def test_an_include_of_a_forbidden_room_is_found(self):
        self.write("stage3_queue_crawler/http/session.cpp",
                   '#include "common/web/url.h"\n#include "common/simple_crawl/crawl.h"\n')
        status, said = self.check()
        self.assertEqual(status, 1)
        self.assertEqual(said.splitlines(), [
            "stage3_queue_crawler/http/session.cpp:2: stage3_queue_crawler/http must not know "
            "common/simple_crawl: see KNOWS in tests/lint/arrows.py"])

    def test_an_unlisted_room_is_found(self):
        self.write("common/cellar/wine.h", '#include "common/web/url.h"\n')
        self.assertEqual(self.check()[0], 1)

    def test_an_include_without_its_room_is_found(self):
        self.write("common/web/links.h", '#include "url.h"\n')
        status, said = self.check()
        self.assertEqual(status, 1)
        self.assertIn("common/web/links.h:1: includes url.h, which isn't there", said)

    def test_a_header_that_relies_on_others_is_found(self):
        self.write("common/web/a.h", "std::string a(); // std::vector\n")
        self.write("common/web/b.h", '#include "common/web/url.h"\nstd::string b();\n')
        status, said = self.check()
        self.assertEqual(status, 1)
        self.assertEqual(said, "common/web/a.h: uses std::string, and doesn't include <string>\n")

    def test_a_circle_of_includes_is_found(self):
        self.write("common/web/a.h", '#include "common/web/b.h"\n')
        self.write("common/web/b.h", '#include "common/web/c.h"\n')
        self.write("common/web/c.h", '#include "common/web/a.h"\n')
        status, said = self.check()
        self.assertEqual(status, 1)
        self.assertEqual(said, "a circle: common/web/a.h -> common/web/b.h -> common/web/c.h -> "
                               "common/web/a.h\n")


if __name__ == "__main__":
    unittest.main()
