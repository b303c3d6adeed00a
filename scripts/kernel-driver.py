"""Runs notebook cells in fresh Python kernels, each in a sandbox of its own; `celrec eval exeds` and `celrec record` start it.

Reads jobs as JSON lines from standard input and answers each with one line on standard output:

    {"id": 1, "cells": ["x = 1", "x"], "files": {"a.csv": "..."}, "seconds": 20, "inspect": false, "goOn": false}
    {"id": 1, "cells": [{"status": "ok", "output": "", ...}, {"status": "ok", "output": "1", "first": "1", ...}]}

A file is its text, or {"base64": "..."}. `secondsPerCell` limits every cell instead of all together. Each cell of
`branches` runs after all of `cells`, in a forked copy of the kernel with the files as they were then. The result of a
branch that cannot run in a copy is null.
The first line it writes is {"ready": {...}}: which parts of the sandbox this machine allows. Arguments: kernels at once, bytes of
memory for each, then options: `bare` to do without namespaces as some machines must, `own` to do without bubblewrap.
"""

import asyncio
import base64
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from importlib.util import find_spec

sys.dont_write_bytecode = True

from kernel_confinement import confine
from kernel_sandbox import (
    ALL_OPEN_FILES, PRIVATE_USERS, PROCESSES, SCRATCH_FILES, adopt_orphans, become, can_become, close_files, descendants, die_first, die_with_parent,
    end_children, enter_namespaces, files_in, hide_from_cells, kill_below, limit_resources, memory_of, open_files_of, user_inside, wait_for,
    wrap_in_bubblewrap, write_maps,
)

OUTPUT_CHARACTERS = 64 * 1024
# On a busy machine a kernel starts slowly, and sometimes fails to start.
START_SECONDS = 180
STARTS = 3
# A line contains the files of a job, or the outputs and files of its cells.
LINE_BYTES = 2**28
# Interval between two checks of a cell's processes.
LOOK_SECONDS = 0.1

INSPECT_CHARACTERS = 2**22
LOOK = """
import hashlib, json, resource, sys, types

HIDDEN_TYPES = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)
HIDDEN_NAMES = ("In", "Out", "exit", "quit", "open", "get_ipython")
MOST = 1000
MAX_CHARACTERS = 1000
MAX_COLUMNS = 200

def attempt(look, value, otherwise):
    # One object that cannot be inspected must not hide the others.
    try:
        return look(value)
    except Exception:
        return otherwise

def columns_of(value):
    return [str(name) for name in list(value.columns)[:MAX_COLUMNS]]

def describe(value):
    shown = str(attempt(repr, value, ""))
    digest.update(f"{type(value).__name__}\\n{shown}\\n".encode("utf-8", "replace"))
    found = {"type": type(value).__name__, "size": attempt(sys.getsizeof, value, None), "value": shown[:MAX_CHARACTERS]}
    return {**found, "columns": attempt(columns_of, value, [])} if type(value).__name__ == "DataFrame" else found

digest = hashlib.sha256()
shown = [
    (name, value) for name, value in sorted(seen.items())
    if not name.startswith("_") and name not in HIDDEN_NAMES and not isinstance(value, HIDDEN_TYPES)
]
found = {}
for name, value in shown[:MOST]:
    digest.update(f"{name}\\n".encode("utf-8", "replace"))
    found[name] = describe(value)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"variables": found, "memory_bytes": peak, "state": digest.hexdigest()}))
"""
# Runs in a namespace of its own, because a notebook may have variables named `list` or `str`.
INSPECT = f"""
import builtins as __celrec
__celrec.exec({LOOK!r}, {{"seen": __celrec.dict(__celrec.globals())}})
del __celrec
"""

# Runs a cell in a fork of the kernel, and prints how it ended. A cell that awaits needs the kernel's own loop, and is not run.
FORK = """
import io, json, os, select, signal, sys, time
from IPython import get_ipython

def run_in_fork():
    shell = get_ipython()
    try:
        if shell.should_run_async(code, transformed_cell=shell.transform_cell(code)):
            return None
    except SyntaxError:
        pass  # The cell says so itself when it runs.
    read_end, write_end = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        try:
            os.close(read_end)
            run_as_child(shell, write_end)
        finally:
            os._exit(1)
    os.close(write_end)
    deadline, parts = time.monotonic() + seconds, []
    while (left := deadline - time.monotonic()) > 0:
        if select.select([read_end], [], [], left)[0]:
            part = os.read(read_end, 2**16)
            if not part:
                break
            parts.append(part)
    os.close(read_end)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    try:
        return json.loads(b"".join(parts))
    except ValueError:
        return {"status": "timeout" if left <= 0 else "died", "events": []}

def run_as_child(shell, write_end):
    events, size = [], 0

    def add(kind, text):
        nonlocal size
        events.append((kind, text))
        size += len(text)
        if size > most:
            finish("output")

    def finish(status, error=None, message=None):
        found = {"status": status, "events": events, "error": error, "message": message}
        data = memoryview(json.dumps(found).encode())
        while data:
            data = data[os.write(write_end, data):]
        os._exit(0)

    class Stream(io.TextIOBase):
        encoding = "utf-8"

        def __init__(self, name):
            self.name = name

        def writable(self):
            return True

        def write(self, text):
            add(self.name, text)
            return len(text)

    hook = shell.displayhook
    hook.finish_displayhook = lambda: add("result", hook.msg["content"]["data"].get("text/plain", ""))
    shell.display_pub.publish = lambda *_, **__: add("display", "")
    shell.display_pub.clear_output = lambda *_, **__: None
    # The traceback is not used, and formatting it takes longer than most cells.
    shell.showtraceback = shell.showsyntaxerror = shell.showindentationerror = lambda *_, **__: None
    shell._format_exception_for_storage = lambda *_, **__: {}
    sys.stdout, sys.stderr = Stream("stdout"), Stream("stderr")
    result = shell.run_cell(code, store_history=True)
    error = result.error_before_exec or result.error_in_exec
    if error is None:
        finish("ok")
    finish("error", type(error).__name__, str(error)[:500])

print(json.dumps(run_in_fork()))
"""
RUN_FORK = """
import builtins as __celrec
__celrec.exec({source!r}, {{"code": {code!r}, "seconds": {seconds!r}, "most": {most!r}}})
"""
FORK_CHARACTERS = 4 * OUTPUT_CHARACTERS
# Maximum bytes of files that are restored between branches. With more, branches cannot share a kernel.
SNAPSHOT_BYTES = 2**26


# --- the worker: one sandbox, one kernel, one job ---------------------------------------------------------------------


def work(scratch, memory, options):
    """Enters the sandbox as far as this machine allows, starts a kernel, reports that it is ready, and runs one job."""
    is_bare = "bare" in options
    die_with_parent()
    if "inside" in options:
        # bubblewrap has made the sandbox, and this is its first process.
        hide_from_cells()
        adopt_orphans()
        isolation = {"tool": "bubblewrap", "network": True, "files": True, "processes": True, "counted": True}
        return serve_one(scratch, memory, isolation)
    to_child, to_parent = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        isolation = enter_namespaces(to_child[0], to_parent[1], wanted=not is_bare)
        if isolation["processes"]:
            # The first process of a namespace takes all others with it when it ends.
            inner = os.fork()
            if inner > 0:
                os._exit(wait_for(inner))
        die_with_parent()
        hide_from_cells()
        adopt_orphans()
        isolation["tool"] = "none" if is_bare else "own"
        try:
            serve_one(scratch, memory, isolation)
        finally:
            end_children()
        os._exit(0)
    os.read(to_parent[0], 1)
    if not is_bare:
        write_maps(child)
    os.write(to_child[1], b"x")
    hide_from_cells()
    os._exit(wait_for(child))


def serve_one(scratch, memory, isolation):
    if isolation["files"] and isolation["tool"] == "own":
        try:
            isolation["counted"] = close_files(scratch)
        except OSError as error:
            isolation["files"] = False
            isolation["reason"] = str(error)
    folder = make_folders(scratch)
    user = user_inside(isolation, sys.argv) if os.getuid() == 0 and may_become(user_inside(isolation, sys.argv)) else None
    isolation["user"] = user is not None
    manager, client = start_kernel(scratch, folder, memory, user)
    reply({"ready": isolation})
    job = json.loads(sys.stdin.readline() or "null")
    if job is None:
        return
    for name, content in job.get("files", {}).items():
        place_file(folder, name, content)
    # If /proc is that of a container, processes of the namespace have other ids there and cannot be watched.
    watch = isolation.get("counted", not isolation["processes"])
    limits = {"memory": memory, "files": scratch if isolation["files"] else None}
    answer = run_cells(manager, client, job, limits if watch else None)
    if "branches" in job:
        answer["branches"] = run_branches(manager, client, job, answer["cells"], folder, limits if watch else None)
    reply(answer)


def may_become(user):
    """Whether the kernel can run as this user. Only the first worker tests it, because it takes as long as a start."""
    return "other-user" in sys.argv or ("same-user" not in sys.argv and can_become(user))


def make_folders(scratch):
    """Makes the folder in which cells start, named as on Kaggle: `../input` is the folder `input` among their files."""
    folder = os.path.join(scratch, "working")
    os.mkdir(folder)
    os.chmod(folder, 0o777)
    os.symlink(os.path.join("working", "input"), os.path.join(scratch, "input"))
    os.chdir(folder)
    return folder


def place_file(folder, name, content):
    path = os.path.normpath(os.path.join(folder, name))
    if not path.startswith(folder + "/"):
        raise ValueError(f"{name} is not below the folder of the kernel")
    # The kernel may run as another user, and may write into the folders of the files that it was given.
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content.encode() if isinstance(content, str) else base64.b64decode(content["base64"]))


def start_kernel(scratch, working, memory, user):
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
        limit_resources(memory)
        confine(lambda: become(user) if user is not None else None)

    manager = KernelManager(transport="ipc", connection_file=os.path.join(folder, "k.json"))
    manager.kernel_spec.argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", "--HistoryManager.enabled=False"]
    os.umask(0)
    # A cell that writes directly to the standard file descriptors must not write into the answers of this worker.
    nothing = open(os.devnull, "r+b")
    manager.start_kernel(
        env=environment, cwd=working, preexec_fn=limit, independent=True, stdin=nothing, stdout=nothing, stderr=nothing
    )
    client = manager.blocking_client()
    client.start_channels()
    if user is not None:
        # jupyter_client restricts its file to its owner; the kernel runs as another user.
        os.chmod(os.path.join(folder, "k.json"), 0o644)
    client.wait_for_ready(timeout=START_SECONDS)
    return manager, client


def run_cells(manager, client, job, limits):
    """Runs the cells of a job. `limits` apply to all processes of a cell together; None if these cannot be watched."""
    cells = []
    each = job.get("secondsPerCell")
    deadline = time.monotonic() + job.get("seconds", 20)
    for code in job["cells"]:
        if each is not None:
            deadline = time.monotonic() + each
        cell = run_cell(manager, client, code, deadline, limits=limits)
        if job.get("inspect") and cell["status"] in ("ok", "error"):
            cell.update(inspect(manager, client, deadline))
        cells.append(cell)
        # After an exception, the cells below run only if the job has `goOn`; after any other failure, they never run.
        if cell["status"] not in (("ok", "error") if job.get("goOn") else ("ok",)):
            break
    return {"cells": cells}


def run_branches(manager, client, job, cells, folder, limits):
    """Runs the branches. Returns a result for each; None for branches that need a kernel of their own."""
    branches = job["branches"]
    if len(cells) < len(job["cells"]) or any(cell["status"] != "ok" for cell in cells):
        return [None] * len(branches)
    seconds = job.get("secondsPerCell") or job.get("seconds", 20) - sum(cell["seconds"] for cell in cells)
    found = []
    before = read_tree(folder)
    kernel = manager.provisioner.pid
    for code in branches:
        if before is None or seconds <= 0 or not manager.is_alive():
            break
        if found and not restore_tree(folder, before):
            break
        result, is_harmed = run_branch(manager, client, code, seconds, limits)
        found.append(result)
        end_others(kernel)
        if is_harmed:
            break
    return found + [None] * (len(branches) - len(found))


def run_branch(manager, client, code, seconds, limits):
    """The result of a branch, and whether the branch may have damaged the kernel."""
    asked = RUN_FORK.format(source=FORK, code=code, seconds=seconds, most=OUTPUT_CHARACTERS)
    # The fork has an earlier deadline of its own. This one is for a kernel that a branch has damaged.
    ran = run_cell(manager, client, asked, time.monotonic() + seconds + 5, store=False, limits=limits, most=FORK_CHARACTERS)
    if ran["status"] in ("memory", "processes", "files"):
        return {"status": ran["status"], "output": "", "first": "", "seconds": ran["seconds"]}, True
    try:
        found = json.loads(ran["output"])
    except ValueError:
        return None, True
    if found is None or ran["status"] != "ok":
        return None, ran["status"] != "ok"
    try:
        output, first = join_outputs([(kind, text) for kind, text in found["events"]])
        status = "memory" if found.get("error") == "MemoryError" else str(found["status"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return None, True  # The branch wrote a result of its own, and may have harmed the kernel.
    result = {"status": status, "output": output[:OUTPUT_CHARACTERS], "first": first[:OUTPUT_CHARACTERS], "seconds": ran["seconds"]}
    if found.get("error") is not None:
        result.update(error=str(found["error"]), message=str(found.get("message")))
    return result, False


def end_others(kernel):
    """Ends the processes that a branch left running."""
    for pid in descendants(os.getpid()):
        if pid != kernel:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass


def read_tree(folder):
    """All files below a folder: path -> bytes. The path of a folder ends with /. None if they cannot be copied."""
    found, size = {}, 0
    for root, folders, files in os.walk(folder):
        for name in folders:
            found[os.path.relpath(os.path.join(root, name), folder) + "/"] = b""
        for name in files:
            path = os.path.join(root, name)
            if os.path.islink(path) or not os.path.isfile(path):
                return None
            size += os.path.getsize(path)
            if size > SNAPSHOT_BYTES:
                return None
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = file.read()
    return found


def restore_tree(folder, wanted):
    """Restores the files of a folder. False if that fails."""
    try:
        if read_tree(folder) == wanted:
            return True
        for entry in os.scandir(folder):
            shutil.rmtree(entry.path) if entry.is_dir(follow_symlinks=False) else os.unlink(entry.path)
        for name, content in wanted.items():
            path = os.path.join(folder, name)
            if name.endswith("/"):
                os.makedirs(path, mode=0o777, exist_ok=True)
            else:
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb") as file:
                    file.write(content)
        return True
    except OSError:
        return False


def join_outputs(events):
    """The output as in a notebook: standard output with results. Also the first output, which ExeDS's program compares."""
    streams, result = [], None
    for kind, text in events:
        if kind in ("stdout", "stderr"):
            # In a notebook, consecutive texts of the same stream form one output.
            if streams and streams[-1][0] == kind:
                streams[-1][1].append(text)
            else:
                streams.append((kind, [text]))
        else:
            result = text if kind == "result" else result
            # This output separates the texts of a stream before and after it.
            if streams:
                streams.append((None, []))
    output = "".join(text for kind, text in events if kind in ("stdout", "result"))
    return output, "".join(streams[0][1]) if streams else (result or "")


def inspect(manager, client, deadline):
    seen = run_cell(manager, client, INSPECT, deadline, store=False, most=INSPECT_CHARACTERS)
    try:
        return json.loads(seen["output"])
    except ValueError:
        return {}


def exceeded(limits):
    """The limit that the processes of a cell exceed together: the system's own limits apply to each process, and not to root."""
    found = descendants(os.getpid())
    if len(found) > PROCESSES:
        return "processes"
    if limits["files"] is not None and files_in(limits["files"]) > SCRATCH_FILES:
        return "files"
    if open_files_of(found, ALL_OPEN_FILES) > ALL_OPEN_FILES:
        return "files"
    return "memory" if memory_of(found, limits["memory"]) > limits["memory"] else None


def run_cell(manager, client, code, deadline, store=True, limits=None, most=OUTPUT_CHARACTERS):
    import queue

    start = look_at = time.monotonic()
    events, size, status, error, message = [], 0, "ok", None, None
    asked = client.execute(code, store_history=store, allow_stdin=False)
    while True:
        now = time.monotonic()
        if now > deadline:
            status = "timeout"
            break
        if limits is not None and now >= look_at:
            look_at = now + LOOK_SECONDS
            limit = exceeded(limits)
            if limit is not None:
                status = limit
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
        if kind == "stream":
            events.append((content["name"], content["text"]))
        elif kind == "execute_result":
            events.append(("result", content["data"].get("text/plain", "")))
        elif kind == "display_data":
            events.append(("display", ""))
        elif kind == "error":
            status, error, message = "error", content["ename"], content["evalue"][:500]
        elif kind == "status" and content["execution_state"] == "idle":
            break
        if kind in ("stream", "execute_result", "display_data"):
            size += len(events[-1][1])
        if size > most:
            status = "output"
            break
    if error == "MemoryError":
        status = "memory"
    output, first = join_outputs(events)
    result = {"status": status, "output": output[:most], "first": first[:most], "seconds": round(time.monotonic() - start, 4)}
    if error is not None:
        result.update(error=error, message=message)
    return result


def reply(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


# --- the driver: a pool of workers with warm kernels ------------------------------------------------------------------


def patience_for(job):
    """Seconds until a job must have ended, whatever its cells do."""
    each, branches = job.get("secondsPerCell"), len(job.get("branches", []))
    if each is not None:
        return each * (len(job["cells"]) + branches) + 5 * branches + 5
    return job.get("seconds", 20) * (1 + branches) + 5 * branches + 5


class Worker:
    def __init__(self, process, scratch, ready):
        self.process, self.scratch, self.ready = process, scratch, ready

    async def end(self):
        if self.process.returncode is None:
            # Without a namespace, the processes that the worker has started would keep running.
            kill_below(self.process.pid)
            try:
                self.process.kill()
            except ProcessLookupError:
                pass
        await self.process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)


async def start_worker(memory, options, bubblewrap):
    scratch = tempfile.mkdtemp(prefix="celrec-kernel-")
    os.chmod(scratch, 0o777)
    command = [sys.executable, os.path.abspath(__file__), "--worker", scratch, str(memory), *options]
    if bubblewrap is not None and os.getuid() == 0:
        user = random.choice(PRIVATE_USERS)
        command = wrap_in_bubblewrap(bubblewrap, scratch, [*command, "inside", f"user={user}"], user)
    elif bubblewrap is not None:
        command = wrap_in_bubblewrap(bubblewrap, scratch, [*command, "inside"])
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LINE_BYTES, preexec_fn=die_first
    )
    worker = Worker(process, scratch, None)
    try:
        line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
        worker.ready = json.loads(line)["ready"]
        return worker
    except BaseException:
        await worker.end()
        raise


async def drive(jobs, memory, options):
    warm = asyncio.Queue()
    running = set()

    async def warm_up():
        failure = None
        for _ in range(STARTS):
            try:
                return await warm.put(await start_worker(memory, options, bubblewrap))
            except Exception as error:
                failure = error
        await warm.put(failure)  # The job that needs it gets the error.

    async def handle(job):
        worker = await warm.get()
        answer = {"id": job["id"]}
        if isinstance(worker, Exception):
            answer["fault"] = f"no kernel could be started: {worker!r}"
        else:
            # A worker detects most timeouts itself; the driver gives up a little later.
            patience = patience_for(job)
            try:
                worker.process.stdin.write(json.dumps(job).encode() + b"\n")
                await worker.process.stdin.drain()
                line = await asyncio.wait_for(worker.process.stdout.readline(), patience)
                answer.update(json.loads(line))
            except asyncio.TimeoutError:
                answer["cells"] = [{"status": "timeout", "output": "", "first": "", "seconds": patience}]
            except (ValueError, ConnectionError):
                answer["cells"] = [{"status": "died", "output": "", "first": "", "seconds": 0}]
            await worker.end()
        reply(answer)
        spawn(warm_up())

    def spawn(coroutine):
        task = asyncio.ensure_future(coroutine)
        running.add(task)
        task.add_done_callback(running.discard)

    bubblewrap = None if {"bare", "own"} & set(options) else shutil.which("bwrap")
    first, failure = None, None
    if bubblewrap is not None:
        try:
            first = await start_worker(memory, options, bubblewrap)
        except Exception as error:
            bubblewrap, failure = None, f"bubblewrap is installed, but failed: {error!r}"
    if first is None:
        first = await start_worker(memory, options, None)
    options = [*options, "other-user" if first.ready["user"] else "same-user"]
    if failure is not None:
        first.ready.setdefault("reason", failure)
    reply({"ready": first.ready})
    await warm.put(first)
    for _ in range(jobs - 1):
        spawn(warm_up())
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_BYTES)
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
        work(sys.argv[2], int(sys.argv[3]), sys.argv[4:])
    else:
        missing = [name for name in ("jupyter_client", "ipykernel") if find_spec(name) is None]
        if missing:
            sys.exit(f"it has no {' and no '.join(missing)}")
        asyncio.run(drive(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]))
