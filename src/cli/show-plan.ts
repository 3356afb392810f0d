import { faultTrouble } from "../mirror/folder/fault-trouble.ts";
import { oppositeTrouble, type Preview, previewSync, type RunRequest } from "../mirror/folder/run.ts";
import type { Io } from "./command.ts";
import { originClause } from "../mirror/operations/results/origin.ts";
import { complain } from "./complain.ts";
import { nextOfStop } from "../mirror/operations/results/attention.ts";
import { pathsOf, planJson } from "../mirror/operations/results/plan.ts";
import { groupLines, stayLine } from "./describe.ts";
import { EXIT, type ExitCode } from "./exit.ts";
import { type Paint, paintFor, PLAIN } from "./paint.ts";
import { count, plural } from "../common/count.ts";
import { actionsOfStop } from "../mirror/planner/verdict/stops.ts";
import { jsonLine } from "./json-line.ts";
import { largestLines } from "./show-largest.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import { type Reach, useMirror } from "./use-mirror.ts";
import { byPath } from "../mirror/model/by-path.ts";
import { firstLines } from "./when.ts";

type PlanOptions = {
  readonly json: boolean;
  readonly quiet: boolean;
  /** True to show all names, not only the first ten of each group. */
  readonly all: boolean;
} & Reach;

const MOST = 10;

/**
 * Prints what a sync would do, for `plan` and `sync --dry-run`. Writes nothing on either side
 * (I23). Exit codes: 0; 3 if a problem would stay open; 4 if a safety check would stop the sync; 5
 * offline.
 */
export function showPlan(io: Io, root: string, request: RunRequest, options: PlanOptions): Promise<ExitCode> {
  const { json, quiet } = options;
  const use = { ...options, mode: "read", what: "plan", quiet: quiet || json } as const;
  return useMirror(io, root, use, async (mirror) => {
    const opposite = oppositeTrouble(mirror.config, request);
    if (opposite !== null) return complain(io, opposite);
    const preview = await previewSync(mirror, request);
    if (preview.kind === "offline") return complain(io, faultTrouble(preview.fault, mirror.url));
    tellPlan(io, preview, options);
    if (preview.plan.verdict.kind === "safety-stop") return EXIT.stopped;
    return preview.open.length > 0 ? EXIT.attention : EXIT.inSync;
  });
}

function tellPlan(io: Io, preview: Planned, { json, quiet, all }: PlanOptions): void {
  if (json) io.out(jsonLine(planJson(preview)));
  else if (!quiet)
    for (const line of planLines(preview, all ? Number.POSITIVE_INFINITY : MOST, paintFor(io))) io.out(line);
}

type Planned = Extract<Preview, { kind: "planned" }>;

export function planLines(
  { plan, open, oneWay, staysLocal, trees }: Planned,
  most: number,
  paint: Paint = PLAIN,
): string[] {
  const actions = plan.steps.map(({ action }) => action);
  const stays = stayLine(staysLocal);
  return [
    ...groupLines(actions, most, pathsOf(trees.base), paint),
    ...largestLines({ plan, trees }, most),
    ...leftLines("not synced", oneWay, most),
    ...leftLines(paint.asks("blocked"), open, most),
    ...(stays === null ? [] : [`  ${stays}`]),
    ...verdictLines(plan.verdict, paint),
    endLine(plan, open.length),
  ];
}

/** Returns lines about changes that a sync would leave as they are. */
function leftLines(label: string, left: Planned["open"], most: number): string[] {
  if (left.length === 0) return [];
  const named = left
    .toSorted(byPath)
    .map(
      ({ path, kind, detail, code, requestId }) =>
        `    ${shownName(path)}  (${kind}: ${shownWords(detail)}${originClause(code, requestId)})`,
    );
  return [`  ${label}: ${count(left.length)}`, ...firstLines(named, most, "    ")];
}

function endLine(plan: Planned["plan"], held: number): string {
  const steps = plan.steps.length;
  if (steps === 0) return `nothing to do${held === 0 ? "" : " except for blocked documents"}; nothing was written`;
  const all = plural(steps, "step");
  if (plan.verdict.kind === "run") return `${all}; nothing was written; carry them out: mdmirror sync`;
  const asked = actionsOfStop(plan.verdict, plan.steps).length;
  const part = asked === steps ? "" : `, ${count(asked)} of them need your approval`;
  return `${all}${part}; nothing was written; mdmirror sync changes nothing before you approve`;
}

function verdictLines(verdict: Planned["plan"]["verdict"], paint: Paint): string[] {
  if (verdict.kind === "run") return [];
  return [
    ...verdict.reasons.map(({ reason, detail }) => `  ${paint.bad("would stop")}: ${shownWords(detail)} (${reason})`),
    ...nextOfStop(verdict.reasons).map((way) => `  next: ${way}`),
  ];
}
