/**
 * Decides whether a folder may send its documents and the key to the address in its configuration.
 * Another person may have created the folder. So the address must also be in the user's registry,
 * outside the folder, in the entry of the folder's marker.
 */
import { accessSync, constants, type Dirent, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { readMarker } from "../local/marker.ts";
import { createNodeFs } from "../local/node-fs.ts";
import type { Config } from "../settings/config.ts";
import { ok, readErrorCode, refusal, type Result, toUnwritableTrouble } from "../../common/trouble.ts";
import { type PickedUrl, pickUrl, toAddress, type TrustedOrigin, type UrlSources } from "./address.ts";
import { checkOwner } from "./owner.ts";
import {
  findByMarker,
  findByRoot,
  type FoundMirror,
  type KnownMirror,
  locateConfigFolder,
  locateRegistry,
  removeMirror,
  writeMirror,
} from "./registry.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { isConflictCopyName } from "../../contract/path.ts";
import { findKeySource } from "../settings/key.ts";
import { quoteForShell } from "../model/shell-word.ts";

export type AdmittedFolder = {
  readonly origin: TrustedOrigin;
  readonly notes: readonly string[];
  readonly mirror: KnownMirror;
};

type GateOptions = UrlSources & {
  /** `read`: mdmirror writes nothing, not even the registry. */
  readonly mode: "read" | "write";
  /** Value of `--key-file`, for messages about a folder that may not use its address. */
  readonly keyFile?: string | null;
  readonly cwd: string;
};

/** Returns the address in `--url` or `MDMIRROR_URL`; null if both are missing. */
export function readUserOrigin(
  sources: UrlSources & { readonly allowHttp: readonly string[] },
): Result<TrustedOrigin> | null {
  const pickedUrl = pickUrl(null, sources);
  return pickedUrl === null ? null : makeTrustedOrigin(pickedUrl, sources.allowHttp);
}

function makeTrustedOrigin(pickedUrl: PickedUrl, allowHttp: readonly string[]): Result<TrustedOrigin> {
  const address = toAddress(pickedUrl, allowHttp);
  if (address.kind === "trouble") return address;
  return ok({ url: pickedUrl.url, address: address.value, allowHttp } as TrustedOrigin);
}

/**
 * Decides whether a linked folder may use its address. Sends nothing and runs nothing.
 * @param root real path of the folder
 * @returns trouble of code `untrusted` if the user first has to run `mdmirror trust`
 */
export function admit(root: string, config: Config, options: GateOptions): Result<AdmittedFolder> {
  const ownerResult = checkOwner(root, options.env);
  if (ownerResult.kind === "trouble") return ownerResult;
  const pickedUrl = pickUrl(config.url, options)!;
  // This check rejects only invalid URLs; it accepts plain http if the folder's configuration
  // allows that. `makeTrustedOrigin` later checks whether the user allowed plain http too.
  const address = toAddress(pickedUrl, config.allowHttp);
  if (address.kind === "trouble") return address;
  const registry = locateRegistry(options.env);
  const foundMirror = findMirror(registry, root);
  const refusalReason = whyNotAdmitted(foundMirror, pickedUrl, address.value);
  if (refusalReason !== null) return makeUntrustedTrouble(root, pickedUrl, refusalReason, registry, options);
  const { mirror } = foundMirror as Extract<FoundMirror, { kind: "known" }>;
  const origin = makeTrustedOrigin(pickedUrl, mirror.allowHttp);
  if (origin.kind === "trouble") return origin;
  const updatedFolder = updateRoot(registry, mirror, root, options.mode);
  return ok({ origin: origin.value, ...updatedFolder });
}

/** Returns the path of the user's `hooks.json`, which no linked folder can change; or null. */
export function findHooksFile(env: UrlSources["env"]): string | null {
  const file = join(locateConfigFolder(env), "hooks.json");
  return existsSync(file) ? file : null;
}

/** Returns the id in the folder's marker, as it is in the registry; null without a valid marker. */
export function readRootMarker(root: string): string | null {
  return readMarker(createNodeFs(), root);
}

export function findMirror(registry: string, root: string): FoundMirror {
  const marker = readRootMarker(root);
  return marker === null ? findByRoot(registry, root) : findByMarker(registry, marker);
}

function whyNotAdmitted(found: FoundMirror, pickedUrl: PickedUrl, address: string): NotAdmitted | null {
  if (found.kind !== "known") return found;
  const { addresses, allowHttp } = found.mirror;
  if (pickedUrl.from === "config" && !addresses.includes(address)) return { kind: "other-address", addresses };
  // Plain http needs the permission of both the folder's configuration and the user.
  return toAddress(pickedUrl, allowHttp).kind === "ok" ? null : { kind: "plain-http" };
}

/**
 * Adds the current path of a folder to its registry entry.
 * - If the folder was moved, the current path replaces the old path.
 * - If the folder is a copy, the current path comes last, and the original keeps the name.
 *
 * If the registry cannot be written, the next command tries again.
 */
function updateRoot(
  registry: string,
  mirror: KnownMirror,
  root: string,
  mode: GateOptions["mode"],
): Pick<AdmittedFolder, "mirror" | "notes"> {
  if (mirror.roots.includes(root)) return { mirror, notes: [] };
  const existingPaths = listExistingRoots(mirror);
  const earlierRoot = mirror.roots[0] ?? "another folder";
  const isMoved = !existingPaths.includes(earlierRoot);
  // A copy needs no message, because a safety check will ask the user about the copy.
  const notes = isMoved ? [`${root} was ${earlierRoot} before; it is still one of your linked folders`] : [];
  const updatedMirror = { ...mirror, roots: isMoved ? [root, ...existingPaths] : [...existingPaths, root] };
  if (mode === "read") return { mirror: updatedMirror, notes };
  const keepResult = keepMirror(registry, updatedMirror);
  return { mirror: updatedMirror, notes: keepResult.kind === "ok" ? notes : [...notes, keepResult.trouble.what] };
}

function listExistingRoots({ roots, marker }: KnownMirror): readonly string[] {
  return roots.filter((other) => readRootMarker(other) === marker);
}

/**
 * Gives the name in the registry entry to a copy that the user approved, unless the folder with
 * this name still exists. The caller must have checked that the state file belongs to this folder.
 */
export function claimName(root: string, { mirror }: AdmittedFolder, env: UrlSources["env"]): void {
  const nameHolder = mirror.roots[0] ?? root;
  if (nameHolder === root || listExistingRoots(mirror).includes(nameHolder)) return;
  // The result is ignored: if the registry cannot be written, the other folder keeps the name.
  keepMirror(locateRegistry(env), { ...mirror, roots: [root, ...mirror.roots.filter((other) => other !== root)] });
}

/**
 * Stores a folder's new marker in the registry after the loss of the old marker. The folder stays
 * trusted.
 */
export function keepMarker(root: string, { mirror }: AdmittedFolder, env: UrlSources["env"]): void {
  const marker = readRootMarker(root);
  if (marker === null || marker === mirror.marker) return;
  // If the registry cannot be written, the next command asks the user to trust the folder again.
  keepMirror(locateRegistry(env), { ...mirror, marker, roots: [root] });
}

/**
 * Writes the registry entry of a mirror. If `mirror` has no paths, deletes the entry instead.
 * Returns a clause for the user if a damaged entry was replaced and kept under another name;
 * otherwise null.
 */
export function keepMirror(registry: string, mirror: KnownMirror): Result<string | null> {
  try {
    if (mirror.roots.length > 0) return ok(writeMirror(registry, mirror));
    removeMirror(registry, mirror.marker);
    return ok(null);
  } catch (error) {
    if (readErrorCode(error) === null) throw error;
    return reportUnwritable(registry, error, "");
  }
}

/** @param undone a clause with a leading semicolon that says what was not done; or "" */
function reportUnwritable(registry: string, error: unknown, undone: string): Result<never> {
  return toUnwritableTrouble(`the list of your linked folders, ${registry},`, error, {
    kind: "usage",
    undone,
    next: "allow this user to write in that folder, or always set XDG_STATE_HOME to a folder that this user may write",
  });
}

/**
 * Checks whether the registry can be written. Called before work that would otherwise fail in the
 * middle.
 * @param undone a clause for the user that says what was not done
 */
export function checkRegistryWritable(env: UrlSources["env"], undone: string): Result<null> {
  const registry = locateRegistry(env);
  try {
    accessSync(registry, constants.W_OK | constants.X_OK);
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") return reportUnwritable(registry, error, `; ${undone}`);
  }
  return ok(null);
}

type NotAdmitted =
  | { readonly kind: "unknown" }
  | { readonly kind: "unfit"; readonly why: string }
  /** The user trusts other addresses of the folder, but not the address in its configuration. */
  | { readonly kind: "other-address"; readonly addresses: readonly string[] }
  | { readonly kind: "plain-http" };

type KeySources = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly keyFile?: string | null;
};

/** LIMIT: number of files and folders that are counted, so that the message appears soon. */
const MAX_ENTRIES = 100_000;

/** Says what an untrusted folder would send, and how the user can allow it. */
function makeUntrustedTrouble(
  root: string,
  pickedUrl: PickedUrl,
  reason: NotAdmitted,
  place: string,
  keySources: KeySources,
): ReturnType<typeof refusal> {
  const { origin, pathname, host } = new URL(pickedUrl.url);
  const service = `${origin}${pathname.replace(/\/+$/, "")}`;
  const consequence = `${countDocuments(root)} would go to ${service}, ${describeKeySource(root, pickedUrl, keySources)}; nothing was sent`;
  const option = toAddress(pickedUrl, []).kind === "trouble" ? ` --allow-http ${quoteForShell(host)}` : "";
  return refusal(
    `${root} ${describeReason(reason, service, place)}: ${consequence}`,
    `to allow it: mdmirror trust ${quoteForShell(root)}${option}`,
    "untrusted",
  );
}

function describeReason(reason: NotAdmitted, service: string, place: string): string {
  switch (reason.kind) {
    case "unknown":
      return `is not in the list of your linked folders (${place})`;
    case "unfit":
      return `is not known as one of your linked folders, because ${reason.why}`;
    case "other-address":
      return `is your linked folder of ${reason.addresses.join(" and ")}, but its configuration names ${service} now`;
    case "plain-http":
      return "asks for plain http, which shows the key and all documents to the network, and you did not allow that";
  }
}

/** Returns a clause with the source of the key, never with the key. */
export function describeKeySource(root: string, { url }: PickedUrl, { env, cwd, keyFile = null }: KeySources): string {
  const folder = join(root, MIRROR_FOLDER);
  const keySource = findKeySource({ folder, keyFile, cwd, env }, url);
  if (keySource === null) return "once there is a key";
  if (keySource === "stored") return "with the key in the folder itself";
  return keySource === "keychain" ? "with the key of your keychain" : `with the key from ${keySource}`;
}

/** Counts documents by their names, without reading files. Example: `3 Markdown files`. */
export function countDocuments(root: string): string {
  const folders = [root];
  let files = 0;
  let entries = 0;
  for (let folder = folders.pop(); folder !== undefined && entries < MAX_ENTRIES; folder = folders.pop()) {
    const folderEntries = readEntries(folder);
    entries += folderEntries.length;
    files += folderEntries.filter(isDocument).length;
    for (const { name } of folderEntries.filter(isVisibleFolder)) folders.push(join(folder, name));
  }
  const morePrefix = entries >= MAX_ENTRIES ? "more than " : "";
  return `${morePrefix}${files} Markdown ${files === 1 ? "file" : "files"}`;
}

function isDocument(entry: Dirent): boolean {
  return entry.isFile() && entry.name.endsWith(".md") && !isConflictCopyName(entry.name);
}

function isVisibleFolder(entry: Dirent): boolean {
  return entry.isDirectory() && !entry.name.startsWith(".");
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that this user may not read can send no documents, so it counts as empty.
    return [];
  }
}
