"""Headless Chromium over its debugging pipe: one page, its console, its input, its pictures."""
import base64, json, os, select, shutil, signal, subprocess, tempfile, time

# Limits are for what hangs; a machine that is busy or slow gets there, too.
SLOWNESS = int(os.environ.get("GMMU_SLOWNESS", "1"))


class Gone(Exception):
    """The browser has ended, or does not answer."""


def stretch():
    """How much longer work takes now than on a machine with nothing else to do."""
    with open("/proc/loadavg", encoding="ascii") as f:
        running = int(f.read().split()[3].split("/")[0])
    return SLOWNESS * max(1.0, running / os.cpu_count())


def find():
    return next((p for n in ("chromium", "chromium-browser", "google-chrome") if (p := shutil.which(n))), None)


class Browser:
    """Messages are JSON with a NUL behind, on descriptors 3 (to the browser) and 4 (from it)."""

    def __init__(self, program, patience):
        self.patience = patience * SLOWNESS
        self.home = tempfile.mkdtemp(prefix="gmmu-browser-")
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()

        def place():  # in the child; the numbers are fixed, so park both ends above them first
            a, b = os.dup(to_read), os.dup(back_write)
            os.dup2(a, 3), os.dup2(b, 4)

        self.child = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--remote-debugging-pipe", "--user-data-dir=" + self.home, "about:blank"],
            preexec_fn=place, start_new_session=True, close_fds=False, pass_fds=(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.home, "DBUS_SESSION_BUS_ADDRESS": "disabled:"})
        os.close(to_read), os.close(back_write)
        self.number, self.rest, self.events = 0, b"", []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def receive(self, until):
        while b"\0" not in self.rest:
            if not select.select([self.back], [], [], max(0, until - time.monotonic()))[0]:
                raise Gone("it does not answer")
            more = os.read(self.back, 1 << 20)
            if not more:
                raise Gone("it has ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, seconds=60, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        try:
            while data:
                data = data[os.write(self.to, data):]
        except BrokenPipeError as e:
            raise Gone("it has ended") from e
        until = time.monotonic() + self.patience * seconds
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer.get("result", {})
            self.events.append(answer)

    def run(self, script):
        r = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True,
                      allowUnsafeEvalBlockedByCSP=False)
        if "exceptionDetails" in r:
            raise RuntimeError(r["exceptionDetails"].get("exception", {}).get("description", "the script failed"))
        return r["result"].get("value")

    def wait(self, script, seconds=30):
        until = time.monotonic() + self.patience * seconds
        while not self.run(script):
            if time.monotonic() > until:
                return False
            time.sleep(0.05)
        return True

    def complaints(self):
        """What the console heard that is an error, and exceptions nobody caught."""
        out = []
        for e in self.events:
            p = e.get("params", {})
            if e.get("method") == "Runtime.exceptionThrown":
                out.append(p["exceptionDetails"].get("exception", {}).get("description", "exception"))
            if e.get("method") == "Runtime.consoleAPICalled" and p["type"] in ("error", "warning", "assert"):
                out.append(" ".join(str(a.get("value")) for a in p["args"]))
            if e.get("method") == "Log.entryAdded" and p["entry"]["level"] in ("error", "warning"):
                out.append(p["entry"]["text"])
        return out

    def look(self, width, height, dark):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))

    def hover(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, path, whole=False):
        self.call("Page.bringToFront")
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def close(self):
        try:
            self.session = None
            self.call("Browser.close", seconds=5)
        except (RuntimeError, Gone):
            pass
        os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()
        shutil.rmtree(self.home, ignore_errors=True)


def visit(work):
    """work(browser). On a busy machine Chromium stops answering at times: then all of it once more, in a new one that is given
    longer. False: no Chromium starts here."""
    program = find()
    if not program:
        print("1..0 # SKIP no Chromium here")
        return False
    for patience, last in ((2, False), (10, True)):
        try:
            b = Browser(program, patience)
        except (RuntimeError, Gone, OSError) as e:
            if not last:
                continue
            print(f"1..0 # SKIP Chromium does not start here: {e}")
            return False
        try:
            work(b)
            return True
        except Gone as e:
            if last:
                raise
            print(f"# the browser is gone: {e}; once more in a new one", flush=True)
        finally:
            b.close()
    return False
