import type { ReplaceItem, ReplaceRequest } from "../app/by-hand/replace.ts";
import { count, plural } from "../model/count.ts";
import type { Args, Io } from "./command.ts";
import { complain } from "./complain.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { jsonLine } from "./json-line.ts";
import { showLeft, tellMany } from "./show-many.ts";
import { reachOf, useMirror } from "./use-mirror.ts";

/** `search --replace`: without `--apply`, what it would change, as a patch. */
export async function replaceFound(io: Io, args: Args, root: string, request: ReplaceRequest): Promise<ExitCode> {
  return args.flag("apply") ? carryOut(io, args, root, request) : showPlan(io, args, root, request);
}

/** By this machine alone: no key, no network, no lock. */
async function showPlan(io: Io, args: Args, root: string, request: ReplaceRequest): Promise<ExitCode> {
  const { planReplace, openMsOf } = await import("../app/by-hand/replace.ts");
  const { openLocal } = await import("../app/mirror/open-local.ts");
  const local = openLocal(root, io);
  if (local.kind === "trouble") return complain(io, local.trouble);
  try {
    const planned = await planReplace({ ...local.value, random: io.random }, request, openMsOf(root));
    if (planned.kind === "trouble") return complain(io, planned.trouble);
    const items = planned.value;
    if (args.flag("json"))
      io.out(jsonLine({ ...facts(request), items: items.map(plannedJson), run: null, sync: null }));
    else await showItems(io, items);
    return items.length > 0 && items.every(({ kind }) => kind === "left") ? EXIT.attention : EXIT.inSync;
  } finally {
    local.value.close();
  }
}

function facts({ query, regex, replacement }: ReplaceRequest): object {
  return { query, regex, replacement };
}

function plannedJson(item: ReplaceItem): object {
  const { path, hits } = item;
  return item.kind === "left"
    ? { path, hits, end: "left", why: item.why, notes: [] }
    : { path, hits, end: "planned", why: "", notes: [] };
}

/** The patch is all that goes to standard output. */
async function showItems(io: Io, items: readonly ReplaceItem[]): Promise<void> {
  const { diffLines } = await import("../merge/line-diff.ts");
  const { unifiedLines } = await import("./show-hunks.ts");
  if (items.length === 0) return io.err("mdmirror: nothing found");
  const put = io.terminal.output ? io.out : (line: string) => io.text(`${line}\n`);
  const changes = items.filter((item) => item.kind === "change");
  for (const { path, before, after } of changes) {
    const names = { before: `here/${path}`, after: `replaced/${path}` };
    for (const line of unifiedLines(io, names, diffLines(before, after))) put(line);
  }
  const left = items.flatMap((item) => (item.kind === "left" ? [{ path: item.path, why: item.why }] : []));
  showLeft(io, left);
  const reviewed = changes.filter(({ isReviewed }) => isReviewed).length;
  io.err(`mdmirror: ${sumOf(changes)} to be replaced, ${count(left.length)} left alone; nothing was written`);
  if (reviewed > 0)
    io.err(`  ${plural(reviewed, "document")} of these are protected: their changes would go to review`);
  io.err("  next: the same with --apply carries it out, as one run that mdmirror undo takes back");
}

function sumOf(items: readonly ReplaceItem[]): string {
  const hits = items.reduce((sum, item) => sum + item.hits, 0);
  return `${plural(hits, "place")} in ${plural(items.length, "document")}`;
}

async function carryOut(io: Io, args: Args, root: string, request: ReplaceRequest): Promise<ExitCode> {
  const { openMsOf, planReplace, replaceMany } = await import("../app/by-hand/replace.ts");
  const use = { mode: "write", what: "search", quiet: args.flag("json"), ...reachOf(args) } as const;
  return useMirror(io, root, use, async (mirror) => {
    const { world } = mirror;
    const openMs = openMsOf(mirror.root);
    const planned = await planReplace({ state: world.state, root: mirror.root, random: io.random }, request, openMs);
    if (planned.kind === "trouble") return complain(io, planned.trouble);
    const items = planned.value;
    if (items.length === 0 && !args.flag("json")) {
      io.err("mdmirror: nothing found");
      return EXIT.inSync;
    }
    const { value: done, isStopped } = await io.stoppable((stop) => replaceMany(world, items, openMs, stop));
    const changed = new Set(done.ends.flatMap(({ path, end }) => (end === "done" ? [path] : [])));
    if (!args.flag("json")) io.out(`${sumOf(items.filter(({ path }) => changed.has(path)))} replaced:`);
    return tellMany(io, args, mirror, { ...done, isStopped, word: "changed", beside: facts(request) });
  });
}
