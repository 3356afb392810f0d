import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { shellWord } from "../model/shell-word.ts";
import { errnoClause, ok, type Result, trouble } from "../../common/trouble.ts";
import { effectiveUser } from "../../common/effective-user.ts";
import { hooksFileOf } from "../trust/gate.ts";
import { listOwnMirrors } from "../trust/list.ts";
import { isSameName } from "../trust/names.ts";
import type { Env, Hook } from "./hook.ts";
import { parseHooks } from "./parse.ts";

/**
 * The user's hooks: `hooks.json` in `$XDG_CONFIG_HOME/mdmirror` (else `~/.config/mdmirror`). A hook
 * runs programs, so hooks are read only there: never in a linked folder, which anybody may have
 * made, and never from a file that somebody else can write.
 */

/** LIMIT: bytes of the file. */
const MOST_BYTES = 256 * 1024;
const NO_HOOKS: readonly Hook[] = [];

/** Returns no hooks if there is no file. */
export function readHooks(env: Env): Result<readonly Hook[]> {
  const file = hooksFileOf(env);
  if (file === null) return ok(NO_HOOKS);
  const read = readOwnText(file);
  if (read.kind === "absent") return ok(NO_HOOKS);
  if (read.kind === "unfit")
    return trouble("usage", `${file} ${read.why}, so mdmirror runs no hook`, read.next, { code: "hooks-unfit" });
  const { hooks, faults } = parseHooks(read.text);
  if (faults.length === 0) return ok(hooks);
  return trouble("usage", `${file} ${faults.join("; ")}`, "correct the file; until then mdmirror runs no hook", {
    code: "hooks-unfit",
  });
}

type OwnText =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "absent" }
  /** `why`: a clause that follows the path. */
  | { readonly kind: "unfit"; readonly why: string; readonly next: string };

/**
 * Reads a file that only this user (and root) can write. A link to it is followed, as people keep
 * such files in repositories: only write access to the file and to the folder of the link counts.
 */
function readOwnText(file: string): OwnText {
  let fd: number;
  try {
    for (const folder of new Set([dirname(file), dirname(realpathSync(file))])) {
      const fault = accessFault(statSync(folder));
      if (fault !== null) return unfit(`is in ${folder}, which ${fault}`, `chmod go-w ${shellWord(folder)}`);
    }
    // Does not wait for the other end of a pipe.
    fd = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return { kind: "absent" };
    return unfit(`cannot be read: ${errnoClause(error)}`, "give this user the right to read it");
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return unfit("is not a file", "put a file at this path");
    const fault = accessFault(stat);
    if (fault !== null) return unfit(fault, `chmod go-w ${shellWord(file)}`);
    if (stat.size > MOST_BYTES) return unfit("is larger than 256 KiB", "make it smaller");
    return { kind: "text", text: readFileSync(fd, "utf8") };
  } finally {
    closeSync(fd);
  }
}

function unfit(why: string, next: string): OwnText {
  return { kind: "unfit", why, next };
}

function accessFault({ uid, mode }: { readonly uid: number; readonly mode: number }): string | null {
  const me = effectiveUser();
  if (me === null) return null;
  // Root can change everything, and some systems keep such files in a store of root's.
  if (uid !== me && uid !== 0) return "belongs to another user";
  return (mode & 0o022) === 0 ? null : "can be written by other users";
}

/**
 * Returns the user's name for a linked folder, else the name of the folder.
 * @param root real path
 */
export function mirrorName(root: string, env: Env): string {
  const listed = listOwnMirrors(env);
  const mirrors = listed.kind === "ok" ? listed.value.mirrors : [];
  return mirrors.find((mirror) => mirror.root === root)?.name ?? basename(root);
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
    // No folder exists at that path, so it is not this one.
    return false;
  }
}
