import { shellWord } from "../model/shell-word.ts";
import { type Result, trouble } from "../../common/trouble.ts";
import { findMirror, keepMirror, markerOf } from "./gate.ts";
import { usualName } from "./list.ts";
import { findByMarker, registryFolder } from "./registry.ts";

/** An address that the user gave for the documents and the key of a linked folder. */
type GivenAddress = {
  /** Address in the spelling of `addressOf`. */
  readonly address: string;
  readonly allowHttp: readonly string[];
  /** Name for the linked folder. Null for the current name, else the name of the folder on disk. */
  readonly name: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
};

/**
 * Records that the user gave this folder's key for this address, in addition to earlier addresses.
 * Called only for a person's input: by `init --url` and `trust`.
 * @param root real path
 * @returns the registry entry that was set aside, or null
 */
export function bindMirror(root: string, marker: string, given: GivenAddress): Result<string | null> {
  const place = registryFolder(given.env);
  const found = findByMarker(place, marker);
  const before = found.kind === "known" ? found.mirror : null;
  const others = (before?.roots ?? []).filter((other) => other !== root && markerOf(other) === marker);
  return keepMirror(place, {
    marker,
    name: given.name ?? before?.name ?? usualName(given.env, root),
    addresses: [...new Set([...(before?.addresses ?? []), given.address])],
    allowHttp: [...new Set([...(before?.allowHttp ?? []), ...given.allowHttp])],
    roots: [...others, root],
  });
}

/**
 * Renames a linked folder.
 * @param root real path
 * @returns the registry entry that was set aside, or null
 */
export function nameMirror(root: string, name: string, env: GivenAddress["env"]): Result<string | null> {
  const place = registryFolder(env);
  const found = findMirror(place, root);
  if (found.kind !== "known") {
    return trouble(
      "usage",
      `${root} is not in the list of your linked folders (${place})`,
      `trust it first: mdmirror trust ${shellWord(root)}`,
    );
  }
  const { mirror } = found;
  const roots = [root, ...mirror.roots.filter((other) => other !== root)];
  return keepMirror(place, { ...mirror, name, roots });
}
