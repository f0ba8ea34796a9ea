"""One simulated GPU."""
import json
from ctypes import byref, c_char_p, c_uint64, c_void_p, create_string_buffer

from ._library import EpochFunction, Limits, call, plain, whole


class Machine:
    """A GPU under a design. Options and applications come first, then it runs.

    >>> with Machine("maxwell", "sharedtlb") as m:
    ...     m.set("l2tlb.entries", 256)
    ...     m.add("gather:footprint=64M")
    ...     m.run(cycles=2000)
    ...     m["apps[0].l2tlb.misses"] > 0
    True
    True
    """

    def __init__(self, gpu="maxwell", design="native"):
        self._m = c_void_p()
        self._keep = []  # what C holds pointers to
        call("gmmu_open", str(gpu).encode(), str(design).encode(), byref(self._m))

    def close(self):
        """Frees it; `with` does so by itself.

        >>> m = Machine()
        >>> m.close()
        """
        plain("gmmu_close", self._m)
        self._m = c_void_p()
        self._keep.clear()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_m", None):
            self.close()

    def set(self, key, value):
        """An option by its key; True and False are written as gmmu has them.

        >>> with Machine() as m:
        ...     m.set("walk.pwc", True)
        ...     m.get("walk.pwc")
        'true'
        """
        text = str(value).lower() if isinstance(value, bool) else str(value)
        call("gmmu_set", self._m, key.encode(), text.encode())

    def get(self, key):
        """The value of an option, as text.

        >>> with Machine("maxwell", "sharedtlb") as m:
        ...     m.get("gpu.sms")
        '30'
        """
        text = create_string_buffer(256)
        if plain("gmmu_get", self._m, key.encode(), text, len(text)) < 0:
            raise KeyError(key)
        return text.value.decode()

    def add(self, app, sms=0):
        """An application as it is typed behind `gmmu run`, or a Source. sms: how many SMs it gets.

        >>> with Machine() as m:
        ...     m.add("stream", sms=10)
        ...     m.add("gather", sms=20)
        ...     m.run(cycles=500)
        True
        """
        sms = whole("sms", sms, 0, 1024)
        if isinstance(app, str):
            call("gmmu_add", self._m, app.encode(), sms)
        else:
            self._keep.append(app)
            call("gmmu_add_source", self._m, app.name.encode(), app.pointer(), sms)

    def on_epoch(self, cycles, function):
        """function(machine, cycle) is called every so many cycles; the run stops where it returns False.

        >>> with Machine() as m:
        ...     m.add("stream")
        ...     m.on_epoch(500, lambda machine, cycle: print(cycle))
        ...     m.run(cycles=1001)
        500
        1000
        True
        """
        def epoch(_ctx, _machine, cycle):
            try:
                return function(self, cycle) is not False
            except BaseException as e:  # an exception must not pass through C
                self._raised = e
                return False
        kept = EpochFunction(epoch)
        self._keep.append(kept)
        call("gmmu_on_epoch", self._m, whole("cycles", cycles, 1), kept, None)

    def run(self, cycles=0, instructions=0, min_cycles=0, wait_for=0, relaunch=True):
        """To the limits; True if the run is over, False if an epoch's function stopped it.

        >>> with Machine() as m:
        ...     m.add("stream")
        ...     m.run(cycles=1000), m.cycles
        (True, 1000)
        """
        self._raised = None
        limits = Limits(
            whole("cycles", cycles), whole("instructions", instructions), whole("min_cycles", min_cycles), whole("wait_for", wait_for, 0, 16), not relaunch)
        over = call("gmmu_run", self._m, byref(limits))
        for kept in self._keep:
            if getattr(kept, "raised", None):
                raise kept.raised
        if self._raised:
            raise self._raised
        return over == 1

    @property
    def cycles(self):
        """Core cycles so far.

        >>> with Machine() as m:
        ...     m.cycles
        0
        """
        return plain("gmmu_cycles", self._m)

    def __getitem__(self, path):
        """A counter by its path."""
        value = c_uint64()
        call("gmmu_statistic", self._m, path.encode(), byref(value))
        return value.value

    def statistics(self):
        """All of them, as dictionaries and lists.

        >>> with Machine() as m:
        ...     m.add("stream")
        ...     m.run(cycles=1000) and m.statistics()["apps"][0]["name"]
        'stream'
        """
        return json.loads(c_char_p(call("gmmu_statistics", self._m)).value)
