import { checkDirection, type MirrorSession } from "./session.ts";
import type { Mirror, MirrorPlan, MirrorWatch, Operations } from "./types.ts";
import type { OperationName } from "../mirror/operations/declared/table.ts";
import type { Declaration, InputOf, ReadDeclaration } from "../mirror/operations/define.ts";
import type { Operation, ReadOperation } from "../mirror/operations/run-operation.ts";
import { OPERATIONS } from "../mirror/operations/table.ts";
import { ok, type Result, unwrap } from "../common/trouble.ts";
import type { OpenedMirror } from "../mirror/folder/open-mirror.ts";
import { makeStoppable } from "../mirror/model/stoppable.ts";
import { startWatch } from "./watch.ts";

export function makeMirror(session: MirrorSession): Mirror {
  const { root, environment } = session;
  const close = () => session.close();
  return {
    ...makeOperations(session),
    root,
    status: () =>
      session.run(root, async () => {
        const { computeAge: ageOf, readFolderStatus } = await import("../mirror/folder/status.ts");
        const { toStatusJson: statusJson } = await import("../mirror/operations/results/status.ts");
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
