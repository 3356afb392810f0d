import type { ChangeId } from "../../../src/contract/ids.ts";
import { META } from "../../../src/mirror/engine/run/meta.ts";
import type { Digest } from "../../../src/contract/digest.ts";
import type { Actors } from "./actors.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { isTextOf } from "./stored-texts.ts";
import { bare } from "./wire-reading.ts";

/**
 * Returns, before a run, the paths of files that were replaced and into whose old file a program
 * has saved since. That content comes back, whatever the service shows.
 */
export function savedLate({ state, disk }: SimulatedMirror): ReadonlySet<string> {
  const setAside = state.intents().flatMap(({ intent }) => (intent.kind === "set-aside" ? [intent] : []));
  const isOther = (text: string | null, digest: Digest): boolean => text !== null && !isTextOf(state, digest, text);
  const late = setAside.filter(({ setAsideAt, expect }) =>
    isOther(disk.user.read(`${ROOT}/.mdmirror/${setAsideAt}`), expect),
  );
  return new Set(late.map(({ path }) => path));
}

/**
 * Returns, before a run, the paths of documents that the service shows to this mirror in an earlier
 * version.
 */
export function supersededIn(actors: Actors, mirror: SimulatedMirror): readonly string[] {
  const { index, state, setup } = mirror;
  // Unfinished effects of a dead process are concluded first, and late content comes back.
  if (state.meta(META.approved) !== null || savedLate(mirror).size > 0) return [];
  if (state.intents().some(({ intent }) => intent.kind !== "set-aside" && intent.kind !== "sent")) return [];
  const { conflicts } = state.load();
  return actors.simulatedWorld.readable(index).flatMap((file) => {
    const { id, changeId, path } = file;
    const link = state.link(id);
    // Accepted by an approval, and shown as an open conflict's other version.
    if (conflicts.has(id)) return [];
    // The service lists to this mirror only versions in the linked folder of the workspace.
    if (setup.prefix !== "" && !path.startsWith(`${setup.prefix}/`)) return [];
    if (link === null || bare(link.changeId) === changeId) return [];
    // Change ids are opaque: an old version under an id that was issued since looks new.
    const shown = actors.simulatedWorld.shownChangeId(file) as ChangeId;
    return state.isEarlier(id, shown, link.changeId) ? [path] : [];
  });
}
