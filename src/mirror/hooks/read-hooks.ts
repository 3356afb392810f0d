import { realpathSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { shellWord } from "../model/shell-word.ts";
import { ok, type Result, trouble } from "../../common/trouble.ts";
import { hooksFileOf } from "../trust/gate.ts";
import { listOwnMirrors, isSameName } from "../trust/list.ts";
import { accessFault, readUserFile, unreadable } from "../trust/registry.ts";
import type { Env, Hook } from "./hook.ts";
import { parseHooks } from "./parse.ts";

/**
 * The user's hooks: `hooks.json` in `$XDG_CONFIG_HOME/mdmirror` (otherwise `~/.config/mdmirror`). A
 * hook runs programs, so hooks are read only there: never in a linked folder, which anybody may
 * have made, and never from a file that somebody else can write.
 */

/** LIMIT: bytes of the file. */
const MOST_BYTES = 256 * 1024;
const NO_HOOKS: readonly Hook[] = [];

/** Returns no hooks if there is no file. */
export function readHooks(env: Env): Result<readonly Hook[]> {
  const file = hooksFileOf(env);
  if (file === null) return ok(NO_HOOKS);
  const read = readSafely(file);
  if (read.kind === "absent") return ok(NO_HOOKS);
  if (read.kind === "unfit")
    return trouble("usage", `${file} ${read.why}, so mdmirror runs no hook`, read.next, { code: "hooks-unfit" });
  const { hooks, faults } = parseHooks(read.text);
  if (faults.length === 0) return ok(hooks);
  return trouble("usage", `${file} ${faults.join("; ")}`, "correct the file; until then mdmirror runs no hook", {
    code: "hooks-unfit",
  });
}

/**
 * Reads the file if only this user, or root, can write it. A link to it is followed, as people keep
 * such files in repositories: only write access to the file and to the folder of the link counts.
 * ORDER: the folders first: in a folder of others, a link could lead to any file of this user.
 */
function readSafely(file: string): ReturnType<typeof readUserFile> {
  try {
    for (const folder of new Set([dirname(file), dirname(realpathSync(file))])) {
      const fault = accessFault(statSync(folder), true);
      if (fault !== null)
        return { kind: "unfit", why: `is in ${folder}, which ${fault}`, next: `chmod go-w ${shellWord(folder)}` };
    }
  } catch (error) {
    return unreadable(error);
  }
  return readUserFile(file, MOST_BYTES, true);
}

/**
 * Returns the user's name for a linked folder, otherwise the name of the folder.
 * @param root real path
 */
export function mirrorName(root: string, env: Env): string {
  return listOwnMirrors(env).mirrors.find((mirror) => mirror.root === root)?.name ?? basename(root);
}

/**
 * Returns the hooks for this folder.
 * @param root real path
 */
export function hooksFor(root: string, hooks: readonly Hook[], env: Env): readonly Hook[] {
  return hooks.filter(({ mirrors }) => mirrors === null || mirrors.some((one) => isMirror(one, root, env)));
}

function isMirror(one: string, root: string, env: Env): boolean {
  if (!one.includes("/")) return isSameName(one, mirrorName(root, env));
  try {
    return realpathSync(one) === root;
  } catch {
    // No folder exists at that path, so the path does not mean this folder.
    return false;
  }
}
