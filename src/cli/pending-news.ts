import type { FolderEvent } from "../mirror/daemon/daemon.ts";
import { byPath } from "../common/by-path.ts";
import { shownName } from "../common/shown-name.ts";
import { count } from "../common/count.ts";

/** Files that are gone here and whose deletion on the service waits, as `watch` reports them. */

type Pending = Extract<FolderEvent, { readonly kind: "deletion-pending" }>;

/** LIMIT: how many are named; more that went alike are one sentence with this many names. */
const MOST_NAMED = 5;

/**
 * Collects what comes within one turn of the loop: those files went together, and are reported
 * together.
 */
export class PendingNews {
  readonly #tell: (root: string, together: readonly Pending[]) => void;
  readonly #waiting = new Map<string, Pending[]>();

  constructor(tell: (root: string, together: readonly Pending[]) => void) {
    this.#tell = tell;
  }

  add(root: string, news: Pending): void {
    const waiting = this.#waiting.get(root);
    if (waiting !== undefined) return void waiting.push(news);
    this.#waiting.set(root, [news]);
    queueMicrotask(() => this.flush(root));
  }

  /** Reports them before anything else about the folder. */
  flush(root: string): void {
    const waiting = this.#waiting.get(root);
    this.#waiting.delete(root);
    if (waiting !== undefined) this.#tell(root, waiting);
  }
}

/** The lines, sorted; many that wait equally long and end equally are one sentence. */
export function pendingLines(pending: readonly Pending[]): string[] {
  const sorted = pending.toSorted(byPath);
  const alike = Map.groupBy(sorted, ({ dueAt, at, inConflict, asks }) => `${inConflict} ${asks} ${leftOf(dueAt, at)}`);
  return [...alike.values()].flatMap((group) => (group.length > MOST_NAMED ? manyLines(group) : group.map(oneLine)));
}

function oneLine({ path, dueAt, at, inConflict, asks }: Pending): string {
  const left = leftOf(dueAt, at);
  const gone = `${shownName(path)} was deleted locally`;
  if (inConflict)
    return `${gone} while it is in conflict; in ${left} mdmirror restores the version of the service; yours is in the history`;
  return asks
    ? `${gone}; in ${left} mdmirror asks you before it deletes it on the service`
    : `${gone}; mdmirror deletes it on the service in ${left}`;
}

function manyLines(group: readonly Pending[]): string[] {
  const { dueAt, at, inConflict, asks } = group[0]!;
  const left = leftOf(dueAt, at);
  const what = inConflict
    ? `were deleted locally while they are in conflict; in ${left} mdmirror restores the versions of the service; yours are in the history`
    : asks
      ? `were deleted locally; in ${left} mdmirror asks you before it deletes any of them on the service`
      : `were deleted locally; mdmirror deletes them on the service in ${left}`;
  const names = group.slice(0, MOST_NAMED).map(({ path }) => shownName(path));
  return [
    `${count(group.length)} documents ${what}`,
    `  ${names.join(", ")} and ${count(group.length - MOST_NAMED)} more`,
  ];
}

function leftOf(dueAt: number, at: number): string {
  return seconds(Math.max(0, dueAt - at));
}

export function seconds(ms: number): string {
  return `${count(Math.round(ms / 1_000))} s`;
}
