import { existsSync, realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../common/clock.ts";
import type { MirrorOptions, OpenedMirror, ProcessContext } from "../mirror/folder/open-mirror.ts";
import { systemRandom } from "../common/random.ts";
import { ok, refuse, type Result, unwrap } from "../common/trouble.ts";
import { findValueFault, SETTINGS } from "../mirror/settings/settings.ts";
import { examineFolder, readOwnership, refuseForeignFolder } from "../mirror/trust/owner.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { MdmirrorError, withLibraryErrors } from "./error.ts";
import type { Mirror, MirrorPlan, MirrorWatch, OpenOptions, Operations, WatchEvent } from "./types.ts";
import type { OperationName } from "../mirror/operations/declared/table.ts";
import type { Declaration, InputOf, ReadDeclaration } from "../mirror/operations/define.ts";
import type { Operation, ReadOperation } from "../mirror/operations/run-operation.ts";
import { OPERATIONS } from "../mirror/operations/table.ts";
import { makeStoppable } from "../mirror/model/stoppable.ts";
import type { FolderEvent } from "../mirror/daemon/folder-events.ts";
import { toPublicKind } from "../mirror/operations/results/actions.ts";
import { toReportJson, toStatusJson } from "../mirror/operations/results/report.ts";

/**
 * Parts of the calling program that the methods of a linked folder use, such as its environment
 * variables.
 */
export type CallEnvironment = ProcessContext & Pick<MirrorOptions, "url" | "keyFile">;

/**
 * Returns the environment for calls of the library. The option `key` becomes the environment
 * variable `MDMIRROR_API_KEY`.
 */
export function makeEnvironment({ url, key, keyFile, env = process.env }: OpenOptions): CallEnvironment {
  return {
    env: key === undefined ? env : { ...env, MDMIRROR_API_KEY: key },
    cwd: process.cwd(),
    clock: systemClock(),
    random: systemRandom(),
    url: url ?? null,
    keyFile: keyFile ?? null,
  };
}

/**
 * Throws if this user must not work in a folder. Under `sudo`, also throws for a folder of the user
 * who called `sudo`. A command would continue as that user, but a library must not change the user
 * of its process.
 */
export function checkOwner(folder: string, env: CallEnvironment["env"]): void {
  const ownership = readOwnership(folder, env);
  if (ownership.kind === "foreign") unwrap(refuseForeignFolder(ownership));
  if (ownership.kind === "by-sudo") {
    const message = `${folder} belongs to user ${ownership.caller.uid}, who called sudo, and this process is root`;
    const nextStep = "run the program as that user: its files in the folder would belong to root";
    refuse(message, nextStep, "foreign-owner");
  }
  unwrap(examineFolder(folder));
}

/**
 * Throws if a program passed an unknown direction; without this check, mdmirror would sync both
 * sides.
 */
export function checkDirection(direction: unknown): void {
  const directionFault = findValueFault("direction", SETTINGS.direction, direction);
  if (directionFault !== null) refuse(directionFault, "give one of these, or none");
}

/** Returns the real path. Throws a TroubleError with code `not-a-mirror` or `foreign-owner`. */
export function findRoot(dir: string, env: CallEnvironment["env"]): string {
  const absolutePath = resolve(dir);
  if (!existsSync(join(absolutePath, MIRROR_FOLDER))) {
    const nextStep = "link it: linkMirror(dir, { url, key }), or mdmirror init";
    const message = `${absolutePath} is not a linked folder: it has no ${MIRROR_FOLDER}/`;
    refuse(message, nextStep, "not-a-mirror");
  }
  const root = realpathSync(absolutePath);
  checkOwner(root, env);
  return root;
}

/**
 * Runs the calls of one linked folder. Each call opens and closes the folder, so nothing stays open
 * between two calls.
 */
export class MirrorSession {
  readonly root: string;
  readonly environment: CallEnvironment;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(root: string, environment: CallEnvironment) {
    this.root = root;
    this.environment = environment;
  }

  /** Runs one call. Throws if the folder was closed. Errors of the call name `path`. */
  async run<T>(path: string, work: () => T | Promise<T>): Promise<T> {
    if (this.closing.aborted) {
      throw new MdmirrorError({
        kind: "closed",
        code: "closed",
        path: this.root,
        next: "open it again: openMirror",
        message: "the linked folder is closed",
      });
    }
    const runningCall = withLibraryErrors(path, () => {
      // The owner of the folder may have changed since the last call.
      checkOwner(this.root, this.environment.env);
      return work();
    });
    this.#underWay.add(runningCall);
    try {
      return await runningCall;
    } finally {
      this.#underWay.delete(runningCall);
    }
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Closes the folder. Refuses all later calls, and resolves when no call is active. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
  }
}

export function makeMirror(session: MirrorSession): Mirror {
  const { root, environment } = session;
  const close = () => session.close();
  return {
    ...makeOperations(session),
    root,
    status: () =>
      session.run(root, async () => {
        const { computeAge, readFolderStatus } = await import("../mirror/folder/status.ts");
        const { status } = unwrap(await readFolderStatus(root, environment));
        return toStatusJson(status, computeAge(status, environment.clock.now()));
      }),
    plan: () =>
      session.run(root, async () => {
        const { withMirror } = await import("../mirror/folder/open-mirror.ts");
        return unwrap(await withMirror(root, { ...environment, mode: "read", what: "plan" }, makePlan));
      }),
    sync: ({ direction = "both", maxDeletes, attended = false, signal } = {}) =>
      session.run(root, async () => {
        const { syncMirror } = await import("../mirror/operations/manual/sync.ts");
        checkDirection(direction);
        const request = { direction, maxDeletes: maxDeletes ?? null, attended };
        const stoppable = signal === undefined ? {} : { stoppable: makeStoppable(signal) };
        const { report } = unwrap(await syncMirror(root, request, { ...environment, ...stoppable }));
        return toReportJson(report);
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
      const { runOperation, runReadOperation } = await import("../mirror/operations/run-operation.ts");
      const { root, environment } = session;
      const operation: unknown = await OPERATIONS[name]();
      const operationResult = isReadOperation(operation)
        ? await runReadOperation(root, operation, input, environment)
        : await runOperation(root, operation as Operation<Declaration, unknown>, input, environment);
      return unwrap<unknown>(operationResult);
    });
}

function isReadOperation(operation: unknown): operation is ReadOperation<ReadDeclaration> {
  return (operation as { readonly declared: Declaration | ReadDeclaration }).declared.access !== "write";
}

async function makePlan(mirror: OpenedMirror): Promise<Result<MirrorPlan>> {
  const { planSync, makeStoppedRequest } = await import("../mirror/folder/run.ts");
  const { toPlanJson } = await import("../mirror/operations/results/plan.ts");
  const { findStop } = await import("../mirror/operations/manual/answer-stop.ts");
  const planResult = await planSync(mirror, makeStoppedRequest(mirror, false));
  if (planResult.kind === "trouble") return planResult;
  const { steps, blocked, verdict } = toPlanJson(planResult.value);
  const stopResult = findStop(mirror, planResult.value);
  const version = stopResult.kind === "ok" ? stopResult.value.stop.version : null;
  return ok({ steps, blocked, safetyStop: verdict.kind === "run" ? null : { reasons: verdict.reasons, version } });
}

/** LIMIT: number of unread events that are kept, so that a slow reader cannot fill the memory. */
const MAX_UNREAD = 1_000;

/**
 * Starts a watch, and keeps the watch's events until the caller reads them.
 * @param run syncs the folder until the signal aborts; rejects if the folder cannot be watched
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
  // `stop` waits for this promise. The promise ignores an error of the watch, because the loop over
  // the events already throws the error.
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
