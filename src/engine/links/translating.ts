import { checkRoot } from "../run/guard-facts.ts";
import type { World } from "../run/world.ts";
import { toPaths, toTexts } from "./change-form.ts";
import { MirrorLinks, type Respelling } from "./mirror-links.ts";

/**
 * The world of a mirror that translates links. Loads the parser of links: not to be imported by
 * what every mirror runs.
 * @param keeps whether the state may be written
 */
export function translating(world: World, keeps: boolean): World {
  const { state, disk, prefix } = world;
  const links = new MirrorLinks({ state, disk, prefix, keeps });
  return { ...world, disk: links.disk, links };
}

/** A disk that is only read, with texts in the service's form. */
export function readingDisk(files: Pick<World, "state" | "disk" | "prefix">): World["disk"] {
  return new MirrorLinks({ ...files, keeps: false }).disk;
}

/**
 * What would be written on disk if links were translated from now on, or no more.
 * @returns why that cannot be told, or the files
 */
export function respellingsFor(world: World, mode: "translate" | "keep"): string | readonly Respelling[] {
  const { root } = checkRoot(world);
  if (root !== "same") return `the mirrored folder is not what it was (${root})`;
  const { state, prefix } = world;
  const files = { state, prefix, disk: world.links?.disk.plain ?? world.disk };
  return [...(mode === "translate" ? toPaths(files) : toTexts(files))];
}
