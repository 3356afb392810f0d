import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { MIRROR_FOLDER, WHOLE_FOLDER } from "../mirror/model/mirror-folder.ts";
import type { LocalPath } from "../contract/path.ts";
import { examineFolder, refuseForeignFolder, readOwnership } from "../mirror/trust/owner.ts";
import { quoteForShell } from "../mirror/model/shell-word.ts";
import {
  describeAbsentMirror,
  findMirrorByName,
  checkMirrorName,
  isMirrorName,
  NAME_RULE,
} from "../mirror/trust/list.ts";
import { ok, refusal, refuse, type Result, TroubleError, unwrap } from "../common/trouble.ts";
import type { Args, Command, CommandEnd, Io, Operands } from "./command.ts";
import { refuseUsage } from "./exit.ts";
import { isDocId } from "../contract/ids.ts";

export const FOLDER_OPERANDS: Operands = { usage: "[DIR]", least: 0, most: 1, offers: ["mirror"] };

/** Returns the operands and the `run` of a command that works on one linked folder. */
export function makeFolderCommand(
  run: (io: Io, args: Args, root: string) => Promise<CommandEnd>,
): Pick<Command, "operands" | "run"> {
  return {
    operands: FOLDER_OPERANDS,
    async run(io, args) {
      return run(io, args, findMirror(io, args.operands[0]));
    },
  };
}

/**
 * Returns the real path of the linked folder that has the path or the name `dir`. Without `dir`,
 * returns the nearest linked folder of this user at or above the working folder. Ends the command
 * if another user owns the folder.
 */
export function findMirror(io: Io, dir: string | undefined): string {
  if (dir !== undefined) return unwrap(findMirrorAt(io, dir) ?? findOwnMirrorNamed(io, dir) ?? refuseUnlinked(io, dir));
  const message = `neither this folder nor a folder above it has a ${MIRROR_FOLDER}/`;
  return unwrap(
    findNearestOwn(io, io.cwd, message, "name the linked folder, or link this one: mdmirror init --url URL"),
  );
}

/**
 * Returns the operand for a linked folder in a command line that a command prints, with a space
 * before it; "" if commands in the working folder find the linked folder by themselves.
 */
export function formatFolderOperand(io: Io, root: string): string {
  return findNearestMirror(io, io.cwd).root === root ? "" : ` ${quoteForShell(root)}`;
}

/**
 * Returns the real paths of linked folders, without duplicates. Each operand is the path or name of
 * a linked folder; without operands, returns the nearest linked folder.
 */
export function findMirrors(io: Io, dirs: readonly string[]): readonly string[] {
  const operands = dirs.length === 0 ? [undefined] : dirs;
  return [...new Set(operands.map((dir) => findMirror(io, dir)))];
}

function findMirrorAt(io: Io, dir: string): Result<string> | null {
  const root = resolve(io.cwd, dir);
  return holdsMirror(root) ? workAsOwner(io, root) : null;
}

/** Returns the linked folder with this name from the user's list; null if there is none. */
function findOwnMirrorNamed(io: Io, name: string): Result<string> | null {
  const mirror = isMirrorName(name) ? findMirrorByName(io.env, name) : null;
  if (mirror === null || mirror.place === "present") return mirror && workAsOwner(io, mirror.root);
  return { kind: "trouble", trouble: describeAbsentMirror(mirror) };
}

function refuseUnlinked(io: Io, dir: string): Result<never> {
  const { root: above } = findNearestMirror(io, resolve(io.cwd, dir));
  const hint =
    above === null
      ? `mdmirror init ${quoteForShell(dir)} --url URL`
      : `mdmirror COMMAND ${quoteForShell(above)}: the nearest linked folder above is used`;
  const nameClause = isMirrorName(dir) ? ", nor the name of a linked folder (mdmirror list)" : "";
  return refusal(`${dir} is not a linked folder: it has no ${MIRROR_FOLDER}/${nameClause}`, hint);
}

/**
 * Returns the nearest linked folder of this user at or above a path; an error if there is none.
 * @param what beginning of the error's message
 */
function findNearestOwn(io: Io, from: string, what: string, next: string): Result<string> {
  const { root, foreign } = findNearestMirror(io, from);
  if (root !== null) return workAsOwner(io, root);
  const skippedClause =
    foreign === null ? "" : ` of yours (that of ${foreign} belongs to another user, and is left alone)`;
  return refusal(`${what}${skippedClause}`, next);
}

/**
 * Returns the real path of a folder. Returns an error if another user owns the folder; the owner of
 * a symbolic link to the folder does not matter. Under `sudo`, the process continues as the user
 * who called `sudo`, so that this user owns every new file.
 */
export function workAsOwner(io: Io, folder: string): Result<string> {
  const root = realpathSync(folder);
  const ownership = readOwnership(root, io.env);
  if (ownership.kind === "foreign") return refuseForeignFolder(ownership);
  if (ownership.kind === "by-sudo") {
    const { caller } = ownership;
    io.err(`mdmirror: ${root} belongs to the user who called sudo; working as that user (uid ${caller.uid})`);
    io.become(caller);
  }
  const examinedRoot = examineFolder(root);
  return examinedRoot.kind === "ok" ? ok(root) : examinedRoot;
}

/** A document and its linked folder. `path`: path below `root`, or the document's id `doc_…`. */
type DocumentLocation = { readonly root: string; readonly path: LocalPath };

/**
 * Finds the linked folder that contains a path. For a document id, finds the nearest linked folder.
 * The path need not have a file.
 */
export function locateDocument(io: Io, path: string): DocumentLocation {
  return unwrap(tryLocate(io, path));
}

function tryLocate(io: Io, path: string): Result<DocumentLocation> {
  if (isDocId(path)) return ok({ root: findMirror(io, undefined), path });
  const absolutePath = resolve(io.cwd, path);
  const nextStep = "give a path inside a folder that has .mdmirror/";
  const root = findNearestOwn(io, dirname(absolutePath), `${path} is not in a linked folder`, nextStep);
  if (root.kind === "trouble") return root;
  return ok({ root: root.value, path: relative(root.value, resolveParent(absolutePath)).split(sep).join("/") });
}

/**
 * Splits `notes/plan.md@3` into the path and the version 3. The version is null if the text does
 * not end with `@` and a number.
 */
export function splitVersion(name: string): { readonly path: string; readonly n: number | null } {
  const match = /^(.+)@(\d{1,9})$/s.exec(name);
  return match === null ? { path: name, n: null } : { path: match[1]!, n: Number(match[2]) };
}

export function locateVersion(io: Io, operand: string): { readonly root: string; readonly input: object } {
  const { path: name, n } = splitVersion(operand);
  const { root, path } = locateDocument(io, name);
  return { root, input: { path, n: n ?? undefined } };
}

/**
 * Like `locateDocument`, but also accepts the path or name of a linked folder; `path` in the result
 * is then "".
 */
export function locateDocumentOrRoot(io: Io, path: string): DocumentLocation {
  const rootResult = isDocId(path) ? null : findMirrorAt(io, path);
  if (rootResult?.kind === "ok") return { root: rootResult.value, path: "" };
  const documentResult = tryLocate(io, path);
  if (documentResult.kind === "ok") return documentResult.value;
  // If the operand is a linked folder with a problem, the error names this problem. The error "The
  // path is not in a linked folder" would not help the user.
  const mirrorResult = rootResult ?? findOwnMirrorNamed(io, path);
  return mirrorResult?.kind === "ok" ? { root: mirrorResult.value, path: "" } : unwrap(rootResult ?? documentResult);
}

/**
 * Resolves symbolic links in the path of the parent folder, because such a link may lead into the
 * linked folder. Returns the path unchanged if the parent folder does not exist. A document that
 * exists only on the service may have no local folder.
 */
function resolveParent(path: string): string {
  return join(resolveFolder(dirname(path)), basename(path));
}

type NearestMirror = {
  readonly root: string | null;
  /**
   * Nearest linked folder that another user owns and that the search therefore skipped; null if the
   * search skipped no folder.
   */
  readonly foreign: string | null;
};

export function findNearestMirror(io: Pick<Io, "env">, from: string): NearestMirror {
  let foreignFolder: string | null = null;
  for (let folder = resolveFolder(from); ; folder = dirname(folder)) {
    if (holdsMirror(folder)) {
      if (readOwnership(folder, io.env).kind !== "foreign") return { root: folder, foreign: foreignFolder };
      foreignFolder ??= folder;
    }
    if (dirname(folder) === folder) return { root: null, foreign: foreignFolder };
  }
}

function resolveFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function holdsMirror(folder: string): boolean {
  return statSync(join(folder, MIRROR_FOLDER), { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Finds the one linked folder that contains all these paths or ids. Returns the paths below that
 * folder; `WHOLE_FOLDER` stands for the folder itself. Without names, returns the nearest linked
 * folder and `WHOLE_FOLDER`.
 * @throws TroubleError if the paths are in several linked folders
 */
export function locatePaths(
  io: Io,
  names: readonly string[],
): { readonly root: string; readonly paths: readonly string[] } {
  if (names.length === 0) return { root: findMirror(io, undefined), paths: [WHOLE_FOLDER] };
  const locations = names.map((name) => locateDocumentOrRoot(io, name));
  const [root, second] = new Set(locations.map((place) => place.root));
  if (second === undefined) return { root: root!, paths: locations.map(({ path }) => path || WHOLE_FOLDER) };
  return refuse(
    `the paths are in several linked folders: ${root} and ${second}`,
    "run the command for each folder separately",
  );
}

/** Checks a new name for a linked folder; null needs no check. Error messages name `option`. */
export function requireMirrorName(io: Io, name: string | null, root: string, option = "--name"): void {
  if (name === null) return;
  if (!isMirrorName(name)) refuseUsage(`${option} takes ${NAME_RULE}`);
  const trouble = checkMirrorName(io.env, name, root);
  if (trouble !== null) throw new TroubleError(trouble);
}
