/**
 * Where the time of several CPU profiles went, part by part, as the columns of one Markdown table.
 *
 * `node scripts/bench/profile-parts.ts TITLE=FILE.cpuprofile …`
 */
import { readFileSync } from "node:fs";
import { basename } from "node:path";

type Frame = { readonly functionName: string; readonly url: string };

type Profile = {
  readonly nodes: readonly { readonly id: number; readonly callFrame: Frame; readonly children?: readonly number[] }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
};

const CARRIER = /^node:(_http|net|http|internal\/(stream_base|net|http|streams|js_stream)|stream|dns|_tls|tls)/;
const FILES = /^node:(fs|internal\/fs)/;
const THREADS = /^node:(internal\/(worker|per_context|process\/worker)|worker_threads)/;

/** @returns null for a native function, which counts for what called it */
export function partOf({ functionName, url }: Frame): string | null {
  if (functionName === "(garbage collector)") return "garbage collection";
  if (functionName === "(idle)") return "idle";
  if (functionName === "(program)" || functionName === "(root)") return "Node's own (program)";
  if (url === "") return null;
  if (CARRIER.test(url) || /node_modules\/undici\//.test(url)) return "sockets and HTTP";
  if (FILES.test(url)) return "files (calls of the system)";
  if (THREADS.test(url)) return "messages between threads";
  if (/node_modules\/better-sqlite3\//.test(url)) return "SQLite";
  const [, own] = /\/src\/(\w+)\//.exec(url) ?? [];
  if (own !== undefined) return `src/${own}`;
  const [, other] = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? [];
  return other === undefined ? "Node's other modules" : `package ${other}`;
}

/** @returns milliseconds of self time by part */
export function partsOf({ nodes, samples, timeDeltas }: Profile): Map<string, number> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const partsOfNodes = new Map<number, string>();
  for (const { id } of nodes) {
    let part: string | null = null;
    for (let at: number | undefined = id; part === null && at !== undefined; at = parents.get(at)) {
      part = partOf(frames.get(at)!);
    }
    partsOfNodes.set(id, part ?? "Node's own (program)");
  }
  const parts = new Map<string, number>();
  samples.forEach((id, n) => {
    const part = partsOfNodes.get(id)!;
    parts.set(part, (parts.get(part) ?? 0) + timeDeltas[n]! / 1_000);
  });
  return parts;
}

/** @param columns titles and their parts; a part that nowhere takes `least` ms joins the others */
export function tableOf(columns: ReadonlyMap<string, ReadonlyMap<string, number>>, least = 10): string[] {
  const names = new Set([...columns.values()].flatMap((parts) => [...parts.keys()]));
  const most = (name: string) => Math.max(...[...columns.values()].map((parts) => parts.get(name) ?? 0));
  const shown = [...names].filter((name) => most(name) >= least).toSorted((a, b) => most(b) - most(a));
  const row = (name: string, value: (parts: ReadonlyMap<string, number>) => number) =>
    `| ${name} | ${[...columns.values()].map((parts) => value(parts).toFixed(0)).join(" | ")} |`;
  const rest = (parts: ReadonlyMap<string, number>) =>
    [...parts].reduce((sum, [name, ms]) => (shown.includes(name) ? sum : sum + ms), 0);
  return [
    `| main thread, ms | ${[...columns.keys()].join(" | ")} |`,
    `|---|${"---:|".repeat(columns.size)}`,
    ...shown.map((name) => row(name, (parts) => parts.get(name) ?? 0)),
    row("the rest", rest),
    row("in all", (parts) => [...parts.values()].reduce((sum, ms) => sum + ms, 0)),
  ];
}

if (import.meta.main) {
  const columns = process.argv.slice(2).map((argument) => {
    const cut = argument.indexOf("=");
    const file = argument.slice(cut + 1);
    const title = cut < 0 ? basename(file, ".cpuprofile") : argument.slice(0, cut);
    return [title, partsOf(JSON.parse(readFileSync(file, "utf8")) as Profile)] as const;
  });
  for (const line of tableOf(new Map(columns))) console.log(line);
}
