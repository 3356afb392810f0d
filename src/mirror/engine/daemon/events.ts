import type { DocId } from "../../../contract/ids.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { EventSide, MirrorEvent, State } from "../../ports/state.ts";
import type { Clock } from "../../../common/clock.ts";
import type { RunReport } from "../run/report.ts";
import type { DaemonPhase } from "./phase.ts";

/**
 * An event that `watch --json` prints. Never contains the content of documents (I30). `at`:
 * milliseconds since the epoch.
 */
export type DaemonEvent = { readonly at: number } & (
  | { readonly kind: "phase"; readonly phase: DaemonPhase }
  /** Event of the log: an effect, or something that the user should know. */
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
      /** Change id in the document's record after the effect; null without a record. */
      readonly changeId: string | null;
      /**
       * Number of changed lines; null if no content changed, or if it is not in the content store.
       */
      readonly lines: ChangedLines | null;
      readonly run: number;
    }
  /**
   * A run. Left out if it changed nothing, and if its state and its list of problems are those of
   * the run before it.
   */
  | { readonly kind: "run"; readonly report: RunReport }
  /**
   * A local deletion that waits for its delay (`deletion-pending`), or whose file came back
   * (`deletion-called-off`).
   * - `inConflict`: true if mdmirror will restore the file instead of deleting the document.
   * - `asks`: true if a safety check will stop the sync when the deletions are due.
   */
  | {
      readonly kind: "deletion-pending";
      readonly path: LocalPath;
      readonly dueAt: number;
      readonly inConflict: boolean;
      readonly asks: boolean;
    }
  | { readonly kind: "deletion-called-off"; readonly path: LocalPath }
  /** The system allows no more watches, so the folder is scanned at each poll. Published once. */
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

  /** @returns a function that removes the listener */
  subscribe(listener: (event: DaemonEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Publishes the event when its transaction is committed. */
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
  const record = id?.startsWith("doc_") === true ? state.record(id as DocId) : null;
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
    const unmatched = counts.get(line) ?? 0;
    if (unmatched === 0) removedCount++;
    else counts.set(line, unmatched - 1);
  }
  let addedCount = 0;
  for (const unmatched of counts.values()) addedCount += unmatched;
  return { added: addedCount, removed: removedCount };
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
