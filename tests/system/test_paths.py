#!/usr/bin/env python3
"""test_paths.py PIOLA -- what a command writes and reads by name: long names, files that are not its own, links,
folders outside the scene's, logs that cannot be written, byte order marks, and a terminal that is closed."""
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import zlib

PIOLA = ""
SCENE = """version: 1
name: tiny
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: separate}}
time: {dt: 1 ms, duration: 20 ms}
gravity: [0, -9.81]
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]
bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 1], angular_velocity: 3}]
observe: [{name: place, type: mean_position, body: ball, every: 10 ms}]
design: [{name: speed, target: bodies.ball.velocity, initial: [0.5, 0.5 m/s], bounds: [-3 m/s, 3]}]
objective: [{type: target, of: place, value: [0.52, 0.51]}]
optimizer: {type: lbfgs, max_iterations: 1}
output: {states: {every: 10 ms}}
"""
TABLE = "time,x,y\n0.01,0.5,0.5\n0.02,0.51,0.5\n"
MISFIT = ("--set", "objective=[{type: misfit, of: place, data: {file: %s, columns: [x, y]}}]")
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}


class Paths(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(os.path.realpath(temporary.name))
        self.home = self.folder / "home"  # the scene's folder; beside it is what it may not see
        self.home.mkdir()
        self.scene = self.home / "tiny.yaml"
        self.scene.write_text(SCENE)
        self.started = self.folder / "started"  # the current folder
        self.started.mkdir()

    def run_it(self, *arguments, cwd=None, **others):
        return subprocess.run([PIOLA, *map(str, arguments)], cwd=cwd or self.started, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", stdin=subprocess.DEVNULL,
                              env=ENVIRONMENT, timeout=300, **others)

    def expect(self, code, words, *arguments, **others):
        """The exit code, and all of the words on standard error."""
        done = self.run_it(*arguments, **others)
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        return done

    def everything(self):
        """Every file below the folder, with its bytes."""
        return {p: p.read_bytes() for p in sorted(self.folder.rglob("*")) if p.is_file() and not p.is_symlink()}

    # ---- long names

    def deep(self, length):
        """A folder whose name has so many bytes."""
        text = str(self.folder)
        while len(text) < length:
            left = length - len(text) - 1
            text += "/" + "d" * (100 if left == 201 else min(200, left))  # a slash is never the last
        self.assertEqual(len(text), length)
        return text

    def test_names_of_every_length_are_whole_or_refused(self):
        most = os.pathconf("/", "PC_PATH_MAX") - 128
        for length in (1000, 1023, 1024, 1100, 2000, most):
            out = self.deep(length)
            self.expect(0, [], "grad", self.scene, "-o", out, "-q")
            there = sorted(os.listdir(out))
            self.assertEqual(there, ["result.json", "states.vtkhdf"], length)
            with open(f"{out}/result.json", encoding="utf-8") as file:
                report = json.load(file)
            self.assertEqual(report["files"], [f"{out}/states.vtkhdf", f"{out}/result.json"])
            shutil.rmtree(self.folder / ("d" * 200))
        before = self.everything()
        for length in (most + 1, most + 100, 5000, 100000):
            done = self.expect(73, [f"has {length} bytes", f"at most {most}"], "grad", self.scene,
                               "-o", self.deep(length))
            self.assertEqual(done.stdout, "")
        self.assertEqual(self.everything(), before)
        self.expect(73, [f"has {most + 1} bytes"], "run", self.scene,
                    "--set", f"output.directory={self.deep(most + 1)}")
        self.assertEqual(self.everything(), before)

    def test_an_optimisation_works_in_a_deep_folder(self):
        out = self.deep(1500)
        done = self.run_it("optimize", self.scene, "-o", out)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        there = set(os.listdir(out))
        self.assertLessEqual({"states.vtkhdf", "history.vtkhdf", "picture.png", "result.json"}, there)
        self.assertFalse([n for n in there if "partial" in n or n.endswith(".tmp")], there)

    def test_a_scene_and_its_table_may_lie_deep(self):
        deep = self.deep(3000)
        os.makedirs(deep)
        with open(f"{deep}/tiny.yaml", "w", encoding="utf-8") as file:
            file.write(SCENE)
        with open(f"{deep}/table.csv", "w", encoding="utf-8") as file:
            file.write(TABLE)
        out = self.folder / "out"
        self.expect(0, [], "grad", f"{deep}/tiny.yaml", "-o", out, MISFIT[0], MISFIT[1] % "table.csv")
        manifest = json.loads(self.expect(0, [], "info", out / "states.vtkhdf", "--json").stdout)["manifest"]
        self.assertIn(f"sha256 {deep}/table.csv", manifest)
        with open(f"{deep}/tiny.yaml", "w", encoding="utf-8") as file:
            file.write(SCENE.replace("gravity", "gravitty"))
        self.expect(65, [f"{deep}/tiny.yaml:5:1: error"], "validate", f"{deep}/tiny.yaml")  # whole, for editors

    def test_a_long_name_does_not_hide_what_is_wrong_with_it(self):
        done = self.expect(66, ["No such file or directory"], "run", self.deep(3000) + "/none.yaml")
        self.assertIn("none.yaml", done.stderr)
        self.expect(66, ["too long"], "run", self.deep(5000))

    # ---- what is there already

    def test_a_picture_takes_the_place_of_pictures_alone(self):
        self.expect(0, [], "run", self.scene, "-o", self.folder / "out", "-q")
        states = self.folder / "out" / "states.vtkhdf"
        self.expect(2, ["does not end in .png"], "render", states, "-o", self.scene)
        self.expect(2, ["does not end in .png"], "render", states, "-o", states)
        disguised = [self.home / "scene.png", self.home / "states.png", self.home / "short.png"]
        shutil.copy(self.scene, disguised[0])
        shutil.copy(states, disguised[1])
        disguised[2].write_bytes(b"\x89PNG")
        link = self.home / "link.png"
        link.symlink_to(self.scene)
        before = self.everything()
        for name in (*disguised, link):
            self.expect(73, ["exists and is not a PNG"], "render", states, "-o", name)
        self.expect(73, ["not a regular file"], "render", states, "-o", self.link_to("/dev/null", "null.png"))
        self.assertEqual(self.everything(), before)
        for name in ("new.png", "NEW.PNG", "empty.png"):
            (self.home / "empty.png").touch()
            self.expect(0, [], "render", states, "-o", self.home / name, "--size", "320x180")
            self.expect(0, [], "render", states, "-o", self.home / name, "--size", "330x180")  # over a picture
            self.assertEqual(self.size_of(self.home / name), (330, 180))

    def link_to(self, target, name):
        (self.home / name).symlink_to(target)
        return self.home / name

    def size_of(self, png):
        data = png.read_bytes()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(zlib.crc32(data[12:29]), struct.unpack(">I", data[29:33])[0])
        return struct.unpack(">II", data[16:24])

    def test_an_optimisation_whose_picture_cannot_be_placed_says_so_at_once(self):
        out = self.folder / "out"
        out.mkdir()
        (out / "picture.png").write_text("notes of mine\n")
        self.expect(73, ["picture.png", "is not a PNG"], "optimize", self.scene, "-o", out)
        self.assertEqual((out / "picture.png").read_text(), "notes of mine\n")
        self.assertFalse((out / "states.vtkhdf").exists())

    def test_an_export_takes_the_place_of_exports_alone(self):
        self.expect(0, [], "run", self.scene, "-o", self.folder / "out", "-q")
        states = self.folder / "out" / "states.vtkhdf"
        before = self.everything()
        for form in "vtu", "csv":
            for name in (self.scene, states):
                self.expect(73, ["not written by this command"], "export", states, "--to", form, "-o", name)
        self.expect(73, ["this is not a folder"], "export", states, "--to", "npy", "-o", self.scene)
        self.assertEqual(self.everything(), before)
        for _ in range(2):
            self.expect(0, [], "export", states, "--to", "csv", "-o", self.home / "table")

    # ---- the log

    def test_no_line_is_appended_to_what_is_no_log(self):
        self.expect(0, [], "run", self.scene, "-o", self.folder / "out", "-q")
        other = self.home / "scene.json"
        other.write_text('{"version": 1}\n')
        before = self.everything()
        for name in (self.scene, other, self.folder / "out" / "states.vtkhdf"):
            self.expect(73, ["what is there is no log"], "run", self.scene, "-o", self.folder / "out2",
                        "--log-json", name)
        self.assertEqual(self.everything(), before)
        self.expect(73, ["cannot open it for the log"], "run", self.scene, "--log-json", self.folder / "no" / "log")

    def test_a_log_is_continued_also_behind_a_torn_line(self):
        log = self.folder / "log.jsonl"
        self.expect(0, [], "run", self.scene, "-o", self.folder / "out", "-q", "--log-json", log)
        whole = log.read_text().splitlines()
        log.write_text("\n".join(whole)[:-7])
        self.expect(0, [], "run", self.scene, "-o", self.folder / "out", "-q", "--log-json", log)
        lines = log.read_text().splitlines()
        self.assertEqual(len(lines), 2 * len(whole))
        self.assertRaises(json.JSONDecodeError, json.loads, lines[len(whole) - 1])
        for i, line in enumerate(lines):
            if i != len(whole) - 1:
                json.loads(line)

    @unittest.skipUnless(os.access("/dev/full", os.W_OK), "no /dev/full")
    def test_a_log_that_cannot_be_written_is_no_success(self):
        for command in "run", "grad", "check", "optimize":
            out = self.folder / command
            self.expect(74, ["--log-json", "the log could not be written", "No space left"], command, self.scene, "-o",
                        out, "--log-json", "/dev/full")
            report = json.loads((out / "result.json").read_text())
            self.assertEqual(report["exit"], 74)
            self.assertIn("the log could not be written", report["message"])
            self.assertEqual((out / "states.vtkhdf").exists(), command != "check")  # it did its work
        self.expect(74, ["the log could not be written"], "run", self.scene, "--dry-run", "--log-json", "/dev/full")

    def test_a_log_that_meets_its_limit_later_is_no_success(self):
        log = self.folder / "log.jsonl"
        self.expect(0, [], "run", self.scene, "-o", self.folder / "out", "-q", "--log-json", log)
        record = log.read_text()
        log.write_text(record * (1 + (4 << 20) // len(record)))
        size = log.stat().st_size + len(record) // 2  # more than the files of results need
        import resource
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        self.expect(74, ["the log could not be written", "File too large"], "run", self.scene,
                    "-o", self.folder / "out", "-q", "--log-json", log, preexec_fn=limit)
        self.assertEqual(json.loads((self.folder / "out" / "result.json").read_text())["command"], "run")
        self.expect(0, [], "info", self.folder / "out" / "states.vtkhdf")

    def test_readers_who_cannot_be_reached_do_not_stop_a_run(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PIOLA, "run", self.scene, "-o", self.folder / "out"], stderr=full, cwd=self.started,
                                  env=ENVIRONMENT, timeout=300)
        self.assertEqual(done.returncode, 0)

    # ---- what a scene may name

    def test_a_scene_reads_outside_its_folder_with_leave_alone(self):
        data = self.folder / "data"
        data.mkdir()
        (data / "table.csv").write_text(TABLE)
        (self.home / "link.csv").symlink_to(data / "table.csv")
        (self.folder / "data2").mkdir()
        (self.folder / "data2" / "table.csv").write_text(TABLE)
        for name in ("../data/table.csv", str(data / "table.csv"), "link.csv", "sub/../../data/table.csv"):
            given = (MISFIT[0], MISFIT[1] % name)
            (self.home / "sub").mkdir(exist_ok=True)
            for command in "validate", "params", "run":
                self.expect(77, ["leaves the scene's folder", "--allow PATH"], command, self.scene, *given)
                self.expect(77, ["leaves the scene's folder"], command, self.scene, *given,
                            "--allow", self.folder / "data2")
                self.expect(77, ["leaves the scene's folder"], command, self.scene, *given, "--allow", self.home)
                for leave in (data, data / "table.csv", "../data", self.folder / "data2" / ".." / "data"):
                    self.expect(0, [], command, self.scene, *given, "--allow", self.folder / "data2", "--allow", leave)
        self.expect(66, ["no file"], "validate", self.scene, MISFIT[0], MISFIT[1] % "../data/none.csv", "--allow", data)
        self.expect(77, ["leaves"], "validate", self.scene, MISFIT[0], MISFIT[1] % "../data/none.csv")
        self.expect(66, ["--allow", "none: No such file"], "validate", self.scene, "--allow", self.folder / "none")
        self.expect(66, ["--allow"], "validate", self.scene, "--allow", "")

    def test_leave_for_a_link_is_leave_for_what_it_points_to(self):
        data = self.folder / "data"
        data.mkdir()
        (data / "table.csv").write_text(TABLE)
        (self.folder / "alias").symlink_to(data)
        (data / "way").symlink_to(self.folder / "other")
        (self.folder / "other").mkdir()
        (self.folder / "other" / "table.csv").write_text(TABLE)
        given = (MISFIT[0], MISFIT[1] % "../data/table.csv")
        self.expect(0, [], "validate", self.scene, *given, "--allow", self.folder / "alias")
        given = (MISFIT[0], MISFIT[1] % "../data/way/table.csv")  # a link inside leads out again
        self.expect(77, ["leaves the scene's folder"], "validate", self.scene, *given, "--allow", data)

    def test_an_include_outside_needs_leave(self):
        part = self.folder / "part.yaml"
        part.write_text("gravity: [0, -1]\n")
        self.scene.write_text(SCENE.replace("gravity: [0, -9.81]", "include: ../part.yaml"))
        self.expect(77, ["tiny.yaml:5:", "leaves the scene's folder"], "validate", self.scene)
        done = self.expect(0, [], "validate", self.scene, "--json", "--allow", part)
        self.assertEqual(json.loads(done.stdout)["gravity"], [0, -1])

    # ---- where a scene may write

    def test_a_scene_writes_outside_with_leave_alone(self):
        away = self.folder / "away"
        away.mkdir()
        (away / "result.json").write_text("of someone else\n")
        (self.started / "link").symlink_to(away)
        before = self.everything()
        for name in (str(away), "../away", "new/../../away", "link", "link/new", str(away / "new"), "/"):
            self.scene.write_text(SCENE.replace("output: {", f"output: {{directory: '{name}', "))
            before[self.scene] = self.scene.read_bytes()
            for command in "run", "validate", "optimize":
                self.expect(77, ["tiny.yaml:13:", "output.directory", "-o", "--allow"], command, self.scene)
            self.assertEqual(self.everything(), before)
            # the scene's faults are no way around it
            self.scene.write_text(self.scene.read_text().replace("gravity", "gravitty"))
            before[self.scene] = self.scene.read_bytes()
            self.expect(65, ["gravitty"], "run", self.scene)
            self.assertEqual(self.everything(), before)
        self.scene.write_text(SCENE.replace("output: {", f"output: {{directory: '{away}', "))
        self.expect(0, [], "run", self.scene, "-o", self.folder / "mine", "-q")  # the user's word
        self.assertEqual((away / "result.json").read_text(), "of someone else\n")
        self.expect(0, [], "run", self.scene, "--set", f"output.directory={self.folder / 'mine2'}", "-q")
        self.expect(77, [], "run", self.scene, "--allow", self.home)
        self.expect(0, [], "run", self.scene, "--allow", away, "-q")
        self.assertEqual(json.loads((away / "result.json").read_text())["exit"], 0)

    def test_a_scene_writes_below_its_own_and_the_current_folder(self):
        for name, where in (("mine/new", self.started / "mine" / "new"), (str(self.home / "out"), self.home / "out")):
            self.scene.write_text(SCENE.replace("output: {", f"output: {{directory: '{name}', "))
            self.expect(0, [], "run", self.scene, "-q")
            self.assertTrue((where / "states.vtkhdf").exists())
        self.scene.write_text(SCENE)
        self.expect(0, [], "run", self.scene, "-q")
        self.assertTrue((self.started / "out" / "tiny" / "states.vtkhdf").exists())
        (self.folder / "away").mkdir()
        shutil.rmtree(self.started / "out")
        (self.started / "out").symlink_to(self.folder / "away")
        self.expect(77, ["out/tiny", "--allow"], "run", self.scene)
        self.assertEqual(os.listdir(self.folder / "away"), [])

    # ---- byte order marks

    def test_a_byte_order_mark_changes_nothing(self):
        (self.home / "part.yaml").write_bytes(b"\xef\xbb\xbfgravity: [0, -1]\n")
        (self.home / "table.csv").write_bytes(b"\xef\xbb\xbf" + TABLE.encode())
        text = SCENE.replace("gravity: [0, -9.81]", "include: part.yaml")
        self.scene.write_text(text)
        given = (MISFIT[0], MISFIT[1] % "table.csv")
        plain = self.expect(0, [], "validate", self.scene, *given, "--json").stdout
        for begin in (b"\xef\xbb\xbf", b"\xef\xbb\xbf---\n", b"\xef\xbb\xbf# remark\n"):
            self.scene.write_bytes(begin + text.encode())
            self.assertEqual(self.expect(0, [], "validate", self.scene, *given, "--json").stdout, plain)
        self.scene.write_bytes(b"\xef\xbb\xbf" + SCENE.replace("version: 1", "verzion: 1").encode())
        done = self.expect(65, ["tiny.yaml:1:1: error", "verzion"], "validate", self.scene)
        self.assertIn("     1 | verzion: 1\n       | ^", done.stderr)
        self.scene.write_bytes(b"\xef\xbb\xbf\xef\xbb\xbf" + text.encode())  # one is enough
        self.expect(65, [], "validate", self.scene)
        self.scene.write_bytes(text.encode("utf-16"))
        self.expect(65, ["UTF-8"], "validate", self.scene)

    # ---- signals

    def interrupted(self, number, **others):
        log = self.folder / f"log{number}"
        process = subprocess.Popen([PIOLA, "run", self.scene, "-o", self.folder / "out", "--log-json", log, "--set",
                                    "time.duration=400 s", "--set", "output.states.every=10 ms", "--set", "observe=[]",
                                    "--set", "objective=[]", "--set", "design=[]", "--threads", "1"],
                                   cwd=self.started, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, **others)
        partial = time.monotonic() + 60
        while time.monotonic() < partial and not list((self.folder / "out").glob("*states*")):
            time.sleep(0.02)
        process.send_signal(number)
        return process

    def test_a_closed_terminal_and_a_quit_end_a_run_with_what_is_done(self):
        for number, name in (signal.SIGHUP, "SIGHUP"), (signal.SIGQUIT, "SIGQUIT"):
            process = self.interrupted(number)
            report = process.communicate(timeout=60)[1]
            self.assertEqual(process.returncode, 75, report)
            self.assertIn(f"interrupted by {name}", report)
            self.assertEqual(json.loads((self.folder / "out" / "result.json").read_text())["exit"], 75)
            self.assertTrue(list((self.folder / "out").glob("states*.vtkhdf")))
            shutil.rmtree(self.folder / "out")

    def test_a_hangup_that_was_ignored_stays_ignored(self):
        process = self.interrupted(signal.SIGHUP, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        time.sleep(0.5)
        self.assertIsNone(process.poll())  # as under nohup
        process.send_signal(signal.SIGTERM)
        report = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 75, report)
        self.assertIn("interrupted by SIGTERM", report)


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv[1])
    unittest.main(argv=sys.argv[:1], verbosity=2)
