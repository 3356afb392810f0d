import type { LocalPath } from "../../model/path.ts";
import type { DaemonTiming } from "./timing.ts";

/**
 * Local deletions that wait: a tool's delete-then-create and an undo cost nothing. While deletions
 * keep arriving every wait begins anew, so that an `rm -rf` of many is one plan and meets the
 * budget as one. Times are monotonic.
 */
export type Graces = {
  /**
   * The linked paths that the plan found absent and left waiting. What it could not judge goes on
   * waiting, from now.
   * @returns what is new, and what came back (or was sent)
   */
  see(
    waiting: ReadonlySet<LocalPath>,
    now: number,
    isUnjudged?: (path: LocalPath) => boolean,
  ): { readonly begun: LocalPath[]; readonly ended: LocalPath[] };
  /** Those that have waited long enough: to be looked at again, and sent if still absent. */
  due(now: number): ReadonlySet<LocalPath>;
  /** When the first one is due; null when none waits. */
  nextAt(): number | null;
  /** Nobody was looking (the machine slept, the folder was away): all wait anew. */
  restart(now: number): void;
  pending(): readonly { readonly path: LocalPath; readonly dueAt: number }[];
};

type Wait = { readonly first: number; since: number };

export function createGraces(timing: DaemonTiming): Graces {
  const waits = new Map<LocalPath, Wait>();
  // LIMIT: a wait begins anew for so long only, or deletions without an end would never be sent.
  const dueAt = (wait: Wait): number =>
    Math.min(wait.since + timing.deleteGraceMs, wait.first + timing.deleteGraceMostMs);

  return {
    see(waiting, now, isUnjudged = () => false) {
      const missing = [...waits.keys()].filter((path) => !waiting.has(path));
      const ended = missing.filter((path) => !isUnjudged(path));
      for (const path of missing) waits.get(path)!.since = now;
      for (const path of ended) waits.delete(path);
      const begun = [...waiting].filter((path) => !waits.has(path));
      if (begun.length > 0) for (const wait of waits.values()) wait.since = now;
      for (const path of begun) waits.set(path, { first: now, since: now });
      return { begun, ended };
    },
    due(now) {
      return new Set([...waits].flatMap(([path, wait]) => (dueAt(wait) <= now ? [path] : [])));
    },
    nextAt() {
      let next: number | null = null;
      for (const wait of waits.values()) next = Math.min(next ?? Number.POSITIVE_INFINITY, dueAt(wait));
      return next;
    },
    restart(now) {
      for (const path of waits.keys()) waits.set(path, { first: now, since: now });
    },
    pending: () => [...waits].map(([path, wait]) => ({ path, dueAt: dueAt(wait) })),
  };
}
