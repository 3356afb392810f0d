import type { Proposal } from "../decide/plan-draft.ts";
import type { PlanDraft } from "../decide/plan-draft.ts";
import { samePlace } from "../decide/places.ts";
import type { Row, DocumentRow, Side } from "../match/row.ts";

/** What has to be laid out, before it is known in which order and at which paths. */
export type Operation =
  | { readonly kind: "before" | "content" | "record" | "note"; readonly row: Row; readonly propose: Proposal }
  | { readonly kind: "arrive"; readonly row: Row; readonly side: Side; readonly propose: Proposal | null }
  | { readonly kind: "leave"; readonly row: Row; readonly side: Side; readonly propose: Proposal }
  | { readonly kind: "move"; readonly row: Row; readonly side: Side; parked: boolean }
  | { readonly kind: "sidecar"; readonly row: DocumentRow };

/**
 * ORDER: what moves on both sides (it gets a number) moves there first: that it was moved here is
 * its user's wish, which base must not forget before that is done.
 */
const SIDES = ["remote", "local"] as const;
const NO_DRAFTS: readonly Proposal[] = [];

/**
 * Everything decided, in the order in which it is tried: folders, moves, creates and edits,
 * records, deletes, folders that go.
 */
export function listOperations(draft: PlanDraft): Operation[] {
  const operations: Operation[] = [];
  for (const folder of draft.forest.folders) addOperations(draft, folder, operations);
  for (const document of draft.documents) addOperations(draft, document, operations);
  // Stable: within a rank, in the order of the rows.
  return operations.sort((a, b) => rankOf(a) - rankOf(b));
}

function addOperations(draft: PlanDraft, row: Row, operations: Operation[]): void {
  const proposals = draft.proposals.get(row) ?? NO_DRAFTS;
  for (const side of SIDES) {
    const { now, goal } = row[side];
    if (now !== null && goal !== null && !samePlace(now, goal))
      operations.push({ kind: "move", row, side, parked: false });
    const arrival = proposals.find((one) => one.role === `arrive-${side}`) ?? null;
    if (now === null && goal !== null) operations.push({ kind: "arrive", row, side, propose: arrival });
  }
  for (const propose of proposals) {
    if (propose.role === "leave-local") operations.push({ kind: "leave", row, side: "local", propose });
    else if (propose.role === "leave-remote") operations.push({ kind: "leave", row, side: "remote", propose });
    else if (propose.role !== "arrive-local" && propose.role !== "arrive-remote")
      operations.push({ kind: propose.role, row, propose });
  }
  if (row.kind !== "document") return;
  if (draft.sidecars.has(row)) operations.push({ kind: "sidecar", row });
  const why = draft.whys.get(row);
  const { link } = row;
  if (why === undefined || link === null || row.local.goal === null || row.remote.goal === null) return;
  // What arrives is linked by its arrival.
  if (row.local.now === null || row.remote.now === null) return;
  const make: Proposal["make"] = (at) => ({
    kind: "relink",
    why,
    id: link.id,
    localPath: at.local,
    remotePath: at.remote,
  });
  operations.push({ kind: "record", row, propose: { role: "record", make } });
}

function rankOf(operation: Operation): number {
  const folder = operation.row.kind === "folder";
  switch (operation.kind) {
    case "before":
      return 0;
    case "move":
      return folder ? 1 : 2;
    case "arrive":
      return folder ? 1 : 3;
    case "content":
      return 3;
    case "record":
    case "note":
    case "sidecar":
      return 4;
    case "leave":
      return folder ? 6 : 5;
  }
}
