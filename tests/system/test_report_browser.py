#!/usr/bin/env python3
"""test_report_browser.py PIOLA ROOT -- reports in a real browser: pictures are drawn, figures have sizes, scripts run.

Needs Debian's chromium-headless-shell, which the long check installs. What the page's own script cannot see, another
one finds, which is added to a copy of the page: it writes what it found into the title.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PIOLA, ROOT = "", pathlib.Path()
BROWSER = shutil.which("chromium-headless-shell")
PROBE = """<script>
const images = [...document.images], figures = [...document.querySelectorAll('figure svg:not(.key)')];
const found = {width: innerWidth, images: images.length,
  drawn: images.filter(i => i.complete && i.naturalWidth >= 320).length,
  figures: figures.length, wide: figures.filter(f => f.getBoundingClientRect().width > 200).length,
  beyond: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  outside: [...document.querySelectorAll('figure svg text')].filter(t => {
    const a = t.getBoundingClientRect(), b = t.closest('svg').getBoundingClientRect();
    return a.left < b.left - 1 || a.right > b.right + 1 || a.top < b.top - 1 || a.bottom > b.bottom + 1;
  }).map(t => t.textContent)};
const table = document.querySelector('table.sortable');
const heads = table ? [...table.querySelectorAll('thead button')] : [];
if (table) {
  const last = heads[heads.length - 1], column = heads.length - 1;
  const values = () => [...table.tBodies[0].rows].map(row => +row.cells[column].dataset.v);
  last.click();
  found.up = values();
  last.click();
  found.down = values();
  found.chosen = document.getElementById('chosen').textContent;
}
document.title = 'found ' + JSON.stringify(found);
</script></body>"""


def run(*arguments, code=0):
    done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}: {done.stderr}"


def browse(page, *options):
    """What the browser makes of a page: its document after scripts have run, and what it complained of."""
    with tempfile.TemporaryDirectory(prefix="piola_browser_") as profile:
        done = subprocess.run([BROWSER, "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}",
                               "--enable-logging=stderr", "--virtual-time-budget=3000", *options, f"file://{page}"],
                              capture_output=True, text=True, timeout=120)
    return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="piola_report_browser_")
        cls.folder = pathlib.Path(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def probe(self, results, width=1100):
        page = self.folder / "page.html"
        run("report", results, "-o", page)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("</body>", PROBE), encoding="utf-8")
        document, complaints = browse(page, "--dump-dom", f"--window-size={width},900")
        self.assertEqual(complaints, [])
        title = re.search(r"<title>found (.*?)</title>", document, re.S)
        self.assertIsNotNone(title, document[:2000])
        found = json.loads(title.group(1).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
        self.assertEqual(found["width"], width, "the window has another width than was requested")
        print({key: value for key, value in found.items() if key not in ("up", "down")})
        return found

    def expect_drawn(self, found, images, figures):
        self.assertEqual(found["images"], found["drawn"])
        self.assertGreaterEqual(found["images"], images)
        self.assertEqual(found["figures"], found["wide"])
        self.assertGreaterEqual(found["figures"], figures)
        self.assertEqual(found["outside"], [])
        self.assertLessEqual(found["beyond"], 0)

    def test_an_optimisation_is_drawn_within_the_page(self):
        out = self.folder / "beam"
        run("optimize", ROOT / "scenes/topology_mbb.yaml", "-o", out, "-q", "--set", "optimizer.max_iterations=10")
        for width in (400, 1100):
            self.expect_drawn(self.probe(out, width), 4, 6)

    def test_members_of_a_sweep_are_sorted_by_a_click(self):
        out = self.folder / "sweep"
        run("sweep", ROOT / "scenes/fem_tension_id.yaml", "-o", out, "-q", "--over",
            "design.soft_modulus.initial=100kPa..300kPa:3:log", "--over", "design.hard_modulus.initial=200kPa,400kPa")
        found = self.probe(out)
        self.expect_drawn(found, 0, 3)
        self.assertEqual(len(found["up"]), 6)
        self.assertEqual(found["up"], sorted(found["up"]))
        self.assertEqual(found["down"], sorted(found["up"], reverse=True))
        self.assertEqual(found["chosen"], "6 of 6 members chosen")

    def test_a_page_that_loads_something_is_found(self):
        """The control: the policy forbids an address of another file, and the browser says so."""
        page = self.folder / "control.html"
        out = self.folder / "control"
        run("run", ROOT / "scenes/fem_tension_id.yaml", "-o", out, "-q")
        run("report", out, "-o", page)
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace("</main>", '<img alt="" src="other.png"></main>'), encoding="utf-8")
        _, complaints = browse(page, "--dump-dom")
        self.assertTrue(any("Content Security Policy" in line for line in complaints), complaints)


if __name__ == "__main__":
    if not BROWSER:
        print("not checked: there is no chromium-headless-shell; tools/check.sh --long installs it")
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
    PIOLA, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
