import { digestOf } from "../../contract/digest.ts";
import { isConflictCopyName, type LocalPath } from "../../contract/path.ts";
import type { Stamp } from "../model/link.ts";
import { unreadable } from "../model/seen.ts";
import type { KnownFile } from "../ports/disk.ts";
import type { FsStat } from "../ports/fs.ts";
import type { LocalFile, LocalOther } from "../model/tree.ts";
import { errnoOf, errnoText } from "./errno.ts";
import { isLitterName } from "./ignore.ts";
import { exclusionOf } from "./rules.ts";
import { isOldStamp, sameStamp, stampOf } from "./stamp.ts";
import { decodeText } from "../../common/text.ts";
import type { WalkedFolder, WalkWork } from "./walk-work.ts";

/** Reads a file of a folder, and adds it to the files or to the list that it belongs to. */
export function readFile(work: WalkWork, folder: WalkedFolder, name: string, path: LocalPath, stat: FsStat): void {
  const other = keptLocal(work, name, path);
  if (other !== null) {
    folder.others.push({ path, stamp: stampOf(stat), ...other });
    return;
  }
  const earlier = work.read.get(path);
  if (earlier !== undefined && sameStamp(earlier.stamp, stat)) {
    folder.files.push(earlier);
    return;
  }
  const known = work.known(path);
  if (isVouchedFor(known) && sameStamp(known.stamp, stat)) folder.files.push(asKnown(known, stat));
  else hashInto(work, folder, name, path, known);
}

type Vouched = KnownFile & { readonly stamp: Stamp };

function isVouchedFor(known: KnownFile | null): known is Vouched {
  return known !== null && known.stamp !== null;
}

/**
 * ASSUMES: the caller knows only linked content, under stamps that were trusted; linked content has
 * no fault.
 */
function asKnown({ path, digest, stamp: known }: Vouched, stat: FsStat): LocalFile {
  const stamp = known.nlink === stat.nlink && known.birthMs === stat.birthMs ? known : stampOf(stat);
  return { path, stamp, stampTrusted: true, digest, textFault: null, empty: stamp.size === 0 };
}

function hashInto(work: WalkWork, folder: WalkedFolder, name: string, path: LocalPath, known: KnownFile | null): void {
  try {
    const file = hashFile(work, path, `${work.hold.at(folder.abs, folder.stat)}/${name}`, known);
    folder.files.push(file);
    work.read.set(path, file);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    if (errno !== "ENOENT") folder.unseen.set(path, unreadable(errnoText(errno)));
  }
}

function keptLocal(work: WalkWork, name: string, path: LocalPath): Pick<LocalOther, "kind" | "rule"> | null {
  if (isLitterName(name)) return { kind: "litter" };
  if (isConflictCopyName(name)) return { kind: "conflict-copy" };
  if (!name.endsWith(".md")) return { kind: "other-file" };
  const exclusion = exclusionOf(work.rules, path, "file");
  if (exclusion === null) return null;
  const { by, rule } = exclusion;
  if (by === "ours") return { kind: "ignored", rule };
  if (work.linked?.has(path) !== true) return { kind: "git-ignored", rule };
  work.kept.add(path);
  return null;
}

/** The stamp is of the inode whose bytes were read, which may be another one than was listed. */
function hashFile(work: WalkWork, path: LocalPath, abs: string, known: KnownFile | null): LocalFile {
  const { bytes, stat } = work.fs.readFile(abs, "brief");
  const stamp = stampOf(stat);
  const read = { stamp, stampTrusted: isOldStamp(stamp, work.diskNow), empty: bytes.length === 0 };
  const digest = digestOf(bytes);
  // The caller's strings, which stay in memory: after a first sync each of 100,000 files is read.
  if (digest === known?.digest) return { ...read, path: known.path, digest: known.digest, textFault: null };
  const { text, fault } = decodeText(bytes);
  if (text !== null) work.onText(digest, text, path);
  return { ...read, path, digest, textFault: fault };
}
