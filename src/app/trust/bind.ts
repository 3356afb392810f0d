import { readMarker } from "../../local/marker.ts";
import { createNodeFs } from "../../local/node-fs.ts";
import type { Result } from "../mirror/trouble.ts";
import { keepMirror, placeOf } from "./gate.ts";
import { findByMarker } from "./registry.ts";

/** What the user gave: an address for a mirror's documents and key. */
export type Given = {
  /** As `addressOf` spells it. */
  readonly address: string;
  readonly allowHttp: readonly string[];
  /** null: as it is. */
  readonly name: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Writes down that the user gave this mirror's key for this address, beside what was given before.
 * Called for what a person said alone: by `init --url` and `trust`.
 * @param root real path
 * @returns what was set aside in the registry, or null
 */
export function bindMirror(root: string, marker: string, given: Given): Result<string | null> {
  const place = placeOf(given.env);
  if (place.kind === "trouble") return place;
  const found = findByMarker(place.value, marker);
  const before = found.kind === "known" ? found.mirror : null;
  const fs = createNodeFs();
  const others = (before?.roots ?? []).filter((other) => other !== root && readMarker(fs, other) === marker);
  return keepMirror(place.value, {
    marker,
    name: given.name ?? before?.name ?? null,
    addresses: [...new Set([...(before?.addresses ?? []), given.address])],
    allowHttp: [...new Set([...(before?.allowHttp ?? []), ...given.allowHttp])],
    roots: [...others, root],
  });
}

/** null: the folder has none, and no registry can tell it from another. */
export function markerOf(root: string): string | null {
  return readMarker(createNodeFs(), root);
}

/** What a mirror may be called: one line of characters that show. */
export function isMirrorName(text: string): boolean {
  return text.trim() !== "" && text.length <= 64 && !/\p{C}/u.test(text);
}
