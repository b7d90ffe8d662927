#!/usr/bin/env python3
"""test_bench.py PIOLA -- small runs of the benchmarks: the numbers are there and agree with each other; none is
timed."""
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PIOLA = ""
# Tests run beside each other: threads that wait should sleep.
ENVIRONMENT = {**os.environ, "OMP_WAIT_POLICY": "passive"}


def printed_by(*arguments):
    done = subprocess.run([PIOLA, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, env=ENVIRONMENT, timeout=300)
    assert done.returncode == 0, f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr}"
    return json.loads(done.stdout)


class Bench(unittest.TestCase):
    def test_the_benchmark_gives_positive_numbers_for_every_thread_count(self):
        report = printed_by("bench", "mpm", "--particles", "3000", "--steps", "3", "--threads", "2", "--json")
        self.assertEqual([r["threads"] for r in report["threads"]], [1, 2])
        for row in report["threads"]:
            for name in ("forward", "forward_storing", "adjoint", "gradient"):
                times = row["ns_per_particle_step"][name]
                self.assertTrue(0 < times["best"] <= times["median"], name)
        shares = sum(k["forward_share"] for k in report["kernels"])
        slope, exact = report["check"]["slope"], report["check"]["exact"]
        print(f"kernel shares sum to {shares:.12f} (threshold 1 +- 1e-9), d x/d v0 is off by "
              f"{abs(slope / exact - 1):.1e} (threshold 1e-3)", file=sys.stderr)
        self.assertAlmostEqual(shares, 1, 9)
        self.assertLess(abs(slope / exact - 1), 1e-3)

    def test_kernels_have_a_share_of_what_the_machine_gives(self):
        report = printed_by("bench", "mpm", "--particles", "3000", "--steps", "3", "--threads", "1", "--json")
        row, counted = report["threads"][0], [k for k in report["kernels"] if "bytes" in k]
        self.assertEqual({k["name"] for k in counted}, {"mpm_p2g", "mpm_node_velocity", "mpm_g2p", "mpm_g2p_adj",
                                                        "mpm_grid_adj", "mpm_p2g_adj"})
        self.assertGreater(row["fma_per_second"], 0)
        for k in counted:
            least = 1e9 * max(k["bytes"] / row["copy_bytes_per_second"], k["operations"] / row["fma_per_second"])
            seconds = k["gradient_ns"] if k["name"].endswith("_adj") else k["forward_ns"]
            self.assertAlmostEqual(k["share_of_machine"] * seconds / least, 1, 9, k["name"])
        # 27 nodes take 2 + 3 (2 * 3 + 2) operations each, weights 63, a stress 4 * 27 + 5 * 9
        operations = {k["name"]: k["operations"] for k in counted}
        self.assertEqual(operations["mpm_p2g"], 27 * 26 + 63 + 153)
        self.assertEqual(operations["mpm_p2g_adj"], 2 * (27 * 26 + 63) + 3 * 153)

    def test_a_loose_box_and_a_shuffled_start_are_other_cases_of_the_same_particles(self):
        cases = {}
        for words in ((), ("--box", "loose"), ("--start", "shuffled")):
            report = printed_by("bench", "mpm", "--particles", "4096", "--dimension", "2", "--steps", "2", "--threads",
                                "1", "--json", *words)
            cases[words] = report["case"]
            self.assertLess(abs(report["check"]["slope"] / report["check"]["exact"] - 1), 1e-3)
        tight, loose, shuffled = cases.values()
        # 32 cells on a side, 6 free ones or 32 on each side of them, 5 nodes more
        self.assertEqual((tight["box_nodes"], loose["box_nodes"]), ((32 + 12 + 5) ** 2, (3 * 32 + 5) ** 2))
        self.assertEqual((tight["box"], loose["box"], shuffled["box"]), ("tight", "loose", "tight"))
        self.assertEqual((tight["start"], shuffled["start"]), ("sorted", "shuffled"))
        for other in (loose, shuffled):
            self.assertEqual((other["particles"], other["cells"], other["nodes"]),
                             (tight["particles"], tight["cells"], tight["nodes"]))

    def test_materials_are_plastic_viscous_or_have_fibres(self):
        options = ("--particles", "3000", "--steps", "3", "--threads", "1")
        cases = [(("--plasticity", "von_mises"), "hencky", "von_mises", 0, False),
                 (("--plasticity", "drucker_prager", "--law", "ogden"), "hencky", "drucker_prager", 0, False),
                 (("--plasticity", "snow"), "fixed_corotated", "snow", 0, False),
                 (("--viscosity", "2.5", "--fibres"), "neo_hookean", "none", 2.5, True)]
        for words, law, plasticity, viscosity, fibres in cases:
            report = printed_by("bench", "mpm", *options, "--json", *words)
            case, kernels = report["case"], {k["name"] for k in report["kernels"] if k["gradient_ns"] > 0}
            self.assertEqual((case["law"], case["plasticity"], case["viscosity"], case["fibres"]),
                             (law, plasticity, viscosity, fibres))
            self.assertEqual({"mpm_plastic", "mpm_plastic_adj"} <= kernels, plasticity != "none", words)
            self.assertIn("mpm_p2g_rest_adj", kernels)
            self.assertLess(abs(report["check"]["slope"] / report["check"]["exact"] - 1), 1e-3)
        for words, message in ((("--plasticity", "ice"), "von_mises"),
                               (("--law", "tait", "--fibres"), "of solids, and tait is a fluid"),
                               (("--law", "tait", "--viscosity", "1"), "of solids, and tait is a fluid")):
            done = subprocess.run([PIOLA, "bench", "mpm", *options, *words], capture_output=True, text=True,
                                  env=ENVIRONMENT, timeout=300)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)

    def test_sizes_go_up_in_decades(self):
        report = printed_by("bench", "mpm", "--sizes", "--particles", "20000", "--dimension", "2", "--steps", "2",
                            "--threads", "1", "--json")
        sizes = report["sizes"]
        self.assertEqual([s["particles"] for s in sizes], [1024, 10000])  # 4 per cell, whole squares
        self.assertEqual([s["steps"] for s in sizes], [100, 10])          # 1e5 particle-steps, at most 100 steps
        for s in sizes:
            self.assertTrue(0 < s["forward_seconds"] < s["gradient_seconds"] and s["bytes"] > 0, s)

    def test_a_report_is_compared_with_an_older_one_of_the_same_case_alone(self):
        for words in (("mpm", "--particles", "500", "--dimension", "2", "--steps", "2"),
                      ("fem", "--dimension", "2", "--cells", "3")):
            words = ("bench", *words, "--threads", "1")
            with tempfile.TemporaryDirectory() as folder:
                old = os.path.join(folder, "old.json")
                report = printed_by(*words, "--json")

                def compared(text, *more, code=0):
                    with open(old, "w") as file:
                        file.write(text)
                    done = subprocess.run([PIOLA, *words, "--compare", old, *more], capture_output=True, text=True,
                                          env=ENVIRONMENT, timeout=300)
                    self.assertEqual(done.returncode, code, done.stderr)
                    return done.stdout if code == 0 else done.stderr

                rows = [line.split() for line in compared(json.dumps(report)).splitlines()]
                ratios = {row[0]: [float(x) for x in row[1:]] for row in rows
                          if len(row) == 4 and row[0].startswith(("threads[1].", "kernels["))}
                self.assertGreater(len(ratios), 10)
                for path, (was, now, ratio) in ratios.items():
                    self.assertLess(abs(ratio * was - now), 1e-3 * now + 1e-3 * was, path)
                self.assertEqual(len([p for p in ratios if p.startswith("threads[1].") and p.endswith(".best")]),
                                 6 if words[1] == "mpm" else 4)
                other = json.loads(json.dumps(report))
                other["case"]["law"] = "hencky"
                self.assertIn("of another case: case.law is 'hencky'", compared(json.dumps(other), code=2))
                other["command"] = "bench snapshot"
                self.assertIn("figures of 'bench snapshot'", compared(json.dumps(other), code=2))
                for text in ("", "[1, 2", '{"command": bench}', "{} {}", "[" * 99, "{\"a\": 1"):
                    compared(text, code=2)
                compared(json.dumps(report), "--json", code=2)
                os.remove(old)
                missing = subprocess.run([PIOLA, *words, "--compare", old], capture_output=True, timeout=300)
                self.assertEqual(missing.returncode, 66)

    def test_gradients_in_little_memory_run_as_many_steps_as_the_optimum(self):
        report = printed_by("bench", "memory", "--particles", "500", "--steps", "64", "--precision", "f64",
                            "--threads", "2", "--json")
        cases = {(c["method"], c["integrator"], c["compact"]): c for c in report["cases"]}
        plain, reversible = [("mpm", "apic", False), ("mpm", "apic", True), ("fem", "leapfrog", False)], [
            ("mpm", "reversible", False), ("fem", "reversible_leapfrog", False), ("fem", "reversible_euler", False)]
        self.assertEqual(sorted(cases), sorted(plain + reversible))
        self.assertLess(cases[plain[1]]["state_bytes"], 0.75 * cases[plain[0]]["state_bytes"])
        for case in report["cases"]:
            self.assertTrue(case["same_bits"])
            self.assertEqual(case["rows"][0]["recomputation"], 1)
            for row in case["rows"]:
                self.assertGreater(row["gradient_over_forward"], 0)
                # an inverse step costs less than a step that solves
                self.assertGreater(row["predicted"], 1 if row["strategy"] == "reverse" else row["recomputation"])
        for name in plain:
            rows = {(r["states"], r["states_on_disk"]): r for r in cases[name]["rows"]}
            # t(64, 10) = 2 * 64 - C(12, 1) and the last step
            self.assertEqual(rows[10, 0]["recomputation"] * 64, 2 * 64 - 12 + 1)
            self.assertLess(rows[10, 50]["recomputation"], rows[10, 0]["recomputation"])
        for name in reversible:
            back = cases[name]["rows"][-1]
            self.assertEqual((back["strategy"], back["states"], back["recomputation"]), ("reverse", 1, 2))
            residual_log = cases[name]["residual_log_bytes_per_step"]
            steps = cases[name]["steps"]
            self.assertAlmostEqual(back["bytes_per_step"], cases[name]["state_bytes"] / steps + residual_log)
            self.assertEqual(residual_log > 0, name[1] == "reversible_euler")

    def test_the_benchmark_of_meshes_gives_numbers_that_agree_with_each_other(self):
        cases = [("hex8", "neo_hookean", "f64", 3, 4 ** 3, 5 ** 3, 13 ** 3), # per axis 3 columns a row, 2 at the ends
                 ("quad9", "ogden", "f64", 2, 4 ** 2, 9 ** 2, 33 ** 2),      # inner vertices reach 5 nodes, others 3
                 ("hex20", "linear", "f64", 3, 4 ** 3, 5 ** 3 + 3 * 4 * 5 ** 2, 17329), # counted pair by pair
                 ("hex8", "hencky", "f32", 3, 4 ** 3, 5 ** 3, 13 ** 3)]
        for element, law, precision, dim, elements, nodes, blocks in cases:
            report = printed_by("bench", "fem", "--element", element, "--law", law, "--cells", "4", "--precision",
                                precision, "--threads", "2", "--json")
            case, solver, parts = report["case"], report["solver"], report["parts"]
            limit = 1e-2 if precision == "f32" else 1e-7
            shares = [sum(k[s] for k in report["kernels"]) for s in ("forward_share", "adjoint_share")]
            print(f"{element} {law} {precision}: {case['unknowns']} unknowns, {case['blocks']} blocks, sum c dJ/dc + F "
                  f"dJ/dF is {report['check']['identity_defect']:.1e} of F dJ/dF (threshold {limit:.0e}), shares sum "
                  f"to {shares[0]:.12f} and {shares[1]:.12f} (threshold 1 +- 1e-9)", file=sys.stderr)
            self.assertEqual((case["elements"], case["unknowns"]), (elements, dim * nodes))
            self.assertEqual(case["blocks"], blocks)
            self.assertLess(report["check"]["identity_defect"], limit)
            self.assertGreater(report["check"]["deflection"], 0)
            for share in shares:
                self.assertAlmostEqual(share, 1, 9)
            self.assertEqual([r["threads"] for r in report["threads"]], [1, 2])
            for row in report["threads"]:
                for name in ("forward", "forward_cpu", "adjoint", "adjoint_cpu"):
                    times = row[name + "_seconds"]
                    self.assertTrue(0 < times["best"] <= times["median"], name)
            share, cache = parts.pop("product_share_of_copy"), report["bytes"]["last_level_cache"]
            print(f"a product moves {parts['product_bytes']:.0f} bytes, the last-level cache has {cache}: its share of "
                  f"a copy's bandwidth is {share}", file=sys.stderr)
            self.assertEqual(share is None, parts["product_bytes"] <= 2 * cache or not cache)
            self.assertTrue(all(v > 0 for v in parts.values()), parts)
            self.assertLess(parts["product_seconds"], parts["iteration_seconds"])
            self.assertGreater(report["bytes"]["arena"], report["bytes"]["matrix"])
            self.assertGreater(report["bytes"]["process_peak"], report["bytes"]["arena"])
            calls = {k["name"]: (k["forward_calls"], k["adjoint_calls"]) for k in report["kernels"]}
            self.assertEqual(calls["fem_assemble"], (solver["newton_iterations"], 1))
            # each of two solves at most has a product at its start and one at its end besides those of its iterations
            self.assertIn(calls["bsr_apply"][1] - solver["adjoint_iterations"], (2, 4))
            self.assertIsNone(report["library"]["product"]) # a CPU has none

    def test_multigrid_is_part_of_the_linear_solver(self):
        report = printed_by("bench", "fem", "--element", "quad9", "--cells", "16", "--threads", "1", "--json")
        parts = {k["name"]: k["part"] for k in report["kernels"] if k["name"].startswith("amg_")}
        print(report["solver"]["linear"], parts, file=sys.stderr)
        self.assertIn("multigrid", report["solver"]["linear"])
        self.assertIn("amg_smoothen", parts)
        self.assertEqual(set(parts.values()), {"rest of the linear solver"})

    def test_the_benchmark_of_files_gives_numbers_that_agree_with_each_other(self):
        # in 2D too vectors are stored in 3D
        for dim, precision, frames, particles, row in ((3, "f32", 3, 14 ** 3, 4 * (3 + 3 + 1)),
                                                       (2, "f64", 2, 54 ** 2, 8 * (3 + 3 + 1))):
            with tempfile.TemporaryDirectory() as folder:
                report = printed_by("bench", "snapshot", "--particles", "2900", "--dimension", str(dim),
                                    "--precision", precision, "--steps", str(frames), "-o", folder, "--json")
                self.assertEqual(os.listdir(folder), [])
            case, writing, sums, reading = report["case"], report["writing"], report["checksums"], report["reading"]
            verified, plain = reading["verified"], reading["no_verify"]
            print(f"{particles} particles, {frames} frames: {case['file_bytes']} bytes, checksums of arrays "
                  f"{sums['frame_share_of_frames']:.4f} of the frames and of the file "
                  f"{sums['file_share_of_writing']:.4f} of all, verified {reading['verified_over_no_verify']:.2f} "
                  "times as long", file=sys.stderr)
            self.assertEqual((case["particles"], case["dimension"], case["precision"], case["frames"]),
                             (particles, dim, precision, frames))
            self.assertEqual(case["frame_bytes"], particles * row)
            self.assertEqual(case["array_bytes"], particles * (frames * row + 16))  # body and material, once
            self.assertGreater(case["file_bytes"], case["array_bytes"])
            for part in (writing, sums, verified, plain):
                self.assertTrue(all(v > 0 for v in part.values()), part)
            parts = sum(writing[k] for k in ("begin_seconds", "frames_seconds", "finish_seconds"))
            self.assertGreaterEqual(writing["seconds"], parts - 1e-9)
            self.assertLess(sums["frame_seconds"], min(writing["frames_seconds"], sums["array_seconds"]))
            self.assertLess(sums["file_seconds"], writing["finish_seconds"])
            for share, part, whole in (("frame_share_of_frames", "frame_seconds", "frames_seconds"),
                                       ("array_share_of_writing", "array_seconds", "seconds"),
                                       ("file_share_of_writing", "file_seconds", "seconds")):
                self.assertAlmostEqual(sums[share], sums[part] / writing[whole], 12)
            self.assertAlmostEqual(sums["array_bytes_per_second"] * sums["array_seconds"] / case["array_bytes"], 1, 12)
            self.assertAlmostEqual(reading["verified_over_no_verify"], verified["seconds"] / plain["seconds"], 12)
            for part in (writing, verified, plain):
                self.assertAlmostEqual(part["bytes_per_second"] * part["seconds"] / case["file_bytes"], 1, 12)
            for part in (verified, plain):
                self.assertLess(part["open_seconds"], part["seconds"])

    def test_the_benchmark_of_files_leaves_none_when_it_is_stopped_or_the_disk_is_full(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [PIOLA, "bench", "snapshot", "-o", folder, "--particles"]
            for limit in (1 << 12, 1 << 17, 1 << 18):  # bytes: while the file is laid out, and in a frame
                done = subprocess.run([*command, "3000"], capture_output=True, text=True, env=ENVIRONMENT, timeout=300,
                                      preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                self.assertEqual((done.returncode, done.stdout, os.listdir(folder)), (74, "", []), done.stderr)
                self.assertIn("File too large", done.stderr)
            with subprocess.Popen([*command, "200000", "--steps", "1000"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, env=ENVIRONMENT) as running:
                while not os.listdir(folder) and running.poll() is None:
                    time.sleep(0.01)
                running.send_signal(signal.SIGTERM)
                report = running.communicate(timeout=300)
            self.assertEqual((running.returncode, report[0], os.listdir(folder)), (75, "", []), report[1])
            self.assertIn("interrupted by SIGTERM", report[1])
            for wrong in (os.path.join(folder, "nowhere"), PIOLA):
                done = subprocess.run([PIOLA, "bench", "snapshot", "-o", wrong], capture_output=True, text=True,
                                      timeout=300)
                self.assertEqual((done.returncode, done.stdout), (73, ""), done.stderr)


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
