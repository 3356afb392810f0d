import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { LocalMirror } from "../../folder/open-local.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import type { HistoryEntry } from "./history.ts";
import { asOnDisk } from "./as-on-disk.ts";
import { type MergeOrigins, readOrigins } from "./origins.ts";
import { chooseVersion, findVersion } from "./restore.ts";

/** Texts of one document, of which two are compared, or one is looked at before it comes back. */

/** A version by its number, or the file as it is now. */
export type TextName = number | "here";

export type NamedText = { readonly name: TextName; readonly text: string; readonly at: number | null };

type Local = Pick<LocalMirror, "state" | "disk">;

/** @param name a path as it is or was */
export function readText(
  local: Local,
  name: string,
  wanted: TextName,
): Result<NamedText & { readonly path: LocalPath }> {
  const found = findVersion(local, name, wanted === "here" ? null : wanted);
  if (found.kind === "trouble") return found;
  const { document, entry } = found.value;
  const { path } = document;
  if (wanted === "here") {
    const read = local.disk.read(path);
    if (read.kind === "done") return ok({ path, name: wanted, text: shown(local, path, read.value.text), at: null });
    return trouble("usage", `${path} cannot be read: ${read.detail}`, "compare two versions instead");
  }
  const text = local.state.text(entry.digest);
  if (text !== null) return ok({ path, name: wanted, text: shown(local, path, text), at: entry.at });
  const what = `the content of version ${wanted} of ${path} is no longer kept`;
  return trouble("usage", what, `mdmirror history ${path} lists the versions that are kept`);
}

function shown({ disk }: Local, path: LocalPath, text: string): string {
  return disk.shown?.(path, text) ?? text;
}

/** One version, with what a restore of it would change. */
export type VersionSeen = {
  readonly path: LocalPath;
  readonly entry: HistoryEntry;
  readonly text: string;
  /** Whose each of its lines is; null: it is no merge. */
  readonly origins: MergeOrigins | null;
  /** Of the file as it is now, and its digest; null: there is none that can be read. */
  readonly here: { readonly text: string | null; readonly digest: Digest } | null;
  /** It would come back as a new document. */
  readonly asNew: boolean;
  /** Why it cannot come back, as a clause, and what to do; null: it can. */
  readonly obstacle: { readonly what: string; readonly next: string } | null;
};

export function readVersion(local: Local, name: string, n: number): Result<VersionSeen> {
  const found = findVersion(local, name, n);
  if (found.kind === "trouble") return found;
  const named = readText(local, name, n);
  if (named.kind === "trouble") return named;
  const { document, entry } = found.value;
  const { path } = document;
  const look = local.disk.look(path);
  const read = local.disk.read(path);
  const chosen = chooseVersion(local, name, n);
  return ok({
    path,
    entry,
    text: named.value.text,
    origins: entry.merge === null ? null : readOrigins(asOnDisk(local, path), entry.merge),
    here:
      look.kind === "file"
        ? { text: read.kind === "done" ? shown(local, path, read.value.text) : null, digest: look.digest }
        : null,
    asNew: document.link === null,
    obstacle: chosen.kind === "trouble" ? { what: chosen.trouble.what, next: chosen.trouble.next } : null,
  });
}
