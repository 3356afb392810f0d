import type { Draft } from "../decide/desk.ts";
import type { Desk } from "../decide/desk.ts";
import { samePlace } from "../decide/places.ts";
import type { AnyBody, DocumentBody, Side } from "../match/body.ts";

/** What has to be laid out, before it is known in which order and at which paths. */
export type Operation =
  | { readonly kind: "before" | "content" | "record" | "note"; readonly body: AnyBody; readonly draft: Draft }
  | { readonly kind: "arrive"; readonly body: AnyBody; readonly side: Side; readonly draft: Draft | null }
  | { readonly kind: "leave"; readonly body: AnyBody; readonly side: Side; readonly draft: Draft }
  | { readonly kind: "move"; readonly body: AnyBody; readonly side: Side; parked: boolean }
  | { readonly kind: "sidecar"; readonly body: DocumentBody };

/**
 * ORDER: what moves on both sides (it gets a number) moves there first: that it was moved here is
 * its user's wish, which base must not forget before that is done.
 */
const SIDES = ["remote", "local"] as const;
const NO_DRAFTS: readonly Draft[] = [];

/**
 * Everything decided, in the order in which it is tried: folders, moves, creates and edits,
 * records, deletes, folders that go.
 */
export function listOperations(desk: Desk): Operation[] {
  const operations: Operation[] = [];
  for (const folder of desk.forest.folders) addOperations(desk, folder, operations);
  for (const document of desk.documents) addOperations(desk, document, operations);
  // Stable: within a rank, in the order of the bodies.
  return operations.sort((a, b) => rankOf(a) - rankOf(b));
}

function addOperations(desk: Desk, body: AnyBody, operations: Operation[]): void {
  const drafts = desk.drafts.get(body) ?? NO_DRAFTS;
  for (const side of SIDES) {
    const { now, goal } = body[side];
    if (now !== null && goal !== null && !samePlace(now, goal))
      operations.push({ kind: "move", body, side, parked: false });
    const arrival = drafts.find((one) => one.role === `arrive-${side}`) ?? null;
    if (now === null && goal !== null) operations.push({ kind: "arrive", body, side, draft: arrival });
  }
  for (const draft of drafts) {
    if (draft.role === "leave-local") operations.push({ kind: "leave", body, side: "local", draft });
    else if (draft.role === "leave-remote") operations.push({ kind: "leave", body, side: "remote", draft });
    else if (draft.role !== "arrive-local" && draft.role !== "arrive-remote")
      operations.push({ kind: draft.role, body, draft });
  }
  if (body.kind !== "document") return;
  if (desk.sidecars.has(body)) operations.push({ kind: "sidecar", body });
  const why = desk.whys.get(body);
  const { link } = body;
  if (why === undefined || link === null || body.local.goal === null || body.remote.goal === null) return;
  // What arrives is linked by its arrival.
  if (body.local.now === null || body.remote.now === null) return;
  const make: Draft["make"] = (at) => ({
    kind: "relink",
    why,
    id: link.id,
    localPath: at.local,
    remotePath: at.remote,
  });
  operations.push({ kind: "record", body, draft: { role: "record", make } });
}

function rankOf(operation: Operation): number {
  const folder = operation.body.kind === "folder";
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
