import type { Row, FolderRow } from "../match/row.ts";
import { type PlanDraft, holdDocument, holdFolder, withdraw } from "./plan-draft.ts";
import { isLeftOver } from "./left-over.ts";
import { type Barred, isMoving, NameAssignment, type Wishes } from "./assign-names.ts";
import { settleFolders } from "./settle-folders.ts";
import { foldingsOf, lookUpSlots } from "./slots.ts";

/**
 * Presence of folders, and one path wanted by two rows. The service's row keeps it; the local one
 * becomes `name-2.md`. What cannot be settled by a name is held where it is, and everything is
 * judged again with that one standing: each round holds some more, so it ends.
 */
export function resolveNameClashes(draft: PlanDraft, includeQuiet: (path: string) => Row | null): void {
  const slots = lookUpSlots(draft.trees, foldingsOf(draft.trees, draft.policy));
  const rows = (): Row[] => [...draft.forest.folders, ...draft.documents];
  const decided = new Map(rows().map((row) => [row, { local: row.local.goal, remote: row.remote.goal }]));
  const wishes = new Map(decided);
  const heldInPlace = new Set<Row>();
  for (;;) {
    for (const row of rows()) {
      const wish = heldInPlace.has(row) ? undefined : decided.get(row);
      row.local.goal = wish === undefined ? row.local.now : wish.local;
      row.remote.goal = wish === undefined ? row.remote.now : wish.remote;
      if (row.kind === "folder") draft.proposals.delete(row);
    }
    settleFolders(draft, heldInPlace as ReadonlySet<Row> as ReadonlySet<FolderRow>);
    if (!rows().some((row) => isMoving(row, "local") || isMoving(row, "remote") || isLeftOver(row))) return;
    for (const row of rows()) {
      const [local, remote] = [row.local.goal, row.remote.goal];
      const known = wishes.get(row);
      // Of a large plan nearly all are as they were decided.
      if (!heldInPlace.has(row) && (known?.local !== local || known.remote !== remote))
        wishes.set(row, { local, remote });
    }
    const barred = new NameAssignment(draft, slots, rows(), includeQuiet, heldInPlace, wishes as Wishes).run();
    if (barred.length === 0) return;
    for (const one of barred) {
      holdInPlace(draft, one);
      heldInPlace.add(one.row);
    }
  }
}

function holdInPlace(draft: PlanDraft, { row, reason, detail }: Barred): void {
  draft.whys.delete(row);
  if (row.kind === "folder") {
    holdFolder(draft, row, reason, detail);
    return;
  }
  withdraw(draft, row, "before");
  withdraw(draft, row, "arrive-local");
  withdraw(draft, row, "arrive-remote");
  holdDocument(draft, row, reason, detail);
}
