import { type LocalMirror, withLocal } from "../folder/open-local.ts";
import { type MirrorOptions, type OpenedMirror, type HostOptions, withMirror } from "../folder/open-mirror.ts";
import { type RunReport, runSync, USUAL_RUN } from "../folder/run.ts";
import type { Stoppable } from "../ports/world.ts";
import { makeStoppable } from "../model/stoppable.ts";
import { ok, refusal, type Result, trouble } from "../../common/trouble.ts";
import type {
  Answer,
  Declaration,
  InputOf,
  Question,
  ReadDeclaration,
  ReadInput,
  ResultOf,
  ResultWithSync,
} from "./define.ts";
import { readInput } from "./read-input.ts";
import { findStepWithoutUndo, NEXT_WITHOUT_ROOT } from "./results/attention.ts";
import { checkRoot } from "../engine/run/guard-facts.ts";
import { toReportJson } from "./results/report.ts";

export type Operation<D extends Declaration, Plan> = {
  readonly declared: D;
  readonly plan: (mirror: OpenedMirror, input: ReadInput<D>) => Result<Plan> | Promise<Result<Plan>>;
  /**
   * Returns false if the plan changes nothing. If undefined, a plan without items in its preview
   * changes nothing.
   */
  readonly hasWork?: (plan: Plan) => boolean;
  /** Returns the current versions, under the names that they have in the input's `expected`. */
  readonly seen?: (mirror: OpenedMirror, plan: Plan, isDry: boolean) => ExpectedVersions | Promise<ExpectedVersions>;
  readonly preview: (plan: Plan) => ResultOf<D>;
  /** @param stop signal; after it aborts, no further step may start */
  readonly run: (mirror: OpenedMirror, plan: Plan, stop: AbortSignal) => Promise<Result<ResultOf<D>>>;
};

type ExpectedVersions = Readonly<Record<string, string | null>>;

type FrontEndSteps<Plan, Output> = {
  /** Asks the user whether to carry out the plan. The answer false ends the operation. */
  readonly agree?: (plan: Plan) => Promise<boolean>;
  /** Runs after the operation's own changes, and before the sync. */
  readonly beforeSync?: (plan: Plan, result: Output) => void;
  readonly stoppable?: Stoppable;
};

type OperationEnd<Plan, Output> =
  | { readonly kind: "declined" }
  /** The caller asked for a dry run, or the plan changes nothing. */
  | { readonly kind: "planned"; readonly plan: Plan; readonly result: Output }
  | {
      readonly kind: "done";
      readonly plan: Plan;
      readonly result: Output;
      readonly isStopped: boolean;
      readonly report: RunReport | null;
    };

/**
 * Plans an operation and carries out the plan. Syncs afterwards if a document was changed.
 * @param input result of `readInput`
 */
export async function carryOut<D extends Declaration, Plan>(
  operation: Operation<D, Plan>,
  mirror: OpenedMirror,
  input: ReadInput<D>,
  steps: FrontEndSteps<Plan, ResultOf<D>> = {},
): Promise<Result<OperationEnd<Plan, ResultOf<D>>>> {
  const rootTrouble = operation.declared.isForNextSync === true ? null : checkLinkedRoot(mirror);
  if (rootTrouble !== null) return rootTrouble;
  const planResult = await operation.plan(mirror, input);
  if (planResult.kind === "trouble") return planResult;
  const plan = planResult.value;
  const preview = operation.preview(plan);
  const plannedEnd = ok({ kind: "planned", plan, result: preview } as const);
  const hasWork = operation.hasWork?.(plan) ?? preview.items.length > 0;
  if (!hasWork) return plannedEnd;
  if (input.expected !== undefined) {
    const changedVersions = listChangedVersions(
      (await operation.seen?.(mirror, plan, input.dryRun === true)) ?? {},
      input.expected,
    );
    if (changedVersions.length > 0) return refuseStaleInput(changedVersions);
  }
  if (input.dryRun === true) return plannedEnd;
  if (steps.agree !== undefined && !(await steps.agree(plan))) return ok({ kind: "declined" });
  return performPlan(operation, mirror, plan, steps, input.noSync !== true);
}

/** Returns trouble if another folder is at the linked folder's path: nothing may be written. */
function checkLinkedRoot({ world }: OpenedMirror): Result<never> | null {
  const { root } = checkRoot(world);
  if (root === "same") return null;
  const nextStep = root === "moved-or-copied" ? findStepWithoutUndo("root-moved-or-copied") : NEXT_WITHOUT_ROOT;
  return refusal(`nothing was done: the linked folder changed identity (${root})`, nextStep, "lost-root");
}

async function performPlan<D extends Declaration, Plan>(
  operation: Operation<D, Plan>,
  mirror: OpenedMirror,
  plan: Plan,
  { beforeSync, stoppable }: FrontEndSteps<Plan, ResultOf<D>>,
  syncs: boolean,
): Promise<Result<OperationEnd<Plan, ResultOf<D>>>> {
  const { value: done, isStopped } = await (stoppable ?? NEVER_STOPPED)((stop) => operation.run(mirror, plan, stop));
  if (done.kind === "trouble") return done;
  const result = done.value;
  beforeSync?.(plan, result);
  const isSyncDue = syncs && !isStopped && result.items.some(({ end }) => end === "done");
  const isLeftToNextSync = operation.declared.isForNextSync === true || !isSyncDue;
  const report = isLeftToNextSync ? null : await runSync(mirror, USUAL_RUN, "sync", stoppable);
  return ok({ kind: "done", plan, result, isStopped, report });
}

const NEVER_STOPPED = makeStoppable(new AbortController().signal);

function listChangedVersions(seen: ExpectedVersions, expected: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(expected).filter((name) => expected[name] !== undefined && expected[name] !== seen[name]);
}

const VERSION_WORDS: Readonly<Record<string, string>> = {
  local: "the local file",
  version: "the version with this number",
  mine: "the local file",
  theirs: "the version on the service",
  base: "the last version that both sides had",
  stop: "the stop",
  plan: "the plan",
};

function refuseStaleInput(changed: readonly string[]): Result<never> {
  const versionNames = changed.map((name) => VERSION_WORDS[name] ?? name).join(" and ");
  const nextStep = "read the present versions, and choose again";
  return trouble("usage", `nothing was written: ${versionNames} changed since it was read`, nextStep, {
    code: "stale",
    changed,
  });
}

/** Returns the operation's result as JSON for `--json`, the library and the tools for agents. */
export function toOperationJson<D extends Declaration>(
  end: Exclude<OperationEnd<unknown, ResultOf<D>>, { kind: "declined" }>,
): ResultWithSync<D> {
  const report = end.kind === "done" ? end.report : null;
  return { ...end.result, sync: report === null ? null : toReportJson(report) };
}

/**
 * Carries out an operation in a linked folder without a question to the user. If only a person may
 * decide, the caller has to pass the versions that the person saw.
 */
export async function runOperation<D extends Declaration, Plan>(
  root: string,
  operation: Operation<D, Plan>,
  given: InputOf<D>,
  options: HostOptions & Pick<FrontEndSteps<Plan, ResultOf<D>>, "stoppable">,
): Promise<Result<ResultWithSync<D>>> {
  const inputResult = readInput(operation.declared, given);
  if (inputResult.kind === "trouble") return inputResult;
  const input = inputResult.value;
  const { isForPeople, expected } = operation.declared;
  if (isForPeople === true && expected !== undefined && input.dryRun !== true && input.expected === undefined)
    return refusal("expected is not given, so nobody has seen what it would do", "read the plan first");
  const mode = input.dryRun === true ? "read" : operation.declared.access;
  const { stoppable } = options;
  return withMirror(root, { ...options, mode, what: operation.declared.name }, async (mirror) => {
    const operationEnd = await carryOut(operation, mirror, input, stoppable === undefined ? {} : { stoppable });
    if (operationEnd.kind === "trouble") return operationEnd;
    if (operationEnd.value.kind === "declined") throw new Error("an operation was declined, and nobody was asked");
    return ok(toOperationJson<D>(operationEnd.value));
  });
}

type ReadOptions = HostOptions &
  Pick<MirrorOptions, "url" | "keyFile"> & {
    /**
     * Receives messages for the user about the opening of the folder, for example about a damaged
     * state file.
     */
    readonly onNotes?: (notes: readonly string[]) => void;
  };

export type ReadOperation<D extends ReadDeclaration> = {
  readonly declared: D;
  /**
   * @param root absolute path of a folder of this user that has `.mdmirror/`
   * @param input result of `readInput`
   */
  readonly read: (root: string, input: Question<D>, options: ReadOptions) => ReadResult<D>;
};

type ReadResult<D extends ReadDeclaration> = Result<Answer<D>> | Promise<Result<Answer<D>>>;

/** Defines an operation that reads the state file and the local files, and sends no request. */
export function defineLocalRead<D extends ReadDeclaration>(
  declared: D,
  read: (mirror: LocalMirror, input: Question<D>, options: ReadOptions) => Result<Answer<D>>,
): ReadOperation<D> {
  return {
    declared,
    read: (root, input, options) => withLocal(root, options, (mirror) => read(mirror, input, options)),
  };
}

export function defineOnlineRead<D extends ReadDeclaration>(
  declared: D,
  read: (mirror: OpenedMirror, input: Question<D>) => ReadResult<D>,
): ReadOperation<D> {
  return {
    declared,
    read: (root, input, options) =>
      withMirror(root, { ...options, mode: "read", what: declared.name }, (mirror) => {
        options.onNotes?.(mirror.notes);
        return read(mirror, input);
      }),
  };
}

export async function runReadOperation<D extends ReadDeclaration>(
  root: string,
  { declared, read }: ReadOperation<D>,
  given: unknown,
  options: ReadOptions,
): Promise<Result<Answer<D>>> {
  const input = readInput(declared, given);
  return input.kind === "trouble" ? input : read(root, input.value, options);
}

export function omitContents({ contents = [] }: ReadDeclaration, result: object): object {
  const textWithoutContents = JSON.stringify(result, (name, value: unknown) =>
    contents.includes(name) ? undefined : value,
  );
  return JSON.parse(textWithoutContents) as object;
}
