/** Lists the names in one folder for commands, without a scan of the subfolders. */

import { type LocalPath, ancestorsOf, joinPath, parentOf } from "../../contract/path.ts";
import { IGNORE_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { Stamp } from "../model/record.ts";
import type { UnsyncedEntry } from "../model/tree.ts";
import type { FsStat } from "../ports/disk.ts";
import { nullOnAnyErrno, nullOnErrno, toStamp } from "./results.ts";
import {
  beginRules,
  readFolderRules,
  readRuleFile,
  type RulesOptions,
  type SyncRules,
  whyFileUnsynced,
  whyFolderUnsynced,
} from "./ignore.ts";
import type { RootGuard } from "./root-guard.ts";

export type FolderName = {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
  readonly whyUnsynced: UnsyncedEntry["kind"] | null;
};

const MISSING_ERRORS = ["ENOENT", "ENOTDIR"];

/**
 * Returns the names in a folder, unsorted; null if the folder does not exist.
 * @throws RulesError if an ignore file cannot be read or has an invalid line
 */
export function listFolderNames(
  guard: RootGuard,
  options: RulesOptions,
  folder: LocalPath,
): readonly FolderName[] | null {
  return guard.withFoldersOpen(() => {
    const ignoreFilePlace = guard.place(joinPath(folder, IGNORE_FILE), "file");
    if (!ignoreFilePlace.ok) return null;
    const entries = nullOnErrno(MISSING_ERRORS, () => guard.fs.readdir(parentOf(ignoreFilePlace.abs)));
    const rules = readRules(guard, options, folder);
    const ownFolder = folder === "" ? MIRROR_FOLDER : null;
    return entries?.filter(({ name }) => name !== ownFolder).map((entry) => toFolderName(rules, folder, entry)) ?? null;
  });
}

export function readStampAt(guard: RootGuard, path: LocalPath): Stamp | null {
  return guard.withFoldersOpen(() => {
    const place = guard.place(path, "file");
    const stat = place.ok ? nullOnAnyErrno(() => guard.fs.lstat(place.abs)) : null;
    return stat?.kind === "file" ? toStamp(stat) : null;
  });
}

/**
 * Returns why a path is not synced; null if the path is synced. The file need not exist.
 * @throws RulesError if an ignore file cannot be read or has an invalid line
 */
export function whyUnsynced(guard: RootGuard, options: RulesOptions, path: LocalPath): FolderName["whyUnsynced"] {
  return guard.withFoldersOpen(() => {
    const rules = readRules(guard, options, parentOf(path));
    for (const folder of ancestorsOf(path)) {
      const why = whyFolderUnsynced(rules, folder);
      if (why !== null) return why.kind;
    }
    return whyFileUnsynced(rules, path)?.kind ?? null;
  });
}

function readRules(guard: RootGuard, options: RulesOptions, folder: LocalPath): SyncRules {
  const rules = beginRules(options, guard.names());
  for (const dir of new Set(["", ...ancestorsOf(folder), folder]))
    readFolderRules(rules, dir, (file) => {
      const path = joinPath(dir, file);
      return readRuleFile(file, path, () => {
        const place = guard.place(path, "file");
        return place.ok ? nullOnErrno(MISSING_ERRORS, () => guard.fs.readFile(place.abs).bytes) : null;
      });
    });
  return rules;
}

function toFolderName(
  rules: SyncRules,
  folder: LocalPath,
  { name, kind }: { readonly name: string; readonly kind: FsStat["kind"] },
): FolderName {
  if (kind === "symlink" || kind === "special") return { name, kind: "other", whyUnsynced: kind };
  const path = joinPath(folder, name);
  const why = kind === "folder" ? whyFolderUnsynced(rules, path) : whyFileUnsynced(rules, path);
  return { name, kind, whyUnsynced: why?.kind ?? null };
}
