import { guardKey } from "../../../src/mirror/planner/verdict/guard-key.ts";
import type { StopReason, Plan } from "../../../src/mirror/planner/plan-types.ts";
import { World } from "../world.ts";

/** Worlds that safety checks judge, and what they say. */

export function synced(count: number): World {
  const world = new World();
  for (let i = 0; i < count; i++) world.synced(`n${String(i).padStart(4, "0")}.md`, `text ${i}`);
  return world;
}

export function removeHere(world: World, count: number): World {
  for (const path of [...world.files.keys()].slice(0, count)) world.files.delete(path);
  return world;
}

export function removeThere(world: World, to: number, from = 0): World {
  for (const id of [...world.documents.keys()].slice(from, to)) world.documents.delete(id);
  return world;
}

export function reasonsOf({ verdict }: Plan): StopReason[] {
  return verdict.kind === "run" ? [] : verdict.reasons.map(({ reason }) => reason);
}

export function guardedKeys({ verdict, steps }: Plan): string[] {
  return verdict.kind === "run" ? [] : verdict.stoppedSteps.map((index) => guardKey(steps[index]!.action));
}

/** The first documents get a text that is blank. */
export function emptyHere(world: World, count: number, text = ""): World {
  for (const path of [...world.files.keys()].slice(0, count)) world.files.get(path)!.text = text;
  return world;
}

/** The same on the service. @param read whether the mirror has read these versions */
export function emptyThere(world: World, count: number, read = true): World {
  for (const [id, document] of [...world.documents].slice(0, count)) {
    Object.assign(document, { text: "\n", changeId: world.newChange() });
    if (read) world.read.add(id);
  }
  return world;
}

/** Documents that are blank since they were synced, beside others. */
export function withBlank(world: World, count: number): World {
  for (let i = 0; i < count; i++) world.synced(`blank${i}.md`, "");
  return world;
}
