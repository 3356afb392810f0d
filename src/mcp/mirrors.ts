/** Gives names to the linked folders of this process. Checks whether a call may read a folder. */

import { join } from "node:path";
import { readConfig } from "../mirror/settings/config.ts";
import type { Result } from "../common/trouble.ts";
import { admit } from "../mirror/trust/gate.ts";
import { listOwnMirrors, chooseFreeName, deriveMirrorName } from "../mirror/trust/list.ts";
import { checkOwner, examineFolder } from "../mirror/trust/owner.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import type { ToolHost, ServedMirror } from "./tool.ts";

export function nameServedMirrors(roots: readonly string[], env: ToolHost["openOptions"]["env"]): ServedMirror[] {
  const listedMirrors = listOwnMirrors(env).mirrors;
  const mirrors: ServedMirror[] = [];
  for (const root of roots) {
    const wantedName = listedMirrors.find((entry) => entry.root === root)?.name ?? deriveMirrorName(root);
    const takenNames = mirrors.map(({ name }) => name);
    mirrors.push({ name: chooseFreeName(wantedName, takenNames), root });
  }
  return mirrors;
}

/**
 * Checks that a folder may be read: this user owns the folder, and trusts its address. Each call of
 * a tool checks this again, because another folder may now be at the path.
 */
export function admitMirror(root: string, { env, cwd }: Pick<ToolHost["openOptions"], "env" | "cwd">): Result<unknown> {
  for (const checkResult of [checkOwner(root, env), examineFolder(root)])
    if (checkResult.kind === "trouble") return checkResult;
  const config = readConfig(join(root, MIRROR_FOLDER));
  return config.kind === "trouble" ? config : admit(root, config.value, { mode: "read", env, cwd });
}
