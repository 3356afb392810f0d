import type { Step } from "../model/action.ts";
import { compareStrings } from "../model/by-path.ts";
import { resolveNameClashes } from "./decide/final-places.ts";
import { decideDocument } from "./decide/content.ts";
import { type PlanDraft, makePlanDraft, findPathOfRow } from "./decide/plan-draft.ts";
import { splitFolderRecords } from "./decide/records.ts";
import { placeFolders } from "./decide/place-rows.ts";
import { keepBlocksWithoutDocument } from "./decide/gates.ts";
import { compareWithBase } from "./decide/table.ts";
import { joinPath, parentOf } from "../../contract/path.ts";
import { NOTHING_LEFT_OUT, includeAllDocuments, includeDocuments } from "../model/left-out.ts";
import { isJudged, type JudgedDocuments, listIdsInMovedFolders, NO_JUDGED_DOCUMENTS } from "./match/unjudged.ts";
import { matchTrees } from "./match/match.ts";
import type { DocumentRow, Side } from "./match/row.ts";
import { orderSteps } from "./order/schedule.ts";
import type { LocalRename, Plan, SafetySignals } from "./plan-types.ts";
import type { Policy } from "../model/policy.ts";
import type { TextLookup, Trees } from "../model/tree.ts";
import type { PresenceCounts } from "./verdict/stops.ts";
import { judgePlan } from "./verdict/verdict.ts";

/**
 * Returns the plan for three trees. Pure (I24). Never throws, because an impossible change becomes
 * a block.
 */
export function makePlan(
  seen: Trees,
  policy: Policy,
  signals: SafetySignals,
  texts: TextLookup,
  judged: JudgedDocuments = NO_JUDGED_DOCUMENTS,
): Plan {
  const { draft, steps } = planChangedDocuments(seen, policy, texts, judged);
  const { trees } = draft;
  const blocks = [...draft.blocks.values()].sort((a, b) => compareStrings(a.key, b.key));
  const { verdict, toRead } = judgePlan(trees, policy, signals, steps, countPresences(draft));
  const renamedForOthers = listRenamedForOthers(draft);
  return {
    steps,
    blocks,
    verdict,
    ...(toRead.length === 0 ? {} : { toRead }),
    ...(renamedForOthers.length === 0 ? {} : { renamedForOthers }),
  };
}

function listRenamedForOthers(draft: PlanDraft): readonly LocalRename[] {
  return [...draft.renamedForOthers].flatMap(([row, name]) => {
    const oldPath = row.kind === "folder" ? row.localPath : findPathOfRow(row);
    return oldPath === null ? [] : [{ from: oldPath, to: joinPath(parentOf(oldPath), name) }];
  });
}

/**
 * LIMIT: number of rounds that leave out documents at rest, so that planning ends. After this
 * number, one last round decides about all documents.
 */
const MAX_ROUNDS = 32;

type DecidedPlan = { readonly draft: PlanDraft; readonly steps: readonly Step[] };

/**
 * Plans the documents that are not at rest. If such a document needs the path of a document at
 * rest, plans again with both.
 */
function planChangedDocuments(whole: Trees, policy: Policy, texts: TextLookup, first: JudgedDocuments): DecidedPlan {
  let judgedDocuments = first;
  let trees =
    judgedDocuments === "all"
      ? includeAllDocuments(whole)
      : includeDocuments(whole, [...judgedDocuments, ...listIdsInMovedFolders(whole, policy)]);
  for (let round = 1; ; round++) {
    const draft = decideRows(makePlanDraft(trees, policy, texts, matchTrees(trees, policy, texts, judgedDocuments)));
    const steps = orderSteps(draft);
    const idsToInclude = [...draft.toInclude].filter((id) => !isJudged(judgedDocuments, id));
    if (judgedDocuments === "all" || idsToInclude.length === 0) return { draft, steps };
    judgedDocuments = round === MAX_ROUNDS ? "all" : new Set([...judgedDocuments, ...idsToInclude]);
    trees = judgedDocuments === "all" ? includeAllDocuments(trees) : includeDocuments(trees, idsToInclude);
  }
}

/**
 * Decides all places, contents, names and records.
 *
 * ORDER: places of folders come first, because a blocked folder blocks its documents. The creation
 * or removal of folders comes after the documents, because a folder is kept if a document will be
 * in it.
 */
function decideRows(draft: PlanDraft): PlanDraft {
  placeFolders(draft);
  for (const row of draft.documents) decideDocument(draft, row, compareWithBase(draft.forest, row));
  resolveNameClashes(draft);
  splitFolderRecords(draft);
  keepBlocksWithoutDocument(draft);
  return draft;
}

/**
 * Counts the recorded documents on each side. Documents that the trees leave out are on both sides.
 */
function countPresences({ trees, documents }: PlanDraft): PresenceCounts {
  const recordedRows = documents.filter(({ record }) => record !== null);
  const linkedRows = recordedRows.filter(({ record }) => record!.state === "linked");
  const unchangedCount = trees.base.records.size + (trees.leftOut ?? NOTHING_LEFT_OUT).count - recordedRows.length;
  const countRows = (side: Side, kind: string) => linkedRows.filter((row) => row[side].seen.kind === kind).length;
  return {
    known: linkedRows.length + unchangedCount,
    local: {
      present: countRows("local", "present") + unchangedCount - countRestoredDocuments(trees, documents),
      gone: countRows("local", "absent"),
    },
    remote: { present: countRows("remote", "present") + unchangedCount, gone: countRows("remote", "gone") },
  };
}

/**
 * Counts missing files that mdmirror has just written again after a crash or power loss. The safety
 * checks must not count these files as present. Only a file that the user kept shows that the user
 * deleted the missing files on purpose.
 */
function countRestoredDocuments(
  { base, local: { returned }, leftOut = NOTHING_LEFT_OUT }: Trees,
  documents: readonly DocumentRow[],
): number {
  if (returned === undefined) return 0;
  const localFilesById = new Map(
    documents.map(({ id, local }) => [id, local.seen.kind === "present" ? local.seen.value : null]),
  );
  let count = [...returned].filter((path) => leftOut.idAt(path) !== null).length;
  for (const { id, state, localPath } of base.records.values()) {
    const path = localFilesById.has(id) ? localFilesById.get(id)?.path : localPath;
    if (state === "linked" && path !== undefined && returned.has(path)) count++;
  }
  return count;
}
