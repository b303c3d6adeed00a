/** The part of autocannon that is used here; it has no types of its own. */
declare module "autocannon" {
  interface Request {
    method: "GET" | "POST";
    path: string;
    headers?: Record<string, string>;
    body?: string;
    setupRequest?: (request: Request) => Request;
  }
  interface Options {
    url: string;
    connections: number;
    duration?: number;
    amount?: number;
    timeout?: number;
    requests: Request[];
  }
  interface Result {
    errors: number;
    timeouts: number;
  }
  interface Instance extends PromiseLike<Result> {
    on(
      event: "response",
      listener: (client: unknown, statusCode: number, bytes: number, responseTime: number) => void,
    ): void;
    on(event: "reqError", listener: (error: Error) => void): void;
    stop(): void;
  }
  export default function autocannon(options: Options): Instance;
}
