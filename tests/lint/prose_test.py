#!/usr/bin/env python3
"""prose.py counts each habit, and only that."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
import prose  # noqa: E402

FIVE, TEN = "Five words make this sentence. ", "This is a sentence that has ten words, no fewer. "
GOOD = TEN[:-2] + ", which makes it neither long nor short. "
LONG = TEN[:-2] + ", and then some more, so that it has by far more than twenty of them. "
ARTICLE = (GOOD * 6 + LONG * 2 + "\n") * 6  # some nine hundred words with nothing to complain about


class Prose(unittest.TestCase):
    def problems(self, text):
        return prose.Counts(text).problems("page.md")

    def test_good_prose_passes(self):
        self.assertEqual(self.problems(ARTICLE), [])
        self.assertLess(prose.Counts(ARTICLE).words, 1000)

    def test_each_habit_is_counted(self):
        two = "One (in a sentence) is none.\n(This counts.)\n- (So does this.)\n"
        stand = "We understand where it stands, and the teller told it.\n"
        for allowed, more, lines, said in [
                (two, "\nA sentence. (And another.)\n", (2, 3, 5),
                 "opens with a parenthesis (3 on this page, 2 allowed)"),
                ("Who waits, and\nfor what? The task that knows who asked.\n# Who waits\n",
                 "It ends.\nWho waits for it\nresumes. Say whoever you like.\n", (5, 6),
                 '"whoever", or "Who" as a subject (2 on this page, 0 allowed)'),
                ("Nobody is here.\n", "Or is\nsomebody?\n", (1, 3),
                 '"nobody" or "somebody" (2 on this page, 1 allowed)'),
                (stand, "It stood.\n", (1, 1, 2), None)]:
            self.assertEqual(self.problems(allowed), [])
            found = self.problems(allowed + more)
            if said:
                self.assertEqual(found, [f"page.md:{line}: {said}" for line in lines])
            self.assertEqual(len(found), len(lines), found)

    def test_the_next_thousand_words_may_have_as_many(self):
        self.assertEqual(self.problems("Nobody is here. Somebody was.\n" + ARTICLE * 2), [])

    def test_the_length_of_sentences_is_checked(self):
        self.assertEqual(self.problems(FIVE * 9), [])
        self.assertEqual(self.problems(FIVE * 7 + LONG * 3), [
            "page.md: the median sentence has 5 words; 12 to 20 are right"])
        self.assertEqual(self.problems(GOOD * 9 + LONG), [
            "page.md: 10 % of the sentences have more than 20 words; at least 20 % should"])
        self.assertIn("the median sentence has 25 words", self.problems(LONG * 10)[0])

    def test_a_sentence_ends_with_its_paragraph_or_item(self):
        self.assertEqual(prose.sentences_of(
            ["# No sentence", "One, on", "two lines. Code, and", "Ctrl-C!", "- an item:",
             "> a box"]), [(2, "One, on\ntwo lines."), (3, "Code, and\nCtrl-C!"), (5, "an item:")])
        self.assertEqual(prose.sentences_of(["On page 3. And on 4."]), [(1, "On page 3."), (1, "And on 4.")])

    def test_signs_of_density_are_counted_per_thousand_words_and_never_fail(self):
        for text, sign, hits in [
                ("After two, it ends. With a hundred or more. After two turns it ends with 3 workers.", "naked", 2),
                ("At 10.5 ms, with 1,500 bytes, it ends. At 10.5, it ends with 1,500. After 3.", "naked", 3),
                ("So it ends. It ends, so it waits; so be it. It is so, so that it ends.", "so", 3),
                ('**So** it goes. "So it goes." "It ends," so it is; it ends, _so_ it goes. **So** that it ends.', "so", 4),
                (f"It {'ran ' * 34}home. It {'ran ' * 33}home.", ">35", 1),
                ("It took its item to\nthem. It took its item. If it ends, they end it and them.", "chains", 2)]:
            found = prose.Counts(text)
            self.assertAlmostEqual(found.dense[sign], hits * 1000 / found.words, msg=text)
            self.assertNotIn("density", "".join(self.problems(f"{text} " * 50)))

    def test_the_densest_pages_are_named_beside_the_best(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "book").mkdir()
            for name, text in ("README.md", "So it is. " + GOOD * 9), ("book/a.md", GOOD * 12), ("book/b.md", "So. "):
                Path(folder, name).write_text(text, encoding="utf-8")
            short, long = (subprocess.run([sys.executable, prose.__file__, *more, folder],
                                          capture_output=True, text=True).stdout for more in ([], ["--counts"]))
        self.assertRegex(short, r"(?s)naked +so +>35 +chains\n +0\.0 +0\.0 +0\.0 +0\.0  book/a\.md  \(the fewest\)\n.*"
                         r" 0\.0  README\.md\n")
        self.assertNotIn("b.md", short)
        self.assertRegex(long, r"fewest naked, so, >35 and chains: book/a\.md")

    def test_text_that_is_not_prose_is_not_counted(self):
        self.assertEqual(prose.prose_of(
            "```\nnobody\n```\n| nobody |\n<!-- nobody\nnobody -->\n<img alt='nobody'>\n"
            "> ````sh\n> nobody\n> ```\n> ````\n`nobody` at [home](nobody.md)"),
            [""] * 11 + ["Code at home"])
        self.assertEqual(prose.prose_of("`<!--` begins\na comment <!-- x -->"), ["Code begins", "a comment "])
        self.assertEqual(prose.prose_of("[a]: https://example.org/\n[a]: it ends"), ["", "[a]: it ends"])

    def test_all_pages_are_read_and_a_part_has_a_length(self):
        words = len(GOOD.split())
        for pages, found in [
                ({"book/01-one.md": GOOD}, ""), ({"book/01-one.md": "Whoever wrote this.\n"}, "book/01-one.md:1: .*"),
                ({"book/17-one.md": GOOD * (22_500 // words + 1), "book/18-two.md": GOOD * (1_800 // words + 1)},
                 r"the story has \d+ words; 22500 are allowed\npage 18 has \d+ words; 1800")]:
            with self.subTest(found), tempfile.TemporaryDirectory() as folder:
                for name, text in {"README.md": GOOD, **pages}.items():
                    Path(folder, name).parent.mkdir(exist_ok=True)
                    Path(folder, name).write_text(text, encoding="utf-8")
                run = subprocess.run([sys.executable, prose.__file__, folder], capture_output=True, text=True)
                self.assertEqual(run.returncode, 1 if found else 0, run.stdout)
                self.assertRegex(run.stdout, found or "^")


if __name__ == "__main__":
    unittest.main()
