import { connect, createServer, type Socket } from "node:net";

/**
 * `hole`: connections stay open, but no data pass, as with a frozen server. `reset`: all connections break, including
 * new ones.
 */
type Weather = "fine" | "slow" | "hole" | "reset";

const SLOW_MS = 150;

/** A proxy between a store and Milvus that simulates network faults. */
export async function createProxy(target: string) {
  const [host, port] = target.split(":");
  const sockets = new Set<Socket>();
  let weather: Weather = "fine";

  /** Data sent during a `hole` are delayed, not lost, as with a frozen server. */
  let late: (() => void)[] = [];
  let received = 0;

  const pipe = (from: Socket, to: Socket) => {
    const pass = (chunk: Buffer) => {
      if (weather === "hole") late.push(() => pass(chunk));
      else if (to.writable) to.write(chunk);
    };
    from.on("data", (chunk: Buffer) => (weather === "slow" ? setTimeout(pass, SLOW_MS, chunk) : pass(chunk)));
    from.on("error", () => to.destroy());
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    sockets.add(from);
  };
  const server = createServer((inner) => {
    if (weather === "reset") return void inner.resetAndDestroy();
    const outer = connect({ host: host!, port: Number(port) });
    outer.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    pipe(inner, outer);
    pipe(outer, inner);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port: own } = server.address() as { port: number };

  return {
    address: `127.0.0.1:${own}`,
    /** Bytes that the server has sent. */
    received: () => received,
    become(next: Weather) {
      weather = next;
      const waiting = late;
      late = [];
      for (const pass of waiting) pass();
      if (next === "reset") for (const socket of sockets) socket.resetAndDestroy();
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
