import type { EventStreamState, Fault, RemoteEvents } from "../../ports/remote.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BarrierScanResult, PathOnService } from "../run/barrier.ts";
import type { RunReport } from "../run/report.ts";
import type { Settings } from "../run/world.ts";
import type { Clock } from "../../../common/clock.ts";
import { isDocId } from "../../../contract/ids.ts";
import type { EventSide, MirrorEvent, State } from "../../ports/state.ts";

/**
 * Request to a daemon.
 * - `pause`: starts no run until `resume`, or until the pause is over. The request ends when the
 *   current run has ended.
 * - `resume`: ends the pause and scans both sides. The request ends when that run has ended.
 */
export type DaemonRequest = "pause" | "resume";

export type DaemonOptions = {
  /**
   * Settings of the linked folder. The daemon ignores the delays `secondLookMs` and
   * `reviewsOnlyUnchanged`, because it delays deletions and reviews itself.
   */
  readonly settings: Settings;
  readonly timing?: Partial<DaemonTiming>;
  /** Event stream of the service; undefined if the daemon only polls. */
  readonly events?: RemoteEvents;
};

type PendingDeletion = {
  readonly path: LocalPath;
  /** Time at which mdmirror deletes the document on the service, unless the file comes back. */
  readonly dueAt: number;
};

/** Status of a daemon. All times are milliseconds since the epoch. */
export type DaemonStatus = {
  readonly phase: DaemonPhase;
  /**
   * Last time at which both sides were in sync without problems; null if there was none since the
   * daemon started.
   */
  readonly inSyncAsOf: number | null;
  readonly pendingDeletions: readonly PendingDeletion[];
  /** Local paths with changes that no run has planned yet: the count, and the first 100 paths. */
  readonly dirty: { readonly count: number; readonly paths: readonly LocalPath[] };
  readonly lastReport: RunReport | null;
  /** End of the pause; null without a pause, or during a pause that lasts until `resume`. */
  readonly pausedUntil: number | null;
  readonly nextPollAt: number | null;
  /** Time of the next retry; null if the last run did not fail. */
  readonly retryAt: number | null;
  /**
   * State of the watcher. `polling`: the system allows no watches (`limit` says why), so each poll
   * scans the folder.
   */
  readonly watching: "starting" | "events" | "polling";
  readonly limit: { readonly code: string; readonly why: string } | null;
  readonly eventStream: EventStreamState;
};

export type BarrierEnd =
  | Extract<BarrierScanResult, { kind: "outside" }>
  | { readonly kind: "judged"; readonly paths: readonly PathOnService[]; readonly documents: number };

export type Daemon = {
  /**
   * Runs the daemon. Resolves after `signal` aborts. Throws on a bug, a lost state file, or a
   * second call.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Carries out a request. Rejects if the daemon stops first.
   * @param forMs milliseconds of a pause; undefined if the pause lasts until `resume`
   */
  request(kind: DaemonRequest, forMs?: number): Promise<void>;
  /** Calls `work` after all earlier requests. Rejects if `work` throws, or if the daemon stops. */
  callBetweenRuns(work: () => void): Promise<void>;
  /**
   * Waits until all local changes that exist now are on the service, in review, or blocked. Ends
   * immediately while the daemon is paused or stopped by a safety check; paths in the result may
   * then be `waiting`. Rejects if the daemon stops.
   * @param scope files and folders; "" is the whole linked folder
   * @param signal when `signal` aborts, the promise resolves with the current state of the paths
   */
  whenSynced(scope: readonly LocalPath[], signal: AbortSignal): Promise<BarrierEnd>;
  status(): DaemonStatus;
  /**
   * Calls `listener` with each event, outside transactions. `listener` must not throw.
   * @returns a function that removes the listener
   */
  onEvent(listener: (event: DaemonEvent) => void): () => void;
  /** Returns the monotonic time at which the loop, or a step of its run, last made progress. */
  alive(): number;
};

/** Default times of the daemon in milliseconds. */
export const DEFAULT_TIMING = {
  /** Time for which a path must be unchanged before it is planned. */
  settleMs: 300,
  /** Longest time from the first change of a path to its plan, if the changes continue. */
  settleMostMs: 5_000,
  /** Longest time for which mdmirror does not plan a bulk change (a checkout, a copied folder). */
  bulkMostMs: 30_000,
  /**
   * Time between polls: after activity, without activity, and when there was no activity for
   * `longIdleAfterMs`.
   */
  pollActiveMs: 5_000,
  pollIdleMs: 30_000,
  pollLongIdleMs: 120_000,
  /** Shortest time between polls while the service sends events, in case an event was missed. */
  pollListeningMs: 60_000,
  /**
   * Time for which events of the service are collected before mdmirror requests their documents.
   */
  eventsSettleMs: 30,
  activeForMs: 60_000,
  longIdleAfterMs: 3_600_000,
  /**
   * Number of requests per minute that polls and all other requests may use together. A listing
   * takes one request for 1,000 documents, so mdmirror polls a large workspace less often.
   */
  pollRequestsAMinute: 60,
  /**
   * Longest time between two listings of a part of the workspace in which somebody works. The time
   * grows while nothing changes in this part. At this limit, the part is listed only with the whole
   * workspace.
   */
  hotMostMs: 30_000,
  /** Time between two full scans of both sides, including the folders on the service. */
  rescanMs: 600_000,
  /**
   * Delay before a local deletion is sent. Each further deletion restarts the delay, up to the
   * longest delay `deleteGraceMostMs`.
   */
  deleteGraceMs: 30_000,
  deleteGraceMostMs: 300_000,
  /** Time for which a protected document must be unchanged before it goes to review. */
  reviewDelayMs: 60_000,
  /**
   * Time for which mdmirror does not plan an emptied file: perhaps a program crashed while it
   * saved.
   */
  emptyMs: 60_000,
  /**
   * Time after a rename on the service in which a save at the old path counts as an edit of the
   * renamed document.
   */
  stalePathMs: 600_000,
  /**
   * Delay before the retry of a failed run: `retryMs` after the first failure, or `retryKeyMs` if
   * the service refused the key. Each further failure doubles the delay, up to `retryMostMs`. Up to
   * half of the delay is random.
   */
  retryMs: 2_000,
  retryMostMs: 300_000,
  retryKeyMs: 60_000,
  /** Shortest interruption of the loop that counts as a suspension of the machine. */
  jumpMs: 30_000,
  /** Longest sleep of the loop, so that the time from `alive()` is never much older. */
  turnMs: 60_000,
  /** Time between two attempts to send changes that the service refused. */
  retryRefusedMs: 86_400_000,
};

export type DaemonTiming = Readonly<Record<keyof typeof DEFAULT_TIMING, number>>;

/** Converts a monotonic time in milliseconds to whole milliseconds since the epoch. */
export function toWallTime(clock: Pick<Clock, "now" | "monotonic">, monotonicMs: number): number {
  return Math.round(clock.now() + monotonicMs - clock.monotonic());
}

export type WaitReason = "offline" | "unauthenticated" | "unavailable" | "not-the-service" | "rate-limited" | "paused";

export type FailureReason = Exclude<WaitReason, "paused">;

export type DaemonPhase =
  /** The daemon waits for a file event, a poll or a request. */
  | { readonly kind: "idle" }
  | { readonly kind: "observing" }
  | { readonly kind: "applying" }
  /**
   * The daemon waits for its next attempt. `failures`: number of failed runs in a row. `detail`:
   * text for the user.
   */
  | { readonly kind: "waiting"; readonly why: WaitReason; readonly failures: number; readonly detail: string }
  /** A safety check stopped the sync. The daemon still scans, but changes nothing. */
  | { readonly kind: "stopped"; readonly detail: string }
  | { readonly kind: "ended" };

export const IDLE_PHASE: DaemonPhase = { kind: "idle" };
export const PAUSED_PHASE: DaemonPhase = { kind: "waiting", why: "paused", failures: 0, detail: "paused" };

export function chooseFailureReason(fault: Fault | null): FailureReason {
  if (fault?.kind === "locked-out") return "unauthenticated";
  if (fault?.kind !== "later") return "unavailable";
  if (fault.cause === "unreachable") return "offline";
  return fault.cause === "rate-limited" || fault.cause === "not-the-service" ? fault.cause : "unavailable";
}

/**
 * An event that `watch --json` prints. Never contains the content of documents (I30). `at`:
 * milliseconds since the epoch.
 */
export type DaemonEvent = { readonly at: number } & (
  | { readonly kind: "phase"; readonly phase: DaemonPhase }
  /** Event of the log: an effect, or a fact that the user should know. */
  | {
      readonly kind: "change";
      /** Kind of an action, or `safety-stop`, `conflict`, `late-write`, `recover`, `fault`. */
      readonly what: string;
      readonly side: EventSide;
      readonly id: string | null;
      readonly path: LocalPath;
      readonly outcome: string;
      readonly detail: string;
      readonly code: string | null;
      readonly requestId: string | null;
      /** Change id in the document's record after the effect; null if there is no record. */
      readonly changeId: string | null;
      /**
       * Number of changed lines; null if no content changed, or if the content store lacks the
       * content.
       */
      readonly lines: ChangedLines | null;
      readonly run: number;
    }
  /**
   * A run. Not published if the run changed nothing and ended with the same state and problems as
   * the run before.
   */
  | { readonly kind: "run"; readonly report: RunReport }
  /**
   * A local deletion that mdmirror delays (`deletion-pending`), or no longer plans because the file
   * came back (`deletion-called-off`).
   * - `inConflict`: true if the document is in conflict, so that mdmirror will restore the file
   *   instead of deleting the document.
   * - `asks`: true if a safety check will stop the sync when the delayed deletions are due.
   */
  | {
      readonly kind: "deletion-pending";
      readonly path: LocalPath;
      readonly dueAt: number;
      readonly inConflict: boolean;
      readonly asks: boolean;
    }
  | { readonly kind: "deletion-called-off"; readonly path: LocalPath }
  /** The system allows no more watches, so each poll scans the folder. Published once. */
  | { readonly kind: "watch-limit"; readonly code: string; readonly detail: string }
  /** The machine was suspended, so both sides are scanned again. */
  | { readonly kind: "woke"; readonly sleptMs: number }
);

type EventWithoutTime = DaemonEvent extends infer Event
  ? Event extends DaemonEvent
    ? Omit<Event, "at">
    : never
  : never;
type ContentSource = Pick<State, "record" | "text">;

type ChangedLines = { readonly added: number; readonly removed: number };

export class EventPublisher {
  readonly #clock: Pick<Clock, "now">;
  readonly #state: ContentSource;
  readonly #listeners = new Set<(event: DaemonEvent) => void>();
  readonly #recorded: MirrorEvent[] = [];

  constructor(clock: Pick<Clock, "now">, state: ContentSource) {
    this.#clock = clock;
    this.#state = state;
  }

  publish(event: EventWithoutTime): void {
    for (const listener of this.#listeners) listener({ ...event, at: this.#clock.now() } as DaemonEvent);
  }

  subscribe(listener: (event: DaemonEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Publishes the event after the commit of the current transaction. */
  record(event: MirrorEvent): void {
    if (this.#listeners.size === 0) return;
    if (this.#recorded.push(event) === 1) queueMicrotask(() => this.#publishRecorded());
  }

  #publishRecorded(): void {
    for (const event of this.#recorded.splice(0)) this.publish(toChangeEvent(event, this.#state));
  }
}

function toChangeEvent(event: MirrorEvent, state: ContentSource): Extract<EventWithoutTime, { kind: "change" }> {
  const { kind: what, side, id, path, outcome, detail, code, requestId, run } = event;
  const record = isDocId(id) ? state.record(id) : null;
  const eventFields = { what, side, id, path, outcome, detail, code, requestId };
  return { kind: "change", ...eventFields, changeId: record?.changeId ?? null, lines: countLines(event, state), run };
}

function countLines({ before, after }: MirrorEvent, state: ContentSource): ChangedLines | null {
  if (after === null || before === after) return null;
  const [textBefore, textAfter] = [before === null ? "" : state.text(before), state.text(after)];
  return textBefore === null || textAfter === null ? null : countChangedLines(textBefore, textAfter);
}

/** Counts the lines that only one of the two contents has. The order of lines does not matter. */
function countChangedLines(before: string, after: string): ChangedLines {
  const counts = new Map<string, number>();
  for (const line of splitLines(after)) counts.set(line, (counts.get(line) ?? 0) + 1);
  let removedCount = 0;
  for (const line of splitLines(before)) {
    const unmatchedCount = counts.get(line) ?? 0;
    if (unmatchedCount === 0) removedCount++;
    else counts.set(line, unmatchedCount - 1);
  }
  let addedCount = 0;
  for (const unmatchedCount of counts.values()) addedCount += unmatchedCount;
  return { added: addedCount, removed: removedCount };
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
