import { makeFolderCommand } from "../find-mirror.ts";
import { refuseOppositeRun, planSync, type RunRequest, type SyncPlan, USUAL_RUN } from "../../mirror/folder/run.ts";
import type { Command, CommandEnd, Io } from "../command.ts";
import { EXIT } from "../exit.ts";
import {
  ACTION_WORDS,
  describeAction,
  formatActionPath,
  formatOrigin,
  type PathLookup,
  readActionPath,
} from "../../mirror/operations/results/actions.ts";
import { TroubleError, unwrap } from "../../common/trouble.ts";
import { listStopSteps } from "../../mirror/operations/results/attention.ts";
import { makePathLookup, toPlanJson, findLargestFolders } from "../../mirror/operations/results/plan.ts";
import { formatStaysLocal } from "../show-attention.ts";
import { choosePaint, cutLines, formatColumns, type Paint, PLAIN_PAINT } from "../text.ts";
import { count, formatBytes, plural } from "../../common/quantities.ts";
import { listActionsOfStop } from "../../mirror/planner/verdict/stops.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import { REACH_OPTIONS, type ReachOptions, readReachOptions, withOpenedMirror } from "../use-mirror.ts";
import { compareByPath } from "../../mirror/model/by-path.ts";
import type { Action } from "../../mirror/model/action.ts";
import type { DocumentShare, RulesProposal } from "../../mirror/settings/ignore-rules.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";

type PlanOptions = ReachOptions & {
  /** True to show neither progress nor lines. */
  readonly quiet: boolean;
  /** True to print all names; false to print the first ten names of each group. */
  readonly all: boolean;
};

const MAX_NAMES = 10;

/**
 * Prints the plan of a sync, for `plan` and `sync --dry-run`. Writes nothing on either side (I23).
 * - exit code 3: a document is blocked
 * - exit code 4: a safety check would stop the sync
 * - exit code 5: the service is unreachable
 * - exit code 0: otherwise
 */
export function showPlan(io: Io, root: string, request: RunRequest, options: PlanOptions): Promise<CommandEnd> {
  const { quiet } = options;
  const mirrorOptions = { ...options, mode: "read", what: "plan" } as const;
  return withOpenedMirror(io, root, mirrorOptions, async (mirror) => {
    const oppositeDirection = refuseOppositeRun(mirror.config, request);
    if (oppositeDirection !== null) throw new TroubleError(oppositeDirection);
    const preview = unwrap(await planSync(mirror, request));
    const maxNames = options.all ? Number.POSITIVE_INFINITY : MAX_NAMES;
    const lines = quiet ? [] : [...formatPlan(preview, maxNames, choosePaint(io)), formatLastLine(preview)];
    const openExit = preview.open.length > 0 ? EXIT.attention : EXIT.inSync;
    const exit = preview.plan.verdict.kind === "safety-stop" ? EXIT.stopped : openExit;
    return { json: toPlanJson(preview), lines, exit };
  });
}

/** Returns the lines of a plan, except the last line, which says how to continue. */
export function formatPlan(
  { plan, open, oneWay, staysLocal, trees }: SyncPlan,
  most: number,
  paint: Paint = PLAIN_PAINT,
): string[] {
  const actions = plan.steps.map(({ action }) => action);
  const staysLine = formatStaysLocal(staysLocal);
  return [
    ...formatGroups(actions, most, makePathLookup(trees.base), paint),
    ...formatLargestFolders({ plan, trees }, most),
    ...formatLeftOut("not synced", oneWay, most),
    ...formatLeftOut(paint.asks("blocked"), open, most),
    ...(staysLine === null ? [] : [`  ${staysLine}`]),
    ...formatVerdict(plan.verdict, paint),
  ];
}

function formatLeftOut(label: string, left: SyncPlan["open"], most: number): string[] {
  if (left.length === 0) return [];
  const namedLines = left
    .toSorted(compareByPath)
    .map(
      ({ path, kind, detail, code, requestId }) =>
        `    ${shownName(path)}  (${kind}: ${shownWords(detail)}${formatOrigin(code, requestId)})`,
    );
  return [`  ${label}: ${count(left.length)}`, ...cutLines(namedLines, most, "    ")];
}

function formatLastLine({ plan, open }: SyncPlan): string {
  const steps = plan.steps.length;
  if (steps === 0)
    return `nothing to do${open.length === 0 ? "" : " except for blocked documents"}; nothing was written`;
  const allSteps = plural(steps, "step");
  if (plan.verdict.kind === "run") return `${allSteps}; nothing was written; carry them out: mdmirror sync`;
  const stoppedCount = listActionsOfStop(plan.verdict, plan.steps).length;
  const partClause = stoppedCount === steps ? "" : `, ${count(stoppedCount)} of them need your approval`;
  return `${allSteps}${partClause}; nothing was written; mdmirror sync changes nothing before you approve`;
}

function formatVerdict(verdict: SyncPlan["plan"]["verdict"], paint: Paint): string[] {
  if (verdict.kind === "run") return [];
  return [
    ...verdict.reasons.map(({ reason, detail }) => `  ${paint.bad("would stop")}: ${shownWords(detail)} (${reason})`),
    ...listStopSteps(verdict.reasons).map((way) => `  next: ${way}`),
  ];
}

/**
 * Returns a heading for each kind of action, and below it the first names in alphabetical order. An
 * arrow shows which side the action changes: `→` the service, `←` the local disk.
 * @param most number of names in each group; the other names are only counted
 */
function formatGroups(actions: readonly Action[], most: number, pathOf: PathLookup, paint: Paint): string[] {
  // Groups have the order of `ACTION_WORDS`. Some actions have a label that differs from the label
  // of their kind, such as an upload that goes to review; they come last within their kind.
  const kinds = Object.keys(ACTION_WORDS);
  const rankAction = (action: Action) =>
    kinds.indexOf(action.kind) + (describeAction(action) === ACTION_WORDS[action.kind] ? 0 : 0.5);
  const sortedActions = actions.toSorted((a, b) => rankAction(a) - rankAction(b));
  return [...Map.groupBy(sortedActions, describeAction)].flatMap(([words, all]) => {
    const namedLines = all
      .map((action) => ({
        path: readActionPath(action, pathOf),
        name: formatActionPath(action, pathOf),
        why: action.why,
      }))
      .sort(compareByPath)
      .map(({ name, why }) => `    ${name}${why === "" ? "" : `  (${shownWords(why)})`}`);
    const heading = paint[chooseBrush(all[0]!)](`${words.arrow} ${words.label}`);
    return [`  ${heading}: ${count(all.length)}`, ...cutLines(namedLines, most, "    ")];
  });
}

function chooseBrush({ kind }: Action): keyof Paint {
  if (/^(?:delete|trash|remove)-/.test(kind)) return "removed";
  return /^(?:create|make)-/.test(kind) ? "added" : "place";
}

/** LIMIT: number of folders that are printed, so that the output stays short. */
const MAX_FOLDERS = 5;

/**
 * Returns lines that name the folders with the most new documents. Returns no lines if the plan
 * already names all new documents.
 * @param namesPerGroup number of documents that the plan names in each group
 */
function formatLargestFolders(preview: Parameters<typeof findLargestFolders>[0], namesPerGroup: number): string[] {
  const newDocuments = preview.plan.steps.filter(({ action }) => action.kind === "create-remote").length;
  if (newDocuments <= namesPerGroup) return [];
  const rows = findLargestFolders(preview, MAX_FOLDERS).map((share) => {
    return [`    ${share.folder === "" ? "this folder itself" : `${shownName(share.folder)}/`}`, describeShare(share)];
  });
  return [`  most new documents on the service, of ${plural(newDocuments, "document")}:`, ...formatColumns(rows)];
}

/**
 * Returns a line for each proposed option `--gitignore` or `--ignore`, with the number and size of
 * the documents that the option would exclude.
 */
export function formatProposal(proposal: RulesProposal): string[] {
  const { gitignore, patterns } = proposal;
  const shares: DocumentShare[] = [...(gitignore === null ? [] : [gitignore]), ...patterns];
  return formatColumns(toProposalFlags(proposal).map((flag, index) => [`    ${flag}`, describeShare(shares[index]!)]));
}

/** Returns the options of `init` that accept a proposal, quoted for a shell. */
export function toProposalFlags({ gitignore, patterns }: RulesProposal): string[] {
  const ignoreFlags = patterns.map(({ pattern }) => `--ignore ${quoteForShell(pattern)}`);
  return gitignore === null ? ignoreFlags : ["--gitignore", ...ignoreFlags];
}

function describeShare({ documents, bytes }: DocumentShare): string {
  return `${plural(documents, "document")}, ${formatBytes(bytes)}`;
}

export const command: Command = {
  about: ["Scans both sides and shows the steps of the next sync. Writes nothing on either side or in .mdmirror/."],
  examples: ["mdmirror plan notes --all"],
  options: {
    json: { help: "print one JSON object with the steps, the blocked documents and the safety checks" },
    all: { help: "print every name (default: the first ten of each kind)" },
    ...REACH_OPTIONS,
  },
  ...makeFolderCommand(async (io, args, root) => {
    const options = { quiet: args.flag("json"), all: args.flag("all"), ...readReachOptions(io, args) };
    return showPlan(io, root, { ...USUAL_RUN, attended: io.terminal.output }, options);
  }),
};
