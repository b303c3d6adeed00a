/** Takes secrets out of a text that people will see. */
export type Redact = (text: string) => string;

/** Replaces every secret, also as JSON and URLs write it. `secrets` may still grow. */
export function createRedact(secrets: Iterable<string>): Redact {
  return (text) => {
    const forms = [...secrets].filter((secret) => secret !== "").flatMap(formsOf);
    // The longest first: a secret can be a part of another one.
    forms.sort((a, b) => b.length - a.length);
    return forms.reduce((rest, form) => rest.replaceAll(form, "***"), text);
  };
}

function formsOf(secret: string): string[] {
  const quote = (text: string) => JSON.stringify(text).slice(1, -1);
  // A server that shows what it got quotes it once more.
  return [secret, quote(secret), quote(quote(secret)), encodeURIComponent(secret.toWellFormed())];
}
