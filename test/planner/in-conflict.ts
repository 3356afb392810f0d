import { openConflict } from "./commands.ts";
import { worldAfter } from "./table.ts";
import type { World } from "./world.ts";

const TEXT = "one|two|three|four|five|six";

/**
 * A conflict that was opened over `a.md`: both edited, the conflict copy beside it; then what the
 * user and the service do.
 */
export function inConflict(then: (world: World) => void = () => undefined, looksGone = 0): World {
  const world = worldAfter([`a.md=${TEXT} d/x.md=9`, `edit a.md ${TEXT}|2`, `edit a.md ${TEXT}|3`, ""]);
  openConflict(world, "a.md");
  const id = world.idAt("a.md");
  world.conflicts.set(id, { ...world.conflicts.get(id)!, looksGone });
  then(world);
  return world;
}

export const SIDECAR = "a (theirs).md";

export const NEWEST = "a (theirs 2).md";

/** Has the service move on after the user edited the first copy: a second copy shows that. */
export function showSecond(world: World): void {
  const id = world.idAt("a.md");
  const conflict = world.conflicts.get(id)!;
  const document = world.documents.get(id)!;
  Object.assign(document, { text: "5", changeId: world.newChange() });
  const version = { changeId: document.changeId, digest: world.digest("5"), ino: world.next(), dev: 1 };
  world.others.set(NEWEST, { kind: "conflict-copy", ino: version.ino });
  world.conflicts.set(id, { ...conflict, shown: [...conflict.shown, version], newestCopyPath: NEWEST });
}
