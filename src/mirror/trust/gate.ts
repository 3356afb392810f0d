/**
 * Decides whether the documents of a folder, and the key, may go to the address in its
 * configuration. Anybody may have created the folder. So its configuration counts only if the
 * user's registry, outside the folder, binds the address to the folder's marker.
 */

import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { readMarker } from "../local/marker.ts";
import { createNodeFs } from "../local/node-fs.ts";
import type { Config } from "../settings/config.ts";
import { errorCodeOf, ok, type Result, unwritableFileTrouble } from "../../common/trouble.ts";
import { addressOf, type PickedUrl, pickUrl, type UrlSources } from "./address.ts";
import type { TrustedOrigin } from "./origin.ts";
import { checkOwner } from "./owner.ts";
import {
  configFolder,
  findByMarker,
  findByRoot,
  type FoundMirror,
  type KnownMirror,
  registryFolder,
  removeMirror,
  writeMirror,
} from "./registry.ts";
import { type NotAdmitted, untrustedTrouble } from "./untrusted.ts";

export type AdmittedFolder = {
  readonly origin: TrustedOrigin;
  /** Messages for the user about a folder that was moved or copied. */
  readonly notes: readonly string[];
  /** Registry entry that admitted the folder. */
  readonly mirror: KnownMirror;
};

type GateOptions = UrlSources & {
  /** `read`: nothing is written, not even the registry. */
  readonly mode: "read" | "write";
  /** Source of the key, for messages about a folder that is not admitted. */
  readonly keyFile?: string | null;
  readonly cwd: string;
};

/**
 * Returns the address that the user passes in this command, by `--url` or `MDMIRROR_URL`; null if
 * there is none.
 */
export function originOfUser(
  sources: UrlSources & { readonly allowHttp: readonly string[] },
): Result<TrustedOrigin> | null {
  const pickedUrl = pickUrl(null, sources);
  return pickedUrl === null ? null : makeTrusted(pickedUrl, sources.allowHttp);
}

function makeTrusted(pickedUrl: PickedUrl, allowHttp: readonly string[]): Result<TrustedOrigin> {
  const address = addressOf(pickedUrl, allowHttp);
  if (address.kind === "trouble") return address;
  return ok({ url: pickedUrl.url, address: address.value, allowHttp } as TrustedOrigin);
}

/**
 * Decides about a linked folder. Sends nothing and runs nothing.
 * @param root real path
 * @returns trouble of code `untrusted` if the user has to be asked once, by `mdmirror trust`
 */
export function admit(root: string, config: Config, options: GateOptions): Result<AdmittedFolder> {
  const owner = checkOwner(root, options.env);
  if (owner.kind === "trouble") return owner;
  const pickedUrl = pickUrl(config.url, options)!;
  // The address is first checked with the plain http that the folder itself allows, because an
  // invalid URL is reported before the question of trust.
  const address = addressOf(pickedUrl, config.allowHttp);
  if (address.kind === "trouble") return address;
  const registry = registryFolder(options.env);
  const found = findMirror(registry, root);
  const doubt = whyNotAdmitted(found, pickedUrl, address.value);
  if (doubt !== null) return untrustedTrouble(root, pickedUrl, doubt, registry, options);
  const { mirror } = found as Extract<FoundMirror, { kind: "known" }>;
  const origin = makeTrusted(pickedUrl, mirror.allowHttp);
  if (origin.kind === "trouble") return origin;
  const updated = updateRoot(registry, mirror, root, options.mode);
  return ok({ origin: origin.value, ...updated });
}

/**
 * Returns the absolute path of the user's file with hooks; null if there is none. No linked folder
 * can set this path.
 */
export function hooksFileOf(env: UrlSources["env"]): string | null {
  const file = join(configFolder(env), "hooks.json");
  return existsSync(file) ? file : null;
}

/**
 * Returns the folder's marker; null if the folder has none, so that the registry cannot recognise
 * it.
 */
export function markerOf(root: string): string | null {
  return readMarker(createNodeFs(), root);
}

/** Finds the registry entry of a folder: by its marker; without one, by its path. */
export function findMirror(registry: string, root: string): FoundMirror {
  const marker = markerOf(root);
  return marker === null ? findByRoot(registry, root) : findByMarker(registry, marker);
}

function whyNotAdmitted(found: FoundMirror, pickedUrl: PickedUrl, address: string): NotAdmitted | null {
  if (found.kind !== "known") return found;
  const { addresses, allowHttp } = found.mirror;
  if (pickedUrl.from === "config" && !addresses.includes(address)) return { kind: "other-address", addresses };
  // Plain http needs both: the configuration names the host, and the user allowed it.
  return addressOf(pickedUrl, allowHttp).kind === "ok" ? null : { kind: "plain-http" };
}

/**
 * Updates the registry entry of a folder that was moved. A copy of a folder is added after the
 * folder that has the name. If the registry cannot be written, the next command repeats the
 * message.
 */
function updateRoot(
  registry: string,
  mirror: KnownMirror,
  root: string,
  mode: GateOptions["mode"],
): Pick<AdmittedFolder, "mirror" | "notes"> {
  if (mirror.roots.includes(root)) return { mirror, notes: [] };
  const existingPaths = existingRoots(mirror);
  const before = mirror.roots[0] ?? "another folder";
  const isMoved = !existingPaths.includes(before);
  // For a copy, the safety check reports the copy and asks about it, so no message is needed.
  const notes = isMoved ? [`${root} was ${before} before; it is still one of your linked folders`] : [];
  const updated = { ...mirror, roots: isMoved ? [root, ...existingPaths] : [...existingPaths, root] };
  if (mode === "read") return { mirror: updated, notes };
  const kept = keepMirror(registry, updated);
  return { mirror: updated, notes: kept.kind === "ok" ? notes : [...notes, kept.trouble.what] };
}

function existingRoots({ roots, marker }: KnownMirror): readonly string[] {
  return roots.filter((other) => markerOf(other) === marker);
}

/**
 * Gives the name to the folder that the user approved, unless the folder that had the name still
 * exists. Call only after the state file is bound to this folder.
 */
export function claimName(root: string, { mirror }: AdmittedFolder, env: UrlSources["env"]): void {
  const holder = mirror.roots[0] ?? root;
  if (holder === root || existingRoots(mirror).includes(holder)) return;
  // If the registry cannot be written, the other folder keeps the name.
  keepMirror(registryFolder(env), { ...mirror, roots: [root, ...mirror.roots.filter((other) => other !== root)] });
}

/** Stores a new marker in place of a lost one, so that the user's permissions stay. */
export function keepMarker(root: string, { mirror }: AdmittedFolder, env: UrlSources["env"]): void {
  const marker = markerOf(root);
  if (marker === null || marker === mirror.marker) return;
  // If the registry cannot be written, the user has to trust the folder again; the next command
  // reports that.
  keepMirror(registryFolder(env), { ...mirror, marker, roots: [root] });
}

/**
 * Stores a registry entry, or removes an entry without a path. Returns a clause about a damaged
 * entry that was set aside, or null.
 */
export function keepMirror(registry: string, mirror: KnownMirror): Result<string | null> {
  try {
    if (mirror.roots.length > 0) return ok(writeMirror(registry, mirror));
    removeMirror(registry, mirror.marker);
    return ok(null);
  } catch (error) {
    if (errorCodeOf(error) === null) throw error;
    return unwritableRegistry(registry, error, "");
  }
}

/**
 * Returns the trouble for a registry that cannot be written.
 * @param undone a clause on what was not done, after a semicolon; "" if nothing
 */
function unwritableRegistry(registry: string, error: unknown, undone: string): Result<never> {
  return unwritableFileTrouble(`the list of your linked folders, ${registry},`, error, {
    kind: "usage",
    undone,
    next: "allow this user to write in that folder, or always set XDG_STATE_HOME to a folder that this user may write",
  });
}

/**
 * Checks whether the registry can be written, before work that would otherwise end half done.
 * @param undone clause for the user on what was not done
 */
export function checkRegistryWritable(env: UrlSources["env"], undone: string): Result<null> {
  const registry = registryFolder(env);
  try {
    accessSync(registry, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (errorCodeOf(error) !== "ENOENT") return unwritableRegistry(registry, error, `; ${undone}`);
  }
  return ok(null);
}
