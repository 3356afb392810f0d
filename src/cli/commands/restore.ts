import type { RestoredMany, RestoreItem } from "../../mirror/operations/history/restore-many.ts";
import type { Choice } from "../../mirror/operations/history/restore.ts";
import type { OpenedMirror } from "../../mirror/folder/open-mirror.ts";
import { ok, type Result } from "../../common/trouble.ts";
import type { Args, Command, Io } from "../command.ts";
import { complain, misuse } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { locateAny } from "../locate-document.ts";
import { count } from "../../common/count.ts";
import { agrees, REACH_OPTIONS, reachOf, syncAfter, useMirror } from "../use-mirror.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import { jsonLine } from "../json-line.ts";
import { NOT_BEGUN } from "../../mirror/model/not-begun.ts";
import { endMany, leftLines, sumLine, takeBackLine } from "../show-many.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { splitVersion } from "../../mirror/operations/history/history.ts";
import { readMoment } from "../../mirror/operations/history/as-of.ts";
import { isOne, planRestore, restoreMany } from "../../mirror/operations/history/restore-many.ts";
import { chooseVersion, restoreVersion } from "../../mirror/operations/history/restore.ts";

export const command: Command = {
  usage: "restore PATH[@N] | ID[@N] | FOLDER | 'GLOB' … [--as-of TIME] [--dry-run] [--yes] [--no-sync] [--json]",
  about: [
    "Writes an earlier version into the local file, then syncs it like any edit. Without @N: the version before the present one.",
    "For a folder or a quoted glob (** matches any folder): restores deleted documents. With --as-of: restores each document as it was at that time; newer documents are left alone.",
    "A deleted document comes back as a new document: the service does not restore its id and its history. The replaced version stays in the history and in .mdmirror/trash.",
  ],
  examples: ["mdmirror restore plan.md@3", "mdmirror restore 'work/**' --as-of 2h --dry-run"],
  options: {
    "as-of": {
      value: "TIME",
      help: "the version at that time, as mdmirror saw it (2h, 3d, 2026-11-22, 2026-11-22T09:30)",
    },
    "dry-run": { help: "show what it would do and write nothing" },
    yes: { help: "do not ask before more than one document is restored", short: "y" },
    "no-sync": { help: "only change the local folder; the next sync uploads it" },
    json: { help: "print one JSON object" },
    ...REACH_OPTIONS,
  },
  operands: { least: 1, most: 10_000 },
  async run(io, args) {
    const asked = args.text("as-of");
    const asOf = asked === null ? null : readMoment(asked, io.clock.now());
    if (asked !== null && asOf === null)
      return misuse(io, "restore", `--as-of takes a past time, such as 2h, 3d or 2026-11-22T09:30, not ${asked}`);
    const wanted = args.operands.map(splitVersion);
    const places = locateAll(
      io,
      wanted.map(({ path }) => path),
    );
    if (places.kind === "trouble") return complain(io, places.trouble);
    const { roots, names } = places.value;
    if (roots.size > 1) return misuse(io, "restore", "the paths are in two linked folders");
    const n = wanted[0]!.n;
    if (wanted.some((one) => one.n !== null) && (names.length > 1 || asOf !== null))
      return misuse(io, "restore", "PATH@N is one version of one document: give no other path and no --as-of");
    const mode = args.flag("dry-run") ? "read" : "write";
    const use = { mode, what: "restore", quiet: args.flag("json"), ...reachOf(args) } as const;
    return useMirror(io, [...roots][0]!, use, async (mirror) => {
      const single = names.length === 1 && asOf === null && (n !== null || isOne(mirror.world.state, names[0]!));
      return single ? restoreOne(io, args, mirror, names[0]!, n) : restoreSeveral(io, args, mirror, names, asOf);
    });
  },
};

type Places = { readonly roots: ReadonlySet<string>; readonly names: readonly string[] };

/** Locates the paths and stops at the first one in another linked folder. */
function locateAll(io: Io, paths: readonly string[]): Result<Places> {
  const roots = new Set<string>();
  const names: string[] = [];
  for (const path of paths) {
    const place = locateAny(io, path);
    if (place.kind === "trouble") return place;
    roots.add(place.value.root);
    names.push(place.value.name);
    if (roots.size > 1) break;
  }
  return ok({ roots, names });
}

async function restoreOne(io: Io, args: Args, mirror: OpenedMirror, name: string, n: number | null): Promise<ExitCode> {
  const json = args.flag("json");
  if (args.flag("dry-run")) return showChoice(io, json, chooseVersion(mirror.world, name, n));
  const restored = await restoreVersion(mirror.world, name, n);
  if (restored.kind === "trouble") return complain(io, restored.trouble);
  const { path, entry, asNew, notes } = restored.value;
  if (!json) {
    io.out(`${shownName(path)}: version ${entry.n} is restored`);
    for (const note of notes) io.out(`  ${shownWords(note)}`);
  }
  const sync = args.flag("no-sync") ? null : await syncAfter(io, mirror, json, [path]);
  if (json) io.out(jsonLine({ path, version: entry.n, asNew, notes, sync: sync?.report ?? null }));
  return sync?.exit ?? EXIT.inSync;
}

function showChoice(io: Io, json: boolean, chosen: Result<Choice>): ExitCode {
  if (chosen.kind === "trouble") return complain(io, chosen.trouble);
  const { path, entry, asNew } = chosen.value;
  const how = asNew ? ", as a new document" : "";
  if (json) io.out(jsonLine({ path, version: entry.n, asNew, notes: [], sync: null }));
  else io.out(`${shownName(path)}: version ${entry.n} of ${localTime(entry.at)} would be restored${how}`);
  return EXIT.inSync;
}

async function restoreSeveral(
  io: Io,
  args: Args,
  mirror: OpenedMirror,
  names: readonly string[],
  asOf: number | null,
): Promise<ExitCode> {
  const planned = planRestore(mirror.world, names, asOf);
  if (planned.kind === "trouble") return complain(io, planned.trouble);
  const items = planned.value;
  const json = args.flag("json");
  const able = items.filter(({ kind }) => kind === "put-back").length;
  if (!json) for (const line of planLines(items, asOf)) io.out(line);
  if (args.flag("dry-run") || able === 0) {
    if (json) io.out(jsonLine({ asOf, items: items.map(itemJson), sync: null }));
    return able === 0 && items.length > 0 ? EXIT.attention : EXIT.inSync;
  }
  if (!(await agreesToSeveral(io, args, able))) return EXIT.usage;
  const { value: done, isStopped } = await io.stoppable((stop) => restoreMany(mirror.world, items, stop));
  return sendRestored(io, args, mirror, { asOf, items, isStopped, ...done });
}

type Sent = RestoredMany & {
  readonly isStopped: boolean;
  readonly asOf: number | null;
  readonly items: readonly RestoreItem[];
};

async function sendRestored(io: Io, args: Args, mirror: OpenedMirror, restored: Sent): Promise<ExitCode> {
  const { items, ends, isStopped, run } = restored;
  if (!args.flag("json")) showEnds(io, restored);
  const left = ends.some(({ done }) => !done) || items.some(({ kind }) => kind === "left");
  return endMany(io, args, mirror, {
    run,
    isStopped,
    isOwed: true,
    paths: items.map(({ path }) => path),
    object: restoredJson(restored),
    exit: left ? EXIT.attention : EXIT.inSync,
  });
}

async function agreesToSeveral(io: Io, args: Args, able: number): Promise<boolean> {
  if (able === 1 || (await agrees(io, args.flag("yes"), `restore ${count(able)} documents?`))) return true;
  io.err("mdmirror: nothing was done");
  io.err("  next: to continue: mdmirror restore … --yes");
  return false;
}

function restoredJson({ asOf, items, run, ends }: Sent): object {
  const done = ends.map((end) => ({ ...itemJson(end.item), done: end.done, note: end.note }));
  return { asOf, run, items: items.map(itemJson), done };
}

function planLines(items: readonly RestoreItem[], asOf: number | null): string[] {
  const when = asOf === null ? "deleted documents" : `state at ${localTime(asOf)}`;
  if (items.length === 0) return [`${when}: nothing to restore`];
  const planned = items.filter((item) => item.kind === "put-back");
  return [
    `${when}:`,
    ...planned.map(({ path, entry, asNew }) => {
      return `  ${shownName(path)}  version ${entry.n} of ${localTime(entry.at)}${asNew ? ", as a new document" : ""}`;
    }),
    ...leftLines(items.filter((item) => item.kind === "left")),
  ];
}

function itemJson(item: RestoreItem): object {
  if (item.kind === "left") return item;
  const { kind, path, id, entry, asNew } = item;
  return { kind, path, id, version: entry.n, at: entry.at, asNew };
}

function showEnds(io: Io, { run, items, ends }: Sent): void {
  for (const { item, done, note } of ends)
    if (!done && note !== NOT_BEGUN) io.err(`${shownName(item.path)}: not done: ${shownWords(note)}`);
  const done = ends.filter((end) => end.done).length;
  const left = items.filter(({ kind }) => kind === "left").length;
  io.out(sumLine({ done, left, failed: ends.length - done }, "restored"));
  if (run !== null) io.out(takeBackLine(run));
}
