import { isStopped, type ManualEnd, runManually } from "../../engine/manual/run-manually.ts";
import type { PassContext } from "../../engine/run/pass-context.ts";
import type { World } from "../../engine/run/world.ts";
import { NOT_BEGUN } from "../../model/not-begun.ts";
import type { LocalPath } from "../../../contract/path.ts";

/**
 * Result for one of several documents of a command. The command is one run, but a document that
 * fails does not stop the others.
 */
export type ManyEnd = {
  readonly path: LocalPath;
  /** `left`: not tried. `failed`: tried and not done; no content was lost. */
  readonly end: "planned" | "done" | "left" | "failed";
  /** Reason why the document was not done, as a clause; "" if it was done. */
  readonly why: string;
  /** Notes for the user, each a whole clause. */
  readonly notes: readonly string[];
};

type ManyEnds = {
  /** Number of the run; null if there was nothing to do. */
  readonly run: number | null;
  readonly ends: readonly ManyEnd[];
  /**
   * True if the service was not reached, or refused the key, so that some documents were not done.
   */
  readonly isOffline: boolean;
};

export function endOfManual(path: LocalPath, { outcome, notes }: ManualEnd): ManyEnd {
  if (outcome.kind === "done" || outcome.kind === "submitted") return { path, end: "done", why: "", notes };
  return { path, end: "failed", why: outcome.detail, notes };
}

export function leftAsIs(path: LocalPath, why: string): ManyEnd {
  return { path, end: "left", why, notes: [] };
}

/**
 * LIMIT: requests at the same time; the client's own pace is lower. After a person stops the
 * command, as many requests still end.
 */
const AT_ONCE = 32;
const UNREACHED = "the service could not be reached";

/**
 * Does several things that ask the service, some at a time. Once it is not reached, the rest is
 * not tried: each would wait as long.
 * @param isOver returns true if a person wants nothing more to start
 */
async function forEachOf<T extends { readonly path: LocalPath }>(
  items: readonly T[],
  work: (item: T) => Promise<ManualEnd>,
  onEnd: (done: number) => void,
  isOver: () => Promise<boolean>,
): Promise<Omit<ManyEnds, "run">> {
  const ends: ManyEnd[] = [];
  let isOffline = false;
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const some = items.slice(at, at + AT_ONCE);
    const why = isOffline ? UNREACHED : (await isOver()) ? NOT_BEGUN : null;
    if (why !== null) {
      ends.push(...some.map(({ path }) => leftAsIs(path, why)));
      continue;
    }
    const done = await Promise.all(some.map(work));
    ends.push(...done.map((end, index) => endOfManual(some[index]!.path, end)));
    isOffline = done.some(({ outcome }) => outcome.kind === "later" && outcome.unreachable);
    onEnd(ends.length);
  }
  return { ends, isOffline };
}

/**
 * The outcomes of all items of a run, and the outcome of the first item that was tried; null if
 * none was.
 */
export type RunOutcomes = ManyEnds & { readonly first: ManualEnd | null };

/** Works on each item by itself, as one manual run: a failure does not keep the others. */
export async function runEach<T extends { readonly path: LocalPath }>(
  world: World,
  kind: string,
  items: readonly T[],
  work: (ctx: PassContext, item: T) => Promise<ManualEnd>,
  stop: AbortSignal,
): Promise<RunOutcomes> {
  let run: number | null = null;
  let first: ManualEnd | null = null;
  let done: Omit<ManyEnds, "run"> = { ends: [], isOffline: false };
  const [refused] = await runManually(world, kind, async (ctx) => {
    run = ctx.run;
    const each = async (item: T) => {
      const end = await work(ctx, item);
      first ??= end;
      return end;
    };
    const onEnd = (n: number) => world.progress.report("apply", n, items.length);
    done = await forEachOf(items, each, onEnd, () => isStopped(world, stop));
    return [];
  });
  if (refused === undefined) return { run, ...done, first };
  // Another folder is at the root's path now, and nothing was started.
  return { run, ends: items.map(({ path }) => endOfManual(path, refused)), isOffline: false, first: refused };
}
