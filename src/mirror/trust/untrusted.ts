/**
 * Makes the message about an untrusted folder: what the folder would send, and how the user can
 * allow it.
 */

import { readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { isConflictCopyName } from "../../contract/path.ts";
import { findKeySource } from "../settings/key.ts";
import { quoteForShell } from "../model/shell-word.ts";
import { trouble } from "../../common/trouble.ts";
import { toAddress, type PickedUrl } from "./address.ts";

export type NotAdmitted =
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

export function makeUntrustedTrouble(
  root: string,
  pickedUrl: PickedUrl,
  reason: NotAdmitted,
  place: string,
  keySources: KeySources,
): ReturnType<typeof trouble> {
  const { origin, pathname, host } = new URL(pickedUrl.url);
  const service = `${origin}${pathname.replace(/\/+$/, "")}`;
  const consequence = `${countDocuments(root)} would go to ${service}, ${describeKeySource(root, pickedUrl, keySources)}; nothing was sent`;
  const option = toAddress(pickedUrl, []).kind === "trouble" ? ` --allow-http ${quoteForShell(host)}` : "";
  return trouble(
    "usage",
    `${root} ${describeReason(reason, service, place)}: ${consequence}`,
    `to allow it: mdmirror trust ${quoteForShell(root)}${option}`,
    { code: "untrusted" },
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
export function describeKeySource(root: string, { url }: PickedUrl, { env, cwd, keyFile }: KeySources): string {
  const folder = join(root, MIRROR_FOLDER);
  const keySource = findKeySource({ folder, keyFile: keyFile ?? null, cwd, env, url });
  if (keySource === null) return "once there is a key";
  if (keySource === "stored") return "with the key in the folder itself";
  return keySource === "keychain" ? "with the key of your keychain" : `with the key from ${keySource}`;
}

/** Counts documents by their names, without reading them: returns `3 Markdown files`. */
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
