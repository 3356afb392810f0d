/**
 * The file `.mdmirror/marker` contains a random id, and the state file contains the same id. A
 * folder without a marker, or with another id in the marker, is not the linked folder.
 */

import type { Fs } from "../ports/disk.ts";
import { nullOnAnyErrno, nullOnErrno } from "./results.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";

const MARKER = `${MIRROR_FOLDER}/marker`;
const MARKER_FORM = /^[0-9A-Za-z_-]{1,64}$/;

/**
 * Returns the id in the marker; null for a missing, invalid or unreadable marker. mdmirror then
 * changes nothing in the folder.
 */
export function readMarker(fs: Fs, root: string): string | null {
  const bytes = nullOnAnyErrno(() => {
    if (fs.lstat(`${root}/${MIRROR_FOLDER}`).kind !== "folder") return null;
    return fs.readFile(`${root}/${MARKER}`).bytes;
  });
  if (bytes === null) return null;
  const id = Buffer.from(bytes).toString("utf8").trim();
  return MARKER_FORM.test(id) ? id : null;
}

/**
 * Makes `.mdmirror/` with a marker and a `.gitignore` of `*`. Keeps files that exist already.
 * @throws errors with an errno as `code`
 */
export function makeMirrorFolder(fs: Fs, root: string, markerId: string): void {
  if (!MARKER_FORM.test(markerId)) throw new TypeError("not the form of a marker id");
  const folder = `${root}/${MIRROR_FOLDER}`;
  for (const path of [folder, `${folder}/tmp`, `${folder}/trash`]) nullOnErrno(["EEXIST"], () => fs.mkdir(path, 0o700));
  for (const path of [folder, `${folder}/tmp`, `${folder}/trash`]) {
    if (fs.lstat(path).kind !== "folder")
      throw Object.assign(new Error(`${path} is not a folder`), { code: "ENOTDIR", path });
  }
  nullOnErrno(["EEXIST"], () => fs.writeNew(`${folder}/.gitignore`, Buffer.from("*\n"), 0o600, true));
  if (hasMarker(fs, root)) return;
  const newMarker = `${root}/${MARKER}.new`;
  nullOnAnyErrno(() => fs.unlink(newMarker));
  fs.writeNew(newMarker, Buffer.from(`${markerId}\n`), 0o600, true);
  // A rename gives the path a complete marker at one moment. A marker without its id would stop
  // every run.
  fs.rename(newMarker, `${root}/${MARKER}`);
}

/**
 * Returns true if the folder has a marker. Returns false for an empty marker, which a crash leaves
 * while the marker is written.
 */
function hasMarker(fs: Fs, root: string): boolean {
  const markerStat = nullOnErrno(["ENOENT"], () => fs.lstat(`${root}/${MARKER}`));
  return markerStat !== null && !(markerStat.kind === "file" && markerStat.size === 0);
}
