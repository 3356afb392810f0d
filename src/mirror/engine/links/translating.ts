import type { LocalPath } from "../../../contract/path.ts";
import { checkRoot } from "../run/guard-facts.ts";
import type { World } from "../run/world.ts";
import { outOfPlace, toPaths, toTexts } from "./change-form.ts";
import { MirrorLinks, type Respelling } from "./mirror-links.ts";

/**
 * Returns the world of a folder whose links are converted.
 * @param keeps whether the state may be written
 * @param wiki whether wiki links are converted, too
 */
export function translating(world: World, keeps: boolean, wiki = false): World {
  const { state, prefix } = world;
  const links = new MirrorLinks({ state, disk: plainDisk(world), scope: { prefix, wiki }, keeps });
  return { ...world, disk: links.disk, links };
}

/** Returns a disk that is only read, with texts in the service's form. */
export function readingDisk(
  { prefix, ...files }: Pick<World, "state" | "disk" | "prefix">,
  wiki: boolean,
): World["disk"] {
  return new MirrorLinks({ ...files, scope: { prefix, wiki }, keeps: false }).disk;
}

/** New setting of the conversion of links; null: off. */
type Asked = { readonly wiki: boolean } | null;

/**
 * Returns what would be written on the disk if the conversion of links were turned on or off.
 * @returns the reason why that cannot be told, or the files
 */
export function respellingsFor(world: World, asked: Asked): string | readonly Respelling[] {
  const { root } = checkRoot(world);
  if (root !== "same") return `the linked folder changed identity (${root})`;
  const { state, prefix, links } = world;
  const files = { state, disk: plainDisk(world) };
  if (asked === null) return [...toTexts({ ...files, scope: links?.scope ?? { prefix, wiki: false } })];
  return [...toPaths({ ...files, scope: { prefix, wiki: asked.wiki } }, links !== undefined)];
}

/** Returns linking documents whose files cannot be written in another form before a sync. */
export function notInPlace(world: World): readonly LocalPath[] {
  return [...outOfPlace({ state: world.state, disk: plainDisk(world) })];
}

function plainDisk({ links, disk }: World): World["disk"] {
  return links?.disk.plain ?? disk;
}
