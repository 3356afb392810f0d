import type { ChangeId } from "../../../src/contract/ids.ts";
import { META } from "../../../src/engine/run/meta.ts";
import { digestOf } from "../../../src/model/digest.ts";
import type { Actors } from "./actors.ts";
import { type LifeMirror, ROOT } from "./mirror.ts";
import { bare } from "./wire-reading.ts";

/** Before a run: the paths of documents that the service shows to this mirror as they were once. */
export function supersededIn(actors: Actors, { index, state, setup, disk }: LifeMirror): readonly string[] {
  // What a process that died had under way is settled before, and what was saved into a file that
  // was replaced is brought back.
  const settles = ({ intent }: ReturnType<typeof state.intents>[number]): boolean =>
    intent.kind !== "parked" || digestOf(disk.user.read(`${ROOT}/.mdmirror/${intent.parkAt}`) ?? "") !== intent.expect;
  if (state.meta(META.approved) !== null || state.intents().some(settles)) return [];
  const { conflicts } = state.load();
  return actors.lifeWorld.readable(index).flatMap((file) => {
    const { id, changeId, path } = file;
    const link = state.link(id);
    // Let in by an approval, and shown as an open conflict's other version.
    if (conflicts.has(id)) return [];
    // Of the mirrored subtree alone the service lists versions to this mirror.
    if (setup.prefix !== "" && !path.startsWith(`${setup.prefix}/`)) return [];
    if (link === null || bare(link.changeId) === changeId) return [];
    // Change ids are opaque: an old version under one that was issued since is a new one to whoever
    // is shown it.
    const shown = actors.lifeWorld.shownChangeId(file) as ChangeId;
    return state.isEarlier(id, shown, link.changeId) ? [path] : [];
  });
}
