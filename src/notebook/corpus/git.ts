import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { RecommenderError } from "../../errors.js";
import { formatOf } from "../formats.js";
import type { Rejection } from "../notebook.js";
import { ARCHIVE_LIMITS, type ArchiveLimits, tooLarge } from "./archives.js";
import { isCandidateInside } from "./candidates.js";
import type { CorpusItem } from "./entry.js";

const run = promisify(execFile);
const LINE_END = 10;

/** The hash of a commit; INPUT_INVALID if the repository has none of that name. */
export async function findCommit(repository: string, revision: string): Promise<string> {
  try {
    const { stdout } = await git(repository, "rev-parse", "--verify", "--end-of-options", `${revision}^{commit}`);
    return stdout.trim();
  } catch (cause) {
    const message = `There is no commit ${revision} in ${repository}: ${explain(cause)}.`;
    throw new RecommenderError("INPUT_INVALID", message, { cause });
  }
}

/** The notebooks of a git repository at a commit, or of a folder in one; needs no work tree. */
export async function* readGit(
  source: string,
  repository: string,
  commit: string,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): AsyncGenerator<CorpusItem> {
  const read = openBlobs(repository);
  const listed = await listBlobs(repository, commit);
  if ("reason" in listed) {
    yield { source, path: ".", rejected: { kind: "unreadable", reason: listed.reason }, isContainer: true };
    return;
  }
  for (const { hash, size, path } of listed.blobs) {
    if (size === null) yield { source, path, rejected: unreadable(`the repository does not have the object ${hash}`) };
    else if (size > limits.file) yield { source, path, rejected: tooLarge(size, limits) };
    else
      yield {
        source,
        path,
        facts: { revision: commit },
        stamp: hash,
        size,
        named: false,
        read: () =>
          read(hash).then(
            (bytes) => ({ format: formatOf(path), bytes }),
            (error: Error) => ({ rejected: unreadable(error.message) }),
          ),
      };
  }
}

export async function countGit(repository: string, commit: string): Promise<number> {
  const listed = await listBlobs(repository, commit);
  return "blobs" in listed ? listed.blobs.length : 1;
}

interface Blob {
  readonly hash: string;
  /** Size in bytes; null if the repository does not have the object. */
  readonly size: number | null;
  readonly path: string;
}

/**
 * Lists the files of a commit. If `repository` is a subfolder, git lists only the files below it, with paths relative
 * to it.
 */
async function listBlobs(
  repository: string,
  commit: string,
): Promise<{ readonly blobs: readonly Blob[] } | { readonly reason: string }> {
  try {
    const { stdout } = await git(repository, "ls-tree", "-r", "-z", "-l", commit);
    const blobs = stdout.split("\0").flatMap((line) => {
      const [, mode, hash, size, path] = /^(\d+) blob (\w+) +(\S+)\t(.+)$/s.exec(line) ?? [];
      // Symbolic links (mode 120000) are left out, because their content is only a path.
      const isWanted = path !== undefined && mode !== "120000" && isCandidateInside(path);
      return isWanted ? [{ hash: hash!, size: /^\d+$/.test(size!) ? Number(size) : null, path }] : [];
    });
    return { blobs };
  } catch (error) {
    return { reason: `the commit cannot be listed: ${explain(error)}` };
  }
}

function git(repository: string, ...words: string[]) {
  return run("git", ["-C", repository, ...words], { maxBuffer: 2 ** 30 });
}

/** The reason of a failure: the last line of git's output. */
function explain(error: unknown): string {
  const { code, stderr = "", message } = error as NodeJS.ErrnoException & { readonly stderr?: string };
  if (code === "ENOENT") return "git is not installed";
  const said = stderr.trim().split("\n").at(-1)!;
  return said === "" ? message : said.replace(/\.$/, "");
}

function unreadable(reason: string): Rejection {
  return { kind: "unreadable", reason: `git cannot read it: ${reason}` };
}

/** Reads blobs one after another through one git process, which does not keep this process alive. */
function openBlobs(repository: string): (hash: string) => Promise<Buffer> {
  let child: ChildProcessWithoutNullStreams | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  return (hash) => {
    const reading = turn.then(() => {
      // git exits when it reads a corrupt object.
      if (child === null || child.exitCode !== null || child.signalCode !== null) child = startGit(repository);
      return readBlob(child, hash);
    });
    turn = reading.catch(() => {});
    return reading;
  };
}

function startGit(repository: string): ChildProcessWithoutNullStreams {
  const child = spawn("git", ["-C", repository, "cat-file", "--batch"]);
  child.unref();
  child.stderr.resume();
  // Write errors are ignored, because the exit event already reports that git has ended.
  child.stdin.on("error", () => {});
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as unknown as { unref(): void }).unref();
  return child;
}

/** The answer is a line `hash type size`, the bytes, and a line end. */
function readBlob(child: ChildProcessWithoutNullStreams, hash: string): Promise<Buffer> {
  const output = child.stdout as typeof child.stdout & { ref(): void; unref(): void };
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    let chunks: Buffer[] = [];
    let length = 0;
    let wanted = -1;
    const finish = (act: () => void) => {
      output.off("data", onData);
      child.off("exit", onExit);
      output.unref();
      act();
    };
    const onExit = () => finish(() => reject(new Error("git ended")));
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (wanted === -1) {
        bytes = Buffer.concat(chunks);
        chunks = [bytes];
        const end = bytes.indexOf(LINE_END);
        if (end === -1) return;
        const size = /^\w+ blob (\d+)$/.exec(bytes.toString("latin1", 0, end))?.[1];
        if (size === undefined) return finish(() => reject(new Error(`git has no ${hash}`)));
        wanted = end + 1 + Number(size) + 1;
      }
      if (length < wanted) return;
      const all = Buffer.concat(chunks);
      finish(() => resolve(all.subarray(all.indexOf(LINE_END) + 1, wanted - 1)));
    };
    output.ref();
    output.on("data", onData);
    child.once("exit", onExit);
    child.stdin.write(`${hash}\n`);
  });
}
