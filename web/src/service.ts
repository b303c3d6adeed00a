import { type Client, createClient, type ProblemError } from "../../src/ask/client.js";
import { find } from "./dom.js";
import { reach, savedToken, saveToken } from "./reach.js";

let client: Client | null = null;

/** The client of this page's service, with the token that the user entered for this tab. */
export function service(): Client {
  const token = savedToken();
  client ??= createClient({ url: new URL(".", location.href).href, ...(token !== null && { token }), fetch: reach });
  return client;
}

/** Asks for a token if the error is a missing or wrong token; returns whether it asked. */
export function askForToken(error: unknown): boolean {
  if ((error as Partial<ProblemError>).problem?.status !== 401) return false;
  find("access").hidden = false;
  const isWrong = savedToken() !== null;
  find("stats").textContent = isWrong ? "The token is wrong; enter another one." : "Waiting for a token.";
  return true;
}

export function watchToken(onToken: () => void): void {
  const form = find<HTMLFormElement>("access");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    saveToken(find<HTMLInputElement>("token").value);
    client = null;
    form.hidden = true;
    find("stats").textContent = "Connecting…";
    onToken();
  });
}
