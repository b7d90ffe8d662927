#!/usr/bin/env python3
"""test_report.py PIOLA ROOT -- reports: one page that needs nothing else, says what there is and what is missing.

Pages are read by html.parser, and their figures as XML. What a browser makes of them is in test_report_browser.py.
"""
import base64
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PIOLA, ROOT = "", pathlib.Path()
HOSTILE = "</code><script>alert(1)</script><img src=x onerror=alert(2)> \"'&"
SCENE = """version: 1
name: fit
description: "%s"
method: {type: fem, dimension: 2}
time: {load_steps: 4, duration: 4 s}
materials: [{name: rubber, model: neo_hookean, E: 1 MPa, nu: 0.4}]
geometry: [{name: block, type: box, element: quad4, elements: [4, 2], min: [0, 0], max: [1, 0.5]}]
bodies: [{name: one, geometry: block, material: rubber}]
boundary:
  - {name: clamp, body: one, on: {group: left}, type: fixed}
  - {name: grip, body: one, on: {group: right}, type: displacement, axes: x, value: 10 mm}
observe: [{name: force, type: reaction, boundary: grip, every: 1 s}]
design:
  - {name: modulus, target: materials.rubber.E, bounds: [0.1 MPa, 10 MPa], transform: log}
  - {name: contraction, target: materials.rubber.nu, bounds: [0, 0.45]}
objective:
  - {type: misfit, of: force.x, data: {file: force.csv, columns: force}, sigma: 10 N}
  - {type: prior, of: contraction, mean: 0.6, sigma: 0.02}
optimizer: {type: levenberg_marquardt, max_iterations: 20, stop: {relative_objective: 1e-10}}
""" % HOSTILE.replace("\\", "\\\\").replace('"', '\\"')
DATA = "time,force\n1,700\n2,1390\n3,2080\n4,2750\n"
STUDY = """version: 1
name: two
experiments:
  - {name: near, scene: fit.yaml, weight: 0.5}
  - {name: far, scene: fit.yaml, set: {"boundary[1].value": 12 mm}}
design:
  - {name: modulus, target: materials.rubber.E, initial: 0.9 MPa, bounds: [0.1 MPa, 10 MPa], transform: log}
  - {name: contraction, target: materials.rubber.nu, initial: 0.4, bounds: [0, 0.45]}
optimizer: {type: lbfgs}
"""
VOID = {"meta", "img", "br", "hr", "input", "link"}


class Page(html.parser.HTMLParser):
    """Elements of a page, with the texts of headings; AssertionError where they are not nested."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.elements, self.headings, self.texts = [], [], [], []
        self.feed(text)
        assert not self.open, f"not ended: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if tag in ("h1", "h2", "h3"):
            self.headings.append([tag, ""])

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> ends {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] in ("h1", "h2", "h3"):
            self.headings[-1][1] += data
        if "script" not in self.open and "style" not in self.open:
            self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def text(self):
        return " ".join("".join(self.texts).split())


def run(*arguments, code=0):
    done = subprocess.run([PIOLA, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments}: exit {done.returncode}, not {code}: {done.stderr}"
    return done


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="piola_report_")
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.scene = cls.folder / "fit.yaml"
        cls.scene.write_text(SCENE)
        (cls.folder / "force.csv").write_text(DATA)
        cls.fit = cls.folder / "fit"
        run("optimize", cls.scene, "-o", cls.fit, "-q")

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def page(self, folder):
        out = self.folder / "page.html"
        run("report", folder, "-o", out)
        text = out.read_text(encoding="utf-8")
        for figure in re.findall(r"<svg.*?</svg>", text, re.S):
            xml.etree.ElementTree.fromstring(figure)
        return Page(text), text

    def titles(self, page):
        return [title for level, title in page.headings if level == "h2"]

    def test_a_fit_shows_iterations_parameters_errors_and_residuals(self):
        page, _ = self.page(self.fit)
        self.assertEqual(self.titles(page), [
            "Pictures", "Iterations", "Objective", "Parameters", "Errors of the fit", "Fit against data",
            "Observations", "Gradient", "Memory and time", "Scene", "Files"])
        result = json.loads((self.fit / "result.json").read_text())
        for row in result["least_squares"]["parameters"]:
            self.assertIn(f"{row['variable']} ", page.text)
        for words in ("Terms of the objective at each iteration", "95 % from", "standard error",
                      "force.x: residuals, (computed - data)/sigma", "evaluations",
                      "projected gradient", result["message"], "at its upper bound", "x86-64",
                      result["optimizer"]["type"]):
            self.assertIn(words, page.text)
        self.assertIn("#data", [link["href"] for link in page.all("a")])

    def test_it_needs_no_network_and_no_other_file(self):
        page, text = self.page(self.fit)
        policy = [m["content"] for m in page.all("meta") if m.get("http-equiv") == "Content-Security-Policy"]
        self.assertEqual(len(policy), 1)
        self.assertTrue(policy[0].startswith("default-src 'none'; "))
        for tag, attributes in page.elements:
            for name in ("src", "href", "srcset", "action", "data", "xlink:href"):
                if name in attributes:
                    self.assertRegex(attributes[name], r"^(data:image/png;base64,|data:video/webm;base64,|#\w+$)")
        self.assertNotRegex(text, r"url\(|@import|fetch\(|XMLHttpRequest|https?://")

    def test_no_text_of_a_scene_becomes_a_mark(self):
        page, text = self.page(self.fit)
        self.assertIn(" ".join(HOSTILE.split()), page.text)
        self.assertEqual(len(page.all("script")), 1)
        self.assertFalse([a for _, a in page.elements if any(name.startswith("on") for name in a)])
        self.assertEqual(text.count("alert(1)"), text.count("&lt;script&gt;alert(1)"))

    def test_pictures_have_words_and_headings_have_an_order(self):
        page, text = self.page(self.fit)
        self.assertTrue(page.all("img"))
        for picture in page.all("img"):
            self.assertGreater(len(picture["alt"]), 20)
        for figure in page.all("svg"):
            self.assertTrue(figure.get("aria-label") or figure.get("aria-hidden") == "true", figure)
        levels = [int(level[1]) for level, _ in page.headings]
        self.assertEqual(levels.count(1), 1)
        for before, after in zip(levels, levels[1:]):
            self.assertLessEqual(after, before + 1)
        self.assertIn('<html lang="en">', text)
        ids = [a["id"] for _, a in page.elements if "id" in a]
        self.assertEqual(len(ids), len(set(ids)))
        for link in page.all("a"):
            self.assertIn(link["href"][1:], ids)

    def test_states_of_several_frames_have_a_film_and_others_a_sentence(self):
        page, _ = self.page(self.fit)
        films = page.all("video") + [a for a in page.all("img") if a["alt"].startswith("Film")]
        self.assertEqual(len(films), 1)
        self.assertIn("Film of the states, t = 0 s to 4 s. 5 of 5 frames", films[0].get("title") or films[0]["alt"])
        coded = base64.b64decode(films[0]["src"].split(",")[1])
        self.assertIn(coded[:4], (b"\x1a\x45\xdf\xa3", b"\x89PNG"))
        print(f"film: {len(coded)} bytes; most 1000000")
        self.assertLess(len(coded), 1000000)
        short = self.folder / "short"
        run("run", self.scene, "-o", short, "-q", "--set", "output.states.every=4 s")
        page, _ = self.page(short)
        self.assertEqual(page.all("video"), [])
        self.assertIn("Film of the states: there is none, for states.vtkhdf has 2 frames", page.text)

    def test_the_same_folder_gives_the_same_bytes(self):
        first, second = self.folder / "first.html", self.folder / "second.html"
        run("report", self.fit, "-o", first)
        run("report", self.fit, "-o", second, "--threads", "1")
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_its_own_file_is_replaced_and_not_listed(self):
        folder = self.folder / "own"
        shutil.copytree(self.fit, folder)
        run("report", folder)
        first = (folder / "report.html").read_bytes()
        run("report", folder)
        self.assertEqual(first, (folder / "report.html").read_bytes())
        self.assertNotIn("report.html", Page(first.decode()).text)

    def test_what_is_no_report_is_not_replaced(self):
        other = self.folder / "other.html"
        other.write_text("<!DOCTYPE html>\n<p>mine</p>")
        said = run("report", self.fit, "-o", other, code=73).stderr
        self.assertIn("is no report", said)
        self.assertEqual(other.read_text(), "<!DOCTYPE html>\n<p>mine</p>")

    def test_what_is_missing_is_said(self):
        folder = self.folder / "bare"
        shutil.copytree(self.fit, folder)
        (folder / "states.vtkhdf").unlink()
        (folder / "history.vtkhdf").unlink()
        page, _ = self.page(folder)
        for words in ("The folder has no states.vtkhdf.", "The folder has no history.vtkhdf.",
                      "The scene is not in this folder", "Bounds are not known", "Not checked"):
            self.assertIn(words, page.text)

    def test_a_changed_file_is_named(self):
        folder = self.folder / "changed"
        shutil.copytree(self.fit, folder)
        states = bytearray((folder / "states.vtkhdf").read_bytes())
        states[len(states) // 2] ^= 1
        (folder / "states.vtkhdf").write_bytes(states)
        page, _ = self.page(folder)
        self.assertIn("states.vtkhdf cannot be read", page.text)
        self.assertTrue(page.all("svg"))

    def test_a_bad_folder_ends_with_a_code_and_nothing_is_written(self):
        empty, out = self.folder / "empty", self.folder / "never.html"
        empty.mkdir()
        self.assertIn("neither result.json nor sweep.json", run("report", empty, "-o", out, code=66).stderr)
        self.assertIn("is no folder", run("report", self.scene, "-o", out, code=66).stderr)
        run("report", self.folder / "nowhere", "-o", out, code=66)
        (empty / "result.json").write_text("[1, 2")
        self.assertIn("result.json", run("report", empty, "-o", out, code=65).stderr)
        run("report", code=2)
        run("report", self.fit, "-o", self.folder / "nowhere" / "x.html", code=73)
        self.assertFalse(out.exists())
        self.assertEqual([p.name for p in empty.iterdir()], ["result.json"])

    def test_run_grad_check_and_a_failure_have_pages(self):
        for command in ("run", "grad", "check"):
            folder = self.folder / command
            run(command, self.scene, "-o", folder, "-q")
            page, _ = self.page(folder)
            self.assertIn("Observations", self.titles(page))
            self.assertEqual("Gradient" in self.titles(page), command != "run")
            rows = json.loads((folder / "result.json").read_text()).get("check", {}).get("rows", [])
            self.assertEqual(len(rows) > 0, command == "check")
            self.assertEqual([row["reason"] for row in rows], [a["title"] for a in page.all("td") if "title" in a])
        failed = self.folder / "failed"
        run("run", self.scene, "-o", failed, "-q", "--set", "solver.max_iterations=1", code=76)
        page, _ = self.page(failed)
        self.assertIn("What failed", [title for _, title in page.headings])
        self.assertIn("newton_limit", page.text)

    def test_a_sweep_has_its_members_and_a_line_for_each(self):
        folder = self.folder / "sweep"
        run("sweep", self.scene, "-o", folder, "-q", "--over", "design.modulus.initial=0.5MPa..2MPa:3:log",
            "--over", "materials.rubber.model=neo_hookean, hencky")
        page, text = self.page(folder)
        self.assertEqual(self.titles(page), ["Members", "Parallel coordinates", "Responses", "Files"])
        rows = [a for a in page.all("tr") if a.get("id", "").startswith("member")]
        lines = [a for a in page.all("path") if a.get("class", "").startswith("member")]
        self.assertEqual((len(rows), len(lines)), (6, 6))
        for words in ("design.modulus.initial [Pa]", "hencky", "objective over design.modulus.initial"):
            self.assertIn(words, page.text)

    def test_a_study_has_its_experiments_with_weighted_parts_of_j(self):
        (self.folder / "study.yaml").write_text(STUDY)
        folder, away = self.folder / "study", self.folder / "away.html"
        run("grad", self.folder / "study.yaml", "-o", folder, "-q")
        run("report", folder)
        page = Page((folder / "report.html").read_text(encoding="utf-8"))
        self.assertEqual(self.titles(page), ["Experiments", "Pictures", "Parameters", "Files"])
        self.assertEqual([a["href"] for a in page.all("a") if not a["href"].startswith("#")],
                         ["experiments/near/", "experiments/far/"])
        for link in page.all("a"):
            self.assertTrue(link["href"].startswith("#") or (folder / link["href"]).is_dir(), link)
        self.assertEqual(sum(a["alt"].startswith("Last state of the experiment") for a in page.all("img")), 2)
        for part in json.loads((folder / "result.json").read_text())["experiments"]:
            row = f"{part['name']}{part['scene']}{part['weight']:g}"
            self.assertIn("".join(row.split()), "".join(page.text.split()))
        run("report", folder, "-o", away)
        links = Page(away.read_text(encoding="utf-8")).all("a")
        self.assertTrue(all(a["href"].startswith("#") for a in links))
        self.assertIn("J of the study is the sum of the weighted J", page.text)
        self.assertNotIn("weight in the gradient", page.text)
        run("grad", self.folder / "study.yaml", "-o", folder, "-q", "--set", "combine={type: maximum, power: 4}")
        run("report", folder)
        page = Page((folder / "report.html").read_text(encoding="utf-8"))
        self.assertIn("J of the study is a smooth maximum of the weighted J", page.text)
        self.assertIn("weight in the gradient", page.text)
        for part in json.loads((folder / "result.json").read_text())["experiments"]:
            self.assertIn(f"{part['gradient_weight']:.9g}", page.text)

    def test_a_fit_of_a_study_has_its_errors_and_a_curve_for_each_experiment(self):
        study, folder = self.folder / "squares.yaml", self.folder / "squares"
        study.write_text(STUDY.replace("lbfgs", "levenberg_marquardt, max_iterations: 5"))
        run("optimize", study, "-o", folder, "-q")
        page, text = self.page(folder)
        self.assertEqual(self.titles(page), ["Experiments", "Pictures", "Iterations", "Parameters",
                                             "Errors of the fit", "Files"])
        self.assertIn("95 % from", page.text)
        rows = json.loads((folder / "result.json").read_text())["least_squares"]["parameters"]
        self.assertEqual([row["variable"] for row in rows], ["materials.rubber.E"])  # nu is at its bound
        labels = [figure["aria-label"] for figure in page.all("svg") if "aria-label" in figure]
        self.assertEqual(sum("iteration" in label for label in labels), 3)
        curves = re.findall(r"<figure.*?</figure>", text, re.S)
        of = [figure for figure in curves if "Objective of each experiment" in figure]
        self.assertEqual(len(of), 1)
        self.assertTrue("near" in of[0] and "far" in of[0])
        for spoiled in ("", "iteration\n", "iteration,evaluations,objective\n1,2,x\n3", "a\0,b\n1,2\n"):
            (folder / "history.csv").write_text(spoiled)
            self.page(folder)  # it is written, whatever the file holds

    def test_a_name_of_an_experiment_leads_to_no_other_folder(self):
        folder = self.folder / "lure"
        folder.mkdir()
        (folder / "result.json").write_text(json.dumps({
            "command": "grad", "study": "s.yaml", "exit": 0, "message": "done", "parameters": {},
            "experiments": [{"name": "../../etc", "scene": "a.yaml", "weight": 1, "objective": 2}]}))
        run("report", folder)
        page = Page((folder / "report.html").read_text(encoding="utf-8"))
        self.assertTrue(all(a["href"].startswith("#") for a in page.all("a")))
        self.assertIn("../../etc", page.text)

    def test_members_that_failed_are_listed_with_their_cause(self):
        folder = self.folder / "members"
        run("sweep", self.scene, "-o", folder, "-q", "--over", "solver.max_iterations=1,30", code=78)
        page, _ = self.page(folder)
        self.assertIn("Members that failed", [title for _, title in page.headings])
        self.assertIn("newton", page.text.lower())


if __name__ == "__main__":
    PIOLA, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
