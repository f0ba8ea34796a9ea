"""Instructions written in Python, for small experiments.

    def body(block, warp):                    # one warp's instructions
        for i in range(100):
            yield gmmu.read(base + (block * 8 + warp) * 4096 + i * 128, stride=4)
            yield gmmu.use()

    program = gmmu.Source("mine")
    base = program.alloc(64 << 20)
    program.launch(blocks=60, warps=8, body=body)
    machine.add(program)

Each warp instruction costs a call into Python, some microseconds: fine for a million of them.
"""
import ctypes
from ctypes import POINTER, cast, pointer

from . import _library as c

_LOAD, _STORE, _ATOMIC, _USE, _INT, _FP32, _BARRIER, _EXIT = range(8)
_NONE = 255
_END = 0xFFFFFFFF
_FAIL = 0xFFFFFFFE
_CLASS = {_LOAD: 5, _STORE: 6, _ATOMIC: 7, _USE: 0, _INT: 0, _FP32: 1, _BARRIER: 8, _EXIT: 10}


class _Op:
    __slots__ = ("row", "base", "stride", "lanes", "mask")

    def __init__(self, row, base=None, stride=0, lanes=None, mask=0xFFFFFFFF):
        self.row, self.base, self.stride, self.lanes, self.mask = row, base, stride, lanes, mask


def _memory(row, address, stride, mask):
    if hasattr(address, "__iter__"):
        return _Op(row, lanes=list(address), mask=mask)
    return _Op(row, base=address, stride=stride, mask=mask)


def read(address, stride=4, mask=0xFFFFFFFF):
    """A word per lane is loaded: at address + lane * stride, or at 32 addresses.

    >>> import gmmu
    >>> program = gmmu.Source()
    >>> base = program.alloc(1 << 20)
    >>> program.launch(1, 1, lambda block, warp: iter([gmmu.read(base), gmmu.use()]))
    >>> int(gmmu.run(apps=[program], relaunch=False)["sm.loads"][0])
    1
    """
    return _memory(_LOAD, address, stride, mask)


def write(address, stride=4, mask=0xFFFFFFFF):
    """A word per lane is stored, as in read().

    >>> import gmmu
    >>> program = gmmu.Source()
    >>> base = program.alloc(1 << 20)
    >>> program.launch(1, 1, lambda block, warp: iter([gmmu.write([base + 128 * lane for lane in range(32)])]))
    >>> int(gmmu.run(apps=[program], relaunch=False)["sm.stores"][0])
    1
    """
    return _memory(_STORE, address, stride, mask)


def atomic(address, stride=4, mask=0xFFFFFFFF):
    """An atomic operation per lane, as in read(). mask: which lanes take part.

    >>> import gmmu
    >>> program = gmmu.Source()
    >>> base = program.alloc(1 << 20)
    >>> program.launch(1, 1, lambda block, warp: iter([gmmu.atomic(base, stride=0, mask=1)]))
    >>> int(gmmu.run(apps=[program], relaunch=False)["sm.atomics"][0])
    1
    """
    return _memory(_ATOMIC, address, stride, mask)


def use():
    """Waits for what the warp read last.

    >>> import gmmu
    >>> program = gmmu.Source()
    >>> base = program.alloc(1 << 20)
    >>> program.launch(1, 1, lambda block, warp: iter([gmmu.read(base), gmmu.use()]))
    >>> int(gmmu.run(apps=[program], relaunch=False)["cycles"][0]) > 100
    True
    """
    return _Op(_USE)


def integer():
    """Integer arithmetic.

    >>> import gmmu
    >>> program = gmmu.Source()
    >>> program.launch(2, 1, lambda block, warp: (gmmu.integer() for _ in range(10)))
    >>> int(gmmu.run(apps=[program], relaunch=False)["sm.warp_instructions"][0]) >= 20
    True
    """
    return _Op(_INT)


def fp32():
    """Floating-point arithmetic.

    >>> import gmmu
    >>> program = gmmu.Source()
    >>> program.launch(1, 1, lambda block, warp: iter([gmmu.fp32()]))
    >>> len(gmmu.run(apps=[program], relaunch=False))
    1
    """
    return _Op(_FP32)


def barrier():
    """Waits for all warps of the block.

    >>> import gmmu
    >>> program = gmmu.Source()
    >>> program.launch(1, 4, lambda block, warp: iter([gmmu.integer(), gmmu.barrier()]))
    >>> len(gmmu.run(apps=[program], relaunch=False))
    1
    """
    return _Op(_BARRIER, base=0)


def _table():
    rows = (c.Inst * 8)()
    for i in range(8):
        memory = i in (_LOAD, _STORE, _ATOMIC)
        writes = {_LOAD: 1, _ATOMIC: 1, _USE: 2, _INT: 3, _FP32: 4}.get(i, _NONE)
        rows[i] = c.Inst(_CLASS[i], 0, 4 if memory else 0, 0, writes, 0 if writes == _NONE else 1,
                         (ctypes.c_uint8 * 4)(1 if i in (_USE, _STORE) else _NONE, _NONE, _NONE, _NONE), i)
    return rows


class Source:
    """A program: allocations and launches, in order.

    >>> import gmmu
    >>> program = gmmu.Source("rows")
    >>> matrix = program.alloc(16 << 20)
    >>> def body(block, warp):
    ...     for row in range(4):
    ...         yield gmmu.read(matrix + (block * 4 + row) * 4096)
    ...         yield gmmu.use()
    >>> program.launch(blocks=8, warps=1, body=body)
    >>> int(gmmu.run(apps=[program], relaunch=False)["sm.loads"][0])
    32
    """

    def __init__(self, name="python"):
        self.name = name
        self.raised = None
        self._commands, self._at, self._body = [], 0, None
        self._slots, self._next_va = {}, 1 << 32
        self._rows = _table()
        self._ops = c.SourceOps(
            name.encode(), c.Bind(self._bind), c.Rewind(self._rewind), c.NextCommand(self._next), c.CtaBegin(self._begin),
            c.Step(self._step), None, c.ErrorOf(self._error), c.Free(lambda _s: None), None)
        self._source = c.Source(pointer(self._ops))
        self._err = c._Err()

    def pointer(self):
        """What C knows it by: for Machine.add().

        >>> bool(Source().pointer())
        True
        """
        return pointer(self._source)

    def alloc(self, size):
        """An address; the memory is there from the program's begin on.

        >>> program = Source()
        >>> program.alloc(4096) < program.alloc(4096)
        True
        """
        size = c.whole("size", size, 1, 1 << 40)
        va = self._next_va
        self._next_va += (size + (2 << 20) - 1) // (2 << 20) * (2 << 20)
        self._commands.append(("alloc", va, size))
        return va

    def launch(self, blocks, warps, body, name="kernel"):
        """body(block, warp) gives the instructions of a warp, one after the other.

        >>> program = Source()
        >>> program.launch(blocks=1, warps=1, body=lambda block, warp: iter([integer()]))
        """
        blocks, warps = c.whole("blocks", blocks, 1, (1 << 31) - 1), c.whole("warps", warps, 1, 32)
        self._commands.append(("launch", name.encode(), blocks, warps, body))

    # ---- what the machine calls; an exception is kept, and raised when the run returns

    def _fail(self, exception, e=None):
        self.raised = exception
        text = ("%s: %s" % (type(exception).__name__, exception)).encode()[:399]
        for err in [self._err] + ([e.contents] if e else []):
            err.code, err.text = -1, text
        return -1

    def _bind(self, _s, _slots, _per_sm, _e):
        return 0

    def _rewind(self, _s, _e):
        self._at = 0
        return 0

    def _next(self, _s, _now, command, _e):
        out = command.contents
        ctypes.memset(command, 0, ctypes.sizeof(c.Command))
        if self._at == len(self._commands):
            out.kind = 5
            return 0
        what = self._commands[self._at]
        self._at += 1
        if what[0] == "alloc":
            out.kind, out.va, out.bytes = 0, what[1], what[2]
            return 0
        _, out.launch.name, blocks, warps, self._body = what
        out.kind, out.launch.inst, out.launch.inst_count = 4, cast(self._rows, POINTER(c.Inst)), 8
        out.launch.grid = (ctypes.c_uint32 * 3)(blocks, 1, 1)
        out.launch.block = (ctypes.c_uint32 * 3)(32 * warps, 1, 1)
        return 0

    def _advance(self, slot):
        """The next instruction of the warp; its row."""
        state = self._slots[slot]
        state[1] = next(state[0], None) or _Op(_EXIT)
        return state[1].row

    def _begin(self, _s, _now, cta, warps, slot, first, e):
        try:
            for i in range(warps):
                self._slots[slot[i]] = [iter(self._body(cta, i)), None]
                first[i] = self._advance(slot[i])
            return 0
        except Exception as exception:
            return self._fail(exception, e)

    def _step(self, _s, _now, slot, op):
        try:
            now, out = self._slots[slot][1], op.contents
            out.mask, out.mode, out.base, out.stride = now.mask, 0, 0, 0
            if now.row == _EXIT:
                return _END
            if now.lanes is not None:
                out.mode = 2
                for i, address in enumerate(now.lanes[:32]):
                    out.lane[i] = address
                out.mask &= (1 << min(len(now.lanes), 32)) - 1
            elif now.base is not None and now.row != _BARRIER:
                out.mode, out.base, out.stride = 1, now.base, now.stride
            return self._advance(slot)
        except Exception as exception:
            self._fail(exception)
            return _FAIL

    def _error(self, _s):
        return ctypes.addressof(self._err)
