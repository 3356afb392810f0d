/** Walks a folder that is imported, and converts local names to names on the service. */

import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { mapName, NAME_FAULT_TEXT, type NameFault } from "../../contract/names.ts";
import { joinPath } from "../../contract/path.ts";

/**
 * Reason why an item was not imported: a fault that the import found, or an error code of the
 * service in kebab-case.
 */
type ImportReason =
  | NameFault
  | "not-markdown"
  | "not-a-file"
  | "unreadable"
  | "not-utf8"
  | "contains-nul"
  | "name-clash"
  | (string & {});

export type ImportRefusal = { readonly path: string; readonly reason: ImportReason; readonly detail: string };

/** A file or folder that the walk found. `path`: local path. `as`: path on the service. */
export type WalkEntry = { readonly path: string; readonly as: string; readonly kind: "file" | "folder" | "other" };

/** One item of the walk: a file, a folder, or a refused file or folder. */
export type WalkItem = WalkEntry | { readonly kind: "refused"; readonly refusal: ImportRefusal };

export function* walkFolder(dir: string, localFolder: string, remoteFolder: string): Generator<WalkItem, undefined> {
  const entries = readFolder(dir, localFolder);
  if (!Array.isArray(entries)) return void (yield entries);
  const names = convertNames(entries.filter(isFolderOrDocument));
  for (const entry of entries) {
    const path = joinPath(localFolder, entry.name);
    const kind = readKind(entry);
    const isFolder = kind === "folder";
    const { name, holder } = names.get(entry.name) ?? { name: entry.name, holder: entry.name };
    const refusal = refuseName(entry, name, holder);
    if (refusal !== null) {
      yield reportRefusal(isFolder ? `${path}/` : path, refusal);
      continue;
    }
    const remotePath = joinPath(remoteFolder, name);
    yield { path, as: remotePath, kind };
    if (isFolder) yield* walkFolder(dir, path, remotePath);
  }
}

function readFolder(dir: string, path: string): Dirent[] | WalkItem {
  try {
    return readdirSync(join(dir, path), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (path === "") throw error;
    return reportRefusal(`${path}/`, { reason: "unreadable", detail: (error as Error).message });
  }
}

export type Refusal = Omit<ImportRefusal, "path">;

function reportRefusal(path: string, refusal: Refusal): WalkItem {
  return { kind: "refused", refusal: { path, ...refusal } };
}

/**
 * Returns the refusal of a file or folder because of its name; null if the name is accepted.
 * @param holder local name of the file or folder that gets the name on the service
 */
function refuseName(entry: Dirent, name: string, holder: string): Refusal | null {
  if (entry.isDirectory() && entry.name.startsWith(".")) {
    return { reason: "leading-dot-folder", detail: describeNameFault("leading-dot-folder", entry.name) };
  }
  if (holder === entry.name) return null;
  const detail = `its name would become ${JSON.stringify(name)}, the name of ${JSON.stringify(holder)}`;
  return { reason: "name-clash", detail };
}

/**
 * Returns true for an item that needs a name on the service: a folder or a Markdown file. Other
 * files are not imported.
 */
function isFolderOrDocument(entry: Dirent): boolean {
  return entry.isDirectory() || (entry.isFile() && entry.name.endsWith(".md"));
}

function readKind(entry: Dirent): WalkEntry["kind"] {
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}

export function describeNameFault(fault: NameFault, name: string): string {
  return `the name ${JSON.stringify(name)} ${NAME_FAULT_TEXT[fault]}`;
}

/** A name on the service. `holder`: local name of the file or folder that gets this name. */
type ImportName = { readonly name: string; readonly holder: string };

/**
 * Converts the local names of one folder to names on the service, by the rules of a sync:
 * - A legal name stays.
 * - If several files or folders would get the same new name, only the first of them gets it.
 * - A name that cannot be made legal stays, so that its fault is reported later.
 * @param entries in the order of the walk
 */
function convertNames(entries: readonly Dirent[]): ReadonlyMap<string, ImportName> {
  const mappedNames = new Map<string, string>();
  for (const entry of entries) {
    mappedNames.set(entry.name, mapName(entry.name, entry.isDirectory() ? "folder" : "file") ?? entry.name);
  }
  const localNames = new Map<string, string>();
  for (const [localName, name] of mappedNames) if (localName === name) localNames.set(name, localName);
  for (const [localName, name] of mappedNames) if (!localNames.has(name)) localNames.set(name, localName);
  return new Map([...mappedNames].map(([localName, name]) => [localName, { name, holder: localNames.get(name)! }]));
}
