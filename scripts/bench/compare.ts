/**
 * Two results of `bench --json` side by side: `npm run bench -- compare A.json B.json`. B / A
 * below 1 is B the better, but for shares (≥).
 */
import { readFileSync } from "node:fs";
import { figureText, isMet, type Measured, type Row } from "./rows.ts";

type Result = {
  readonly about: { readonly at: string; readonly load: readonly number[] };
  readonly rows: readonly Row[];
};

const [a, b] = process.argv.slice(2);
if (a === undefined || b === undefined) {
  console.error("usage: npm run bench -- compare A.json B.json");
  process.exitCode = 2;
} else compare(readResult(a), readResult(b));

function readResult(path: string): Result {
  return JSON.parse(readFileSync(path, "utf8")) as Result;
}

function compare(left: Result, right: Result): void {
  const figures = (result: Result) =>
    new Map(result.rows.filter((row) => row.kind === "measured").map((row) => [`${row.what}\t${row.size}`, row]));
  const [before, after] = [figures(left), figures(right)];
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const cells = [
    ["measure", "size", "A", "B", "B / A", "must", ""],
    ...keys.map((key) => cellsOf(key, before.get(key), after.get(key))),
  ];
  const widths = cells[0]!.map((_, n) => Math.max(...cells.map((cell) => cell[n]!.length)));
  console.log(`A: ${left.about.at}, load ${left.about.load.map((one) => one.toFixed(1)).join(" → ")}`);
  console.log(`B: ${right.about.at}, load ${right.about.load.map((one) => one.toFixed(1)).join(" → ")}`);
  for (const cell of cells)
    console.log(
      cell
        .map((text, n) => (n === 0 || n === 6 ? text.padEnd(widths[n]!) : text.padStart(widths[n]!)))
        .join("  ")
        .trimEnd(),
    );
}

function cellsOf(key: string, before: Measured | undefined, after: Measured | undefined): string[] {
  const [what, size] = key.split("\t") as [string, string];
  const bound = (after ?? before)!.bound;
  const text = (row: Measured | undefined) => (row === undefined ? "–" : `${figureText(row.figure)} ${row.unit}`);
  const change = before === undefined || after === undefined ? "–" : figureText(after.figure / before.figure);
  const must = bound === null ? "" : `${bound.sense === "most" ? "≤" : "≥"} ${bound.must}`;
  return [what, size, text(before), text(after), change, must, verdict(before, after)];
}

function verdict(before: Measured | undefined, after: Measured | undefined): string {
  const [was, is] = [before, after].map((row) => (row === undefined ? null : isMet(row)));
  if (is === null || is === undefined) return "";
  if (is) return was === false ? "met now" : "met";
  return was === true ? "LOST" : "MISSED";
}
