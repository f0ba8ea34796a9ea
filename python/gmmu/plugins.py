"""Policies and mechanisms of others (docs/plugins.md)."""
import os

from ._library import call

loaded = []  # for commands that this process starts


def load_plugin(path):
    """Loads a plug-in, for all machines and sweeps from now on. What gmmu refuses is an Error.

    >>> import gmmu
    >>> try:
    ...     gmmu.load_plugin("./none.so")
    ... except gmmu.Error as e:
    ...     print(str(e))
    ./none.so: there is no such plug-in
    """
    call("gmmu_load_plugin", str(path).encode())
    if os.path.abspath(path) not in loaded:
        loaded.append(os.path.abspath(path))


def environment():
    """The environment of a command that is to have them, too."""
    named = [p for p in os.environ.get("GMMU_PLUGINS", "").split(":") if p] + loaded
    return dict(os.environ, GMMU_PLUGINS=":".join(named)) if named else None
