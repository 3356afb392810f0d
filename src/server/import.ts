import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { MAX_CONTENT_CHARACTERS } from "../contract/limits.ts";
import { mapName, NAME_FAULT_TEXT, type NameFault, type NameKind, pathFault } from "../contract/names.ts";
import type { Problem } from "../contract/problem.ts";
import { FILES, FOLDERS } from "../contract/routes.ts";
import { joinPath, nameOf } from "../model/path.ts";
import type { Service } from "./service.ts";

/**
 * Why an entry was not imported: a fault of its name or text, or a code of the service in
 * kebab-case.
 */
type ImportReason =
  | NameFault
  | "not-markdown"
  | "not-a-file"
  | "unreadable"
  | "not-utf8"
  | "holds-nul"
  | "name-clash"
  | (string & {});

type ImportRefusal = { readonly path: string; readonly reason: ImportReason; readonly detail: string };

export type ImportReport = {
  readonly files: number;
  readonly folders: number;
  /** Bytes of the imported texts, in UTF-8. */
  readonly bytes: number;
  /**
   * What has another name in the service than in the folder, in the order of the walk. A folder's
   * path ends in `/`.
   */
  readonly renamed: readonly { readonly path: string; readonly name: string }[];
  /** In the order of the walk; a folder that is not entered is one entry, ending in `/`. */
  readonly refused: readonly ImportRefusal[];
};

export type ImportProgress = { readonly files: number; readonly refused: number };

/** LIMIT: entries of one transaction; few enough that requests in between are answered soon. */
const BATCH = 500;

/**
 * Imports every Markdown file below a folder, byte for byte, and the folders themselves, under the
 * names that a mirror would give them. What is already in the service stays as it is. Symlinks are
 * not followed.
 * @param target the service, and a key that may create at the root
 * @param dir the folder; its content goes to the root of the workspace
 */
export async function importFolder(
  target: { readonly service: Service; readonly key: string },
  dir: string,
  onProgress: (progress: ImportProgress) => void = () => undefined,
): Promise<ImportReport> {
  const run: Run = { dir, ...target, files: 0, folders: 0, bytes: 0, renamed: [], refused: [] };
  const entries = walk(run, "", "");
  for (let ended = false; !ended; ) {
    target.service.batch(() => {
      for (let i = 0; i < BATCH && !ended; i++) {
        const next = entries.next();
        if (next.done) ended = true;
        else importEntry(run, next.value);
      }
    });
    onProgress({ files: run.files, refused: run.refused.length });
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { files, folders, bytes, renamed, refused } = run;
  return { files, folders, bytes, renamed, refused };
}

type Run = {
  readonly service: Service;
  readonly key: string;
  readonly dir: string;
  files: number;
  folders: number;
  bytes: number;
  readonly renamed: { readonly path: string; readonly name: string }[];
  readonly refused: ImportRefusal[];
};

/** `path` is in the folder, `as` in the service. */
type Entry = { readonly path: string; readonly as: string; readonly kind: "file" | "folder" | "other" };

function* walk(run: Run, below: string, belowAs: string): Generator<Entry> {
  const entries = readFolder(run, below);
  const names = importNames(entries.filter(hasName).map((entry) => ({ name: entry.name, kind: kindOf(entry) })));
  for (const entry of entries) {
    const path = joinPath(below, entry.name);
    const name = takeName(run, path, entry, names.get(entry.name));
    if (name === null) continue;
    const as = joinPath(belowAs, name);
    const isFolder = entry.isDirectory();
    yield { path, as, kind: isFolder ? "folder" : entry.isFile() ? "file" : "other" };
    if (isFolder) yield* walk(run, path, as);
  }
}

/** The entries of a folder by name. A folder that cannot be read is refused, and has no entries. */
function readFolder(run: Run, path: string): Dirent[] {
  try {
    return readdirSync(join(run.dir, path), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (path === "") throw error;
    run.refused.push({ path: `${path}/`, reason: "unreadable", detail: (error as Error).message });
    return [];
  }
}

/** The name in the service; null for an entry that is refused for its name. */
function takeName(run: Run, path: string, entry: Dirent, found: ImportName | undefined): string | null {
  const { name } = entry;
  const isFolder = entry.isDirectory();
  const shown = isFolder ? `${path}/` : path;
  if (isFolder && name.startsWith(".")) {
    run.refused.push({ path: shown, reason: "leading-dot-folder", detail: clause("leading-dot-folder", name) });
    return null;
  }
  if (found?.kind === "clash") {
    const detail = `it would be named ${JSON.stringify(found.name)}, as ${JSON.stringify(found.holder)} beside it`;
    run.refused.push({ path: shown, reason: "name-clash", detail });
    return null;
  }
  const taken = found?.name ?? name;
  if (isFolder && taken !== name) run.renamed.push({ path: shown, name: taken });
  return taken;
}

/** Whether an entry is imported under a name; any other is refused because of its kind. */
function hasName(entry: Dirent): boolean {
  return entry.isDirectory() || (entry.isFile() && entry.name.endsWith(".md"));
}

function kindOf(entry: Dirent): NameKind {
  return entry.isDirectory() ? "folder" : "file";
}

function importEntry(run: Run, entry: Entry): void {
  const refusal = entry.kind === "folder" ? importOneFolder(run, entry.as) : importOneFile(run, entry);
  if (refusal !== null) run.refused.push({ path: entry.path, ...refusal });
}

type Refusal = Omit<ImportRefusal, "path">;

/** A folder that is refused is reported with each of its files; an empty one is no loss. */
function importOneFolder(run: Run, path: string): null {
  if (pathFault(path, "folder") === null && send(run, FOLDERS, { path }) === null) run.folders++;
  return null;
}

function importOneFile(run: Run, { path, as, kind }: Entry): Refusal | null {
  if (kind === "other") return { reason: "not-a-file", detail: "it is a symlink or a special file" };
  const bad = pathFault(as, "file");
  if (bad?.fault === "not-lowercase-md") return { reason: "not-markdown", detail: "its name does not end in .md" };
  if (bad !== null) return { reason: bad.fault, detail: clause(bad.fault, bad.name) };
  const text = readText(join(run.dir, path));
  if (typeof text !== "string") return text;
  const problem = send(run, FILES, { path: as, content: text });
  if (problem !== null) return { reason: problem.code.replaceAll("_", "-"), detail: problem.detail };
  if (nameOf(as) !== nameOf(path)) run.renamed.push({ path, name: nameOf(as) });
  run.files++;
  run.bytes += Buffer.byteLength(text);
  return null;
}

function clause(fault: NameFault, name: string): string {
  return `the name ${JSON.stringify(name)} ${NAME_FAULT_TEXT[fault]}`;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/**
 * A code point takes at most four bytes, so a longer file is too long in any case, and is not read.
 */
const MAX_BYTES = 4 * MAX_CONTENT_CHARACTERS;

function readText(file: string): string | Refusal {
  try {
    const { size } = statSync(file);
    if (size > MAX_BYTES) return { reason: "content-too-large", detail: `it has ${size} bytes` };
    const bytes = readFileSync(file);
    if (bytes.includes(0)) return { reason: "holds-nul", detail: "it holds a NUL byte" };
    return UTF8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return { reason: "not-utf8", detail: "it is not UTF-8" };
    return { reason: "unreadable", detail: (error as Error).message };
  }
}

/** @returns the problem, or null when it was created */
function send(run: Run, path: string, body: object): Problem | null {
  const headers = { "x-api-key": run.key };
  const response = run.service.answer({ method: "POST", path, headers, body: JSON.stringify(body) });
  return response.status === 201 ? null : (JSON.parse(response.body) as Problem);
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
