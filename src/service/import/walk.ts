/** Walks an imported folder, and converts its names to names on the service. */

import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { mapName, NAME_FAULT_TEXT, type NameFault } from "../../contract/names.ts";
import { joinPath } from "../../contract/path.ts";

/**
 * Reason why an entry was not imported: a fault of its name or content, or a code of the service in
 * kebab-case.
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

/** One entry of the folder. `path` is local, `as` is the path on the service. */
export type WalkEntry = { readonly path: string; readonly as: string; readonly kind: "file" | "folder" | "other" };

/** An item of the walk, in order: an entry, or a report about one. */
export type WalkItem =
  | WalkEntry
  | { readonly kind: "refused"; readonly refusal: ImportRefusal }
  | { readonly kind: "renamed"; readonly path: string; readonly name: string };

export function* walk(dir: string, below: string, belowAs: string): Generator<WalkItem, undefined> {
  const entries = readFolder(dir, below);
  if (!Array.isArray(entries)) return void (yield entries);
  const names = importNames(entries.filter(hasName));
  for (const entry of entries) {
    const path = joinPath(below, entry.name);
    const kind = kindOf(entry);
    const isFolder = kind === "folder";
    const { name, holder } = names.get(entry.name) ?? { name: entry.name, holder: entry.name };
    const shown = isFolder ? `${path}/` : path;
    const refusal = nameRefusal(entry, name, holder);
    if (refusal !== null) {
      yield refused(shown, refusal);
      continue;
    }
    if (isFolder && name !== entry.name) yield { kind: "renamed", path: shown, name };
    const as = joinPath(belowAs, name);
    yield { path, as, kind };
    if (isFolder) yield* walk(dir, path, as);
  }
}

/** Returns the entries of a folder by name, or the refusal of a folder that cannot be read. */
function readFolder(dir: string, path: string): Dirent[] | WalkItem {
  try {
    return readdirSync(join(dir, path), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (path === "") throw error;
    return refused(`${path}/`, { reason: "unreadable", detail: (error as Error).message });
  }
}

export type Refusal = Omit<ImportRefusal, "path">;

function refused(path: string, refusal: Refusal): WalkItem {
  return { kind: "refused", refusal: { path, ...refusal } };
}

/**
 * Returns the refusal of an entry because of its name.
 * @param holder entry that has the name on the service
 */
function nameRefusal(entry: Dirent, name: string, holder: string): Refusal | null {
  if (entry.isDirectory() && entry.name.startsWith(".")) {
    return { reason: "leading-dot-folder", detail: clause("leading-dot-folder", entry.name) };
  }
  if (holder === entry.name) return null;
  const detail = `its name would become ${JSON.stringify(name)}, the name of ${JSON.stringify(holder)}`;
  return { reason: "name-clash", detail };
}

/** Returns true if an entry gets a name on the service; any other kind of entry is refused. */
function hasName(entry: Dirent): boolean {
  return entry.isDirectory() || (entry.isFile() && entry.name.endsWith(".md"));
}

function kindOf(entry: Dirent): WalkEntry["kind"] {
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}

export function clause(fault: NameFault, name: string): string {
  return `the name ${JSON.stringify(name)} ${NAME_FAULT_TEXT[fault]}`;
}

/** A name on the service, and the local name of the entry that gets it. */
type ImportName = { readonly name: string; readonly holder: string };

/**
 * Converts the names of one folder's entries by the rule of a sync. A legal name stays. If several
 * entries get the same new name, the first entry has it. A name that cannot be made legal stays
 * too, so that its fault is reported.
 * @param entries in the order of the walk
 */
function importNames(entries: readonly Dirent[]): ReadonlyMap<string, ImportName> {
  const mapped = new Map<string, string>();
  for (const entry of entries) {
    mapped.set(entry.name, mapName(entry.name, entry.isDirectory() ? "folder" : "file") ?? entry.name);
  }
  const holders = new Map<string, string>();
  for (const [localName, name] of mapped) if (localName === name) holders.set(name, localName);
  for (const [own, name] of mapped) if (!holders.has(name)) holders.set(name, own);
  return new Map([...mapped].map(([localName, name]) => [localName, { name, holder: holders.get(name)! }]));
}
