import type { CompletionAnswer, CompletionQuestion } from "./answers.js";
import type { Service } from "./service.js";

export type Completer = ReturnType<typeof createCompleter>;

/** Asks for completions. The ghost text and the panel share an answer; a newer question cancels the older one. */
export function createCompleter(service: Service) {
  let last: { key: string; controller: AbortController; answer: Promise<CompletionAnswer> } | null = null;

  return {
    ask(question: CompletionQuestion): Promise<CompletionAnswer> {
      const key = JSON.stringify(question);
      if (last?.key === key) return last.answer;
      last?.controller.abort();
      const controller = new AbortController();
      const answer = service.complete(question, controller.signal);
      const asked = { key, controller, answer };
      last = asked;
      // A failure is not cached; the next call asks again.
      answer.catch(() => {
        if (last === asked) last = null;
      });
      return answer;
    },
  };
}
