import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { MIRROR_FOLDER, WHOLE_FOLDER } from "../mirror/model/mirror-folder.ts";
import type { LocalPath } from "../contract/path.ts";
import { examineFolder, foreignTrouble, ownershipOf } from "../mirror/trust/owner.ts";
import { shellWord } from "../mirror/model/shell-word.ts";
import { absentTrouble, mirrorNamed, nameTrouble, isMirrorName, NAME_RULE } from "../mirror/trust/list.ts";
import { ok, refuse, type Result, trouble, TroubleError, unwrap } from "../common/trouble.ts";
import type { Args, Command, Io, Operands } from "./command.ts";
import { isDocId } from "../contract/ids.ts";
import { type ExitCode, misuse } from "./exit.ts";

/** The operand of a command on one linked folder. */
export const ONE_FOLDER: Operands = { usage: "[DIR]", least: 0, most: 1, offers: ["mirror"] };

/** Makes the part of a command that all commands on one linked folder share. */
export function onFolder(
  run: (io: Io, args: Args, root: string) => Promise<ExitCode>,
): Pick<Command, "operands" | "run"> {
  return {
    operands: ONE_FOLDER,
    async run(io, args) {
      return run(io, args, findMirror(io, args.operands[0]));
    },
  };
}

/**
 * Finds the linked folder of a command: DIR, or the nearest folder above that has `.mdmirror/`.
 * Returns an absolute path. A folder of another user is refused if DIR means it, and skipped on the
 * way up.
 * @param dir a path or, if no linked folder is at that path, the name of one
 */
export function findMirror(io: Io, dir: string | undefined): string {
  if (dir !== undefined) return unwrap(mirrorAt(io, dir) ?? ownMirrorNamed(io, dir) ?? refuseUnlinked(io, dir));
  const what = `neither this folder nor a folder above it has a ${MIRROR_FOLDER}/`;
  return unwrap(nearestOwn(io, io.cwd, what, "name the linked folder, or link this one: mdmirror init --url URL"));
}

/** Finds several linked folders, each once; without DIR, the nearest one. Returns real paths. */
export function findMirrors(io: Io, dirs: readonly string[]): readonly string[] {
  const named = dirs.length === 0 ? [undefined] : dirs;
  return [...new Set(named.map((dir) => realpathSync(findMirror(io, dir))))];
}

/** Returns the linked folder at a path; null if there is none. */
function mirrorAt(io: Io, dir: string): Result<string> | null {
  const root = resolve(io.cwd, dir);
  return holdsMirror(root) ? workAsOwner(io, root) : null;
}

/** Returns the linked folder with a name; null if no folder has this name. */
function ownMirrorNamed(io: Io, name: string): Result<string> | null {
  const mirror = isMirrorName(name) ? mirrorNamed(io.env, name) : null;
  if (mirror === null || mirror.place === "present") return mirror && workAsOwner(io, mirror.root);
  return { kind: "trouble", trouble: absentTrouble(mirror) };
}

function refuseUnlinked(io: Io, dir: string): Result<never> {
  const { root: above } = nearest(io, resolve(io.cwd, dir));
  const hint =
    above === null
      ? `mdmirror init ${shellWord(dir)} --url URL`
      : `mdmirror COMMAND ${shellWord(above)}: the nearest linked folder above is used`;
  const named = isMirrorName(dir) ? ", nor the name of a linked folder (mdmirror list)" : "";
  return trouble("usage", `${dir} is not a linked folder: it has no ${MIRROR_FOLDER}/${named}`, hint);
}

/** Finds the nearest linked folder of this user. `what`, `next`: the trouble if there is none. */
function nearestOwn(io: Io, from: string, what: string, next: string): Result<string> {
  const { root, foreign } = nearest(io, from);
  if (root !== null) return workAsOwner(io, root);
  const passed = foreign === null ? "" : ` of yours (that of ${foreign} belongs to another user, and is left alone)`;
  return trouble("usage", `${what}${passed}`, next);
}

/**
 * Checks the owner of a folder. Under `sudo`, the process becomes the user who called `sudo`, so
 * that everything it creates belongs to that user.
 */
export function workAsOwner(io: Io, folder: string): Result<string> {
  const ownership = ownershipOf(folder, io.env);
  if (ownership.kind === "foreign") return foreignTrouble(ownership);
  if (ownership.kind === "by-sudo") {
    const { caller } = ownership;
    io.err(`mdmirror: ${folder} belongs to the user who called sudo; working as that user (uid ${caller.uid})`);
    io.become(caller);
  }
  return examineFolder(folder);
}

/** A document in a linked folder. `path`: its path below the root, or its id `doc_…`. */
type DocumentLocation = { readonly root: string; readonly path: LocalPath };

/** Finds the linked folder of a path or an id. Nothing has to exist at the path. */
export function locate(io: Io, path: string): DocumentLocation {
  return unwrap(placeOf(io, path));
}

function placeOf(io: Io, path: string): Result<DocumentLocation> {
  if (isDocId(path)) return ok({ root: findMirror(io, undefined), path });
  const whole = resolve(io.cwd, path);
  const next = "give a path inside a folder that has .mdmirror/";
  const root = nearestOwn(io, dirname(whole), `${path} is not in a linked folder`, next);
  if (root.kind === "trouble") return root;
  return ok({ root: root.value, path: relative(root.value, realParent(whole)).split(sep).join("/") });
}

/** Splits `notes/plan.md@3` into the path and 3. Without a number: the path and null. */
export function splitVersion(name: string): { readonly path: string; readonly n: number | null } {
  const match = /^(.+)@(\d{1,9})$/s.exec(name);
  return match === null ? { path: name, n: null } : { path: match[1]!, n: Number(match[2]) };
}

/** Finds the linked folder of an operand such as `PATH@N`, and its document and version. */
export function locateVersion(io: Io, operand: string): { readonly root: string; readonly input: object } {
  const { path: name, n } = splitVersion(operand);
  const { root, path } = locate(io, name);
  return { root, input: { path, n: n ?? undefined } };
}

/**
 * Works as `locate`, but also accepts the linked folder itself, with the path "". If the path is
 * outside every linked folder, it may be the name of a linked folder.
 */
export function locateOrRoot(io: Io, path: string): DocumentLocation {
  const whole = isDocId(path) ? null : mirrorAt(io, path);
  if (whole?.kind === "ok") return { root: whole.value, path: "" };
  const inside = placeOf(io, path);
  if (inside.kind === "ok") return inside.value;
  // A problem of the linked folder explains more than "the path is not in a linked folder".
  const called = whole ?? ownMirrorNamed(io, path);
  return called?.kind === "ok" ? { root: called.value, path: "" } : unwrap(whole ?? inside);
}

/**
 * Resolves symbolic links above the last name, because a symbolic link into the linked folder leads
 * to the same document. The last name is kept. If the local folder is missing, the document may
 * exist on the service.
 */
function realParent(path: string): string {
  return join(realFolder(dirname(path)), basename(path));
}

type Nearest = {
  readonly root: string | null;
  /** Folder of another user that was skipped on the way up; null if there was none. */
  readonly foreign: string | null;
};

/**
 * Finds the nearest folder at or above `from` that has a `.mdmirror/` of this user. A folder of
 * another user is skipped.
 */
export function nearest(io: Pick<Io, "env">, from: string): Nearest {
  let foreign: string | null = null;
  for (let folder = realFolder(from); ; folder = dirname(folder)) {
    if (holdsMirror(folder)) {
      if (ownershipOf(folder, io.env).kind !== "foreign") return { root: folder, foreign };
      foreign ??= folder;
    }
    if (dirname(folder) === folder) return { root: null, foreign };
  }
}

function realFolder(path: string): string {
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
 * Finds the one linked folder of all paths or ids, and the paths in that folder. Without paths: the
 * nearest linked folder with everything in it. The whole folder is `WHOLE_FOLDER`.
 */
export function locateAll(
  io: Io,
  names: readonly string[],
): { readonly root: string; readonly paths: readonly string[] } {
  if (names.length === 0) return { root: findMirror(io, undefined), paths: [WHOLE_FOLDER] };
  const places = names.map((name) => locateOrRoot(io, name));
  const [root, second] = new Set(places.map((place) => place.root));
  if (second === undefined) return { root: root!, paths: places.map(({ path }) => path || WHOLE_FOLDER) };
  return refuse(
    `the paths are in several linked folders: ${root} and ${second}`,
    "run the command for each folder separately",
  );
}

/**
 * Checks the new name of a linked folder.
 * @param option the option that has the name; error messages mention it
 */
export function checkName(io: Io, name: string | null, root: string, option = "--name"): void {
  if (name === null) return;
  if (!isMirrorName(name)) misuse(`${option} takes ${NAME_RULE}`);
  const trouble = nameTrouble(io.env, name, root);
  if (trouble !== null) throw new TroubleError(trouble);
}
