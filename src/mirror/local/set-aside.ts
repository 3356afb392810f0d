/**
 * Reads, restores and removes files that were set aside, and finds set-aside files that a crash
 * left behind.
 */

import { digestOf } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { DiskOutcome, LocalText, WrittenStamp } from "../ports/disk.ts";
import {
  nullOnAnyErrno,
  attemptEffect,
  doneOutcome,
  describeErrno,
  faultOutcome,
  staleOutcome,
  nullOnErrno,
} from "./errno.ts";
import type { OpenFiles } from "./open-files.ts";
import { type RootGuard, statOrNull } from "./root-guard.ts";
import { SET_ASIDE_PREFIX, renameWithoutReplacing, readCurrentStat, TEMP_PREFIX, removeTempFile } from "./names.ts";
import { isSameInode, toStamp } from "./stamp.ts";
import { decodeText } from "../../common/text.ts";

const UNCLAIMED_FOLDER = "trash/unclaimed";

export function readSetAside(guard: RootGuard, setAsideAt: string): DiskOutcome<LocalText | null> {
  return attemptEffect(setAsideAt, () => {
    const place = guard.mirrorPlace(setAsideAt, false);
    if (!place.ok) return place.absent ? doneOutcome(null) : place.outcome;
    return readTextAt(guard, place.abs, setAsideAt, ["ENOENT"]) ?? doneOutcome(null);
  });
}

/**
 * Reads a file as strict UTF-8. Returns null if the read fails with one of the errnos in
 * `absentErrnos`.
 * @param shownPath path of the file in error messages
 */
export function readTextAt(
  { fs }: RootGuard,
  abs: string,
  shownPath: string,
  absentErrnos: readonly string[],
): DiskOutcome<LocalText> | null {
  const file = nullOnErrno(absentErrnos, () => fs.readFile(abs));
  if (file === null) return null;
  const { text } = decodeText(file.bytes);
  if (text === null) return faultOutcome("EILSEQ", `${shownPath}: ${describeErrno("EILSEQ")}`);
  return doneOutcome({ text, digest: digestOf(file.bytes), stamp: toStamp(file.stat), stampTrusted: false });
}

/**
 * Moves a set-aside file back to its path. If a crash interrupted an earlier call, the file has
 * both paths, and this call removes the set-aside one.
 */
export function putBackSetAside(guard: RootGuard, setAsideAt: string, path: LocalPath): DiskOutcome<WrittenStamp> {
  return attemptEffect(path, () => {
    const setAsidePlace = guard.mirrorPlace(setAsideAt, false);
    if (!setAsidePlace.ok) return setAsidePlace.outcome;
    const target = guard.place(path, "file");
    if (!target.ok) return target.outcome;
    const setAsideStat = statOrNull(guard.fs, setAsidePlace.abs);
    if (setAsideStat === null) return staleOutcome("no file was set aside at this path");
    const atTarget = statOrNull(guard.fs, target.abs);
    if (atTarget !== null && isSameInode(atTarget, setAsideStat)) {
      removeTempFile(guard, setAsidePlace.abs);
      return doneOutcome({ stamp: toStamp(readCurrentStat(guard, target.abs, atTarget)) });
    }
    const stat = atTarget === null ? renameWithoutReplacing(guard, setAsidePlace.abs, target.abs) : null;
    return stat === null ? staleOutcome("this path is taken now") : doneOutcome({ stamp: toStamp(stat) });
  });
}

export function isOpenToWrite(guard: RootGuard, setAsideAt: string, openFiles: OpenFiles): boolean {
  const place = guard.mirrorPlace(setAsideAt, false);
  return place.ok && openFiles.has(place.abs);
}

/** If the disk refuses the removal, the file stays until `sweepTempFiles` moves it to the trash. */
export function removeSetAside(guard: RootGuard, setAsideAt: string): void {
  const place = guard.mirrorPlace(setAsideAt, false);
  if (place.ok) removeTempFile(guard, place.abs);
}

/**
 * Removes temporary files that a crash left behind. If no row of the journal names a set-aside
 * file, moves it to the trash, because it may be a user's last save.
 * @param keep paths of set-aside files that the journal names
 */
export function sweepTempFiles(guard: RootGuard, keep: ReadonlySet<string>): void {
  for (const path of listTempFiles(guard)) {
    // If the disk refuses the removal, the next start of mdmirror tries again.
    if (!keep.has(path)) nullOnAnyErrno(() => sweepTempFile(guard, path));
  }
}

function sweepTempFile(guard: RootGuard, path: string): void {
  const place = guard.mirrorPlace(path, false);
  if (!place.ok) return;
  const stat = statOrNull(guard.fs, place.abs);
  if (stat === null) return;
  const name = path.slice("tmp/".length);
  // After an interrupted move, the set-aside path is a second name of a file in the linked folder.
  const elsewhere = name.startsWith(SET_ASIDE_PREFIX) && stat.nlink > 1;
  if (stat.kind === "file" && (name.startsWith(TEMP_PREFIX) || elsewhere)) {
    guard.fs.unlink(place.abs);
    return;
  }
  const trash = guard.mirrorPlace(`${UNCLAIMED_FOLDER}/${name}`, true);
  if (trash.ok && statOrNull(guard.fs, trash.abs) === null) guard.fs.rename(place.abs, trash.abs);
}

function listTempFiles(guard: RootGuard): string[] {
  const folder = guard.mirrorPlace("tmp/any", false);
  if (!folder.ok) return [];
  const entries = nullOnErrno(["ENOENT"], () => guard.fs.readdir(folder.abs.slice(0, -"/any".length))) ?? [];
  return entries.map(({ name }) => `tmp/${name}`).sort();
}
