/** One figure. `limit` is its maximum (a ratio to the floor, seconds, ...), if the project has set one. */
export interface Row {
  readonly group: string;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly limit?: { readonly atMost?: number; readonly atLeast?: number };
}

export function printRows(rows: readonly Row[]): void {
  let group = "";
  for (const row of rows) {
    if (row.group !== group) process.stdout.write(`\n${row.group}\n`);
    group = row.group;
    process.stdout.write(
      `  ${row.name.padEnd(46)} ${format(row.value).padStart(10)} ${row.unit.padEnd(10)} ${judgeLimit(row)}\n`,
    );
  }
}

function judgeLimit({ value, limit }: Row): string {
  if (limit?.atMost !== undefined) return `${value <= limit.atMost ? "ok" : "MISSED"} (at most ${limit.atMost})`;
  if (limit?.atLeast !== undefined) return `${value >= limit.atLeast ? "ok" : "MISSED"} (at least ${limit.atLeast})`;
  return "";
}

function format(value: number): string {
  if (value >= 1000) return Math.round(value).toLocaleString("en");
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 3);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
