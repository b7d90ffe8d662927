#!/usr/bin/env python3
"""test_study_intervals.py PIOLA -- the 95 % intervals of a study's fit hold the truth in 181 to 199 of 200 seeds of
the noise, for each constant: three standard deviations of a binomial count about 190.

The study is the small one of test_study_fit.py. The seeds are fixed. The control is intervals of half the width, which
hold the truth in about 69 % of the seeds, as Student's t of 28 degrees says of 1.02 standard errors.
"""
import concurrent.futures
import os
import sys
import tempfile
import unittest

import test_study_fit
from test_study_fit import TRUE

SEEDS, PROCESSES = 200, 2
LEAST, MOST = 181, 199


def fits(number):
    """What a process finds: (value, half the width of the interval) of each constant, of every second seed."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        silicone = test_study_fit.Silicone(folder)
        start = [f"design.{name}.initial={value!r}" for name, value in zip(("first", "second"), TRUE.values())]
        for seed in range(1000 + number, 1000 + SEEDS, PROCESSES):
            silicone.measure(seed)
            result, _ = silicone.fit("fit", *start, options=("--resume", "never"))
            of = result["least_squares"]["parameters"]
            found.append([(p["value"], (p["upper"] - p["lower"]) / 2) for p in of])
    return found


class Intervals(unittest.TestCase):
    def test_the_intervals_hold_the_truth_as_often_as_they_say(self):
        with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
            found = [fit for part in pool.map(fits, range(PROCESSES)) for fit in part]
        self.assertEqual(len(found), SEEDS)
        for i, (name, truth) in enumerate(TRUE.items()):
            whole, half = (sum(abs(fit[i][0] - truth) <= width * fit[i][1] for fit in found) for width in (1, 0.5))
            print(f"{name}: the interval holds the truth in {whole} of {SEEDS} seeds (threshold {LEAST} to {MOST}); "
                  f"one of half the width in {half} (threshold at most 160)")
            self.assertGreaterEqual(whole, LEAST)
            self.assertLessEqual(whole, MOST)
            self.assertLessEqual(half, 160)


if __name__ == "__main__":
    test_study_fit.PIOLA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
