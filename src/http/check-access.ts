import { type Config, isLoopback } from "../config.js";
import { RecommenderError } from "../errors.js";
import { createTokens } from "./tokens.js";

/** Who gets in, in words. An error where anybody could from elsewhere, or nobody at all. */
export function checkAccess({ host, token, tokensFile }: Pick<Config, "host" | "token" | "tokensFile">): string {
  const tokens = createTokens({
    ...(token !== undefined && { token }),
    ...(tokensFile !== undefined && { tokensFile }),
  });
  if (!tokens.isOn && !isLoopback(host)) {
    throw new RecommenderError(
      "CONFIG_INVALID",
      `To listen on ${host}, where others can reach it, set CELREC_TOKEN to a secret of 16 characters or more.`,
    );
  }
  const count = tokens.count();
  if (tokens.isOn && count === 0) {
    throw new RecommenderError(
      "CONFIG_INVALID",
      `The file of tokens ${tokensFile} holds no token, so that nobody could get in; add a line with scopes, the sha-256 of a token, and a name.`,
    );
  }
  return tokens.isOn ? `${host} with ${count === 1 ? "1 token" : `${count} tokens`}` : `${host} without tokens`;
}
