import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openUi, type UiRig } from "./rig.ts";

/** Default number of documents whose deletion a safety check stops. */
export const COUNT = 12;

export function namesOf(count: number = COUNT): readonly string[] {
  return Array.from({ length: count }, (_, at) => `d/${String(at).padStart(2, "0")}.md`);
}

/** Linked folder `w`, in which a safety check stops the deletion of all documents of a folder. */
export async function openHalt(count: number = COUNT): Promise<UiRig> {
  const opened = await openUi();
  const { rig } = opened;
  for (const name of [...namesOf(count), "a.md", "b.md"]) rig.write(name, `text of ${name}\n`);
  await rig.run(["sync", "w"]);
  rmSync(join(rig.root, "d"), { recursive: true });
  expect((await rig.run(["sync", "w"])).code).toBe(4);
  return opened;
}

/** Returns how many of these documents the service still has. */
export function isThere({ rig }: UiRig, count: number = COUNT): number {
  return namesOf(count).filter((name) => rig.remote(name) !== null).length;
}
