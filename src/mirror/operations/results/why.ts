import type { PathExplanation } from "../doctor/why.ts";
import { formatAge } from "../../../common/age.ts";
import { count, plural } from "../../../common/count.ts";
import { shownName, shownWords } from "../../../common/shown-name.ts";
import { formatActionPath, describeAction } from "./actions.ts";
import { formatEvent } from "./event-line.ts";
import { findNextStep } from "./next-step.ts";
import { formatOrigin } from "./origin.ts";
import { bytes, formatLocalTime } from "./when.ts";

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
  const place = stays.path === "" ? "the whole folder" : shownName(stays.path);
  if (stays.kind === "unseen") return `${place} cannot be read: ${reasonText}`;
  return stays.path === path ? reasonText : `${place} is ${reasonText}`;
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
      return `a file, ${bytes(atPath.stamp.size)}, content ${atPath.digest.slice(0, 12)}${contentClause}`;
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
