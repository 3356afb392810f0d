import type { FolderEvent } from "../mirror/daemon/folder-events.ts";
import { toPublicKind } from "../mirror/operations/results/actions.ts";
import { toReportJson } from "../mirror/operations/results/report.ts";
import type { MirrorWatch, WatchEvent } from "./watch-types.ts";

/** LIMIT: number of unread events that are kept, so that a slow reader cannot fill the memory. */
const MAX_UNREAD = 1_000;

/**
 * Starts a watch. Keeps its events until the caller reads them.
 * @param run syncs the folder until its signal aborts; rejects if the folder cannot be watched
 */
export function startWatch(
  run: (onEvent: (event: FolderEvent) => void, stop: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): MirrorWatch {
  const stopController = new AbortController();
  const unreadEvents: WatchEvent[] = [];
  let [missed, isOver] = [0, false];
  let wakeReader = Promise.withResolvers<void>();
  const takeEvent = (event: FolderEvent) => {
    unreadEvents.push(toWatchEvent(event));
    if (unreadEvents.length > MAX_UNREAD) {
      unreadEvents.shift();
      missed++;
    }
    wakeReader.resolve();
  };
  const runningWatch = run(takeEvent, AbortSignal.any([stopController.signal, signal])).finally(() => {
    isOver = true;
    wakeReader.resolve();
  });
  // `stop` waits for this promise. It hides an error of the watch, because the loop over the events
  // already throws the error.
  const watchEnd = runningWatch.catch(() => undefined);
  const stop = async () => {
    stopController.abort();
    await watchEnd;
  };
  async function* readEvents(): AsyncGenerator<WatchEvent, undefined> {
    for (;;) {
      const event = unreadEvents.shift();
      const missedCount = missed;
      missed = 0;
      if (missedCount > 0) yield { kind: "missed", at: event!.at, count: missedCount };
      if (event !== undefined) yield event;
      else if (isOver) {
        await runningWatch;
        return;
      } else {
        await wakeReader.promise;
        wakeReader = Promise.withResolvers();
      }
    }
  }
  return Object.assign(readEvents(), {
    stop,
    async return() {
      await stop();
      return { done: true as const, value: undefined };
    },
    [Symbol.asyncDispose]: stop,
  });
}

function toWatchEvent(event: FolderEvent): WatchEvent {
  const { at } = event;
  switch (event.kind) {
    case "run":
      return { kind: "run", at, report: toReportJson(event.report) };
    case "phase": {
      const { phase } = event;
      return { kind: "phase", at, phase: phase.kind, detail: "detail" in phase ? phase.detail : "" };
    }
    case "change": {
      const { lines, run: _run, changeId: _changeId, ...rest } = event;
      const [added, removed] = [lines?.added ?? null, lines?.removed ?? null];
      return { ...rest, what: toPublicKind(event.what), added, removed };
    }
    case "deletion-pending":
      return { kind: "deletion-pending", at, path: event.path, dueAt: event.dueAt, asks: event.asks };
    case "broken": {
      const { kind, what, code, next } = event.trouble;
      return { kind: "broken", at, retryMs: event.retryMs, code: code ?? kind, message: what, next };
    }
    default:
      return event;
  }
}
