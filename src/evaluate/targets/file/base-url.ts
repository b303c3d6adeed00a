/** The URL of a server, without a slash at its end; null where it is none, or has parts that paths cannot be added to. */
export function parseBaseUrl(text: string): string | null {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const { username, password, search, hash, href } = new URL(text);
  // fetch refuses a URL with a password, and a report would show it.
  return username + password + search + hash === "" ? href.replace(/\/+$/, "") : null;
}
