import type { BulkResolution, ResolveItem } from "../mirror/operations/manual/resolve-many.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import type { Args, Io } from "./command.ts";
import { complain } from "./complain.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { jsonLine } from "./json-line.ts";
import { sumLine, printManyAndSync } from "./show-many.ts";
import { planResolve, resolveMany } from "../mirror/operations/manual/resolve-many.ts";

/**
 * Runs `resolve` for several paths.
 * @param names null means all open problems
 */
export async function resolveSeveral(
  io: Io,
  args: Args,
  mirror: OpenedMirror,
  names: readonly string[] | null,
  way: BulkResolution,
): Promise<ExitCode> {
  const planned = planResolve(mirror.world, names, way, args.flag("force"));
  if (planned.kind === "trouble") return complain(io, planned.trouble);
  const items = planned.value;
  if (args.flag("dry-run")) return showPlanned(io, args, items, way);
  if (items.length === 0) {
    if (args.flag("json")) io.out(jsonLine({ way, run: null, counts: ZERO, items: [], sync: null }));
    else io.out(NOTHING[way]);
    return EXIT.inSync;
  }
  const { value: done, isStopped } = await io.stoppable((stop) => resolveMany(mirror.world, items, stop));
  return printManyAndSync(io, args, mirror, { ...done, isStopped, word: WORDS[way], beside: { way } });
}

const ZERO = { done: 0, left: 0, failed: 0 };

const NOTHING: Readonly<Record<BulkResolution, string>> = {
  mine: "no conflicts and no blocked documents",
  theirs: "no conflicts and no blocked documents",
  "merged-where-clean": "no conflicts",
};

const WORDS: Readonly<Record<BulkResolution, string>> = {
  mine: "resolved, mine",
  theirs: "resolved, theirs",
  "merged-where-clean": "resolved, merged",
};

function showPlanned(io: Io, args: Args, items: readonly ResolveItem[], way: BulkResolution): ExitCode {
  const able = items.filter(({ kind }) => kind === "end").length;
  const counts = { done: able, left: items.length - able, failed: 0 };
  if (args.flag("json")) {
    const planned = items.map((item) =>
      item.kind === "end"
        ? { path: item.path, end: "planned", why: "", notes: [] }
        : { path: item.path, end: "left", why: item.why, notes: [] },
    );
    io.out(jsonLine({ way, run: null, counts: { ...counts, done: 0, planned: able }, items: planned, sync: null }));
  } else {
    for (const item of items)
      io.out(
        `  ${shownName(item.path)}  ${item.kind === "end" ? wayWord(item) : `left unchanged: ${shownWords(item.why)}`}`,
      );
    io.out(items.length === 0 ? NOTHING[way] : `${sumLine(counts, "would be resolved")}; nothing was done`);
  }
  return able === 0 && items.length > 0 ? EXIT.attention : EXIT.inSync;
}

function wayWord({ way, subject: { conflict, hold } }: Extract<ResolveItem, { kind: "end" }>): string {
  const what = conflict === null ? `blocked (${hold?.reason ?? "in review"})` : "in conflict";
  return `${what}: ${way.kind}`;
}
