import { hasUndefinedName } from "../text/name-check.js";
import type { TextMetric } from "./metric.js";

/**
 * undefined-names = share of the k insertions that use a name that neither the insertion nor the code above defines.
 * Empty insertions are left out. Cases without code above, or with `from x import *` in it, are left out, too.
 */
export const undefinedNames: TextMetric = {
  kind: "text",
  name: "undefined-names",
  description: "Share of the insertions that use an undefined name.",
  better: "lower",
  cut: false,
  combine: "mean",
  reads: "placed",
  of: (result, { above }) => {
    if (above === undefined || result.raw.trim() === "") return null;
    const isUndefined = hasUndefinedName(above, result.raw);
    return isUndefined === null ? null : Number(isUndefined);
  },
};
