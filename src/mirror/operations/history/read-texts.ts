import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { LocalMirror } from "../../folder/open-local.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { type HistoryEntry, findContent, findVersion, explainObstacle } from "./history.ts";
import { makeLocalLookup, toLocalForm } from "./as-on-disk.ts";
import { type MergeOrigins, readOrigins } from "./origins.ts";

/** Name of a version: its number, or `here` for the current local file. */
export type TextName = number | "here";

export type NamedText = { readonly name: TextName; readonly text: string; readonly at: number | null };

type StateAndDisk = Pick<LocalMirror, "state" | "disk">;

/** @param name current or earlier path of the document */
export function readText(
  local: StateAndDisk,
  name: string,
  wanted: TextName,
): Result<NamedText & { readonly path: LocalPath }> {
  if (wanted !== "here") {
    const foundContent = findContent(local, name, wanted);
    if (foundContent.kind === "trouble") return foundContent;
    const { document, entry, text } = foundContent.value;
    return ok({ path: document.path, name: wanted, text, at: entry.at });
  }
  const foundVersion = findVersion(local, name, null);
  if (foundVersion.kind === "trouble") return foundVersion;
  const { path } = foundVersion.value.document;
  const readResult = local.disk.read(path);
  if (readResult.kind !== "done")
    return trouble("usage", `${path} cannot be read: ${readResult.detail}`, "compare two versions instead");
  return ok({ path, name: wanted, text: toLocalForm(local.disk, path, readResult.value.text)!, at: null });
}

export type VersionView = {
  readonly path: LocalPath;
  readonly entry: HistoryEntry;
  readonly text: string;
  readonly origins: MergeOrigins | null;
  readonly localFile: { readonly text: string | null; readonly digest: Digest } | null;
  readonly asNew: boolean;
  /**
   * Reason why the version cannot be restored, as a clause, with the next step; null if it can be.
   */
  readonly obstacle: { readonly what: string; readonly next: string } | null;
};

export function readVersion(local: StateAndDisk, name: string, n: number): Result<VersionView> {
  const foundContent = findContent(local, name, n);
  if (foundContent.kind === "trouble") return foundContent;
  const { document, entry, text } = foundContent.value;
  const { path } = document;
  const { disk, state } = local;
  const atPath = disk.look(path);
  const readResult = disk.read(path);
  const localText = readResult.kind === "done" ? toLocalForm(disk, path, readResult.value.text) : null;
  return ok({
    path,
    entry,
    text,
    origins: entry.merge === null ? null : readOrigins(makeLocalLookup(local, path), entry.merge),
    localFile: atPath.kind === "file" ? { text: localText, digest: atPath.digest } : null,
    asNew: document.record === null,
    obstacle: explainObstacle(state, document, entry, atPath),
  });
}
