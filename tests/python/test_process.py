"""Problems in a process: threads, Ctrl-C, forks, pickles, memory, and what the library leaves as it is."""
import concurrent.futures
import copy
import gc
import locale
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import piola
import pytest
from conftest import BALL, BEAM, changed

LONG = changed(BALL, time={"dt": "0.5 ms", "duration": "60 s"}, observe=[
    {"name": "place", "type": "mean_position", "body": "ball"}], objective=[{"type": "minimize", "of": "place.x"}])
BRIEF = (changed(BALL, time={"dt": "0.5 ms", "duration": "1 ms"}, observe=LONG["observe"], objective=LONG["objective"]),
         changed(BEAM, time={"integrator": "newmark", "dt": "2 ms", "duration": "4 ms"}))


def bits(problem):
    J, gradient = problem.evaluate()
    return np.float64(J).tobytes() + gradient.tobytes() + problem.samples.tobytes()


def test_two_problems_and_many_threads_give_the_same_bits(ball, beam):
    expected = bits(ball), bits(beam)

    def evaluate(k):
        problem = (ball, beam)[k % 2]
        found = problem.evaluation()
        same = np.float64(found.J).tobytes() + found.gradient.tobytes() + found.samples.tobytes() == expected[k % 2]
        changed_values = problem.variables.start * 1.001
        return same, problem.evaluation(changed_values).J != found.J

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        results = list(pool.map(evaluate, range(60)))
    assert results == [(True, True)] * 60


def interrupt_main(delay):
    """Ctrl-C in `delay` s."""
    timer = threading.Timer(delay, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def test_ctrl_c_ends_a_call_and_the_problem_goes_on():
    with piola.Problem(LONG, device="cpu") as problem:
        problem.begin()
        problem.step(20)
        before = problem.field("position")
        for call in (problem.evaluate, lambda: problem.step(problem.steps - 20), problem.jacobian):
            if call is not problem.evaluate:
                problem.begin()
                problem.step(20)
            timer = interrupt_main(0.2)
            with pytest.raises(KeyboardInterrupt):
                call()
            timer.join()
            problem.begin()
            problem.step(20)
            assert problem.field("position").tobytes() == before.tobytes()
        with pytest.raises(piola.UsageError):
            problem.observations["place"]


def test_ctrl_c_does_not_end_the_call_of_another_thread(ball):
    expected = bits(ball)
    with piola.Problem(LONG, device="cpu") as problem, concurrent.futures.ThreadPoolExecutor(1) as pool:
        timer = interrupt_main(0.3)
        with pytest.raises(KeyboardInterrupt):
            running = pool.submit(lambda: [bits(ball) for _ in range(40)])
            problem.evaluate()
        timer.join()
        assert running.result() == [expected] * 40


def test_a_waiting_call_is_cancelled_and_not_the_one_before_it():
    scene = changed(LONG, time={"dt": "0.5 ms", "duration": "1 s"})
    with piola.Problem(scene, device="cpu") as problem, concurrent.futures.ThreadPoolExecutor(1) as pool:
        expected = problem.value()
        running = pool.submit(lambda: [problem.value() for _ in range(3)])
        timer = interrupt_main(0.05)
        with pytest.raises(KeyboardInterrupt):
            while True:
                problem.value()
        timer.join()
        assert running.result() == [expected] * 3


def test_a_state_is_not_read_after_a_step_of_another_thread(ball):
    """The step waits in the queue when the field is requested, and comes before it."""
    state, gate = ball.begin(), threading.Event()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        calls = []
        for call in (lambda: ball._do(lambda h: gate.wait(30)), lambda: ball.step(5), lambda: state.field("position")):
            calls.append(pool.submit(call))
            while ball._worker._jobs.qsize() != max(len(calls) - 1, 0) or ball._worker._current is None:
                time.sleep(0.001)
        gate.set()
        assert calls[1].result().step == 5
        with pytest.raises(piola.UsageError, match="gone on from state 0"):
            calls[2].result()
    assert ball.begin().field("position").shape == ball.field("position").shape


def test_close_ends_a_call_of_another_thread():
    problem = piola.Problem(LONG, device="cpu")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        running = pool.submit(problem.evaluate)
        while not running.running():
            time.sleep(0.01)
        time.sleep(0.1)
        problem.close()
        with pytest.raises((piola.Interrupted, piola.ClosedError)):
            running.result()


def test_a_time_limit_interrupts():
    with piola.Problem(LONG, device="cpu", max_walltime=0.1) as problem:
        with pytest.raises(piola.Interrupted) as caught:
            problem.evaluate()
        assert caught.value.status == 75 and "0.1 s" in str(caught.value)


def in_child(function):
    """The exit code of a forked process that runs a function."""
    child = os.fork()
    if child == 0:
        try:
            code = function()
        except BaseException as error:
            print(repr(error), file=sys.stderr)
            code = 99
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def expect_fork_error(call):
    try:
        call()
    except piola.ForkError as error:
        return 0 if "spawn" in str(error) and "forkserver" in str(error) else 2
    return 1


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_use_after_a_fork_is_an_error(ball):
    J = ball.value()
    assert in_child(lambda: expect_fork_error(ball.value)) == 0
    assert in_child(lambda: expect_fork_error(lambda: piola.Problem(BALL, device="cpu"))) == 0
    assert in_child(lambda: ball.close() or 0) == 0
    assert in_child(lambda: 7) == 7 and ball.value() == J


def test_a_fork_before_the_first_problem_works():
    code = ("import os, sys, conftest, piola\n"
            "child = os.fork()\n"
            "J = piola.Problem(conftest.BALL, device='cpu').value()\n"
            "sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if child else not J > 0)\n")
    assert subprocess.run([sys.executable, "-c", code], cwd=os.path.dirname(__file__), timeout=60).returncode == 0


def evaluate_pickled(problem):
    return problem.evaluate()


def test_a_problem_goes_to_other_processes_by_pickle(tmp_path):
    path = tmp_path / "scene.yaml"
    path.write_text(BEAM.text())
    problems = [piola.Problem(BALL, set={"materials.soft.E": 15e3}, device="cpu", threads=1),
                piola.Problem(path, device="cpu", threads=1)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        results = pool.map(evaluate_pickled, problems)
    for (J, gradient), problem in zip(results, problems):
        own = problem.evaluate()
        assert J == own[0] and gradient.tobytes() == own[1].tobytes()
        again = pickle.loads(pickle.dumps(problem))
        assert bits(again) == bits(problem)
    assert problems[0].variables.start[0] == 15e3


def test_a_sweep_by_dask_gives_the_bits_of_a_loop():
    """Problems go to processes of Dask, which pickles them by cloudpickle, and come back with their results."""
    import dask

    moduli = [12e3, 15e3, 18e3, 21e3]
    problems = [piola.Problem(BALL, set={"materials.soft.E": E}, device="cpu", threads=1) for E in moduli]
    results = dask.compute(*[dask.delayed(lambda p: (os.getpid(), p.evaluate()))(p) for p in problems],
                           scheduler="processes", num_workers=2)
    assert all(process != os.getpid() for process, _ in results)
    assert len({J for _, (J, _) in results}) == len(moduli)
    for problem, (_, (J, gradient)) in zip(problems, results):
        own = problem.evaluate()
        assert J == own[0] and gradient.tobytes() == own[1].tobytes()


class Named(piola.Problem):
    """A problem whose class has another constructor and a method."""

    def __init__(self, name):
        super().__init__(BALL, set={"materials.soft.E": 15e3}, device="cpu")
        self.name = name

    def E(self):
        return self.variables.start[0]


def test_a_pickled_subclass_keeps_its_class():
    with Named("soft") as problem, pickle.loads(pickle.dumps(problem)) as again, copy.copy(problem) as copied:
        assert type(again) is type(copied) is Named and again.E() == copied.E() == 15e3
        assert bits(again) == bits(copied) == bits(problem) and not hasattr(again, "name")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def open_and_drop(k, close):
    if k % 3 == 2:
        with pytest.raises(piola.BadSceneError):
            piola.Problem("scene.yaml", text=BALL.text() + "wrong: 1\n", device="cpu")
        return
    problem = piola.Problem(BRIEF[k % 3], device="cpu")
    problem.evaluate()
    problem.field("velocity")
    if close:
        problem.close()


def test_a_thousand_problems_leave_no_memory():
    threshold = 4e6  # bytes: 4 kB for each, less than any of its arrays
    for k in range(1200):
        if k == 200:
            gc.collect()
            before, files, threads = resident(), len(os.listdir("/proc/self/fd")), threading.active_count()
        open_and_drop(k, close=k % 2 == 0)
    gc.collect()
    grown = resident() - before
    print(f"growth of 1,000 problems: measured {grown:.3e} bytes, threshold {threshold:.3e}")
    assert grown < threshold and len(os.listdir("/proc/self/fd")) == files and threading.active_count() == threads
    here = resident()
    kept = [piola.Problem(BALL, set={"method.grid.spacing": 5e-3}, device="cpu") for _ in range(3)]
    print(f"3 that are kept: measured {resident() - here:.3e} bytes, threshold {threshold:.3e}")
    assert resident() - here > threshold and len(kept) == 3


def test_signals_locale_and_output_stay_as_they_were(capfd):
    handlers = {s: signal.getsignal(s) for s in signal.valid_signals()}
    with open("/proc/self/status") as file:
        before = [line for line in file if line.startswith("Sig")]
    place = locale.setlocale(locale.LC_ALL)
    with piola.Problem(BALL, device="cpu") as problem:
        problem.evaluate()
        problem.field("grad_velocity")
    with pytest.raises(piola.Error):
        piola.Problem("none.yaml")
    with open("/proc/self/status") as file:
        after = [line for line in file if line.startswith("Sig")]
    out = capfd.readouterr()
    assert (out.out, out.err) == ("", "") and before == after and locale.setlocale(locale.LC_ALL) == place
    assert {s: signal.getsignal(s) for s in signal.valid_signals()} == handlers


def test_other_threads_run_during_a_call():
    """The lock of the interpreter is released: a thread counts while another one computes."""
    count, done = [0], threading.Event()

    def work():
        while not done.wait(0.001):
            count[0] += 1

    thread = threading.Thread(target=work)
    with piola.Problem(changed(LONG, time={"dt": "0.5 ms", "duration": "2 s"}), device="cpu") as problem:
        thread.start()
        before = count[0]
        problem._do(lambda h: h.call("piola_evaluate", None, None, None, 0))
        counted = count[0] - before
        done.set()
        thread.join()
    print(f"rounds of another thread: measured {counted}, threshold 3")
    assert counted > 3


def test_the_process_ends_while_problems_are_open():
    code = ("import threading, conftest, piola, test_process\n"
            "p = piola.Problem(test_process.LONG, device='cpu')\n"
            "q = piola.Problem(conftest.BEAM, device='cpu'); q.value()\n"
            "threading.Thread(target=lambda: p.value(), daemon=True).start()\n"
            "import time; time.sleep(0.2); print('end', flush=True)\n")
    ended = subprocess.run([sys.executable, "-c", code], cwd=os.path.dirname(__file__), timeout=60,
                           capture_output=True, text=True)
    assert ended.returncode == 0 and ended.stdout == "end\n", ended.stderr
