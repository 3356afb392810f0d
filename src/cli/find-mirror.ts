import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { MIRROR_FOLDER } from "../core/mirror-folder.ts";
import type { LocalPath } from "../core/path.ts";
import { examineFolder } from "../app/examine-folder.ts";
import { ok, type Result, trouble } from "../app/trouble.ts";
import type { Io } from "./command.ts";

const { realpathSync, statSync } = process.getBuiltinModule("node:fs");

/** The mirrored folder that a command is about: the given DIR, else the nearest folder up that holds `.mdmirror/`. Absolute. */
export function findMirror(io: Io, dir: string | undefined): Result<string> {
  if (dir !== undefined) {
    const root = resolve(io.cwd, dir);
    if (holdsMirror(root)) return examineFolder(root);
    const above = nearest(root);
    const hint =
      above === null
        ? `mdmirror init ${quoted(dir)} --url URL`
        : `mdmirror COMMAND ${quoted(above)}: that is the mirrored folder it lies in`;
    return trouble("usage", `${dir} is not a mirrored folder: it holds no ${MIRROR_FOLDER}/`, hint);
  }
  const root = nearest(io.cwd);
  if (root !== null) return examineFolder(root);
  return trouble(
    "usage",
    `neither this folder nor one above it holds ${MIRROR_FOLDER}/`,
    "name the mirrored folder, or link this one: mdmirror init --url URL",
  );
}

/** For commands that take a PATH: the mirrored folder that it lies in, and its place there. The path itself need not exist. */
export function locate(io: Io, path: string): Result<{ readonly root: string; readonly path: LocalPath }> {
  const whole = resolve(io.cwd, path);
  const root = nearest(dirname(whole));
  if (root === null)
    return trouble("usage", `${path} lies in no mirrored folder`, "give a path inside a folder that holds .mdmirror/");
  const examined = examineFolder(root);
  if (examined.kind === "trouble") return examined;
  return ok({ root, path: relative(root, realParent(whole)).split(sep).join("/") });
}

/** A link into the mirrored folder names the same document; the last name is left as it is. */
function realParent(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    // The folder is not there: the document may still be, on the service.
    return path;
  }
}

/** @returns the nearest folder at or above `from` that holds `.mdmirror/`, or null */
export function nearest(from: string): string | null {
  for (let folder = realFolder(from); ; folder = dirname(folder)) {
    if (holdsMirror(folder)) return folder;
    if (dirname(folder) === folder) return null;
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

/** A path as a shell takes it. */
export function quoted(path: string): string {
  return /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
