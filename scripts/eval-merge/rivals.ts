import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import DiffMatchPatch from "diff-match-patch";
import type { Case } from "./cases.ts";

type Texts = Pick<Case, "base" | "ours" | "theirs">;

/** Merges the versions of one case. Returns undefined for a conflict. */
export type Merge = (one: Texts) => string | undefined;

/** Returns the other merge tools that are installed. */
export function rivals(): Record<string, Merge> {
  const wiggles = spawnSync("wiggle", ["--version"]).error === undefined;
  return { "git merge-file": gitMerge, ...(wiggles && { wiggle: wiggleMerge }), "diff-match-patch": patchMerge };
}

/** Merges by git. */
export function gitMerge(one: Texts): string | undefined {
  return byFiles(one, "git", ["merge-file", "-p", "ours", "base", "theirs"]);
}

function wiggleMerge(one: Texts): string | undefined {
  return byFiles(one, "wiggle", ["-m", "ours", "base", "theirs"]);
}

/**
 * Merges like Obsidian Sync is said to: applies the patch from base to the local version to the
 * remote version.
 */
function patchMerge(one: Texts): string | undefined {
  const patcher = new DiffMatchPatch();
  const [text, applied] = patcher.patch_apply(patcher.patch_make(one.base, one.theirs), one.ours);
  return applied.every(Boolean) ? text : undefined;
}

function byFiles(one: Texts, command: string, args: readonly string[]): string | undefined {
  const dir = mkdtempSync(join(tmpdir(), "eval-merge-"));
  try {
    for (const side of ["base", "ours", "theirs"] as const) writeFileSync(join(dir, side), one[side]);
    const run = spawnSync(command, args, { cwd: dir, encoding: "utf8", maxBuffer: 2 ** 26 });
    return run.status === 0 ? run.stdout : undefined;
  } finally {
    rmSync(dir, { recursive: true });
  }
}
