"""Random results stores: runs that differ in everything a run can differ in, with statistics of the form that gmmu writes.
The numbers are random within what their meaning allows (no more hits than look-ups)."""
import copy, json, subprocess

GPUS = ["maxwell", "v100", "my own.yaml"]
DESIGNS = ["sharedtlb", "ideal", "mask", "mask-tlb", "mask-cache", "mask-dram", "pwcache", "gpu-mmu", "mosaic", "private",
           "a \"quoted\" <b>design</b> \\n", "neidty-exclusive-with-a-name-that-goes-on-and-on.yaml"]
# Number by number, then the hashes that older gmmus had in place of a number.
MODELS = ["9", "10", "101", "3f2a90c17be45d01", "77aa00b1c2d3e4f5"]
APPS = ["bfs2:size=tiny,seed=1", "bfs2:size=tiny,seed=2", "bfs2:size=tiny,seed=3", "bfs2:size=standard,seed=1", "srad:size=tiny,seed=1", "srad:size=standard,seed=1",
        "stream:footprint=64K,blocks=4", "stream:footprint=1M,blocks=4", "gather:footprint=256K,steps=1,blocks=4,seed=7", "runs/a.gmt", "ptx/k.ptx:grid=4,args=mem:1M/2,seed=1", "ptx/k.ptx:grid=4,args=mem:1M/2,seed=2"]
SETTINGS = [{}, {"l2tlb.entries": "64"}, {"l2tlb.entries": "128"}, {"l2tlb.entries": "128", "l2tlb.ways": "8"}]
LIMITS = [{}, {"cycles": 20000}, {"cycles": 30000}, {"min_cycles": 20000}, {"instructions": 5000}, {"cycles": 20000, "wait_for": 1}, {"no_relaunch": True}]
SMS = 4


def templates(gmmu):
    """Results of real runs, by number of applications: one plain, one observed."""
    out = {}
    for n, apps in ((1, ["stream"]), (2, ["stream", "gather"]), (3, ["stream", "gather", "chase"])):
        text = [a + ":footprint=64K" for a in apps]
        for more in ([], ["--observe", "--by", "array", "-s", "mem.paging=demand"] if n == 1 else ["--observe", "--by", "array"]):
            done = subprocess.run([gmmu, "run", "--design", "sharedtlb", "--json", "--cycles", "1500" if n > 1 or not more else "200000", "-s", f"gpu.sms={SMS}", *more, *text],
                                  check=True, capture_output=True)
            run = json.loads(done.stdout)["runs"][0]
            out.setdefault(n, []).append(({k: v for k, v in run.items() if k not in ("gpu", "design", "settings", "sources", "partial", "config")}, run["config"]))
    return out


def part(rng, whole):
    return rng.randint(0, whole)


def shake(rng, result, finished):
    """Other numbers of the same form."""
    r = copy.deepcopy(result)
    r["cycles"], r["warp_instructions"] = rng.randint(1000, 99999), rng.randint(1000, 99999)
    r["dram_bus_utilisation"] = rng.random()
    for a in r["apps"]:
        a["ipc"] = round(rng.uniform(0.1, 9), 6)
        a["complete_ipc"] = round(rng.uniform(0.1, 9), 6) if finished else None
        a["sm"]["warp_instructions"] = rng.randint(1, 9999)
        a["stall"] = {k: rng.choice([0, rng.randint(1, 9999)]) for k in a["stall"]}
        if rng.random() < 0.2:
            a["stall"]["a_reason_of_later"] = rng.randint(1, 9999)
        for level in ("l1tlb", "l2tlb"):
            a[level]["lookups"] = rng.choice([0, rng.randint(1, 9999)])
            a[level]["hits"] = part(rng, a[level]["lookups"])
        if rng.random() < 0.2:
            del a["l2tlb"]
        for cache in (a["l1d"], a["l2"]["data"]):
            cache["accesses"] = rng.randint(0, 9999)
            cache["hits"] = part(rng, cache["accesses"])
        a["walk"]["walks"], a["walk"]["queue_cycles"] = rng.randint(0, 99), rng.randint(0, 9999)
        for level in a["walk"]["levels"]:
            level["reads"] = rng.randint(0, 999)
            level["l2_hits"], level["cycles"] = part(rng, level["reads"]), rng.randint(0, 9999)
    for m in r["evictor_x_victim"].values():
        for row in m:
            row[:] = [rng.randint(0, 999) for _ in row]
    points = r["series"]["points"] = rng.choice([1, 3, 39, 40, 70])
    r["series"]["last_cycles"] = rng.randint(1, r["series"]["interval_cycles"])
    for a in r["series"]["apps"]:
        for name in a:
            a[name] = [rng.choice([0, rng.randint(0, 9999)]) for _ in range(points)]
        for level in ("l1tlb", "l2tlb"):
            a[level + "_misses"] = [part(rng, v) for v in a[level + "_lookups"]]
    if "memory_map" in r:
        shake_observed(rng, r)
    for a in r["apps"]:
        if "by_array" in a:
            shake_origins(rng, a)
    return r


def shake_origins(rng, a):
    """Who is responsible: other numbers, and the application's totals are their sums."""
    kinds, row = ("by_array", "by_kernel", "by_line"), copy.deepcopy(a["by_array"][0])
    count = lambda: {k: rng.choice([0, rng.randint(1, 9999)]) for k in row if isinstance(row[k], int) and k not in ("bytes", "allocations")}
    rows = [{**count(), "stall": {k: rng.choice([0, rng.randint(1, 9999)]) for k in row["stall"]}} for _ in range(rng.choice([1, 3, 11, 12, 30]))]
    more = {"by_array": lambda i: {"bytes": 4096, "allocations": 1}, "by_kernel": lambda i: {"symbol": f"_Z{i}k", "launches": 1},
            "by_line": lambda i: {"kernel": f"kernel{i}<int>", "file": "a.cu", "line": 7, "ptx_lines": [i], "arrays": ["table", "<b>"], "more_arrays": False}}
    for kind in kinds:
        name = (lambda i: f"{kind} <i>{i}") if kind == "by_array" else (lambda i: "the same of all")
        a[kind] = [{"name": name(i), **more[kind](i), **x} for i, x in enumerate(rows)]
    total = lambda n: sum(x[n] for x in rows)
    a["l1tlb"].update(lookups=total("tlb_lookups"), misses=total("l1tlb_misses"), hits=part(rng, total("tlb_lookups")))
    a["l2tlb"] = {**a.get("l2tlb", {}), "lookups": total("l2tlb_misses"), "misses": total("l2tlb_misses"), "hits": 0}
    a["walk"]["walks"] = total("walks")
    a["paging"] = {**a.get("paging", {}), "faults": total("far_faults")}
    a["dram"]["data"].update(read_bytes=total("dram_read_bytes"), write_bytes=total("dram_write_bytes"))
    a["dram"]["translation"].update(read_bytes=total("dram_walk_bytes"), write_bytes=0)
    for reason in row["stall"]:
        a["stall"][reason] = sum(x["stall"][reason] for x in rows)


def shake_observed(rng, r):
    """What is observed besides counters: walks, pages, memory."""
    cycles = lambda: rng.choice([0, rng.randint(1, 99)])
    for a in r["apps"]:
        walks = [w for w in a["sampled_walks"]["walks"]]
        a["sampled_walks"]["walks"] = rng.sample(walks, rng.randint(0, min(50, len(walks))))
        for w in a["sampled_walks"]["walks"]:
            w["queue_cycles"] = cycles()
            for level in w["levels"]:
                for name in level:
                    level[name] = cycles()
            w["walk_cycles"] = sum(v for level in w["levels"] for v in level.values())
        for row in a["page_heat"]["rows"]:
            row["lookups"] = [cycles() for _ in row["lookups"]]
            row["misses"] = [part(rng, v) for v in row["lookups"]]
    m = r["memory_map"]
    m["left_out"] = rng.choice([0, 0, 7])
    for row in m["rows"]:
        row["coalesced"], row["tables"], row["other"] = rng.randint(0, 1), part(rng, 9), part(rng, 9)
        row["data"] = [rng.choice([0, rng.randint(1, 99)]) for _ in row["data"]]


def row(rng, known, p):
    """A run of the point p, as fill_store reads it."""
    result, config = known[len(p["apps"])][p["observed"]]
    config = {**config, **p["settings"], **p["options"], "mem.name": p["gpu"] + "/" + p["design"]}
    limits = {"cycles": 0, "instructions": 0, "min_cycles": 0, "wait_for": 0, "no_relaunch": False, **p["limits"]}
    identity = {"model": p["model"], "apps": [{"app": a, "content": c, "sms": s} for a, c, s in zip(p["apps"], p["contents"], p["sms"])],
                "limits": limits, "config": config}
    made = shake(rng, result, p["finished"]) if p["status"] == "done" else ""
    sharing = ""
    if p["baseline"] and made:
        sharing = {"baseline": p["baseline"], "weighted_speedup": round(rng.uniform(0.5, 3), 6), "throughput": round(rng.uniform(0.5, 9), 6),
                   "unfairness": round(rng.uniform(1, 4), 6), "apps": [{"ipc_alone": 1.5, "speedup": 0.5, "slowdown": 2.0} for _ in p["apps"]]}
    text = lambda v: json.dumps(v, separators=(",", ":"), ensure_ascii=False) if v != "" else ""
    error = "" if made else "it \"failed\" <i>here</i> & there"
    return "\t".join([p["status"], p["model"], p["gpu"], p["design"], text(p["apps"]), text(p["sms"]), text(p["settings"]),
                      "gmmu run 'a b'", error, text(sharing), text(identity), text(made)])


def equal(n):
    return [SMS * (i + 1) // n - SMS * i // n for i in range(n)]


def points(rng):
    pick = lambda list, most: rng.sample(list, rng.randint(1, min(most, len(list))))
    gpus, designs, models = pick(GPUS, 2), pick(DESIGNS, rng.choice([3, 12])), pick(MODELS, 3)
    workloads = [rng.choices(APPS, k=rng.choice([1, 2, 2, 3])) for _ in range(rng.randint(1, 4))]
    # the same again, with another size, seed or footprint
    workloads += [[rng.choice([b for b in APPS if b.split(":")[0] == a.split(":")[0]]) for a in w] for w in list(workloads)]
    settings, limits = pick(SETTINGS, 3), pick(LIMITS, 3)
    options, contents = pick([{}, {"dram.banks": 16}], 2), pick(["5ac1", "77fe"], 2)
    baselines = rng.choice([[None], [designs[0]], [designs[0], designs[-1]]])
    for _ in range(rng.choice([6, 20, 45])):
        apps = rng.choice(workloads)
        p = {"gpu": rng.choice(gpus), "design": rng.choice(designs), "model": rng.choice(models), "apps": apps,
             "contents": [rng.choice(contents) if a.endswith(".gmt") else a for a in apps],
             "sms": rng.choice([equal(len(apps)), equal(len(apps)), [0] * len(apps), [1] * len(apps)]),
             "settings": rng.choice(settings), "options": rng.choice(options), "limits": rng.choice(limits),
             "observed": rng.random() < 0.4,
             "status": rng.choices(["done", "failed", "lost"], [8, 1, 1])[0], "finished": rng.random() < 0.8,
             "baseline": rng.choice(baselines) if len(apps) > 1 else None}
        yield p
        if rng.random() < 0.3:  # the same with another seed: a mean over both
            other = lambda text: text.replace("seed=1", "seed=2")
            yield {**p, "apps": [other(a) for a in p["apps"]], "contents": [other(c) for c in p["contents"]], "baseline": None}
        if p["baseline"]:  # each application alone, as many SMs, no speed-up of its own
            for a, c, s in zip(p["apps"], p["contents"], p["sms"]):
                yield {**p, "design": p["baseline"], "apps": [a], "contents": [c], "sms": [s], "baseline": None, "status": "done"}


def make(rng, known, fill_store, path):
    # All that a key has; a run that two points name is one.
    rows = {}
    for p in points(rng):
        rows.setdefault(json.dumps([p[k] for k in ("model", "gpu", "design", "apps", "contents", "sms", "settings", "options", "limits", "observed")]), p)
    # Zero SMs mean all of them, which is a matter of the configuration.
    for p in rows.values():
        if not any(p["sms"]):
            p["options"] = {**p["options"], "share.mode": "time"}
    text = "".join(row(rng, known, p) + "\n" for p in rows.values())
    subprocess.run([fill_store, path], input=text.encode(), check=True)
