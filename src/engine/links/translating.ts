import type { World } from "../run/world.ts";
import { MirrorLinks } from "./mirror-links.ts";

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
