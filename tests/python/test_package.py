"""The package gmmu over the library: what its page says, each function once. TAP."""
import doctest
import inspect
import os
import pathlib
import subprocess
import sys
import tempfile

import gmmu
from gmmu.table import Table, flat, records

tests = []


def test(function):
    tests.append(function)
    return function


@test
def a_run_gives_a_row_for_each_application():
    rows = records(gmmu.run(gpu="maxwell", design=["ideal", "sharedtlb"], apps=["stream + gather:footprint=64M"], cycles=3000, progress=False))
    assert [(r["design"], r["app"]) for r in rows] == [(d, a) for d in ("ideal", "sharedtlb") for a in ("stream", "gather:footprint=64M")], rows
    assert all(r["cycles"] == 3000 and r["ipc"] > 0 for r in rows)


@test
def lists_of_values_are_swept_in_order():
    rows = records(gmmu.run(design="sharedtlb", apps=["gather:footprint=64M"], set={"l2tlb.entries": [128, 512], "run.check": True}, cycles=2000, jobs=2))
    assert [r["l2tlb.entries"] for r in rows] == [128, 512]
    assert rows[0]["l2tlb.misses"] >= rows[1]["l2tlb.misses"] > 0


@test
def the_command_gives_the_same_numbers():
    import json
    said = subprocess.run([os.environ["GMMU"], "run", "--design", "sharedtlb", "--cycles", "3000", "--json", "gather:footprint=64M"], check=True, capture_output=True).stdout
    with gmmu.Machine("maxwell", "sharedtlb") as m:
        m.add("gather:footprint=64M")
        assert m.run(cycles=3000) and m.cycles == 3000
        own = m.statistics()
    theirs = json.loads(said)
    theirs = next(v for k, v in theirs.items() if k in ("designs", "runs"))[0]
    assert own["apps"] == theirs["apps"], "the statistics differ"


@test
def numbers_that_do_not_fit_are_refused():
    source = gmmu.Source()
    with gmmu.Machine() as m:
        m.add("stream")
        for wrong in (lambda: m.run(cycles=-1), lambda: m.run(cycles=1 << 64), lambda: m.run(wait_for=-1), lambda: m.add("stream", sms=-1),
                      lambda: m.on_epoch(0, print), lambda: source.alloc(0), lambda: source.alloc(-1), lambda: source.launch(0, 1, print),
                      lambda: source.launch(-1, 1, print), lambda: source.launch(1, 33, print), lambda: gmmu.run(apps=[3]),
                      lambda: gmmu.run(apps=["stream"], set={"gpu.sms": []}), lambda: gmmu.run(apps=["stream"], jobs=-1)):
            try:
                wrong()
            except ValueError as e:
                assert str(e)
            else:
                raise AssertionError("not refused")


@test
def a_sweep_that_fails_says_why():
    with tempfile.TemporaryDirectory() as folder:
        study = pathlib.Path(folder, "wrong.yaml")
        study.write_text("workloads: nothing-like-this\n")
        for wrong, reason in ((lambda: gmmu.sweep(study, os.path.join(folder, "s.db")), "nothing-like-this"), (lambda: gmmu.load(study), "no results store")):
            try:
                wrong()
            except gmmu.Error as e:
                assert reason in str(e), e
            else:
                raise AssertionError("not refused")


@test
def options_can_be_read_back_and_errors_name_the_key():
    with gmmu.Machine() as m:
        m.set("l2tlb.entries", 256)
        assert m.get("l2tlb.entries") == "256"
        for wrong in (lambda: m.set("l2tlb.entires", 1), lambda: m.add("nothing-like-this"), lambda: m["apps[0].ipc"], lambda: m.run()):
            try:
                wrong()
            except gmmu.Error as e:
                assert str(e)
            else:
                raise AssertionError("not refused")
    try:
        gmmu.Machine("no-such-gpu")
    except gmmu.Error as e:
        assert "no-such-gpu" in str(e)


@test
def epochs_are_heard_and_may_stop_the_run():
    heard = []
    with gmmu.Machine("maxwell", "sharedtlb") as m:
        m.add("stream")
        m.on_epoch(1000, lambda machine, cycle: heard.append((cycle, machine["memory_requests"])) or cycle < 3000)
        assert m.run(cycles=5000) is False
        assert [c for c, _ in heard] == [1000, 2000, 3000] and heard[-1][1] > 0
        m.on_epoch(1000, lambda machine, cycle: 1 / 0)
        try:
            m.run(cycles=5000)
        except ZeroDivisionError:
            pass
        else:
            raise AssertionError("an exception was lost")


@test
def a_program_in_python_runs():
    program = gmmu.Source("pages")
    base = program.alloc(60 * 4 * 20 * 4096)

    def body(block, warp):
        for i in range(20):
            yield gmmu.read(base + ((block * 4 + warp) * 20 + i) * 4096)
            yield gmmu.use()
        yield gmmu.barrier()
        yield gmmu.write([base + lane * 4 for lane in range(32)])
        yield gmmu.integer()
        yield gmmu.fp32()
        yield gmmu.atomic(base)

    program.launch(blocks=60, warps=4, body=body)
    rows = records(gmmu.run(design="sharedtlb", apps=[program], relaunch=False, set={"run.check": True}))
    assert 4800 <= rows[0]["walk.walks"] <= 4800 + 240, rows[0]["walk.walks"]
    assert rows[0]["sm.loads"] == 4800 and rows[0]["sm.stores"] == 240 and rows[0]["sm.atomics"] == 240


@test
def an_error_in_a_program_is_raised():
    program = gmmu.Source("broken")

    def body(block, warp):
        yield gmmu.integer()
        raise KeyError("mine")

    program.launch(blocks=1, warps=1, body=body)
    with gmmu.Machine("maxwell", "sharedtlb") as m:
        m.add(program)
        try:
            m.run(cycles=1000)
        except (KeyError, gmmu.Error) as e:
            assert "mine" in str(e)
        else:
            raise AssertionError("an exception was lost")


@test
def a_store_is_read():
    with tempfile.TemporaryDirectory() as folder:
        study, store = os.path.join(folder, "s.yaml"), os.path.join(folder, "s.db")
        with open(study, "w") as f:
            f.write("workloads: gather:footprint=64M\ncycles: 2000\nset:\n  l2tlb.entries: [128, 256]\n")
        rows = records(gmmu.sweep(pathlib.Path(study), pathlib.Path(store)))
        assert sorted(r["l2tlb.entries"] for r in rows) == ["128", "256"], rows
        assert all(r["model"] == gmmu.model and r["ipc"] > 0 for r in rows)
        try:
            gmmu.load(os.path.join(folder, "none.db"))
        except FileNotFoundError:
            pass
        else:
            raise AssertionError("there is none")


@test
def a_table_does_without_pandas():
    t = Table([{"a": 1, "b": 2}, {"a": 3}])
    assert len(t) == 2 and t["a"] == [1, 3] and t["b"] == [2, None] and t.columns == ["a", "b"]
    assert flat({"x": {"y": 1, "z": [1]}, "w": 2}) == {"x.y": 1, "w": 2}


@test
def plots_are_drawn():
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return "no matplotlib"
    data = gmmu.run(design=["ideal", "sharedtlb"], apps=["gather:footprint=64M,seed=1", "gather:footprint=64M,seed=2"], set={"l2tlb.entries": [128, 512], "l2tlb.ports": [1, 2]}, cycles=1000)
    with tempfile.TemporaryDirectory() as folder:
        for number, figure in enumerate([gmmu.plot.bars(data), gmmu.plot.stalls(data), gmmu.plot.lines(data, x="l2tlb.entries"), gmmu.plot.heat(data, x="l2tlb.entries", y="l2tlb.ports")]):
            path = os.path.join(folder, "%d.svg" % number)
            figure.savefig(path)
            assert os.path.getsize(path) > 2000
    return None


def public():
    """Every function, class and method that the package offers, by its name."""
    for module, names in ((gmmu, sorted(n for n in vars(gmmu) if not n.startswith("_"))), (gmmu.plot, ("bars", "heat", "lines", "stalls"))):
        for name in names:
            thing = getattr(module, name)
            if not callable(thing) or inspect.isclass(thing) and issubclass(thing, Exception):
                continue
            yield name, thing
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    yield name + "." + member, value


@test
def everything_public_has_an_example():
    names = [name for name, thing in public() if ">>>" not in (thing.__doc__ or "")]
    assert not names, "without an example: " + ", ".join(names)
    assert len(list(public())) > 30


@test
def examples_of_the_package_work():
    try:
        import matplotlib  # noqa: F401
        modules = [gmmu.plot]
    except ImportError:
        modules = []
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for module in modules + [sys.modules["gmmu." + m] for m in ("machine", "plugins", "runs", "source", "store", "table")]:
                said = []
                runner = doctest.DocTestRunner(verbose=False)
                for example in doctest.DocTestFinder().find(module):
                    runner.run(example, out=said.append)
                assert not runner.failures, "".join(said)
        finally:
            os.chdir(before)


print("1..%d" % len(tests))
failed = 0
for n, function in enumerate(tests, 1):
    name = function.__name__.replace("_", " ")
    try:
        why = function()
        print("ok %d - %s%s" % (n, name, " # SKIP " + why if why else ""))
    except Exception as e:
        failed += 1
        print("not ok %d - %s" % (n, name))
        print("# %s: %s" % (type(e).__name__, str(e).replace("\n", "\n# ")[:2000]))
sys.exit(failed > 0)
