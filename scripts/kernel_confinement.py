"""Drops the privileges of a kernel before it starts: capabilities, new privileges, and calls that no cell needs; used by kernel-driver.py."""

import ctypes
import os
import struct

LIBC = ctypes.CDLL(None, use_errno=True)
PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 24, 38, 22, 47, 4
SECCOMP_MODE_FILTER = 2
CAPABILITY_VERSION, HIGHEST_CAPABILITY = 0x20080522, 63
EPERM, ENOSYS, EOPNOTSUPP = 1, 38, 95

# Forbidden calls with their numbers on x86_64 and aarch64. Those of the last line allocate memory that belongs to no
# process, so no limit would count it.
FORBIDDEN = {
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "swapon": (167, 224), "swapoff": (168, 225),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "mount_setattr": (442, 442), "unshare": (272, 97), "setns": (308, 268),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272), "pidfd_getfd": (438, 438),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "open_by_handle_at": (304, 265), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "reboot": (169, 142), "settimeofday": (164, 170), "quotactl": (179, 60), "acct": (163, 89),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "shmget": (29, 194), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
}
CLONE, CLONE3, SOCKET, IOCTL = (56, 220), (435, 435), (41, 198), (16, 29)
ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
# NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET.
NEW_NAMESPACES = 0x80 | 0x20000 | 0x2000000 | 0x4000000 | 0x8000000 | 0x10000000 | 0x20000000 | 0x40000000
AF_UNIX, AF_INET, AF_INET6, SOCK_RAW, TIOCSTI, X32 = 1, 2, 10, 3, 0x5412, 0x40000000

LOAD, AND, JUMP_EQUAL, JUMP_SET, RETURN = 0x20, 0x54, 0x15, 0x45, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
# Offsets of the call number, the architecture and the low half of an argument.
NUMBER, ARCHITECTURE = 0, 4
argument = lambda index: 16 + 8 * index


def confine(become):
    """Called in the kernel's process before it becomes Python; `become` makes it another user if that is possible."""
    for capability in range(HIGHEST_CAPABILITY + 1):
        LIBC.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
    become()
    LIBC.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    LIBC.capset(header, (ctypes.c_uint32 * 6)())
    check(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no_new_privs")
    refuse_calls()


def refuse_calls():
    machine = ARCHITECTURES.get(os.uname().machine)
    if machine is None:
        raise OSError(f"there is no list of calls for {os.uname().machine}")
    code = b"".join(struct.pack("HBBI", *step) for step in filter_of(*machine))
    program = ctypes.create_string_buffer(code)
    # struct sock_fprog: the number of steps, and a pointer to them.
    holder = struct.pack("HP", len(code) // 8, ctypes.addressof(program))
    check(LIBC.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.create_string_buffer(holder), 0, 0), "seccomp")


def filter_of(at, architecture):
    """Steps of a packet filter: (operation, steps to skip if true, steps to skip if false, value)."""
    refuse = lambda error: (RETURN, 0, 0, REFUSE | error)
    only_if = lambda number, skipped: (JUMP_EQUAL, 0, skipped, number[at])
    steps = [(LOAD, 0, 0, ARCHITECTURE), (JUMP_EQUAL, 1, 0, architecture), refuse(EPERM), (LOAD, 0, 0, NUMBER)]
    if at == 0:
        # The x32 mode of x86_64 has other numbers for the same calls, so all of its calls are refused.
        steps += [(JUMP_SET, 0, 1, X32), refuse(EPERM)]
    for number in FORBIDDEN.values():
        steps += [only_if(number, 1), refuse(EPERM)]
    # A filter cannot read the flags of `clone3`, so it seems to be missing; the C library then falls back to `clone`.
    steps += [only_if(CLONE3, 1), refuse(ENOSYS)]
    steps += [only_if(CLONE, 4), (LOAD, 0, 0, argument(0)), (JUMP_SET, 0, 1, NEW_NAMESPACES), refuse(EPERM), (RETURN, 0, 0, ALLOW)]
    steps += [only_if(IOCTL, 4), (LOAD, 0, 0, argument(1)), (JUMP_EQUAL, 0, 1, TIOCSTI), refuse(EPERM), (RETURN, 0, 0, ALLOW)]
    # ZeroMQ asks a netlink socket for addresses, and accepts only this error as a refusal.
    families = [(JUMP_EQUAL, 3, 0, AF_UNIX), (JUMP_EQUAL, 2, 0, AF_INET), (JUMP_EQUAL, 1, 0, AF_INET6), refuse(EOPNOTSUPP)]
    raw = [(LOAD, 0, 0, argument(1)), (AND, 0, 0, 0xF), (JUMP_EQUAL, 0, 1, SOCK_RAW), refuse(EPERM)]
    steps += [only_if(SOCKET, 1 + len(families) + len(raw)), (LOAD, 0, 0, argument(0)), *families, *raw]
    return [*steps, (RETURN, 0, 0, ALLOW)]


def check(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
