import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { mapName, NAME_FAULT_TEXT, type NameFault, type NameKind } from "../../contract/names.ts";
import { joinPath } from "../../contract/path.ts";

/** Walks an imported folder, and converts its names to names on the service. */

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
  const names = importNames(entries.filter(hasName).map((entry) => ({ name: entry.name, kind: kindOf(entry) })));
  for (const entry of entries) {
    const path = joinPath(below, entry.name);
    const name = takeName(path, entry, names.get(entry.name));
    if (typeof name !== "string") {
      yield name;
      continue;
    }
    const isFolder = entry.isDirectory();
    if (isFolder && name !== entry.name) yield { kind: "renamed", path: `${path}/`, name };
    const as = joinPath(belowAs, name);
    yield { path, as, kind: isFolder ? "folder" : entry.isFile() ? "file" : "other" };
    if (isFolder) yield* walk(dir, path, as);
  }
}

/**
 * Returns the entries of a folder by name. For a folder that cannot be read, returns its refusal.
 */
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

/** Returns the name of an entry on the service, or its refusal because of its name. */
function takeName(path: string, entry: Dirent, found: ImportName | undefined): string | WalkItem {
  const { name } = entry;
  const isFolder = entry.isDirectory();
  const shown = isFolder ? `${path}/` : path;
  if (isFolder && name.startsWith(".")) {
    return refused(shown, { reason: "leading-dot-folder", detail: clause("leading-dot-folder", name) });
  }
  if (found?.kind !== "clash") return found?.name ?? name;
  const detail = `its name would become ${JSON.stringify(found.name)}, the name of ${JSON.stringify(found.holder)}`;
  return refused(shown, { reason: "name-clash", detail });
}

/** Returns true if an entry gets a name on the service; any other kind of entry is refused. */
function hasName(entry: Dirent): boolean {
  return entry.isDirectory() || (entry.isFile() && entry.name.endsWith(".md"));
}

function kindOf(entry: Dirent): NameKind {
  return entry.isDirectory() ? "folder" : "file";
}

export function clause(fault: NameFault, name: string): string {
  return `the name ${JSON.stringify(name)} ${NAME_FAULT_TEXT[fault]}`;
}

/** Name under which an entry of a folder is imported, or the entry that already has this name. */
type ImportName =
  | { readonly kind: "as"; readonly name: string }
  | { readonly kind: "clash"; readonly name: string; readonly holder: string };

/**
 * Converts the names of one folder's entries by the rule of a sync. A legal name stays. If several
 * entries get the same new name, the first entry has it. A name that cannot be made legal stays
 * too, so that its fault is reported.
 * @param entries in the order of the walk
 */
function importNames(
  entries: readonly { readonly name: string; readonly kind: NameKind }[],
): ReadonlyMap<string, ImportName> {
  const wanted = entries.map(({ name, kind }) => ({ name, mapped: mapName(name, kind) ?? name }));
  const holders = new Map<string, string>();
  for (const { name, mapped } of wanted) if (name === mapped) holders.set(name, name);
  for (const { name, mapped } of wanted) if (!holders.has(mapped)) holders.set(mapped, name);
  return new Map(
    wanted.map(({ name, mapped }): [string, ImportName] => {
      const holder = holders.get(mapped)!;
      return [name, holder === name ? { kind: "as", name: mapped } : { kind: "clash", name: mapped, holder }];
    }),
  );
}
