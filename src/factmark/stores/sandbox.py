"""What a store worker may not do: outlive its parent, fill the memory, open a network socket.

The query guard already refuses SERVICE; should a query ever pass it, the kernel refuses the socket.
Each restriction is applied where the system offers it (all of them on Linux on x86-64 and ARM) and
silently left out elsewhere: they are a second wall, not the first.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import signal
import struct
import sys

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_SECCOMP_MODE_FILTER = 2
_SOCKET_CALLS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}  # audit arch, number
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 13  # errno 13: permission denied


def confine(parent: int, memory: int) -> None:
    """Restricts this process for good.

    Args:
        parent: the process id of the parent; this process ends at once when it is already gone.
        memory: bytes of private memory that may be in use; 0 for no limit.
    """
    _limit_memory(memory)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(1)
        _refuse_sockets(libc)


def _limit_memory(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    with contextlib.suppress(ValueError, OSError):  # systems differ in what may be limited
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if memory:
            hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
            soft = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
            resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _refuse_sockets(libc: ctypes.CDLL) -> None:
    """A seccomp filter: `socket()` fails with EACCES, all else is allowed.

    Layout of `struct sock_filter` (u16 code, u8 true, u8 false, u32 k) and `struct sock_fprog` from
    linux/filter.h; `struct seccomp_data` has the call number at 0 and the architecture at 4.
    """
    known = _SOCKET_CALLS.get(platform.machine())
    if known is None:
        return
    architecture, call = known
    steps = [
        (_LOAD | 0x00, 0, 0, 4),
        (_JUMP_IF_EQUAL, 0, 2, architecture),
        (_LOAD | 0x00, 0, 0, 0),
        (_JUMP_IF_EQUAL, 1, 0, call),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _REFUSE),
    ]
    program = b"".join(struct.pack("=HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(steps), ctypes.addressof(buffer))
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
        libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header, 0, 0)
