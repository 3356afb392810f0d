import { join } from "node:path";
import { readConfig } from "../mirror/settings/config.ts";
import { ok, type Result } from "../common/trouble.ts";
import { admit } from "../mirror/trust/gate.ts";
import { listOwnMirrors } from "../mirror/trust/list.ts";
import { freeName, nameOfFolder } from "../mirror/trust/names.ts";
import { checkOwner, examineFolder } from "../mirror/trust/owner.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import type { Host, ServedMirror } from "./tool.ts";

/** The mirrors that a process serves, by names, and whether a call may look into one. */

/** @param roots real paths */
export function servedMirrors(roots: readonly string[], env: Host["openOptions"]["env"]): ServedMirror[] {
  const listed = listOwnMirrors(env);
  const known = listed.kind === "ok" ? listed.value.mirrors : [];
  const mirrors: ServedMirror[] = [];
  for (const root of roots) {
    const wanted = known.find((one) => one.root === root)?.name ?? nameOfFolder(root);
    const taken = mirrors.map(({ name }) => name);
    mirrors.push({ name: freeName(wanted, taken), root });
  }
  return mirrors;
}

/**
 * Asked at the start and before each call, since a folder can become another's while the process
 * lives. What was made by somebody else, and this user has not trusted, is neither read nor shown.
 */
export async function admitMirror(
  root: string,
  { env, cwd }: Pick<Host["openOptions"], "env" | "cwd">,
): Promise<Result<null>> {
  const owner = checkOwner(root, env);
  if (owner.kind === "trouble") return owner;
  const fit = examineFolder(root);
  if (fit.kind === "trouble") return fit;
  const config = readConfig(join(root, MIRROR_FOLDER));
  if (config.kind === "trouble") return config;
  const admitted = admit(root, config.value, { mode: "read", env, cwd });
  if (admitted.kind === "trouble") return admitted;
  return ok(null);
}
