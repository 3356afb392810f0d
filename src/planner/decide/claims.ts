import type { AnyBody, FolderBody } from "../match/body.ts";
import { type Desk, holdDocument, holdFolder, withdraw } from "./desk.ts";
import { isLeftOver } from "./left-over.ts";
import { type Barred, isStirring, Round, type Wishes } from "./round.ts";
import { settleFolders } from "./settle-folders.ts";
import { foldingsOf, lookUpSlots } from "./slots.ts";

/**
 * Presence of folders, and one path wanted by two rows. The service's row keeps it; the local one
 * becomes `name-2.md`. What cannot be settled by a name is held where it is, and everything is
 * judged again with that one standing: each round holds some more, so it ends.
 */
export function settleClaims(desk: Desk, summon: (path: string) => AnyBody | null): void {
  const slots = lookUpSlots(desk.trees, foldingsOf(desk.trees, desk.policy));
  const bodies = (): AnyBody[] => [...desk.forest.folders, ...desk.documents];
  const decided = new Map(bodies().map((body) => [body, { local: body.local.goal, remote: body.remote.goal }]));
  const wishes = new Map(decided);
  const pinned = new Set<AnyBody>();
  for (;;) {
    for (const body of bodies()) {
      const wish = pinned.has(body) ? undefined : decided.get(body);
      body.local.goal = wish === undefined ? body.local.now : wish.local;
      body.remote.goal = wish === undefined ? body.remote.now : wish.remote;
      if (body.kind === "folder") desk.drafts.delete(body);
    }
    settleFolders(desk, pinned as ReadonlySet<AnyBody> as ReadonlySet<FolderBody>);
    if (!bodies().some((body) => isStirring(body, "local") || isStirring(body, "remote") || isLeftOver(body))) return;
    for (const body of bodies()) {
      const [local, remote] = [body.local.goal, body.remote.goal];
      const known = wishes.get(body);
      // Of a large plan nearly all are as they were decided.
      if (!pinned.has(body) && (known?.local !== local || known.remote !== remote)) wishes.set(body, { local, remote });
    }
    const barred = new Round(desk, slots, bodies(), summon, pinned, wishes as Wishes).run();
    if (barred.length === 0) return;
    for (const one of barred) {
      pin(desk, one);
      pinned.add(one.body);
    }
  }
}

function pin(desk: Desk, { body, reason, detail }: Barred): void {
  desk.whys.delete(body);
  if (body.kind === "folder") {
    holdFolder(desk, body, reason, detail);
    return;
  }
  withdraw(desk, body, "before");
  withdraw(desk, body, "arrive-local");
  withdraw(desk, body, "arrive-remote");
  holdDocument(desk, body, reason, detail);
}
