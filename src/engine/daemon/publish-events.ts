import type { DocId } from "../../contract/ids.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import type { DaemonEvent } from "./events.ts";

type Lines = { readonly added: number; readonly removed: number };
type Untimed = DaemonEvent extends infer Event ? (Event extends DaemonEvent ? Omit<Event, "at"> : never) : never;

/** Who listens to the daemon. Nothing is worked out while nobody does. */
export type EventPublisher = {
  tell(event: Untimed): void;
  listen(listener: (event: DaemonEvent) => void): () => void;
  /** A line of the event log, told once the transaction that wrote it is over. */
  record(event: MirrorEvent): void;
};

export function createEventPublisher(now: () => number, state: Pick<State, "link" | "text">): EventPublisher {
  const listeners = new Set<(event: DaemonEvent) => void>();
  const recorded: MirrorEvent[] = [];

  function tell(event: Untimed): void {
    for (const listener of listeners) listener({ ...event, at: now() } as DaemonEvent);
  }

  function tellRecorded(): void {
    for (const event of recorded.splice(0)) tell({ kind: "change", ...describe(event, state) });
  }

  return {
    tell,
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    record(event) {
      if (listeners.size === 0) return;
      if (recorded.push(event) === 1) queueMicrotask(tellRecorded);
    },
  };
}

function describe(event: MirrorEvent, state: Pick<State, "link" | "text">) {
  const { side, id, path, outcome, detail, code, requestId, run } = event;
  const link = id?.startsWith("doc_") === true ? state.link(id as DocId) : null;
  const lines = countLines(event, state);
  return {
    what: event.kind,
    side,
    id,
    path,
    outcome,
    detail,
    code,
    requestId,
    changeId: link?.changeId ?? null,
    lines,
    run,
  };
}

function countLines({ before, after }: MirrorEvent, state: Pick<State, "text">): Lines | null {
  if (after === null || before === after) return null;
  const [was, is] = [before === null ? "" : state.text(before), state.text(after)];
  return was === null || is === null ? null : linesBetween(was, is);
}

/** Lines that one text has and the other has not, whatever their order. */
export function linesBetween(was: string, is: string): Lines {
  const counts = new Map<string, number>();
  for (const line of split(is)) counts.set(line, (counts.get(line) ?? 0) + 1);
  let removed = 0;
  for (const line of split(was)) {
    const left = counts.get(line) ?? 0;
    if (left === 0) removed++;
    else counts.set(line, left - 1);
  }
  let added = 0;
  for (const left of counts.values()) added += left;
  return { added, removed };
}

function split(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
