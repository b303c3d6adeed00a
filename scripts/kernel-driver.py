"""Runs notebook cells in fresh Python kernels, each in a sandbox of its own; `celrec eval exeds` and `celrec record` start it.

Reads jobs as JSON lines from standard input and answers each with one line on standard output:

    {"id": 1, "cells": ["x = 1", "x"], "files": {"a.csv": "..."}, "seconds": 20, "inspect": false}
    {"id": 1, "cells": [{"status": "ok", "output": "", ...}, {"status": "ok", "output": "1", ...}]}

The first line it writes is {"ready": {...}}: which parts of the sandbox this machine allows. A kernel and the worker that
talks to it live in namespaces of their own: no network, a read-only file system but for a scratch folder in memory, and no
process outlives them. Where the kernel of the machine forbids namespaces, the limits of resources are all there is.
"""

import asyncio
import ctypes
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x20000, 0x8000000, 0x10000000, 0x20000000, 0x40000000
MS_BIND, MS_REC, MS_PRIVATE, MS_NOSUID, MS_NODEV = 4096, 16384, 1 << 18, 2, 4
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
SYS_MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE, MOUNT_ATTR_RDONLY = 442, -100, 0x8000, 1

SCRATCH_BYTES = 256 * 2**20
FILE_BYTES = 128 * 2**20
PROCESSES = 128
OUTPUT_CHARACTERS = 64 * 1024
# A busy machine is slow to start a kernel, and now and then one fails to start at all.
START_SECONDS = 180
STARTS = 3
# What the kernel runs as where the driver is root: limits on processes do not bind root.
INNER_USER, NOBODY = 1000, 65534

INSPECT = """
def __celrec_inspect():
    import json, resource, sys, types
    hidden = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)
    found = {}
    for name, value in list(globals().items()):
        if name.startswith("_") or name in ("In", "Out", "exit", "quit", "open", "get_ipython") or isinstance(value, hidden):
            continue
        size = getattr(value, "shape", None) or (len(value) if hasattr(value, "__len__") else 1)
        found[name] = {"type": type(value).__name__, "size": str(size), "value": repr(value)[:100]}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps({"variables": found, "memory_bytes": peak}))
__celrec_inspect()
del __celrec_inspect
"""


def call(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def mount(source, target, kind, flags, options=None):
    encode = lambda text: None if text is None else text.encode()
    call(LIBC.mount(encode(source), encode(target), encode(kind), flags, encode(options)), f"mount {target}")


def set_read_only(path, read_only):
    attributes = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY if read_only else 0, 0 if read_only else MOUNT_ATTR_RDONLY, 0, 0)
    flags = AT_RECURSIVE if read_only else 0
    call(LIBC.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, path.encode(), flags, attributes, 32), "mount_setattr")


# --- the worker: one sandbox, one kernel, one job ---------------------------------------------------------------------


def work(scratch, memory):
    """Enters the sandbox as far as it goes, starts a kernel, says so, and runs the one job that it is given."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    to_child, to_parent = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        isolation = enter_namespaces(to_child[0], to_parent[1])
        if isolation["processes"]:
            # The first process of a namespace takes all others with it when it ends.
            inner = os.fork()
            if inner > 0:
                os._exit(wait_for(inner))
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)
        try:
            serve_one(scratch, memory, isolation)
        finally:
            end_children()
        os._exit(0)
    os.read(to_parent[0], 1)
    write_maps(child)
    os.write(to_child[1], b"x")
    os._exit(wait_for(child))


def wait_for(pid):
    _, status = os.waitpid(pid, 0)
    return 0 if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 0 else 1


def enter_namespaces(wait_fd, tell_fd):
    flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC
    entered = LIBC.unshare(flags) == 0
    os.write(tell_fd, b"x")
    os.read(wait_fd, 1)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if entered:
        # Without a map of users nothing is allowed inside.
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
    """The whole file system read-only, and a scratch folder of limited size in memory."""
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount("tmpfs", scratch, "tmpfs", MS_NOSUID | MS_NODEV, f"size={SCRATCH_BYTES},mode=0777")
    set_read_only("/", True)
    set_read_only(scratch, False)
    try:
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV)
        return True
    except OSError:
        return False  # Some containers keep their own, which shows the processes of everybody.


def serve_one(scratch, memory, isolation):
    if isolation["files"]:
        try:
            isolation["counted"] = close_files(scratch)
        except OSError as error:
            isolation["files"] = False
            isolation["reason"] = str(error)
    os.chdir(scratch)
    drop = os.getuid() == 0 and isolation["processes"] and can_drop()
    isolation["user"] = drop
    manager, client = start_kernel(scratch, memory, drop)
    reply({"ready": isolation})
    job = json.loads(sys.stdin.readline() or "null")
    if job is None:
        return
    for name, text in job.get("files", {}).items():
        path = os.path.join(scratch, os.path.basename(name))
        write(path, text)
        os.chmod(path, 0o666)
    job["counted"] = isolation.get("counted", False)
    reply(run_cells(manager, client, job))


def can_drop():
    """Whether another user may read this Python at all: an installation in a home folder is often private."""
    child = os.fork()
    if child == 0:
        try:
            become_inner()
            os.execv(sys.executable, [sys.executable, "-c", "import ipykernel"])
        finally:
            os._exit(1)
    return wait_for(child) == 0


def become_inner():
    os.setgroups([])
    os.setgid(INNER_USER)
    os.setuid(INNER_USER)


def start_kernel(scratch, memory, drop):
    from jupyter_client.manager import KernelManager

    folder = os.path.join(scratch, ".kernel")
    os.makedirs(folder, exist_ok=True)
    os.chmod(folder, 0o777)
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": scratch,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "IPYTHONDIR": folder,
        "JUPYTER_CONFIG_DIR": folder,
        "JUPYTER_DATA_DIR": folder,
        "JUPYTER_RUNTIME_DIR": folder,
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": folder,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    os.environ.clear()
    os.environ.update(environment)

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_NPROC, (PROCESSES, PROCESSES))
        if drop:
            become_inner()

    manager = KernelManager(transport="ipc", connection_file=os.path.join(folder, "k.json"))
    manager.kernel_spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--HistoryManager.enabled=False"]
    os.umask(0)
    # What a cell writes to the descriptors themselves must not be taken for an answer of this worker.
    nothing = open(os.devnull, "r+b")
    manager.start_kernel(
        env=environment, cwd=scratch, preexec_fn=limit, independent=True, stdin=nothing, stdout=nothing, stderr=nothing
    )
    client = manager.blocking_client()
    client.start_channels()
    if drop:
        # jupyter_client keeps its file to its owner; the kernel is somebody else.
        os.chmod(os.path.join(folder, "k.json"), 0o644)
    client.wait_for_ready(timeout=START_SECONDS)
    return manager, client


def run_cells(manager, client, job):
    cells = []
    deadline = time.monotonic() + job.get("seconds", 20)
    for code in job["cells"]:
        cell = run_cell(manager, client, code, deadline, counted=job["counted"])
        if job.get("inspect") and cell["status"] in ("ok", "error"):
            cell.update(inspect(manager, client, deadline))
        cells.append(cell)
        # After an exception the cells below it would not be run either; after anything worse nothing can.
        if cell["status"] != "ok":
            break
    return {"cells": cells}


def inspect(manager, client, deadline):
    seen = run_cell(manager, client, INSPECT, deadline, store=False)
    try:
        return json.loads(seen["output"])
    except ValueError:
        return {}


def count_processes():
    return sum(name.isdigit() for name in os.listdir("/proc"))


def run_cell(manager, client, code, deadline, store=True, counted=False):
    import queue

    start = time.monotonic()
    output, size, status, error, message = [], 0, "ok", None, None
    asked = client.execute(code, store_history=store, allow_stdin=False)
    while True:
        if time.monotonic() > deadline:
            status = "timeout"
            break
        # The limit of the operating system does not bind root.
        if counted and count_processes() > PROCESSES:
            status = "processes"
            break
        try:
            answer = client.get_iopub_msg(timeout=0.05)
        except queue.Empty:
            if not manager.is_alive():
                status = "died"
                break
            continue
        if answer["parent_header"].get("msg_id") != asked:
            continue
        kind, content = answer["msg_type"], answer["content"]
        text = None
        if kind == "stream" and content["name"] == "stdout":
            text = content["text"]
        elif kind == "execute_result":
            text = content["data"].get("text/plain", "")
        elif kind == "error":
            status, error, message = "error", content["ename"], content["evalue"][:500]
        elif kind == "status" and content["execution_state"] == "idle":
            break
        if text is not None:
            size += len(text)
            output.append(text)
        if size > OUTPUT_CHARACTERS:
            status = "output"
            break
    if error == "MemoryError":
        status = "memory"
    result = {"status": status, "output": "".join(output)[:OUTPUT_CHARACTERS], "seconds": round(time.monotonic() - start, 4)}
    if error is not None:
        result.update(error=error, message=message)
    return result


def end_children():
    """Without a namespace of processes, whoever was started is found by being a child of this process or of its children."""
    for _ in range(20):
        found = descendants(os.getpid())
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0] > 0:
                pass
        except ChildProcessError:
            return
        time.sleep(0.02)


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


def reply(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


# --- the driver: a pool of workers with warm kernels ------------------------------------------------------------------


class Worker:
    def __init__(self, process, scratch, ready):
        self.process, self.scratch, self.ready = process, scratch, ready

    async def end(self):
        if self.process.returncode is None:
            try:
                self.process.kill()
            except ProcessLookupError:
                pass
        await self.process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)


async def start_worker(memory):
    scratch = tempfile.mkdtemp(prefix="celrec-kernel-")
    os.chmod(scratch, 0o777)
    process = await asyncio.create_subprocess_exec(
        sys.executable, os.path.abspath(__file__), "--worker", scratch, str(memory),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=2**24,
    )
    worker = Worker(process, scratch, None)
    try:
        line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
        worker.ready = json.loads(line)["ready"]
        return worker
    except BaseException:
        await worker.end()
        raise


async def drive(jobs, memory):
    warm = asyncio.Queue()
    running = set()

    async def warm_up():
        failure = None
        for _ in range(STARTS):
            try:
                return await warm.put(await start_worker(memory))
            except Exception as error:
                failure = error
        await warm.put(failure)  # The job that needs it is told.

    async def handle(job):
        worker = await warm.get()
        answer = {"id": job["id"]}
        if isinstance(worker, Exception):
            answer["fault"] = f"no kernel could be started: {worker!r}"
        else:
            # A worker notices most of what goes wrong; a little later nobody waits for it any more.
            patience = job.get("seconds", 20) + 5
            try:
                worker.process.stdin.write(json.dumps(job).encode() + b"\n")
                await worker.process.stdin.drain()
                line = await asyncio.wait_for(worker.process.stdout.readline(), patience)
                answer.update(json.loads(line))
            except asyncio.TimeoutError:
                answer["cells"] = [{"status": "timeout", "output": "", "seconds": patience}]
            except (ValueError, ConnectionError):
                answer["cells"] = [{"status": "died", "output": "", "seconds": 0}]
            await worker.end()
        reply(answer)
        spawn(warm_up())

    def spawn(coroutine):
        task = asyncio.ensure_future(coroutine)
        running.add(task)
        task.add_done_callback(running.discard)

    first = await start_worker(memory)
    reply({"ready": first.ready})
    await warm.put(first)
    for _ in range(jobs - 1):
        spawn(warm_up())
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=2**26)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    busy = asyncio.Semaphore(jobs)

    async def handle_in_turn(job):
        async with busy:
            await handle(job)

    while line := await reader.readline():
        spawn(handle_in_turn(json.loads(line)))
    while any(task for task in running):
        await asyncio.sleep(0.02)
        if not any(not task.done() for task in running):
            break
    while not warm.empty():
        worker = warm.get_nowait()
        if isinstance(worker, Worker):
            await worker.end()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2], int(sys.argv[3]))
    else:
        asyncio.run(drive(int(sys.argv[1]), int(sys.argv[2])))
