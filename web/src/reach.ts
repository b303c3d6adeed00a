const KEY = "celrec-token";

/** The token that the user entered for this tab. */
export const savedToken = (): string | null => sessionStorage.getItem(KEY);

export const saveToken = (token: string): void => sessionStorage.setItem(KEY, token);

export function tokenHeader(): Record<string, string> {
  const token = savedToken();
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** Replaces the browser's bare `Failed to fetch` with a useful message. */
export async function reach(...request: Parameters<typeof fetch>): Promise<Response> {
  try {
    return await fetch(...request);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new Error("The service does not answer; is it running?", { cause });
  }
}
