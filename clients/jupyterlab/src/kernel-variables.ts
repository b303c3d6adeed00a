import { NotebookActions, type NotebookPanel } from "@jupyterlab/notebook";
import type { Kernel } from "@jupyterlab/services";
import type { IExecuteReplyMsg } from "@jupyterlab/services/lib/kernel/messages";
import { parseVariables, VARIABLES, type Variables } from "./kernel-expression.js";
import { isPython } from "./place.js";

/** Caches the variables of each notebook's kernel since the last executed cell. Only asks idle kernels. */
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

/** Variable names with types; null if the kernel is busy or does not support the request. */
async function readVariables(kernel: Kernel.IKernelConnection): Promise<Variables | null> {
  if (kernel.status !== "idle") return null;
  const future = kernel.requestExecute({
    code: "",
    silent: true,
    store_history: false,
    allow_stdin: false,
    stop_on_error: false,
    user_expressions: { celrec: VARIABLES },
  });
  const reply = (await future.done) as IExecuteReplyMsg;
  if (reply.content.status !== "ok") return null;
  const found = reply.content.user_expressions.celrec as { status?: string; data?: Record<string, string> } | undefined;
  const text = found?.status === "ok" ? found.data?.["text/plain"] : undefined;
  return text === undefined ? null : parseVariables(text);
}
