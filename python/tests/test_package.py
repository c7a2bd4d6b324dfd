# SPDX-License-Identifier: GPL-3.0-or-later
"""The package against the command: python3 test_package.py. Needs the program, and for policies libgpusim and cffi."""
import doctest
import json
import os
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import gpusim
import gpusim._frames
import gpusim._program
import gpusim._runs
import gpusim._trace

try:
    from gpusim import _session as native
except ImportError:  # no cffi
    native = None


def small_server(folder):
    """The path of a server of steps whose times are given."""
    for name, us in (("p128", 2000), ("d1", 200), ("d8", 300)):
        program = gpusim.Program(name)
        program.kernel("k", solo_us=us, solo_device="h100-vm", regs_per_thread=32, smem_bytes=120000)
        program.call("k", grid=132, block=256)
        program.write(os.path.join(folder, name + ".json"))
    path = os.path.join(folder, "server.json")
    with open(path, "w") as file:
        json.dump({"schema": "gpusim-serving/1", "slots": 8, "batching": "continuous", "prefill_beside": "same",
                   "host": "h100-vm", "device": "h100-vm", "arrivals": "poisson:60", "count": 200, "prompt": 128,
                   "output": {"uniform": [16, 64]},
                   "steps": {"prefill": {"128": "p128.json"}, "decode": {"1": "d1.json", "8": "d8.json"}}}, file)
    return path


class Fifo:
    """The twin of schedulers/eager.c."""

    def __init__(self, depth=2):
        self.depth, self.ready = depth, []

    def push(self, op):
        self.ready.append(op)

    def pop(self, device, now_us):
        return self.ready.pop(0) if self.ready else None


def layered():
    """Six layers of five kernels, each reading two buffers of the layer before."""
    p = gpusim.Program("layers")
    for i in range(30):
        p.kernel(f"k{i}", solo_us=5.0 + 7 * (i % 4), regs_per_thread=32)
    names = [[p.buffer(f"b{layer}.{i}", 1 << 16, init="device" if layer == 0 else "none") for i in range(5)] for layer in range(7)]
    for i in range(30):
        layer, place = divmod(i, 5)
        p.call(f"k{i}", grid=20 + 10 * place, block=256, reads=[names[layer][place], names[layer][(place + 1) % 5]], writes=[names[layer + 1][place]])
    return p


class Package(unittest.TestCase):
    def test_report_is_the_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "r.json")
            gpusim.command(["--workload", "hits", "--sched", "grsched", "--device", "v100", "--opt", "device.h2d_gbps=10", "--report", path])
            with open(path, encoding="utf-8") as file:
                expected = json.load(file)
        self.assertEqual(gpusim.run("hits", sched="grsched", device="v100", opt={"device.h2d_gbps": 10}).report, expected)

    def test_errors(self):
        with self.assertRaises(gpusim.InputError) as caught:
            gpusim.run("imgg", sched="kesco")
        self.assertIn("did you mean 'img'", str(caught.exception))
        self.assertEqual(caught.exception.status, 2)
        with self.assertRaises(gpusim.InputError):
            gpusim.Program("p").call("nothing", 1, 32)

    def test_tables_without_pandas(self):
        rows = gpusim.Rows([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
        self.assertEqual(rows["a"], [1, 2])
        self.assertEqual(rows[1]["b"], "y")
        self.assertEqual(rows.columns, ["a", "b"])

    def test_sweep_resumes(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "s.db")
            first = gpusim.sweep({"sched": ["serial"]}, out=out, workload="vec", size="1e6", iterations=2)
            both = gpusim.sweep({"sched": ["serial", "kesco"]}, out=out, resume=True, workload="vec", size="1e6", iterations=2)
        self.assertEqual((len(first), len(both)), (1, 2))

    def test_tables_are_the_commands(self):
        traces = os.path.join(gpusim.data_folder(), "traces", "h100")
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "s.db")
            gpusim.sweep({"sched": ["serial", "kesco"]}, out=out, workload="vec", size="1e6", iterations=2)
            rows = gpusim.results(out, base="serial", group=["sched"])
            self.assertEqual(len(rows), 2)
            self.assertTrue(os.path.getsize(gpusim.plot("speedup", out, out=os.path.join(folder, "s.svg"))))
            self.assertTrue(os.path.getsize(gpusim.report(out, os.path.join(folder, "s.html"))))
            server = small_server(folder)
            self.assertEqual(gpusim.serve(server, requests=5)["count"], 5)
            self.assertEqual(len(gpusim.serve(server, requests=5, rate=[20, 40])), 2)
        ranks = gpusim.Trace([os.path.join(traces, "several", f"kineto_tp_r{r}.json.gz") for r in (0, 1)]).explain()
        self.assertEqual(len(ranks.frame), 2)
        self.assertIn("2 rows", repr(ranks))

    def test_folder_of_traces(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(gpusim.InputError):
            gpusim.Trace(folder)

    def test_schedule(self):
        """Two of the five kernels run side by side: four of five times 100 us (tests/cli/schedule)."""
        cases = os.path.join(gpusim.data_folder(), "tests", "cli", "schedule")
        trace = gpusim.Trace(os.path.join(cases, "trace.json"), execution_trace=os.path.join(cases, "et.json"))
        schedule = trace.schedule(2)
        self.assertAlmostEqual(schedule.worth["percent"], 20, delta=1)
        self.assertEqual(len(list(schedule.frame["stream"])), 5)

    def test_doctests(self):
        modules = [gpusim, gpusim._program, gpusim._runs, gpusim._trace] + ([native] if native and HAS_LIBRARY else [])
        for module in modules:
            self.assertEqual(doctest.testmod(module).failed, 0, module.__name__)


def _has_library():
    if native is None:
        return False
    try:
        native.library()
    except gpusim.Error:
        return False
    return True


HAS_LIBRARY = _has_library()


@unittest.skipUnless(HAS_LIBRARY, "no cffi or no libgpusim")
class Native(unittest.TestCase):
    def test_equals_the_command(self):
        for workload, sched in (("img", "kesco"), ("hits", "serial"), ("m2", "heft")):
            session = native.Session(device="h200", sched=sched)
            session.workload(workload)
            report, command = session.run().report, gpusim.run(workload, sched=sched, device="h200").report
            for part in ("makespan_us", "iteration_us", "kernels", "copies", "metrics", "seed", "device"):
                self.assertEqual(report[part], command[part], (workload, sched, part))

    def test_policy_equals_its_twin(self):
        for gpus in (1, 2):
            session = native.Session(device="h200", memory="pinned", sched="eager", gpus=gpus)
            session.workload(layered())
            times = [[(k["name"], k["stream"], k["start_us"], k["end_us"]) for k in run.report["kernels"]]
                     for run in (session.run(), session.run(policy=Fifo()))]
            self.assertEqual(times[0], times[1], gpus)

    def test_a_policy_is_asked_while_the_program_runs(self):
        """REVIEW's four kernels: `short` of 50 us ends before `long` of 500, and its successor runs beside it."""
        program = gpusim.Program("four")
        for name, us in (("long", 500), ("short", 50), ("after_long", 10), ("after_short", 10)):
            program.kernel(name, solo_us=us, regs_per_thread=32)
        for name in ("long", "short"):
            program.buffer(name, 1 << 10, init="none")
            program.call(name, grid=2, block=32, writes=[name])
        for name in ("long", "short"):
            program.call(f"after_{name}", grid=2, block=32, reads=[name])
        log = []

        class Logs(Fifo):
            def push(self, op):
                log.append(("push", op.name, op.ready_us, op.home))
                Fifo.push(self, op)

            def done(self, op, now_us):
                log.append(("done", op.name, now_us, 0))

        session = native.Session(device="h200", memory="pinned")
        session.workload(program)
        session.run(policy=Logs())
        self.assertEqual([entry[:2] for entry in log],
                         [("push", "long"), ("push", "short"), ("done", "short"), ("push", "after_short"), ("done", "after_short"),
                          ("done", "long"), ("push", "after_long"), ("done", "after_long")])
        times = {entry[:2]: entry[2] for entry in log}
        self.assertTrue(50 < times["done", "short"] < 80 and 500 < times["done", "long"] < 530, times)
        self.assertEqual(log[3][3], 0)  # its data are on the one GPU

    def test_policy_in_compare(self):
        session = native.Session(device="h200", memory="pinned")
        session.workload(layered())
        rows = {row["scheduler"]: row["iteration_us"] for row in session.ask("compare", policy=Fifo())}
        self.assertEqual(rows["policy"], rows["eager"])
        self.assertNotIn("policy", {row["scheduler"] for row in session.ask("compare", "eager")})

    def test_many_in_one_process(self):
        session = native.Session(device="h200", sched="async")
        session.workload(layered())
        first = session.time()
        self.assertTrue(all(session.time() == first for _ in range(200)))

    def test_until_steady(self):
        session = native.Session(device="h200", sched="kesco", memory="pinned")
        session.workload("img", size=1000)
        session.set("iterations", "steady")
        self.assertGreater(len(session.run().iteration_us), 1)

    def test_questions(self):
        session = native.Session(device="h200", sched="serial", memory="pinned")
        session.workload(layered())
        rows = {row["change"]: row["time_us"] for row in session.ask("whatif", "launch=2x,graph")}
        self.assertEqual(set(rows) - {"launch=2x", "graph"}, {"now"})
        self.assertAlmostEqual(sum(row["time_us"] for row in session.ask("explain")), rows["now"], places=3)
        self.assertAlmostEqual({row["scheduler"]: row["iteration_us"] for row in session.ask("compare")}["serial"], rows["now"], places=3)
        self.assertIn("spread", native.questions())
        with self.assertRaises(gpusim.InputError):
            session.ask("whatif", "nonsense")

    def test_files(self):
        """A server, a trace and a source are what the command line makes of them."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = small_server(folder.name)
        recorded = os.path.join(os.environ["GPUSIM_DATA"], "traces", "h100", "serving", "decode_4.json.gz")
        for path, change in ((server, "replicas=2"), (recorded, "kernels=2x")):
            text = subprocess.run([os.environ["GPUSIM"], "ask", "whatif", path, "--words", change, "--json", "-"],
                                  check=True, capture_output=True).stdout
            session = native.Session(device="h100-vm")
            session.workload(path)
            self.assertEqual(session.ask("whatif", change), json.loads(text)["rows"])
        session.workload(server)
        for call, part in ((lambda: session.run(), "asked questions"), (lambda: session.ask("schedule"), "is of one program"),
                           (lambda: native.Session().workload(path), "expected a device before it"),
                           (lambda: native.Session(device="v100").workload(path), "recorded on")):
            with self.assertRaises(gpusim.InputError) as caught:
                call()
            self.assertIn(part, str(caught.exception))

    def test_all_that_is_simulated(self):
        """Each question of ranks, tasks, and what is drawn has gpusim ask's rows."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program, ranks, tasks = (os.path.join(folder.name, name) for name in ("p.json", "ranks.json", "tasks.json"))
        layered().write(program)
        with open(ranks, "w") as file:
            json.dump({"schema": "gpusim-ranks/1", "ranks": [{"program": "p.json", "count": 2}]}, file)
        with open(tasks, "w") as file:
            json.dump({"schema": "gpusim-tasks/1", "tasks": [{"program": program, "requests": 2, "copies": 2},
                                                             {"program": "vec", "size": 1e6, "sched": "kesco"}, {"program": "early-exit"}]}, file)
        once = os.path.join(folder.name, "once.json")  # asked about, it moves its input in each iteration
        with open(once, "w") as file:
            json.dump({"schema": "gpusim-program/1", "name": "once", "buffers": [{"name": "x", "bytes": 4194304, "init": "host"}],
                       "kernels": [{"name": "k", "regs_per_thread": 16, "solo_us": 12.5}],
                       "ops": [{"op": "kernel", "kernel": "k", "grid": [64], "block": [256], "reads": ["x"], "writes": ["x"]},
                               {"op": "host_read", "buffer": "x", "bytes": 4}]}, file)
        words = {"validate": "2ms", "ablate": "wave_tails", "sensitivity": "launch_us", "spread": "3", "compare": "serial,async",
                 "best": "serial,async", "whatif": "launch=2x,kernels=2x"}
        for path, asked in ((ranks, [ranks]), (tasks, ["--task", tasks, "--share", "mps"]), ("early-exit", ["early-exit"]),
                            ("levels", ["levels"]), ("resnet18", ["resnet18"]), (once, [once])):
            session = native.Session()
            session.workload(path)
            if path == tasks:
                session.set("share", "mps")
            for question in native.questions():
                done = subprocess.run([os.environ["GPUSIM"], "ask", question, *asked, "--json", "-"] +
                                      (["--words", words[question]] if question in words else []), capture_output=True, text=True)
                with self.subTest(subject=path, question=question):
                    if done.returncode:
                        with self.assertRaises(gpusim.InputError) as caught:
                            session.ask(question, words.get(question))
                        self.assertIn(str(caught.exception), done.stderr)
                    else:
                        self.assertEqual(session.ask(question, words.get(question)), json.loads(done.stdout)["rows"])
        for path, option, value in ((ranks, "gpus", 2), (tasks, "iterations", 2), ("early-exit", "iterations", 2), ("vec", "share", "mps")):
            session = native.Session()
            session.workload(path)
            session.set(option, value)
            with self.assertRaises(gpusim.InputError) as caught:
                session.ask("explain")
            self.assertIn(option + ": applies to", str(caught.exception))
        session = native.Session()
        session.workload("early-exit")
        self.assertEqual(session.run().makespan_us, session.run().makespan_us)
        session.workload(ranks)
        with self.assertRaises(gpusim.InputError):
            session.run()

    def test_mistakes(self):
        session = native.Session()
        for call, part in ((lambda: session.run(), "nothing to run"), (lambda: session.set("memory", "slow"), "expected managed|pinned|pageable"),
                           (lambda: session.workload("imgg"), "did you mean 'img'?"), (lambda: session.scheduler("keso"), "keso"),
                           (lambda: session.set("memory", "pinned\0x"), "a zero in it"), (lambda: session.ask("best\0x"), "a zero in it"),
                           (lambda: session.set("kesco.streams", 4), "no option")):
            with self.assertRaises(gpusim.InputError) as caught:
                call()
            self.assertIn(part, str(caught.exception))
        session.workload("vec", size=1e6)

        class Wrong(Fifo):
            def pop(self, device, now_us):
                return 99

        class Beyond(Fifo):
            def pop(self, device, now_us):
                return 2**80

        class Raises(Fifo):
            def pop(self, device, now_us):
                raise KeyError("mine")

        with self.assertRaises(gpusim.InputError) as caught:
            session.run(policy=Wrong(2))
        self.assertIn("not ready", str(caught.exception))
        with self.assertRaises(KeyError):
            session.run(policy=Raises(2))
        with self.assertRaises(OverflowError):
            session.run(policy=Beyond(2))
        self.assertGreater(session.run(policy=Fifo(2)).makespan_us, 0)

    def test_a_policy_is_of_one_run(self):
        """A fresh session's results, whatever policy ran before or failed."""
        def fresh(size=0):
            session = native.Session(device="h200", memory="pinned", sched="kesco", **{"kesco.streams": 2})
            session.workload("img", size)
            return session

        alone, smaller = fresh().time(), fresh(1000).time()
        session = fresh()
        self.assertNotEqual(session.time(policy=Fifo(1)).makespan_us, alone.makespan_us)
        self.assertEqual(session.time(), alone)
        for wrong in (type("Raises", (Fifo,), {"push": lambda self, op: 1 // 0})(1), type("None", (Fifo,), {"pop": lambda self, device, now_us: None})(1), Fifo(0)):
            with self.assertRaises((ZeroDivisionError, gpusim.InputError)):
                session.run(policy=wrong)
            self.assertEqual(session.time(), alone)
        session.workload("img", 1000)  # in the shapes of the scheduler, not of the policy before
        self.assertEqual(session.time(), smaller)

    def test_one_thread_at_a_time(self):
        session = native.Session(device="h200", memory="pinned")
        session.workload("img")
        expected, errors, others = session.time(), [], []

        class Meddles(Fifo):
            def pop(self, device, now_us):
                if not errors:
                    thread = threading.Thread(target=lambda: others.append(caught(session.time)))
                    thread.start()
                    thread.join()
                    session.__del__()
                    for call in (session.run, lambda: session.set("seed", 2), lambda: session.workload("vec"),
                                 lambda: session.scheduler("serial"), lambda: session.run(policy=Fifo(1))):
                        errors.append(caught(call))
                    lib, c = native.library(), session._session  # C's own: a policy in C has no lock of Python's
                    errors.append(str(lib.gsim_session_run(c)) + native._ffi.string(lib.gsim_session_error(c)).decode())
                return Fifo.pop(self, device, now_us)

        def caught(call):
            try:
                return f"went on: {call()}"
            except gpusim.InputError as error:
                return str(error)

        self.assertGreater(session.run(policy=Meddles(2)).makespan_us, 0)
        self.assertEqual(others + errors[:5], ["the session is in use: one thread at a time, and nothing of it from within its policy"] * 6)
        self.assertEqual(errors[5], "2the session runs: nothing but its policy is called until it ends")
        self.assertEqual(session.time(), expected)

        class Destroys(Fifo):
            def push(self, op):
                native.library().gsim_session_destroy(session._session)
                Fifo.push(self, op)

        self.assertIn("destroyed while it ran", caught(lambda: session.run(policy=Destroys(2))))
        self.assertEqual(session.time(), expected)


class Notebooks(unittest.TestCase):
    def test_they_run(self):
        here = os.path.dirname(os.path.abspath(__file__))
        names = ["slow_step.py", "paper_figure.py"] + (["new_policy.py"] if HAS_LIBRARY else [])
        for name in names:
            path = os.path.join(here, "..", "notebooks", name)
            environment = dict(os.environ, PYTHONPATH=os.path.join(here, ".."), MPLBACKEND="Agg")
            done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
