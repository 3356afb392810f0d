import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";
import { mapName, NAME_FAULT_TEXT, type NameFault, type NameKind } from "../../contract/names.ts";
import { joinPath } from "../../contract/path.ts";

/** What lies in a folder that is imported, and under which names it goes into the service. */

/**
 * Why an entry was not imported: a fault of its name or text, or a code of the service in
 * kebab-case.
 */
export type ImportReason =
  | NameFault
  | "not-markdown"
  | "not-a-file"
  | "unreadable"
  | "not-utf8"
  | "contains-nul"
  | "name-clash"
  | (string & {});

export type ImportRefusal = { readonly path: string; readonly reason: ImportReason; readonly detail: string };

/** `path` is in the folder, `as` in the service. */
export type Entry = { readonly path: string; readonly as: string; readonly kind: "file" | "folder" | "other" };

/** What the walk meets, in its order: an entry, or what is told of one. */
export type Item =
  | Entry
  | { readonly kind: "refused"; readonly refusal: ImportRefusal }
  | { readonly kind: "renamed"; readonly path: string; readonly name: string };

export function* walk(dir: string, below: string, belowAs: string): Generator<Item, undefined> {
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

/** The entries of a folder by name. A folder that cannot be read is refused, and has no entries. */
function readFolder(dir: string, path: string): Dirent[] | Item {
  try {
    return readdirSync(join(dir, path), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (path === "") throw error;
    return refused(`${path}/`, { reason: "unreadable", detail: (error as Error).message });
  }
}

export type Refusal = Omit<ImportRefusal, "path">;

function refused(path: string, refusal: Refusal): Item {
  return { kind: "refused", refusal: { path, ...refusal } };
}

/** The name in the service, or why an entry is refused for its name. */
function takeName(path: string, entry: Dirent, found: ImportName | undefined): string | Item {
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

/** Whether an entry is imported under a name; any other is refused because of its kind. */
function hasName(entry: Dirent): boolean {
  return entry.isDirectory() || (entry.isFile() && entry.name.endsWith(".md"));
}

function kindOf(entry: Dirent): NameKind {
  return entry.isDirectory() ? "folder" : "file";
}

export function clause(fault: NameFault, name: string): string {
  return `the name ${JSON.stringify(name)} ${NAME_FAULT_TEXT[fault]}`;
}

/**
 * The name under which an entry of a folder is imported, or the entry that already has this name.
 */
type ImportName =
  | { readonly kind: "as"; readonly name: string }
  | { readonly kind: "clash"; readonly name: string; readonly holder: string };

/**
 * The names of one folder's entries, mapped by the rule of a mirror. A legal name stays; if several
 * entries get the same new name, the first has it. A name that cannot be made legal stays too, so
 * that its fault is reported.
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
