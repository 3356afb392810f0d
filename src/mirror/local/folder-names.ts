import type { LocalPath } from "../../contract/path.ts";
import { ancestorsOf, isSidecarName, joinPath, nameOf as lastName, parentOf } from "../../contract/path.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { GITIGNORE_FILE, IGNORE_FILE } from "../model/rule-files.ts";
import type { Stamp } from "../model/link.ts";
import type { LocalOther } from "../model/tree.ts";
import type { FsStat } from "../ports/fs.ts";
import { anyErrno, unless } from "./errno.ts";
import { isLitterName } from "./ignore.ts";
import { type LinkedPaths, type LinkedSource, linkedPaths } from "./linked-paths.ts";
import type { RootGuard } from "./root-guard.ts";
import { exclusionOf, type FolderRules, type Rules, rulesAt, rulesOf } from "./rules.ts";
import { stampOf } from "./stamp.ts";

/** What lies in one folder, for people who look at it: its names, and no walk of what is below. */

export type FolderName = {
  readonly name: string;
  readonly kind: "file" | "folder" | "other";
  /** Why it stays local; null: it is mirrored. */
  readonly stays: LocalOther["kind"] | null;
};

const GONE = ["ENOENT", "ENOTDIR"];

/**
 * A word that differs when names in the folder, or what its ignore rules say, may have changed.
 * @returns null: it is not there
 */
export function folderSeal(guard: RootGuard, followsGit: boolean, folder: LocalPath): string | null {
  return guard.during(() => {
    const own = folder === "" ? (guard.root()?.stat ?? null) : statAt(guard, folder, "folder");
    if (own?.kind !== "folder") return null;
    const files = followsGit ? [IGNORE_FILE, GITIGNORE_FILE] : [IGNORE_FILE];
    const rules = rulesAbove(folder).flatMap((path) =>
      files.map((file) => statAt(guard, joinPath(path, file), "file")),
    );
    return [own, ...rules]
      .map((stat) => (stat === null ? "-" : [stat.ino, stat.mtimeMs, stat.ctimeMs].join(":")))
      .join();
  });
}

/**
 * In no order. null: the folder is not there.
 * @throws UnfitRules
 */
export function namesIn(
  guard: RootGuard,
  gitignore: LinkedSource | null,
  folder: LocalPath,
): readonly FolderName[] | null {
  return guard.during(() => {
    const inside = guard.place(joinPath(folder, IGNORE_FILE), "file");
    if (!inside.ok) return null;
    const entries = unless(GONE, () => guard.fs.readdir(parentOf(inside.abs)));
    const rules = readRules(guard, gitignore, folder);
    const own = folder === "" ? MIRROR_FOLDER : null;
    return entries?.filter(({ name }) => name !== own).map((entry) => nameOf(rules, folder, entry)) ?? null;
  });
}

/** In the order of `names`; null: it is not there, or is no file. */
export function stampsIn(guard: RootGuard, folder: LocalPath, names: readonly string[]): readonly (Stamp | null)[] {
  return guard.during(() => {
    const inside = guard.place(joinPath(folder, IGNORE_FILE), "file");
    return names.map((name) => {
      const at = inside.ok ? parentOf(inside.abs) : null;
      const stat = at === null ? null : anyErrno(() => guard.fs.lstat(`${at}/${name}`));
      return stat?.kind === "file" ? stampOf(stat) : null;
    });
  });
}

/**
 * Why a path stays local, whether a file is there or not; null: it is mirrored.
 * @throws UnfitRules
 */
export function staysAt(guard: RootGuard, gitignore: LinkedSource | null, path: LocalPath): FolderName["stays"] {
  return guard.during(() => {
    const rules = readRules(guard, gitignore, parentOf(path));
    for (const folder of ancestorsOf(path)) {
      const stays = staysFolder(rules, parentOf(folder), lastName(folder));
      if (stays !== null) return stays;
    }
    return staysFile(rules, parentOf(path), lastName(path));
  });
}

function statAt(guard: RootGuard, path: LocalPath, kind: "file" | "folder"): FsStat | null {
  const place = guard.place(path, kind);
  return place.ok ? anyErrno(() => guard.fs.lstat(place.abs)) : null;
}

/** The folders whose rules apply in a folder, outermost first. */
function rulesAbove(folder: LocalPath): readonly LocalPath[] {
  return folder === "" ? [""] : ["", ...ancestorsOf(folder), folder];
}

type Judge = { readonly rules: Rules; readonly linked: LinkedPaths | null };

function readRules(guard: RootGuard, gitignore: LinkedSource | null, folder: LocalPath): Judge {
  const { foldsCase } = guard.names();
  const rules = new Map<LocalPath, FolderRules>();
  const read = (path: LocalPath) => {
    const place = guard.place(path, "file");
    const found = place.ok ? unless(GONE, () => guard.fs.readFile(place.abs)) : null;
    return found === null ? "" : Buffer.from(found.bytes).toString("utf8");
  };
  for (const at of rulesAbove(folder)) {
    const git = gitignore === null ? "" : read(joinPath(at, GITIGNORE_FILE));
    const texts = { ours: read(joinPath(at, IGNORE_FILE)), git };
    if (texts.ours + texts.git !== "") rules.set(at, rulesOf(rulesAt(rules, at), at, texts, foldsCase));
  }
  return { rules, linked: gitignore === null ? null : linkedPaths(gitignore) };
}

function nameOf(
  rules: Judge,
  folder: LocalPath,
  { name, kind }: { readonly name: string; readonly kind: FsStat["kind"] },
): FolderName {
  if (kind === "symlink" || kind === "special") return { name, kind: "other", stays: kind };
  return { name, kind, stays: kind === "folder" ? staysFolder(rules, folder, name) : staysFile(rules, folder, name) };
}

function staysFolder({ rules, linked }: Judge, folder: LocalPath, name: string): FolderName["stays"] {
  if (name.startsWith(".")) return "dot-folder";
  const path = joinPath(folder, name);
  const by = exclusionOf(rules, path, "folder")?.by ?? null;
  if (by === "ours") return "ignored-folder";
  return by === "git" && linked?.isBelow(path) !== true ? "git-ignored-folder" : null;
}

function staysFile({ rules, linked }: Judge, folder: LocalPath, name: string): FolderName["stays"] {
  if (isLitterName(name)) return "litter";
  if (isSidecarName(name)) return "conflict-copy";
  if (!name.endsWith(".md")) return "other-file";
  const path = joinPath(folder, name);
  const by = exclusionOf(rules, path, "file")?.by ?? null;
  if (by === "ours") return "ignored";
  return by === "git" && linked?.has(path) !== true ? "git-ignored" : null;
}
