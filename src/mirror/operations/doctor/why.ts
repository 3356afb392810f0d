import type { Block, Conflict, DocumentRecord, FolderRecord } from "../../model/record.ts";
import type { Plan } from "../../planner/plan-types.ts";
import { ancestorsOf, isBelow, type LocalPath } from "../../../contract/path.ts";
import type { Disk, PathState } from "../../ports/disk.ts";
import type { Fault } from "../../ports/remote.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import type { BaseTree, LocalTree, RemoteFile, Trees, UnsyncedEntry } from "../../model/tree.ts";
import { type SyncProblem, makeBlockProblem } from "../../engine/run/report.ts";
import { findDocument, findRecordAt, readEvents } from "../history/lookup.ts";
import { findRecordOfCopy } from "../manual/problem.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { collectMergeFacts, type MergeFacts, readMerge, readOrigins } from "../history/origins.ts";
import { previewSync, type SyncPlan, USUAL_RUN } from "../../folder/run.ts";
import { type Action, getSubject } from "../../model/action.ts";
import { count, formatAge, plural } from "../../../common/quantities.ts";
import { shownName, shownWords } from "../../../common/shown-words.ts";
import { describeAction, formatActionPath, formatEvent, formatOrigin } from "../results/actions.ts";
import { findNextStep } from "../results/attention.ts";
import { formatByteCount, formatLocalTime } from "../results/times.ts";

/** Facts that `why` reports about a path, without writing anything (I23). */
export type PathExplanation = PlanFacts & {
  readonly path: LocalPath;
  /** Current or last path of the document that was at this path earlier; null if there was none. */
  readonly former: LocalPath | null;
  readonly record: DocumentRecord | null;
  readonly folder: FolderRecord | null;
  readonly atPath: PathState;
  readonly conflict: Conflict | null;
  readonly blocked: Block | null;
  /** Open problem of the path, as reports show it; null if there is none. */
  readonly open: SyncProblem | null;
  readonly blockedBelow: readonly Pick<Block, "path" | "reason">[];
  readonly lastError: MirrorEvent | null;
  /** Merge that made the current local content, with each line's side; null without a merge. */
  readonly merge: MergeFacts | null;
  readonly events: readonly MirrorEvent[];
  /**
   * Fault because of which mdmirror could not reach the service; null without a fault. After a
   * fault, all facts except `atPath` are from the last sync.
   */
  readonly offline: Fault | null;
};

/**
 * LIMIT: number of newest events of one path that `why` reads, so that `why` is fast in a long
 * history.
 */
const MAX_EVENTS = 200;
const SHOWN_EVENTS = 8;

export async function explainPath(mirror: OpenedMirror, named: LocalPath): Promise<PathExplanation> {
  const { state, disk } = mirror.world;
  const preview = await previewSync(mirror, USUAL_RUN);
  const syncPlan = preview.kind === "planned" ? preview : null;
  const base = syncPlan?.trees.base ?? state.load();
  const explainedPath = findExplainedPath(base, syncPlan?.plan ?? null, named);
  const { record } = explainedPath;
  const { stays, remote, steps, safetyStops } =
    syncPlan === null ? NO_PLAN_FACTS : collectPlanFacts(syncPlan, explainedPath);
  const block = findBlock(base, syncPlan?.plan ?? null, explainedPath.keys);
  const events = readEvents(state, { limit: MAX_EVENTS, run: null, path: explainedPath.path });
  const atPath = readStateAt(disk, named);
  return {
    path: named,
    former: findFormerPath(state, named),
    record,
    folder: [...base.dirs.values()].find(({ localPath }) => localPath === named) ?? null,
    atPath,
    stays,
    remote,
    conflict: record === null ? null : (base.conflicts.get(record.id) ?? null),
    blocked: block,
    merge: findLastMerge(state, events, atPath),
    open: block === null ? null : makeBlockProblem(block),
    steps,
    blockedBelow: listBlockedBelow(syncPlan?.plan.blocks ?? [...base.blocks.values()], named),
    safetyStops,
    lastError: events.findLast(({ outcome }) => !SUCCESSFUL_OUTCOMES.has(outcome)) ?? null,
    events: events.slice(-SHOWN_EVENTS),
    offline: preview.kind === "offline" ? preview.fault : null,
  };
}

const SUCCESSFUL_OUTCOMES: ReadonlySet<MirrorEvent["outcome"]> = new Set(["done", "submitted", "conflict"]);

function findExplainedPath(base: BaseTree, plan: Plan | null, named: LocalPath): ExplainedPath {
  const record = findMovedRecord(base, plan, named) ?? findRecordAt(base, named) ?? findRecordOfCopy(base, named);
  const path = record?.localPath ?? named;
  return { named, record, path, keys: new Set([record?.id, named, path]) };
}

function findMovedRecord(base: BaseTree, plan: Plan | null, named: LocalPath): DocumentRecord | null {
  for (const { action } of plan?.steps ?? [])
    if ("to" in action && action.to === named && "id" in action) return base.records.get(action.id) ?? null;
  return null;
}

function readStateAt(disk: Disk, path: LocalPath): PathState {
  if (path !== "") return disk.look(path);
  const root = disk.identify();
  if (root === null) return { kind: "unknown", why: "the linked folder does not exist" };
  const { dev, ino, birthMs } = root;
  return { kind: "folder", dev, ino, birthMs };
}

function listBlockedBelow(blocks: readonly Block[], folder: LocalPath): PathExplanation["blockedBelow"] {
  return blocks.filter(({ path }) => isBelow(path, folder)).map(({ path, reason }) => ({ path, reason }));
}

/**
 * Returns the block of a document or path; null if it is not blocked. Prefers a stored block that
 * has an error code of the service. The block in the plan may lack the code, because the plan only
 * repeats the refused request.
 */
function findBlock(base: BaseTree, plan: Plan | null, keys: ReadonlySet<string | undefined>): Block | null {
  const storedBlocks = [...base.blocks.values()].filter((block) => isAbout(block, keys));
  return (
    storedBlocks.find(({ code }) => code !== null) ??
    plan?.blocks.find((block) => isAbout(block, keys)) ??
    storedBlocks[0] ??
    null
  );
}

function isAbout({ key, path }: Block, keys: ReadonlySet<string | undefined>): boolean {
  return keys.has(key) || keys.has(path);
}

function findLastMerge(state: State, events: readonly MirrorEvent[], atPath: PathState): MergeFacts | null {
  const merge = events.map(readMerge).findLast((one) => one !== null) ?? null;
  if (merge === null || atPath.kind !== "file" || atPath.digest !== merge.result) return null;
  return collectMergeFacts(merge, readOrigins(state, merge));
}

function findFormerPath(state: State, named: LocalPath): LocalPath | null {
  const foundDocument = findDocument(state, state.load(), named);
  return foundDocument === null || foundDocument.path === named ? null : foundDocument.path;
}

/** A path about which the user asked. `keys`: keys of the path's blocks and steps. */
type ExplainedPath = {
  readonly named: LocalPath;
  readonly record: DocumentRecord | null;
  readonly path: LocalPath;
  readonly keys: ReadonlySet<string | undefined>;
};

type PlanFacts = {
  /** Reason why the local file or folder is not synced; null if it is synced or does not exist. */
  readonly stays: {
    readonly path: LocalPath;
    readonly kind: UnsyncedEntry["kind"] | "unseen" | "mirror-folder";
    readonly why: string;
  } | null;
  /** Document at the path on the service; null if none is listed, or the service did not answer. */
  readonly remote: RemoteFile | null;
  /**
   * Steps of the next sync at or below the path. `stopped`: the step waits for the answer to a
   * stop.
   */
  readonly steps: readonly { readonly action: Action; readonly stopped: boolean }[];
  readonly safetyStops: readonly string[];
};

const NO_PLAN_FACTS: PlanFacts = { stays: null, remote: null, steps: [], safetyStops: [] };

function collectPlanFacts({ plan, trees }: SyncPlan, { named, record, keys }: ExplainedPath): PlanFacts {
  return {
    stays: explainLocalOnly(trees.local, named),
    remote: findRemote(trees, record, named),
    steps: listSteps(plan, keys, named),
    safetyStops: plan.verdict.kind === "safety-stop" ? plan.verdict.reasons.map(({ detail }) => detail) : [],
  };
}

function findRemote(trees: Trees, record: DocumentRecord | null, named: LocalPath): RemoteFile | null {
  if (record !== null) return trees.remote.files.get(record.id) ?? null;
  for (const file of trees.remote.files.values()) if (file.path === named) return file;
  return null;
}

function listSteps(plan: Plan, keys: ReadonlySet<string | undefined>, named: LocalPath): PlanFacts["steps"] {
  const isStopped = plan.verdict.kind === "safety-stop";
  return plan.steps.flatMap(({ action }) => {
    const { id, path } = getSubject(action);
    const isOwnStep =
      keys.has(path) ||
      (id !== null && keys.has(id)) ||
      ("from" in action && keys.has(action.from)) ||
      isBelow(path, named);
    return isOwnStep ? [{ action, stopped: isStopped }] : [];
  });
}

export const UNSYNCED_WORDS: Readonly<Record<UnsyncedEntry["kind"], string>> = {
  symlink: "a symbolic link: not followed and not synced",
  "other-file": "not a .md file",
  ignored: "excluded by .mdmirrorignore",
  "ignored-folder": "a folder that .mdmirrorignore excludes",
  "git-ignored": "left out by .gitignore",
  "git-ignored-folder": "a folder that .gitignore leaves out",
  "dot-folder": "a folder whose name starts with a dot",
  special: "a device, socket or pipe",
  litter: "a temporary file of an editor or desktop, judged by its name",
  "conflict-copy": "a conflict copy: it belongs to its document and is not synced itself",
};

/** Returns a clause such as `left out by line 3 of .gitignore`. */
function explainUnsynced({ kind, rule }: UnsyncedEntry): string {
  const byRule = RULE_WORDS[kind];
  return rule === undefined || byRule === undefined ? UNSYNCED_WORDS[kind] : `${byRule} ${rule}`;
}

const RULE_WORDS: Readonly<Partial<Record<UnsyncedEntry["kind"], string>>> = {
  ignored: "excluded by",
  "ignored-folder": "a folder that is excluded by",
  "git-ignored": "left out by",
  "git-ignored-folder": "a folder that is left out by",
};

/** Returns why a path, or a folder above it, is not synced; null if the path is synced. */
function explainLocalOnly(local: LocalTree, named: LocalPath): PlanFacts["stays"] {
  for (const path of [...ancestorsOf(named), named]) {
    if (path === ".mdmirror") return { path, kind: "mirror-folder", why: "mdmirror's own folder" };
    const unsyncedEntry = local.others.get(path);
    if (unsyncedEntry !== undefined) return { path, kind: unsyncedEntry.kind, why: explainUnsynced(unsyncedEntry) };
    const unseenEntry = local.unseen.get(path);
    if (unseenEntry !== undefined) return { path, kind: "unseen", why: unseenEntry.why };
  }
  // The scan did not read the whole folder, so a file may be at a path that the scan did not find.
  // A path that the scan did find is synced.
  const wholeFault = local.unseen.get("");
  if (wholeFault === undefined || local.files.has(named) || local.folders.has(named)) return null;
  return { path: "", kind: "unseen", why: wholeFault.why };
}

/** @param now current time, in milliseconds since the epoch */
export function listWhyFacts(why: PathExplanation, now: number): (readonly [term: string, fact: string])[] {
  const factRows = [
    ...listPlaceFacts(why),
    ...listOpenFacts(now, why),
    ...listNextFacts(why).map((next) => ["next", next]),
  ];
  if (why.open !== null) factRows.push(["to do", shownWords(findNextStep(why.open))]);
  return factRows.map(([term, fact]) => [term!, fact!]);
}

function listPlaceFacts(why: PathExplanation): string[][] {
  const { stays, offline } = why;
  const factRows: string[][] = [];
  if (offline !== null)
    factRows.push([
      "offline",
      `the service is not reachable (${shownWords(offline.detail)}); shown from the local state`,
    ]);
  factRows.push(["base", describeBase(why)], ["local", describeLocal(why)]);
  if (offline === null) factRows.push(["service", describeService(why)]);
  if (stays !== null) factRows.push(["stays", describeLocalOnly(why.path, stays)]);
  return factRows;
}

function describeLocalOnly(path: string, stays: NonNullable<PathExplanation["stays"]>): string {
  const reasonText = shownWords(stays.why);
  const placeName = stays.path === "" ? "the whole folder" : shownName(stays.path);
  if (stays.kind === "unseen") return `${placeName} cannot be read: ${reasonText}`;
  return stays.path === path ? reasonText : `${placeName} is ${reasonText}`;
}

function listOpenFacts(
  now: number,
  { record, folder, blocked: block, conflict, lastError, former }: PathExplanation,
): string[][] {
  const factRows: string[][] = [];
  if (conflict !== null)
    factRows.push([
      "conflict",
      `for ${formatAge(now - conflict.since)}; the other version is ${shownName(conflict.newestCopyPath)}`,
    ]);
  if (block !== null)
    factRows.push([
      "blocked",
      `${block.reason}: ${shownWords(block.detail)}${formatOrigin(block.code, block.requestId)}`,
    ]);
  if (lastError !== null) factRows.push(["error", formatEvent(lastError)]);
  if (former !== null && record === null && folder === null)
    factRows.push(["was", `the document that had this name was last seen at ${shownName(former)}`]);
  return factRows;
}

function describeBase({ record, folder, path }: PathExplanation): string {
  if (record !== null) {
    const place = record.remotePath === record.localPath ? "" : `, ${shownName(record.remotePath)} on the service`;
    const state = record.state === "linked" ? "" : `, ${record.state}`;
    const review =
      record.submissions.length === 0 ? "" : `, in review since ${formatLocalTime(record.submissions[0]!.at)}`;
    return `${record.id} at ${record.changeId}, content ${record.digest.slice(0, 12)}${place}${state}${review}`;
  }
  if (path === "") return "the linked folder itself";
  return folder === null ? "not linked" : `folder ${folder.id}, ${shownName(folder.remotePath)} on the service`;
}

function describeLocal({ atPath, record }: PathExplanation): string {
  switch (atPath.kind) {
    case "file": {
      const contentClause =
        record === null ? "" : atPath.digest === record.localDigest ? ", same as base" : ", differs from base";
      return `a file, ${formatByteCount(atPath.stamp.size)}, content ${atPath.digest.slice(0, 12)}${contentClause}`;
    }
    case "folder":
      return "a folder";
    case "other":
      return "neither a file nor a folder";
    case "absent":
      return "missing";
    case "unknown":
      return `unknown: ${shownWords(atPath.why)}`;
  }
}

function describeService({ remote, record, folder, path }: PathExplanation): string {
  if (remote === null) return folder === null && path !== "" ? "missing" : "see its documents";
  const moveClause = record === null || remote.path === record.remotePath ? "" : `, now ${shownName(remote.path)}`;
  const version =
    record === null
      ? remote.changeId
      : remote.changeId === record.changeId
        ? "at the same version as base"
        : `at ${remote.changeId}, edited since base`;
  return `${remote.id} ${version}${moveClause}${remote.protected ? ", protected" : ""}`;
}

/** Explains why the next sync has no step for a path, and adds the reasons of a stop. */
function listFactsWithoutSteps(
  blockedBelow: PathExplanation["blockedBelow"],
  stops: PathExplanation["safetyStops"],
): string[] {
  const blockedFacts =
    blockedBelow.length === 0
      ? []
      : [`nothing for ${plural(blockedBelow.length, "blocked document")} in it: mdmirror conflicts`];
  const stopFacts = stops.map(
    (detail) => `a safety check stopped the sync because of other documents: ${shownWords(detail)}; mdmirror plan`,
  );
  return blockedFacts.length > 0 ? [...blockedFacts, ...stopFacts] : ["nothing: both sides are equal", ...stopFacts];
}

/** LIMIT: number of steps that `why` lists for one path, so that the output stays short. */
const MAX_STEPS = 10;

function listStepFacts(path: string, steps: PathExplanation["steps"]): string[] {
  const stepTexts = steps.slice(0, MAX_STEPS).map(({ action, stopped }) => {
    const { arrow, label } = describeAction(action);
    return `${arrow} ${label}: ${formatActionPath(action, () => path)}  (${shownWords(action.why)})${stopped ? ", after approval: mdmirror approve" : ""}`;
  });
  const moreCount = steps.length - stepTexts.length;
  return moreCount > 0 ? [...stepTexts, `… and ${count(moreCount)} more: mdmirror plan --all`] : stepTexts;
}

function listNextFacts(why: PathExplanation): string[] {
  const { path, steps, offline, blocked: block, stays, record, remote, folder, blockedBelow, safetyStops: stops } = why;
  if (offline !== null) return ["the next sync that reaches the service checks again"];
  if (steps.length > 0) return listStepFacts(path, steps);
  if (block !== null) return ["nothing while it is blocked"];
  if (stays !== null) return ["nothing: it stays local"];
  const isKnown = record !== null || remote !== null || folder !== null || path === "";
  return isKnown ? listFactsWithoutSteps(blockedBelow, stops) : ["nothing: it is on neither side"];
}
