"""libgmmu by ctypes: the functions of gmmu/gmmu.h, and errors as exceptions."""
import ctypes
import ctypes.util
import operator
import os
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_bool, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

API_MAJOR = 1


class Error(Exception):
    """What gmmu refuses or cannot do, with its reason."""


class Range(Error, ValueError):
    """A number that is out of range."""


class _Err(Structure):
    _fields_ = [
        ("code", c_int), ("line", c_uint32), ("column", c_uint32), ("offset", c_uint64), ("has_offset", c_uint8),
        ("file", c_char * 160), ("key", c_char * 64), ("text", c_char * 400),
    ]


class Limits(Structure):
    _fields_ = [
        ("cycles", c_uint64), ("instructions", c_uint64), ("min_cycles", c_uint64), ("wait_for", c_uint32), ("no_relaunch", c_bool),
    ]


EpochFunction = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_uint64)


# ---- gmmu/stream.h

class Inst(Structure):
    _fields_ = [
        ("cls", c_uint8), ("space", c_uint8), ("width", c_uint8), ("flags", c_uint8), ("dst", c_uint8), ("dsts", c_uint8),
        ("src", c_uint8 * 4), ("line", c_uint16),
    ]


class WarpOp(Structure):
    _fields_ = [("mask", c_uint32), ("mode", c_uint8), ("base", c_uint64), ("stride", c_int64), ("lane", c_uint64 * 32)]


class Launch(Structure):
    _fields_ = [
        ("name", c_char_p), ("inst", POINTER(Inst)), ("inst_count", c_uint32), ("grid", c_uint32 * 3), ("block", c_uint32 * 3),
        ("regs_per_thread", c_uint32), ("shared_bytes", c_uint32), ("machine", c_uint32), ("where", c_void_p),
        ("file", c_void_p), ("files", c_uint32),
    ]


class Command(Structure):
    _fields_ = [("kind", c_uint8), ("va", c_uint64), ("bytes", c_uint64), ("launch", Launch), ("name", c_char_p)]


_source_p = c_void_p
Bind = CFUNCTYPE(c_int, _source_p, c_uint32, c_uint32, POINTER(_Err))
Rewind = CFUNCTYPE(c_int, _source_p, POINTER(_Err))
NextCommand = CFUNCTYPE(c_int, _source_p, c_uint64, POINTER(Command), POINTER(_Err))
CtaBegin = CFUNCTYPE(c_int, _source_p, c_uint64, c_uint32, c_uint32, POINTER(c_uint32), POINTER(c_uint32), POINTER(_Err))
Step = CFUNCTYPE(c_uint32, _source_p, c_uint64, c_uint32, POINTER(WarpOp))
ErrorOf = CFUNCTYPE(c_void_p, _source_p)
Free = CFUNCTYPE(None, _source_p)


class SourceOps(Structure):
    _fields_ = [
        ("name", c_char_p), ("bind", Bind), ("rewind", Rewind), ("next_command", NextCommand), ("cta_begin", CtaBegin),
        ("step", Step), ("skim", c_void_p), ("error", ErrorOf), ("free", Free), ("work", c_void_p),
    ]


class Source(Structure):
    _fields_ = [("ops", POINTER(SourceOps))]


def _open():
    here = os.environ.get("GMMU_LIBRARY")
    names = [here] if here else ["libgmmu.so.%d" % API_MAJOR, ctypes.util.find_library("gmmu")]
    for name in filter(None, names):
        try:
            return ctypes.CDLL(name)
        except OSError as e:
            reason = e
    raise ImportError("libgmmu.so.%d is not there (%s); GMMU_LIBRARY may name it" % (API_MAJOR, reason))


_lib = _open()
_machine = c_void_p
_err = POINTER(_Err)
for _name, _result, _arguments in [
    ("gmmu_version", c_char_p, []),
    ("gmmu_model", c_char_p, []),
    ("gmmu_load_plugin", c_int, [c_char_p, _err]),
    ("gmmu_open", c_int, [c_char_p, c_char_p, POINTER(_machine), _err]),
    ("gmmu_close", None, [_machine]),
    ("gmmu_set", c_int, [_machine, c_char_p, c_char_p, _err]),
    ("gmmu_get", c_int, [_machine, c_char_p, c_char_p, c_size_t]),
    ("gmmu_add", c_int, [_machine, c_char_p, c_uint32, _err]),
    ("gmmu_add_source", c_int, [_machine, c_char_p, POINTER(Source), c_uint32, _err]),
    ("gmmu_on_epoch", c_int, [_machine, c_uint64, EpochFunction, c_void_p, _err]),
    ("gmmu_run", c_int, [_machine, POINTER(Limits), _err]),
    ("gmmu_cycles", c_uint64, [_machine]),
    ("gmmu_statistics", c_char_p, [_machine, _err]),
    ("gmmu_statistic", c_int, [_machine, c_char_p, POINTER(c_uint64), _err]),
    ("err_format", c_int, [_err, c_char_p, c_size_t]),
]:
    _function = getattr(_lib, _name)
    _function.restype, _function.argtypes = _result, _arguments

if int(_lib.gmmu_version().split(b".")[0]) != API_MAJOR:
    raise ImportError("this package wants libgmmu %d, not %s" % (API_MAJOR, _lib.gmmu_version().decode()))


def whole(name, value, least=0, most=(1 << 64) - 1):
    """A number for C, which would wrap what does not fit: -1 would be 2^64 - 1 cycles."""
    value = operator.index(value)
    if not least <= value <= most:
        raise Range("%s=%d is outside %d .. %d" % (name, value, least, most))
    return value


def call(name, *arguments):
    """A function that may fail: its result, or an Error."""
    e = _Err()
    result = getattr(_lib, name)(*arguments, byref(e))
    if result is None or (isinstance(result, int) and result < 0):
        text = ctypes.create_string_buffer(3000)
        _lib.err_format(byref(e), text, len(text))
        raise Error(text.value.decode(errors="replace") or "gmmu failed (%s)" % result)
    return result


def plain(name, *arguments):
    """A function that cannot fail."""
    return getattr(_lib, name)(*arguments)
