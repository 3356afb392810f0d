/**
 * `node scripts/show-results.ts [--write]`: the tables of figures in `scripts/README.md` and
 * `src/merge/README.md`, made of the files in `scripts/results`. Without `--write`: exit 1 when a
 * table is not what its file says.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { figureText, isMet, type Row as BenchRow } from "./bench/rows.ts";
import { keepBlock, tableLines } from "./generated-block.ts";
import { type ServiceResult, serviceTables } from "./bench/serving/rows.ts";
import type { About } from "./results.ts";
import type { Row as SoakRow } from "./soak/row.ts";

const COLUMNS = 116;

const folder = fileURLToPath(new URL("results/", import.meta.url));

type Verdicts = {
  readonly cases: number;
  readonly auto: number;
  readonly equal: number;
  readonly near: number;
  readonly order: number;
  readonly wrong: number;
};
type MergeReport = {
  readonly file: string;
  readonly rows: Readonly<Record<string, Verdicts>>;
  readonly gitClean: {
    readonly cases: number;
    readonly same: number;
    readonly other: number;
    readonly conflict: number;
  };
};

function read<T>(name: string): T & { readonly about: About } {
  return JSON.parse(readFileSync(`${folder}${name}.json`, "utf8")) as T & { readonly about: About };
}

/** When, where and how, in lines of prose. */
function measured({ at, node, cpus, load, args = [], note }: About): string[] {
  const parts = [at.slice(0, 10)];
  if (node !== undefined) parts.push(`Node ${node.replace("v", "")}`);
  parts.push(`${cpus} cores`);
  if (load !== undefined) parts.push(`load ${[load].flat().join(" to ")}`);
  if (args.length > 0) parts.push(`\`${args.join(" ")}\``);
  return linesOf(`${parts.join(", ")}${note === undefined ? "" : `; ${note}`}.`);
}

function linesOf(text: string): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (lines.at(-1)!.length + 1 + word.length > COLUMNS) lines.push(word);
    else lines.push(`${lines.pop()} ${word}`.trimStart());
  }
  return lines;
}

function benchBlock(name: string): string[] {
  const { about, rows } = read<{ rows: readonly BenchRow[] }>(name);
  const timed = rows.some((row) => row.kind === "measured" && row.cpu !== "");
  const heads = ["measure", "documents", "figure", ...(timed ? ["processor time"] : []), "must", "ours", "other"];
  const cells = rows.map((row) => {
    if (row.kind !== "measured") return [row.line, row.size, row.kind, ...heads.slice(3).map(() => "")];
    const { what, size, unit, figure, spread, n, bound, ours, other, cpu } = row;
    const met = isMet(row);
    const sign = bound?.sense === "least" ? "≥" : "≤";
    return [
      what,
      size.replace(/\d+/g, (digits) => Number(digits).toLocaleString("en")),
      `${figureText(figure)} ${unit}${n > 1 ? ` (${figureText(spread[0])}–${figureText(spread[1])})` : ""}`,
      ...(timed ? [cpu] : []),
      bound === null ? "" : `${sign} ${bound.must}${met === true ? "" : ", missed"}`,
      ours,
      other ?? "",
    ];
  });
  return [...measured(about), "", ...tableLines(heads, cells)];
}

function serviceBlock(): string[] {
  const { about, ...result } = read<ServiceResult>("service");
  return [...measured(about), "", ...serviceTables(result)];
}

function livesBlock(): string[] {
  const { batches } = read<{ batches: readonly Lives[] }>("simulate");
  const count = (n: number | null) => n?.toLocaleString("en") ?? "";
  return tableLines(
    ["lives", "steps", "port calls", "kills", "crash points", "failed", "measured"],
    batches.map(({ about, kind, runs, steps, portCalls, kills, crashPoints, failed }) => [
      `${count(runs)} ${kind}`,
      count(steps),
      count(portCalls),
      count(kills),
      count(crashPoints),
      String(failed),
      about.at.slice(0, 10),
    ]),
  );
}

type Lives = {
  readonly about: About;
  readonly kind: string;
  readonly runs: number;
  readonly steps: number;
  readonly portCalls: number | null;
  readonly kills: number | null;
  readonly crashPoints: number | null;
  readonly failed: number;
};

function soakBlock(): string[] {
  const { about, rows } = read<{ rows: readonly SoakRow[] }>("soak");
  const told = (counted: SoakRow["counted"]) =>
    Object.entries(counted)
      .map(([what, n]) => `${what} ${n}`)
      .join(", ");
  const cells = rows.map(({ fault, rounds, counted, broken }) => [
    fault,
    rounds.toLocaleString("en"),
    told(counted),
    broken.length === 0 ? "holds" : `${broken.length} broken`,
  ]);
  return [...measured(about), "", ...tableLines(["fault", "rounds", "counted", ""], cells)];
}

type LinkSoak = Readonly<Record<"corpus", string>> &
  Readonly<
    Record<"documents" | "byId" | "folders" | "moved" | "respelled" | "broken" | "pictures" | "seconds", number>
  >;

function linksBlock(): string[] {
  const { about, corpora } = read<{ corpora: readonly LinkSoak[] }>("links-soak");
  const cells = corpora.map(({ corpus, documents, byId, folders, moved, respelled, broken, pictures }) => [
    corpus,
    ...[documents, byId, folders, moved, respelled, broken, pictures].map((n) => n.toLocaleString("en")),
  ]);
  const heads = ["corpus", "documents", "links", "folders renamed", "documents moved", "files respelled"];
  return [...measured(about), "", ...tableLines([...heads, "links broken", "pictures left behind"], cells)];
}

function faultsBlock(): string[] {
  const { about, planted, missed } = read<{ planted: number; missed: readonly string[] }>("plant-faults");
  const names = missed.length === 0 ? "" : ` Not caught: ${missed.map((id) => `\`${id}\``).join(", ")}.`;
  return [...linesOf(`${planted} planted, ${planted - missed.length} caught.${names}`), "", ...measured(about)];
}

function mergeBlock(): string[] {
  const { about, files } = read<{ files: readonly MergeReport[] }>("merge");
  const cells = files.flatMap(({ file, rows }) => {
    const mix = rows["mix"] ?? rows["joined"];
    if (mix === undefined) return [];
    const share = `${mix.auto} of ${mix.cases}`;
    return [[file, share, String(mix.equal), String(mix.near), String(mix.order), String(mix.wrong)]];
  });
  const clean = files.filter(({ gitClean }) => gitClean.cases > 0);
  const cleanCells = clean.map(({ file, gitClean: { cases, same, other, conflict } }) =>
    [file, cases, same, other, conflict].map(String),
  );
  return [
    ...measured(about),
    "",
    ...tableLines(["set", "merged", "equal", "near", "order", "wrong"], cells),
    "",
    ...tableLines(["git merges cleanly", "cases", "the same text", "another text", "conflict"], cleanCells),
  ];
}

const BLOCKS: readonly (readonly [file: string, name: string, lines: () => string[]])[] = [
  ["scripts/README.md", "results: bench", () => benchBlock("bench")],
  ["scripts/README.md", "results: service", serviceBlock],
  ["scripts/README.md", "results: simulate", livesBlock],
  ["scripts/README.md", "results: soak", soakBlock],
  ["scripts/README.md", "results: links-soak", linksBlock],
  ["scripts/README.md", "results: links-bench", () => benchBlock("links-bench")],
  ["scripts/README.md", "results: plant-faults", faultsBlock],
  ["src/merge/README.md", "results: merge", mergeBlock],
];

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const stale = BLOCKS.filter(([file, name, lines]) => !keepBlock(file, name, lines(), values.write));
for (const [file, name] of stale)
  console.error(`${file}: "${name}" is not what scripts/results says: node scripts/show-results.ts --write`);
if (stale.length > 0) process.exitCode = 1;
