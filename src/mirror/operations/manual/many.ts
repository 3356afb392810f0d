import { isStopped, type ManualEnd, runManually } from "../../engine/manual/run-manually.ts";
import type { CycleContext } from "../../engine/run/cycle-context.ts";
import type { World } from "../../engine/run/world.ts";
import { quoteForShell } from "../../model/shell-word.ts";
import { NOT_BEGUN_REASON } from "../../model/stoppable.ts";
import { type LocalPath, ancestorsOf, isBelow } from "../../../contract/path.ts";
import { ok, refusal, type Result, trouble } from "../../../common/trouble.ts";
import type { ResultEnds } from "../define.ts";
import { createMatcher } from "../../local/ignore.ts";
import { findPatternFault } from "../../local/pattern-fault.ts";
import type { BaseTree } from "../../model/tree.ts";
import { WHOLE_FOLDER } from "../../model/mirror-folder.ts";
import type { Disk } from "../../ports/disk.ts";

/** Result for one of several documents. After a failure, the other documents still follow. */
type DocumentResult = ResultEnds["items"][number];

/** One item of a plan. `act` carries out the item; null if nothing has to be done. */
export type PlanItem<Row extends DocumentResult = DocumentResult> = {
  readonly row: Row;
  readonly act: ((ctx: CycleContext) => ManualEnd | Promise<ManualEnd>) | null;
  /** Rank: items with a lower rank run first. Undefined means 0. */
  readonly order?: number;
  /** True if all items of this rank run as one unit, in which the user cannot stop the command. */
  readonly isWhole?: boolean;
};

export type ItemsPlan<Row extends DocumentResult = DocumentResult> = {
  /**
   * True if the user named one document. If the change of this document fails, the operation then
   * returns trouble.
   */
  readonly isOne: boolean;
  readonly items: readonly PlanItem<Row>[];
  readonly undoes?: readonly number[];
};

export function makePlannedRow(path: LocalPath): DocumentResult {
  return { path, end: "planned", why: "", notes: [] };
}

export function makeLeftRow(path: LocalPath, why: string): DocumentResult {
  return { path, end: "left", why, notes: [] };
}

export function listRows<Row extends DocumentResult>({ items }: Pick<ItemsPlan<Row>, "items">): readonly Row[] {
  return items.map(({ row }) => row);
}

export function hasWork({ items }: Pick<ItemsPlan, "items">): boolean {
  return items.some(({ act }) => act !== null);
}

export function isDone({ outcome }: ManualEnd): boolean {
  return outcome.kind === "done" || outcome.kind === "submitted";
}

/**
 * LIMIT: number of items that run at the same time. The number is small, because a command that the
 * user stops still completes these items.
 */
export const ITEMS_IN_PARALLEL = 32;
const UNREACHED_REASON = "the service could not be reached";

type RunItemsResult<Row> = {
  readonly run: number | null;
  readonly isOffline: boolean;
  readonly items: readonly Row[];
};

/**
 * Runs the items in the order of their ranks, as one manual run. If the service cannot be reached,
 * skips all items that have not begun, because each of them would wait for a timeout.
 * @param maxParallel largest number of items at the same time
 */
export async function runItems<Row extends DocumentResult>(
  world: World,
  kind: string,
  { isOne, items, undoes }: ItemsPlan<Row>,
  stop?: AbortSignal,
  maxParallel = 1,
): Promise<Result<RunItemsResult<Row>>> {
  const workItems = items.filter(({ act }) => act !== null).toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0));
  const ends = new Map<PlanItem<Row>, ManualEnd>();
  let [run, isOffline]: [number | null, boolean] = [null, false];
  const runAll = async (ctx: CycleContext) => {
    run = ctx.run;
    for (let i = 0; i < workItems.length && !isOffline && !(await isStopped(world, stop)); ) {
      const { isWhole, order } = workItems[i]!;
      const parallelItems =
        isWhole === true ? workItems.filter((item) => item.order === order) : workItems.slice(i, i + maxParallel);
      i += parallelItems.length;
      const itemEnds = await Promise.all(parallelItems.map(({ act }) => act!(ctx)));
      for (const [index, end] of itemEnds.entries()) ends.set(parallelItems[index]!, end);
      isOffline = itemEnds.some(({ outcome }) => outcome.kind === "later" && outcome.unreachable);
      world.progress.report("apply", ends.size, workItems.length);
    }
    return [];
  };
  // mdmirror refuses the run if another folder is at the path of the linked folder.
  const [refusedEnd] = workItems.length === 0 ? [] : await runManually(world, kind, runAll, undoes);
  const findEnd = (item: PlanItem<Row>) => refusedEnd ?? ends.get(item);
  const onlyEnd = isOne && workItems.length > 0 ? findEnd(workItems[0]!) : undefined;
  const onlyFailure = onlyEnd === undefined ? null : describeFailure(workItems[0]!.row.path, onlyEnd);
  if (onlyFailure !== null) return onlyFailure;
  const untriedReason = isOffline ? UNREACHED_REASON : NOT_BEGUN_REASON;
  const rows = items.map((item) =>
    item.act === null ? item.row : { ...item.row, ...toRowEnd(findEnd(item), untriedReason) },
  );
  return ok({ run, isOffline, items: rows });
}

function toRowEnd(end: ManualEnd | undefined, untried: string): Pick<DocumentResult, "end" | "why" | "notes"> {
  if (end === undefined) return { end: "failed", why: untried, notes: [] };
  const { outcome, notes } = end;
  if (outcome.kind === "done" || outcome.kind === "submitted") return { end: "done", why: "", notes };
  return { end: "failed", why: outcome.detail, notes };
}

function describeFailure(path: LocalPath, { outcome }: ManualEnd): Result<never> | null {
  switch (outcome.kind) {
    case "done":
    case "submitted":
      return null;
    case "stale":
      return trouble("fault", `${path}: nothing was done: ${outcome.detail}`, "mdmirror sync, then try again");
    case "refused": {
      const { code, requestId, detail } = outcome;
      const problem = `${path}: the service refused: ${detail}`;
      return trouble("fault", problem, `mdmirror why ${quoteForShell(path)}`, { code, requestId });
    }
    case "uncertain": {
      const problem = `${path}: ${outcome.detail}; the service may have made the change`;
      const { requestId } = outcome;
      return trouble("offline", problem, "mdmirror sync reads the document and decides", { requestId });
    }
    case "later": {
      const { unreachable, detail, requestId } = outcome;
      const nextStep = "nothing is lost; try again later";
      return trouble(unreachable ? "offline" : "fault", `${path}: ${detail}`, nextStep, { requestId });
    }
  }
}

function isPattern(name: string): boolean {
  return /[*?[]/.test(name);
}

/**
 * Returns true if the name stands for the whole linked folder, a folder or a pattern; false if the
 * name stands for one document.
 */
export function meansSeveral({ records, tombstones }: BaseTree, name: string): boolean {
  if (name === WHOLE_FOLDER || isPattern(name)) return true;
  return [...records.values(), ...tombstones.values()].some(({ localPath }) => isBelow(localPath, name));
}

/**
 * Returns a function that says whether a command's operands select a path. Returns trouble for an
 * operand that selects nothing. One of several operands may also be an existing file that is not
 * synced, because a shell's `*` also gives pictures and conflict copies.
 * @param names paths below the root, folders with their contents, and patterns in the syntax of the
 * ignore rules; "" is the whole folder. A shell may expand a pattern into thousands of names
 * @param known all paths that can be selected
 */
export function selectPaths(
  names: readonly string[],
  known: Iterable<LocalPath>,
  disk: Pick<Disk, "look">,
): Result<(path: LocalPath) => boolean> {
  const paths = new Set(known);
  const folders = new Set<LocalPath>([""]);
  for (const path of paths) for (const above of ancestorsOf(path)) folders.add(above);
  const patterns: ((path: LocalPath) => boolean)[] = [];
  for (const name of names) {
    if (paths.has(name) || folders.has(name) || (names.length > 1 && existsLocally(disk, name))) continue;
    const fault = findPatternFault(name);
    if (fault !== null) return refusal(`${name}: the pattern ${fault}`, "give a folder, or a simpler pattern");
    const matches = createMatcher(`/${name}`);
    if (!isPattern(name) || !paths.values().some(matches)) return refuseEmptyName(name);
    patterns.push(matches);
  }
  const namedPaths = new Set(names);
  return ok(
    (path) =>
      namedPaths.has("") ||
      namedPaths.has(path) ||
      ancestorsOf(path).some((above) => namedPaths.has(above)) ||
      patterns.some((matches) => matches(path)),
  );
}

function existsLocally(disk: Pick<Disk, "look">, name: string): boolean {
  const { kind } = disk.look(name);
  return kind === "file" || kind === "folder" || kind === "other";
}

function refuseEmptyName(name: string): Result<never> {
  const problem = isPattern(name) ? `no synced document matches ${name}` : `${name} is not a synced document`;
  const nextStep = "give paths and patterns below the linked folder; quote a pattern; ** stands for any folder";
  return refusal(problem, nextStep);
}
