import { digestOf } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { DiskOutcome, LocalText, Look } from "../ports/disk.ts";
import { attempt, done, errnoOf, errnoText, fault, stale, unless } from "./errno.ts";
import type { RootGuard } from "./root-guard.ts";
import { stampOf } from "./stamp.ts";
import { decodeText } from "../../common/text.ts";
import { NO_FILE } from "./write.ts";

/** What is at a path, and its text. */

/**
 * `absent` only when the root is there and the path is reached through folders alone: everything
 * else is `unknown` (I04).
 */
export function look(guard: RootGuard, path: LocalPath): Look {
  try {
    const place = guard.place(path, "file");
    if (!place.ok) return place.absent ? { kind: "absent" } : { kind: "unknown", why: place.outcome.detail };
    const stat = unless(["ENOENT"], () => guard.fs.lstat(place.abs));
    if (stat === null) return { kind: "absent" };
    if (stat.kind === "folder") return { kind: "folder", dev: stat.dev, ino: stat.ino, birthMs: stat.birthMs };
    if (stat.kind !== "file") return { kind: "other" };
    const found = guard.fs.readFile(place.abs);
    return { kind: "file", digest: digestOf(found.bytes), stamp: stampOf(found.stat) };
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === null) throw error;
    return { kind: "unknown", why: errnoText(errno) };
  }
}

export function readText(guard: RootGuard, path: LocalPath): DiskOutcome<LocalText> {
  return attempt(path, () => {
    const place = guard.place(path, "file");
    if (!place.ok) return place.outcome;
    const found = unless(NO_FILE, () => guard.fs.readFile(place.abs));
    if (found === null) return stale("no file is at this path now");
    const { text } = decodeText(found.bytes);
    if (text === null) return fault("EILSEQ", `${path}: ${errnoText("EILSEQ")}`);
    return done({ text, digest: digestOf(found.bytes), stamp: stampOf(found.stat), stampTrusted: false });
  });
}
