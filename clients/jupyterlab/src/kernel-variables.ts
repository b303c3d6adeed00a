import { NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import type { Kernel } from "@jupyterlab/services";
import type { IExecuteReplyMsg } from "@jupyterlab/services/lib/kernel/messages";
import { isPython } from "./question.js";

const MOST_NAMES = 300;
/** What IPython puts there by itself. */
const NOT_THEIRS = ["In", "Out", "exit", "quit", "open", "get_ipython"];
const NOT_DATA = ["module", "function", "type", "builtin_function_or_method", "method", "ABCMeta", "ufunc"];

/**
 * One expression over the names of the kernel. It assigns nothing, imports nothing and looks at no value: `type(v)` runs no
 * code of the value, and `__name__` belongs to the class.
 */
const EXPRESSION = `' '.join([n + ':' + type(v).__name__ for n, v in list(globals().items()) if n[:1] != '_' and n not in ${JSON.stringify(
  NOT_THEIRS,
)} and type(v).__name__ not in ${JSON.stringify(NOT_DATA)}][-${MOST_NAMES}:])`;

export type Variables = Readonly<Record<string, string>>;

/** Knows the variables of each notebook's kernel since its last run cell; asks only kernels that have nothing to do. */
export function createKernelVariables({ isOn, onChange }: { isOn(): boolean; onChange(): void }) {
  const known = new WeakMap<NotebookPanel, Variables>();

  async function refresh(panel: NotebookPanel): Promise<void> {
    const kernel = panel.sessionContext.session?.kernel;
    if (!isOn() || !kernel || !isPython(panel)) return;
    const variables = await readVariables(kernel);
    if (variables === null) return;
    known.set(panel, variables);
    onChange();
  }

  return {
    of: (panel: NotebookPanel): Variables => (isOn() ? (known.get(panel) ?? {}) : {}),
    /** Follows the notebook's kernel from now on. */
    watch(panel: NotebookPanel): void {
      panel.sessionContext.kernelChanged.connect(() => known.delete(panel));
      const onExecuted = (_: unknown, { notebook }: { notebook: unknown }) => {
        if (notebook === panel.content) void refresh(panel);
      };
      NotebookActions.executed.connect(onExecuted);
      panel.disposed.connect(() => NotebookActions.executed.disconnect(onExecuted));
      void panel.sessionContext.ready.then(() => refresh(panel));
    },
  };
}

/** Names with types; null where the kernel is busy or does not answer this. */
async function readVariables(kernel: Kernel.IKernelConnection): Promise<Variables | null> {
  if (kernel.status !== "idle") return null;
  const future = kernel.requestExecute({
    code: "",
    silent: true,
    store_history: false,
    allow_stdin: false,
    stop_on_error: false,
    user_expressions: { celrec: EXPRESSION },
  });
  const reply = (await future.done) as IExecuteReplyMsg;
  if (reply.content.status !== "ok") return null;
  const found = reply.content.user_expressions.celrec as { status?: string; data?: Record<string, string> } | undefined;
  const text = found?.status === "ok" ? found.data?.["text/plain"] : undefined;
  return text === undefined ? null : parseVariables(text);
}

/** Reads the quoted line of the expression: `'df:DataFrame n:int'`. */
export function parseVariables(text: string): Variables {
  const pairs = text.slice(1, -1).split(" ");
  return Object.fromEntries(pairs.flatMap((pair) => (/^[^:]+:[^:]+$/.test(pair) ? [pair.split(":")] : [])));
}
