import { type Client, createClient, type ProblemError } from "../../src/client/client.js";
import { find } from "./dom.js";

const KEY = "celrec-token";

let client: Client | null = null;

/** The service that the page came from, with the token that was given, for as long as the tab is open. */
export function service(): Client {
  const token = sessionStorage.getItem(KEY);
  client ??= createClient({ url: new URL(".", location.href).href, ...(token !== null && { token }) });
  return client;
}

/** Asks for a token where one is missing; true where that is what was wrong. */
export function askForToken(error: unknown): boolean {
  if ((error as Partial<ProblemError>).problem?.status !== 401) return false;
  find("access").hidden = false;
  return true;
}

export function watchToken(onToken: () => void): void {
  const form = find<HTMLFormElement>("access");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, find<HTMLInputElement>("token").value);
    client = null;
    form.hidden = true;
    onToken();
  });
}
