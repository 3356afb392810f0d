import type { PlanDraft, Proposal } from "../decide/plan-draft.ts";
import { type DocumentRow, isMoving, type PlanRow, type Side } from "../match/row.ts";

/** An operation of a plan, before its position and paths are known. */
export type PlanOperation =
  | { readonly kind: "before" | "content" | "record" | "note"; readonly row: PlanRow; readonly proposal: Proposal }
  | { readonly kind: "arrive"; readonly row: PlanRow; readonly side: Side; readonly proposal: Proposal | null }
  | { readonly kind: "leave"; readonly row: PlanRow; readonly side: Side; readonly proposal: Proposal }
  | { readonly kind: "move"; readonly row: PlanRow; readonly side: Side; isTemporary: boolean }
  | { readonly kind: "conflict-copy"; readonly row: DocumentRow };

/**
 * ORDER: a document that moves on both sides, because its name gets a number, moves on the service
 * first. In the other order, base would record the new local path before the user's own move is on
 * the service.
 */
const SIDES_REMOTE_FIRST = ["remote", "local"] as const;

export function listOperations(draft: PlanDraft): PlanOperation[] {
  const operations: PlanOperation[] = [];
  for (const folder of draft.forest.folders) addOperations(draft, folder, operations);
  for (const document of draft.documents) addOperations(draft, document, operations);
  // The sort is stable, so operations with the same rank stay in the order of the documents and
  // folders.
  return operations.sort((a, b) => getOperationRank(a) - getOperationRank(b));
}

function addOperations(draft: PlanDraft, row: PlanRow, operations: PlanOperation[]): void {
  const proposals = draft.proposals.get(row) ?? [];
  addMoves(row, proposals, operations);
  for (const proposal of proposals) {
    const operation = toOperation(row, proposal);
    if (operation !== null) operations.push(operation);
  }
  if (row.kind !== "document") return;
  if (draft.copies.has(row)) operations.push({ kind: "conflict-copy", row });
  const record = proposeRecord(draft, row);
  if (record !== null) operations.push({ kind: "record", row, proposal: record });
}

function addMoves(row: PlanRow, proposals: readonly Proposal[], operations: PlanOperation[]): void {
  for (const side of SIDES_REMOTE_FIRST) {
    if (row[side].now !== null) {
      if (isMoving(row, side)) operations.push({ kind: "move", row, side, isTemporary: false });
    } else if (row[side].goal !== null) {
      const proposal = proposals.find((proposal) => proposal.role === `arrive-${side}`) ?? null;
      operations.push({ kind: "arrive", row, side, proposal });
    }
  }
}

/**
 * Returns the operation for a proposal. Null for the creation of a document or folder, which
 * `addMoves` adds.
 */
function toOperation(row: PlanRow, proposal: Proposal): PlanOperation | null {
  switch (proposal.role) {
    case "arrive-local":
    case "arrive-remote":
      return null;
    case "leave-local":
      return { kind: "leave", row, side: "local", proposal };
    case "leave-remote":
      return { kind: "leave", row, side: "remote", proposal };
    default:
      return { kind: proposal.role, row, proposal };
  }
}

/**
 * Returns a proposal that records a place. Null if the place did not change, or if another step
 * records the place.
 */
function proposeRecord(draft: PlanDraft, row: DocumentRow): Proposal | null {
  const reasonClause = draft.moveReasons.get(row);
  const { record } = row;
  if (reasonClause === undefined || record === null) return null;
  if (SIDES_REMOTE_FIRST.some((side) => row[side].now === null || row[side].goal === null)) return null;
  return {
    role: "record",
    make: (paths) => ({
      kind: "relink",
      why: reasonClause,
      id: record.id,
      localPath: paths.local,
      remotePath: paths.remote,
    }),
  };
}

const OPERATION_RANKS: Readonly<Record<PlanOperation["kind"], Readonly<Record<PlanRow["kind"], number>>>> = {
  before: { folder: 0, document: 0 },
  move: { folder: 1, document: 2 },
  arrive: { folder: 1, document: 3 },
  content: { folder: 3, document: 3 },
  record: { folder: 4, document: 4 },
  note: { folder: 4, document: 4 },
  "conflict-copy": { folder: 4, document: 4 },
  leave: { folder: 6, document: 5 },
};

export function precedesArrivals(operation: PlanOperation): boolean {
  return getOperationRank(operation) <= OPERATION_RANKS.arrive.document;
}

function getOperationRank({ kind, row }: PlanOperation): number {
  return OPERATION_RANKS[kind][row.kind];
}
