import type { ChangeId } from "../../../src/contract/ids.ts";
import { META } from "../../../src/mirror/engine/run/meta.ts";
import type { Digest } from "../../../src/contract/digest.ts";
import type { Actors } from "./actors.ts";
import { type LifeMirror, ROOT } from "./mirror.ts";
import { isTextOf } from "./stored-texts.ts";
import { bare } from "./wire-reading.ts";

/**
 * Before a run: the paths of files that were replaced, and somebody saved into the old file since.
 * Whatever the service says, that text is brought back.
 */
export function savedLate({ state, disk }: LifeMirror): ReadonlySet<string> {
  const parked = state.intents().flatMap(({ intent }) => (intent.kind === "set-aside" ? [intent] : []));
  const isOther = (text: string | null, digest: Digest): boolean => text !== null && !isTextOf(state, digest, text);
  const late = parked.filter(({ setAsideAt, expect }) =>
    isOther(disk.user.read(`${ROOT}/.mdmirror/${setAsideAt}`), expect),
  );
  return new Set(late.map(({ path }) => path));
}

/** Before a run: the paths of documents that the service shows to this mirror as they were once. */
export function supersededIn(actors: Actors, mirror: LifeMirror): readonly string[] {
  const { index, state, setup } = mirror;
  // What a process that died had under way is settled before, and what was saved late comes back.
  if (state.meta(META.approved) !== null || savedLate(mirror).size > 0) return [];
  if (state.intents().some(({ intent }) => intent.kind !== "set-aside")) return [];
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
