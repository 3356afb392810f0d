import { join } from "node:path";
import type { World } from "../../engine/run/world.ts";
import { MIRROR_FOLDER } from "../../model/mirror-folder.ts";
import { type Config, readConfig } from "./config.ts";

/** The part of the engine that translates links, which a mirror that keeps them never loads. */
type Links = typeof import("../../engine/links/translating.ts");

let loaded: Links | null = null;

/** For opening mirrors where nothing can be waited for; null: call `loadLinks` first. */
export function readyLinks(): Links | null {
  return loaded;
}

export async function loadLinks(): Promise<Links> {
  loaded ??= await import("../../engine/links/translating.ts");
  return loaded;
}

/**
 * Before `openLocal`, which cannot wait.
 * @param root of a mirror; what is wrong with it shows later
 */
export async function loadLinksOf(root: string): Promise<void> {
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind === "ok" && config.value.links === "translate") await loadLinks();
}

/** @param keeps whether the state may be written */
export async function withLinks(world: World, { links, wiki }: Config, keeps: boolean): Promise<World> {
  return links === "keep" ? world : (await loadLinks()).translating(world, keeps, wiki);
}
