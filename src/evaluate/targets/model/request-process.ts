// The process that sends the requests to a language model. It outlives a killed run, because a running request must be
// paid for anyway: the reply is written to a file, where the next run finds it.
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { type FaultKind, TargetFault } from "../../target.js";
import { createExchange, createRedact, type ExchangeReply, type ExchangeRequest } from "../file/exchange.js";

export interface RequestMessage {
  readonly id: number;
  /** Contains the id of this process while the request runs, and the reply afterwards. */
  readonly file: string;
  readonly request: Omit<ExchangeRequest, "body"> & { readonly body: string };
  /** Secrets that are removed from messages. */
  readonly secrets: readonly string[];
}

export type RequestResult = { readonly id: number } & (
  | { readonly reply: ExchangeReply }
  | { readonly fault: { readonly kind: FaultKind; readonly message: string } }
  | { readonly error: string }
);

let running = 0;

process.on("message", (message: RequestMessage) => {
  running += 1;
  void answer(message).then((result) => {
    running -= 1;
    if (process.connected) process.send!({ id: message.id, ...result });
    else endIfIdle();
  });
});
process.once("disconnect", endIfIdle);

function endIfIdle(): void {
  if (running === 0) process.exit();
}

type Outcome = RequestResult extends infer Result ? (Result extends unknown ? Omit<Result, "id"> : never) : never;

async function answer({ file, request, secrets }: RequestMessage): Promise<Outcome> {
  try {
    const reply = await createExchange(createRedact(secrets), 0)(request);
    // The file is renamed into place, so that no process reads an incomplete reply.
    writeFileSync(`${file}.new`, JSON.stringify(reply));
    renameSync(`${file}.new`, file);
    return { reply };
  } catch (error) {
    rmSync(file, { force: true });
    if (error instanceof TargetFault) return { fault: { kind: error.kind, message: error.message } };
    return { error: (error as Error).message };
  }
}
