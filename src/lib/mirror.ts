import { checkDirection, type MirrorSession } from "./session.ts";
import type { Mirror, MirrorPlan, MirrorWatch, Operations, WatchEvent } from "./types.ts";
import type { OperationName } from "../mirror/operations/declared/table.ts";
import type { Declaration, InputOf, ReadDeclaration } from "../mirror/operations/define.ts";
import type { Operation, ReadOperation } from "../mirror/operations/run-operation.ts";
import { OPERATIONS } from "../mirror/operations/table.ts";
import { ok, type Result, unwrap } from "../common/trouble.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { makeStoppable } from "../mirror/model/stoppable.ts";
import type { FolderEvent } from "../mirror/daemon/folder-events.ts";
import { toPublicKind } from "../mirror/operations/results/actions.ts";
import { toReportJson } from "../mirror/operations/results/report.ts";

export function makeMirror(session: MirrorSession): Mirror {
  const { root, environment } = session;
  const close = () => session.close();
  return {
    ...makeOperations(session),
    root,
    status: () =>
      session.run(root, async () => {
        const { computeAge: ageOf, readFolderStatus } = await import("../mirror/folder/status.ts");
        const { toStatusJson: statusJson } = await import("../mirror/operations/results/report.ts");
        const { status } = unwrap(await readFolderStatus(root, environment));
        return statusJson(status, ageOf(status, environment.clock.now()));
      }),
    plan: () =>
      session.run(root, async () => {
        const { withMirror } = await import("../mirror/folder/open-mirror.ts");
        return unwrap(await withMirror(root, { ...environment, mode: "read", what: "plan" }, makePlan));
      }),
    sync: ({ direction = "both", maxDeletes, attended = false, signal } = {}) =>
      session.run(root, async () => {
        const { syncMirror } = await import("../mirror/operations/manual/sync.ts");
        const { toReportJson: reportJson } = await import("../mirror/operations/results/report.ts");
        checkDirection(direction);
        const request = { direction, maxDeletes: maxDeletes ?? null, attended };
        const stoppable = signal === undefined ? {} : { stoppable: makeStoppable(signal) };
        const { report } = unwrap(await syncMirror(root, request, { ...environment, ...stoppable }));
        return reportJson(report);
      }),
    watch: ({ signal } = {}) => startMirrorWatch(session, signal),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function startMirrorWatch(session: MirrorSession, signal: AbortSignal | undefined): MirrorWatch {
  const { root, environment, closing } = session;
  const { NOTIFY_SOCKET: _socket, WATCHDOG_USEC: _watchdog, ...env } = environment.env;
  return startWatch(
    (onEvent, stop) =>
      session.run(root, async () => {
        const { runDaemons } = await import("../mirror/daemon/daemon.ts");
        const quietEnvironment = { ...environment, env, onNote: () => undefined };
        unwrap(await runDaemons([root], { ...quietEnvironment, onEvent: (_root, event) => onEvent(event) }, stop));
      }),
    signal === undefined ? closing : AbortSignal.any([closing, signal]),
  );
}

function makeOperations(session: MirrorSession): Operations {
  const methods = Object.keys(OPERATIONS).map((name) => [name, makeMethod(session, name as OperationName)]);
  return Object.fromEntries(methods) as Operations;
}

function makeMethod(session: MirrorSession, name: OperationName) {
  return (input: InputOf<Declaration>) =>
    session.run(session.root, async () => {
      const { runOperation, runReadOperation: runRead } = await import("../mirror/operations/run-operation.ts");
      const { root, environment } = session;
      const operation: unknown = await OPERATIONS[name]();
      const operationResult = isReadOperation(operation)
        ? await runRead(root, operation, input, environment)
        : await runOperation(root, operation as Operation<Declaration, unknown>, input, environment);
      return unwrap<unknown>(operationResult);
    });
}

function isReadOperation(operation: unknown): operation is ReadOperation<ReadDeclaration> {
  return (operation as { readonly declared: Declaration | ReadDeclaration }).declared.access !== "write";
}

async function makePlan(mirror: OpenedMirror): Promise<Result<MirrorPlan>> {
  const { planSync, makeStoppedRequest: requestOfStoppedRun } = await import("../mirror/folder/run.ts");
  const { toPlanJson: planJson } = await import("../mirror/operations/results/plan.ts");
  const { findStop: stopOf } = await import("../mirror/operations/manual/answer-stop.ts");
  const planResult = await planSync(mirror, requestOfStoppedRun(mirror, false));
  if (planResult.kind === "trouble") return planResult;
  const { steps, blocked, verdict } = planJson(planResult.value);
  const stopResult = stopOf(mirror, planResult.value);
  const version = stopResult.kind === "ok" ? stopResult.value.stop.version : null;
  return ok({ steps, blocked, safetyStop: verdict.kind === "run" ? null : { reasons: verdict.reasons, version } });
}

/** LIMIT: number of unread events that are kept, so that a slow reader cannot fill the memory. */
const MAX_UNREAD = 1_000;

/**
 * Starts a watch. Keeps its events until the caller reads them.
 * @param run syncs the folder until its signal aborts; rejects if the folder cannot be watched
 */
function startWatch(
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
