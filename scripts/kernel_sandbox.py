"""The sandbox of one kernel: namespaces without a network, a file system of its own, limits; used by kernel-driver.py.

A cell sees only system folders and the Python that runs it, all read-only, and a scratch folder of limited size in
memory. bubblewrap makes this file system if it is installed, else this module does. Inside of either,
`kernel_confinement.py` drops the kernel's privileges, which is the only protection if the machine forbids namespaces.
"""

import ctypes
import os
import resource
import signal
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 2, 4, 4096, 16384, 1 << 18, 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 1, 4, 36
# Newer system calls have the same numbers on every architecture; pivot_root does not.
SYS_MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 442, -100, 0x8000, 1, 2
SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}

SCRATCH_BYTES = 256 * 2**20
# Maximum number of files and folders. A file without content uses no bytes of the scratch folder, but memory of the machine.
SCRATCH_FILES = 20_000
FILE_BYTES = 128 * 2**20
PROCESSES = 128
# Open files and sockets of one process, and of all processes of a cell together. A full socket takes 0.2 MB of the machine's
# memory, which belongs to no process.
OPEN_FILES, ALL_OPEN_FILES = 1024, 4096
# The users that a kernel runs as if the driver is root, because limits on processes do not apply to root.
INNER_USER, NOBODY = 1000, 65534
# A limit on processes counts all processes of a user, so each kernel in bubblewrap gets a user id of its own.
PRIVATE_USERS = range(1_900_000_000, 1_901_000_000)

WATCHING_RIGHTS = ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL", "CAP_SYS_PTRACE", "CAP_DAC_OVERRIDE"]

SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"]
SETTINGS = ["ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "nsswitch.conf", "fonts", "alternatives", "mime.types"]
# The program that runs inside our own sandbox.
OWN_FILES = ["kernel-driver.py", "kernel_sandbox.py", "kernel_confinement.py"]
DEVICES = ["null", "zero", "full", "random", "urandom"]


def call(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, kind, flags, options=None):
    encode = lambda text: None if text is None else text.encode()
    call(LIBC.mount(encode(source), encode(target), encode(kind), flags, encode(options)), f"mount {target}")


def set_read_only(path):
    attributes = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, 0, 0, 0)
    call(LIBC.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, path.encode(), AT_RECURSIVE, attributes, 32), "mount_setattr")


def hide_from_cells():
    """Prevents unprivileged processes, even of the same user, from reading this process's files or memory in /proc."""
    LIBC.prctl(PR_SET_DUMPABLE, 0)


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def die_first():
    """If the machine runs out of memory, it ends this process and its children before any other process."""
    try:
        write("/proc/self/oom_score_adj", "1000")
    except OSError:
        pass  # Then the machine chooses which process to end.


def adopt_orphans():
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)


def enter_namespaces(wait_fd, tell_fd, wanted=True):
    flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC
    entered = wanted and LIBC.unshare(flags) == 0
    os.write(tell_fd, b"x")
    os.read(wait_fd, 1)
    die_with_parent()
    if entered:
        # A namespace without a map of users cannot be used.
        entered = open("/proc/self/uid_map").read().strip() != ""
    return {"network": entered, "files": entered, "processes": entered}


def write_maps(child):
    try:
        uid, gid = os.getuid(), os.getgid()
        users = f"0 {uid} 1\n" + (f"{INNER_USER} {NOBODY} 1\n" if uid == 0 else "")
        groups = f"0 {gid} 1\n" + (f"{INNER_USER} {NOBODY} 1\n" if uid == 0 else "")
        if uid != 0:
            write(f"/proc/{child}/setgroups", "deny")
        write(f"/proc/{child}/uid_map", users)
        write(f"/proc/{child}/gid_map", groups)
    except OSError:
        pass  # The child sees that it has no map, and says so.


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def close_files(scratch):
    """Switches to a read-only root that has only what Python needs, and a writable scratch folder in memory."""
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount("tmpfs", scratch, "tmpfs", MS_NOSUID, "mode=0755")
    for path in visible_paths(scratch):
        show(path, scratch + path)
    name_users(scratch)
    os.makedirs(scratch + "/dev/shm")
    for name in DEVICES:
        show(f"/dev/{name}", f"{scratch}/dev/{name}")
    show_terminals(scratch + "/dev")
    os.makedirs(scratch + "/proc")
    os.makedirs(scratch + scratch)
    counted = mount_processes(scratch + "/proc")
    set_read_only(scratch)
    # Mounted after everything else is made read-only, so that these folders stay writable.
    for folder in (scratch, "/dev/shm"):
        mount("tmpfs", scratch + folder, "tmpfs", MS_NOSUID | MS_NODEV, f"size={SCRATCH_BYTES},nr_inodes={SCRATCH_FILES},mode=0777")
    os.chdir(scratch)
    call(LIBC.syscall(SYS_PIVOT_ROOT[os.uname().machine], b".", b"."), "pivot_root")
    call(LIBC.umount2(b".", MNT_DETACH), "umount")
    return counted


def visible_paths(scratch):
    """The system folders and the folders of this Python; nested folders are left out."""
    prefixes = [sys.prefix, sys.exec_prefix, sys.base_prefix, os.path.dirname(os.path.realpath(sys.executable))]
    wanted = [*SYSTEM, *(f"/etc/{name}" for name in SETTINGS), *prefixes, *sys.path[1:]]
    paths = sorted({os.path.abspath(path) for path in wanted if path and os.path.exists(path)})
    shown = []
    for path in paths:
        holds_scratch = scratch.startswith(path.rstrip("/") + "/")
        if not holds_scratch and not any(path.startswith(other + "/") for other in shown if not os.path.islink(other)):
            shown.append(path)
    return shown


def show(path, target):
    if os.path.islink(path) and path in SYSTEM:
        return os.symlink(os.readlink(path), target)
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        write(target, "")
    mount(path, target, None, MS_BIND | MS_REC)


def name_users(scratch, kernel=INNER_USER):
    """Writes a list of users for the sandbox, so that a cell does not see the users of the machine."""
    os.makedirs(scratch + "/etc", exist_ok=True)
    users = [("root", 0), ("kernel", kernel)]
    write(scratch + "/etc/passwd", "".join(f"{name}:x:{user}:{user}::{scratch}:/bin/sh\n" for name, user in users))
    write(scratch + "/etc/group", "".join(f"{name}:x:{user}:\n" for name, user in users))


def show_terminals(devices):
    """Mounts pseudo-terminals, because IPython runs each `!` line in a terminal."""
    os.makedirs(devices + "/pts")
    try:
        mount("devpts", devices + "/pts", "devpts", MS_NOSUID, "newinstance,ptmxmode=0666,mode=0666")
        os.symlink("pts/ptmx", devices + "/ptmx")
    except OSError:
        pass  # Then `!` lines fail with an error.


def mount_processes(target):
    try:
        mount("proc", target, "proc", MS_NOSUID | MS_NODEV)
        return True
    except OSError:
        # Some containers allow no new /proc. The existing one shows all processes of the machine.
        mount("/proc", target, None, MS_BIND | MS_REC)
        return False


def user_inside(isolation, options):
    """The id of an unprivileged user: the one in `options`, else INNER_USER in our own namespace, else nobody."""
    private = [int(option[len("user="):]) for option in options if option.startswith("user=")]
    if private:
        return private[0]
    return INNER_USER if isolation["tool"] == "own" and isolation["processes"] else NOBODY


def can_become(user):
    """Whether another user may read this Python at all: an installation in a home folder is often private."""
    child = os.fork()
    if child == 0:
        try:
            become(user)
            os.execv(sys.executable, [sys.executable, "-c", "import ipykernel"])
        finally:
            os._exit(1)
    return wait_for(child) == 0


def become(user):
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


def wrap_in_bubblewrap(program, scratch, command, user=INNER_USER):
    """The command line that runs a command in a sandbox of bubblewrap, with the same view of the machine as `close_files`."""
    is_root = os.getuid() == 0
    users = os.path.join(scratch, "etc")
    name_users(scratch, user)
    arguments = [program, *(f"--unshare-{kind}" for kind in ("pid", "net", "ipc", "uts", "cgroup-try")), "--cap-drop", "ALL"]
    if is_root:
        # The process that watches the kernel switches it to another user, and must still be able to inspect and end it.
        arguments += [argument for right in WATCHING_RIGHTS for argument in ("--cap-add", right)]
    else:
        arguments += ["--unshare-user", "--uid", str(INNER_USER), "--gid", str(INNER_USER)]
    arguments += [
        "--die-with-parent", "--new-session", "--as-pid-1", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LANG", "C.UTF-8",
    ]
    own = [os.path.join(os.path.dirname(os.path.abspath(__file__)), name) for name in OWN_FILES]
    made = set()
    for path in [*visible_paths(scratch), *own]:
        arguments += make_parents(path, made)
        if os.path.islink(path) and path in SYSTEM:
            arguments += ["--symlink", os.readlink(path), path]
        else:
            arguments += ["--ro-bind", path, path]
    for name in ("passwd", "group"):
        arguments += ["--ro-bind", os.path.join(users, name), f"/etc/{name}"]
    arguments += ["--proc", "/proc", "--dev", "/dev"]
    arguments += make_parents(scratch, made)
    for folder in (scratch, "/dev/shm"):
        arguments += ["--perms", "0777", "--size", str(SCRATCH_BYTES), "--tmpfs", folder]
    # bubblewrap's own folders in memory have no size limit, so they become read-only.
    # A process could write into the memory of another one of the same user through /proc, so /proc becomes read-only, too.
    return [*arguments, "--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", scratch, "--", *command]


def make_parents(path, made):
    """Arguments that make the parent folders of a path. By default, bubblewrap lets only their owner enter them."""
    parents = []
    while (path := os.path.dirname(path)) not in made and path != "/":
        parents.append(path)
        made.add(path)
    return [argument for parent in reversed(parents) for argument in ("--perms", "0755", "--dir", parent)]


def limit_resources(memory):
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))


def wait_for(pid):
    _, status = os.waitpid(pid, 0)
    return 0 if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 else 1


def end_children():
    """Without a PID namespace, the processes of a cell are found as descendants of this process."""
    for _ in range(50):
        kill_below(os.getpid())
        try:
            while os.waitpid(-1, os.WNOHANG)[0] > 0:
                pass
        except ChildProcessError:
            return
        time.sleep(0.02)


def kill_below(root):
    found = descendants(root)
    for pid in found:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass
    return found


def descendants(root):
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    parents[int(name)] = int(file.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found = []
    for pid in parents:
        above = parents[pid]
        while above in parents and above != root and above > 1:
            above = parents[above]
        if above == root:
            found.append(pid)
    return found


def files_in(folder):
    """The number of files and folders in the file system that is mounted at a folder."""
    found = os.statvfs(folder)
    return found.f_files - found.f_ffree


def open_files_of(pids, enough):
    """Open files and sockets of processes. If these are more than `enough`, what several share counts only once."""
    hidden, found = 0, []
    for pid in pids:
        try:
            found += [f"/proc/{pid}/fd/{number}" for number in os.listdir(f"/proc/{pid}/fd")]
        except PermissionError:
            hidden += 1  # It hides from this process, so it may have as many as the system allows.
        except OSError:
            continue  # It has ended.
    quick = hidden * OPEN_FILES + len(found)
    return quick if quick <= enough else hidden * OPEN_FILES + len({read_link(path) for path in found})


def read_link(path):
    try:
        return os.readlink(path)
    except OSError:
        return None  # It was closed.


def memory_of(pids, enough):
    """Bytes that processes use together. If that is more than `enough`, memory that several share counts only once."""
    quick = sum(read_memory(pid, "statm", resident_pages) for pid in pids)
    # The second figure is slower to read, because the system looks at every page to find what is shared.
    return quick if quick <= enough else sum(shared_memory_of(pid) for pid in pids)


def shared_memory_of(pid):
    try:
        return read_memory(pid, "smaps_rollup", proportional)
    except PermissionError:
        return read_memory(pid, "statm", resident_pages)  # It hides from this process.


def read_memory(pid, name, parse):
    try:
        with open(f"/proc/{pid}/{name}") as file:
            return parse(file.read())
    except PermissionError:
        raise
    except (OSError, ValueError, IndexError):
        return 0  # It has ended.


def resident_pages(text):
    return int(text.split()[1]) * resource.getpagesize()


def proportional(text):
    return int(text.split("\nPss:")[1].split()[0]) * 1024
