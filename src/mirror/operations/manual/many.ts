import { isStopped, type ManualEnd, runManually } from "../../engine/manual/run-manually.ts";
import type { CycleContext } from "../../engine/run/cycle-context.ts";
import type { World } from "../../engine/run/world.ts";
import { NOT_BEGUN } from "../../model/not-begun.ts";
import { type LocalPath, ancestorsOf, isBelow } from "../../../contract/path.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import type { ResultEnds } from "../define.ts";
import { createMatcher } from "../../local/ignore.ts";
import { patternFault } from "../../local/pattern-fault.ts";
import type { BaseTree } from "../../model/tree.ts";
import { WHOLE_FOLDER } from "../../model/mirror-folder.ts";
import type { Disk } from "../../ports/disk.ts";

/** Result for one document. A document that fails does not stop the others. */
type ManyEnd = ResultEnds["items"][number];

/**
 * One item of a plan: `row` is its row in the result, `act` carries it out. A null `act`: the item
 * has nothing to do.
 */
export type PlanItem<Row extends ManyEnd = ManyEnd> = {
  readonly row: Row;
  readonly act: ((ctx: CycleContext) => ManualEnd | Promise<ManualEnd>) | null;
  /** Rank of the item: items with a lower number run first; undefined: 0. */
  readonly order?: number;
  /** True if all items of this order run together, even if the user stops the command. */
  readonly isWhole?: boolean;
};

export type ManyPlan<Row extends ManyEnd = ManyEnd> = {
  /** True if the user asked for one document: its failure is then the trouble of the whole call. */
  readonly isOne: boolean;
  readonly items: readonly PlanItem<Row>[];
  /** Runs that the items undo; undefined if none. */
  readonly undoes?: readonly number[];
};

export function plannedRow(path: LocalPath): ManyEnd {
  return { path, end: "planned", why: "", notes: [] };
}

export function leftRow(path: LocalPath, why: string): ManyEnd {
  return { path, end: "left", why, notes: [] };
}

export function rowsOf<Row extends ManyEnd>({ items }: Pick<ManyPlan<Row>, "items">): readonly Row[] {
  return items.map(({ row }) => row);
}

export function hasAct({ items }: Pick<ManyPlan, "items">): boolean {
  return items.some(({ act }) => act !== null);
}

export function isDone({ outcome }: ManualEnd): boolean {
  return outcome.kind === "done" || outcome.kind === "submitted";
}

/**
 * LIMIT: requests at the same time; the client itself sends fewer. After the user stops the
 * command, these requests still end.
 */
export const ITEMS_IN_PARALLEL = 32;
const UNREACHED = "the service could not be reached";

type RunItems<Row> = {
  /** Number of the run; null if no item had an effect. */
  readonly run: number | null;
  /** True if the service was not reached, so that some items were not tried. */
  readonly isOffline: boolean;
  readonly items: readonly Row[];
};

/**
 * Runs the items of a plan in their order, as one manual run. If the service cannot be reached, the
 * remaining items are not tried, because each of them would also wait until its timeout.
 * @param maxParallel items at the same time
 */
export async function runItems<Row extends ManyEnd>(
  world: World,
  kind: string,
  { isOne, items, undoes }: ManyPlan<Row>,
  stop?: AbortSignal,
  maxParallel = 1,
): Promise<Result<RunItems<Row>>> {
  const able = items.filter(({ act }) => act !== null).toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const ends = new Map<PlanItem<Row>, ManualEnd>();
  let [run, isOffline]: [number | null, boolean] = [null, false];
  const work = async (ctx: CycleContext) => {
    run = ctx.run;
    for (let i = 0; i < able.length && !isOffline && !(await isStopped(world, stop)); ) {
      const { isWhole, order } = able[i]!;
      const part = isWhole === true ? able.filter((item) => item.order === order) : able.slice(i, i + maxParallel);
      i += part.length;
      const done = await Promise.all(part.map(({ act }) => act!(ctx)));
      for (const [index, end] of done.entries()) ends.set(part[index]!, end);
      isOffline = done.some(({ outcome }) => outcome.kind === "later" && outcome.unreachable);
      world.progress.report("apply", ends.size, able.length);
    }
    return [];
  };
  // No item runs if another folder is at the root's path now.
  const [refused] = able.length === 0 ? [] : await runManually(world, kind, work, undoes);
  const endOf = (item: PlanItem<Row>) => refused ?? ends.get(item);
  const onlyEnd = isOne && able.length > 0 ? endOf(able[0]!) : undefined;
  const failed = onlyEnd === undefined ? null : troubleOf(able[0]!.row.path, onlyEnd);
  if (failed !== null) return failed;
  const untried = isOffline ? UNREACHED : NOT_BEGUN;
  const rows = items.map((item) => (item.act === null ? item.row : { ...item.row, ...rowEnd(endOf(item), untried) }));
  return ok({ run, isOffline, items: rows });
}

function rowEnd(end: ManualEnd | undefined, untried: string): Pick<ManyEnd, "end" | "why" | "notes"> {
  if (end === undefined) return { end: "failed", why: untried, notes: [] };
  const { outcome, notes } = end;
  if (outcome.kind === "done" || outcome.kind === "submitted") return { end: "done", why: "", notes };
  return { end: "failed", why: outcome.detail, notes };
}

/** Returns why the only item was not done; null if the item was done. */
function troubleOf(path: LocalPath, { outcome }: ManualEnd): Result<never> | null {
  switch (outcome.kind) {
    case "done":
    case "submitted":
      return null;
    case "stale":
      return trouble("fault", `${path}: nothing was done: ${outcome.detail}`, "mdmirror sync, then try again");
    case "refused": {
      const { code, requestId, detail } = outcome;
      const what = `${path}: the service refused: ${detail}`;
      return trouble("fault", what, `mdmirror why ${path}`, { code, requestId });
    }
    case "uncertain": {
      const what = `${path}: ${outcome.detail}; the service may have made the change`;
      const { requestId } = outcome;
      return trouble("offline", what, "mdmirror sync reads the document and decides", { requestId });
    }
    case "later": {
      const { unreachable, detail, requestId } = outcome;
      const next = "nothing is lost; try again later";
      return trouble(unreachable ? "offline" : "fault", `${path}: ${detail}`, next, { requestId });
    }
  }
}

/**
 * Documents that the operands of a command select: paths, folders with their contents, and patterns
 * in the syntax of the ignore rules. A shell expands a pattern, so there may be thousands of
 * operands.
 */
type Selection = { readonly selects: (path: LocalPath) => boolean };

/** Returns true if a name contains a character of patterns: `*`, `?` or `[`. */
function isPattern(name: string): boolean {
  return /[*?[]/.test(name);
}

/** Returns true if a name means several documents: the whole folder, a folder or a pattern. */
export function namesSeveral({ records, tombstones }: BaseTree, name: string): boolean {
  if (name === WHOLE_FOLDER || isPattern(name)) return true;
  return [...records.values(), ...tombstones.values()].some(({ localPath }) => isBelow(localPath, name));
}

/**
 * Returns the paths that the operands of a command select.
 * @param names paths below the root; "" is the whole folder
 * @param known paths that can be selected. A name that selects none of them is trouble, unless a
 * file with this name exists: a shell's `*` also yields pictures and `(theirs)` files
 */
export function selectPaths(
  names: readonly string[],
  known: Iterable<LocalPath>,
  disk: Pick<Disk, "look">,
): Result<Selection> {
  const paths = new Set(known);
  const folders = new Set<LocalPath>([""]);
  for (const path of paths) for (const above of ancestorsOf(path)) folders.add(above);
  const patterns: ((path: LocalPath) => boolean)[] = [];
  for (const name of names) {
    if (paths.has(name) || folders.has(name) || (names.length > 1 && existsLocally(disk, name))) continue;
    const fault = patternFault(name);
    if (fault !== null) return trouble("usage", `${name}: the pattern ${fault}`, "give a folder, or a simpler pattern");
    const matches = createMatcher(`/${name}`);
    if (!isPattern(name) || !paths.values().some(matches)) return namesNothing(name);
    patterns.push(matches);
  }
  const named = new Set(names);
  const selects = (path: LocalPath) =>
    named.has("") ||
    named.has(path) ||
    ancestorsOf(path).some((above) => named.has(above)) ||
    patterns.some((matches) => matches(path));
  return ok({ selects });
}

function existsLocally(disk: Pick<Disk, "look">, name: string): boolean {
  const { kind } = disk.look(name);
  return kind === "file" || kind === "folder" || kind === "other";
}

function namesNothing(name: string): Result<never> {
  const what = isPattern(name) ? `no synced document matches ${name}` : `${name} is not a synced document`;
  const next = "give paths and patterns below the linked folder; quote a pattern; ** stands for any folder";
  return trouble("usage", what, next);
}
