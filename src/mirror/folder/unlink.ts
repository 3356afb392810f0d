/**
 * Unlinks a folder. The documents on both sides stay unchanged. `.mdmirror/` loses only the key,
 * the configuration and the marker. A later `init` links the folder as a new folder.
 */

import { rmSync } from "node:fs";
import { join } from "node:path";
import { CONFIG_FILE, CONTROL_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import { setAsideUnlinked } from "../state/damage.ts";
import { statOwnFile, removeOwnFile } from "../state/own-files.ts";
import { toAddress, pickUrl } from "../trust/address.ts";
import { keepMirror, readRootMarker } from "../trust/gate.ts";
import { type Environment, findByMarker, findByRoot, listMirrors, locateRegistry } from "../trust/registry.ts";
import { hasConfig, readConfig } from "../settings/config.ts";
import { describeSystemError } from "./trouble.ts";
import { forgetInKeychain, KEY_FILE } from "../settings/key.ts";
import { ok, refusal, type Result } from "../../common/trouble.ts";
import { NOTES_FILE } from "./transient-trouble.ts";
import { type MirrorOptions, withMirror } from "./open-mirror.ts";
import { readSide } from "../operations/results/actions.ts";
import { planSync, type SyncPlan, USUAL_RUN } from "./run.ts";

export type UnlinkResult = {
  readonly keyFile: boolean;
  /**
   * `none`: the keychain has no key. `kept`: the key could not be removed. `shared`: the key stays,
   * because another linked folder with the same address uses the key.
   */
  readonly keychain: "none" | "removed" | "kept" | "shared";
  /** URL of the service; null if the folder has no readable configuration. */
  readonly url: string | null;
};

/**
 * Unlinks a folder. The caller has the folder's lock, and keeps nothing in the folder open.
 * ORDER: the key first, the registry last. After a kill in between, the folder is still in the
 * list, so that the user can repeat the command.
 * @param root real path of an existing folder
 */
export function unlinkFolder(root: string, env: Environment, now: number): Result<UnlinkResult> {
  const folder = join(root, MIRROR_FOLDER);
  try {
    const config = readConfig(folder);
    const url = config.kind === "ok" ? config.value.url : null;
    const marker = readRootMarker(root);
    const hadKeyFile = statOwnFile(folder, KEY_FILE, "file") !== null;
    const keychain = removeKey(root, url, env);
    for (const name of [KEY_FILE, `${KEY_FILE}.new`]) removeOwnFile(folder, name);
    setAsideUnlinked(folder, new Date(now).toISOString().replace(/[:.]/g, "-"));
    for (const name of [CONFIG_FILE, CONTROL_FILE, NOTES_FILE, "marker"]) removeOwnFile(folder, name);
    const forgetResult = forgetRoot(root, marker, env);
    return forgetResult.kind === "trouble" ? forgetResult : ok({ keyFile: hadKeyFile, keychain, url });
  } catch (error) {
    return describeSystemError(root, error);
  }
}

/**
 * Removes `.mdmirror/` of an unlinked folder, with all contents. Does not follow symbolic links in
 * `.mdmirror/`.
 * @param root real path of the folder
 */
export function purgeOwnFolder(root: string): Result<null> {
  const folder = join(root, MIRROR_FOLDER);
  try {
    // RACE: `init` links the folder between this check and the removal. The new state of the folder
    // is then lost.
    if (hasConfig(folder)) return refusal(`${root} was linked again; its history and trash stay`, "mdmirror status");
    rmSync(folder, { recursive: true, force: true });
    return ok(null);
  } catch (error) {
    return describeSystemError(root, error);
  }
}

/** Removes the key from the keychain, unless another linked folder has the same address. */
function removeKey(root: string, url: string | null, env: Environment): UnlinkResult["keychain"] {
  const address = url === null ? null : toAddress(pickUrl(url, { env: {} })!, [new URL(url).host]);
  if (url === null || address?.kind !== "ok") return "none";
  const otherMirrors = listMirrors(locateRegistry(env)).mirrors.filter(({ roots }) =>
    roots.some((other) => other !== root),
  );
  if (otherMirrors.some(({ addresses }) => addresses.includes(address.value))) return "shared";
  return forgetInKeychain(url, env);
}

/**
 * Removes the path of a folder from its registry entry. If the entry has no other path, removes the
 * entry.
 * @param marker id in the folder's marker; null if unknown. The path then identifies the entry
 */
export function forgetRoot(root: string, marker: string | null, env: Environment): Result<null> {
  const registry = locateRegistry(env);
  const foundMirror = marker === null ? findByRoot(registry, root) : findByMarker(registry, marker);
  if (foundMirror.kind !== "known") return ok(null);
  const roots = foundMirror.mirror.roots.filter((other) => other !== root);
  const keepResult = keepMirror(registry, { ...foundMirror.mirror, roots });
  return keepResult.kind === "trouble" ? keepResult : ok(null);
}

/**
 * Plans a sync before the folder is unlinked, to find the changes that are not uploaded yet. Writes
 * nothing.
 * @returns the plan with only the steps that upload; null if everything is uploaded and no problem
 * is open; trouble if no plan could be made
 */
export function planUpload(
  root: string,
  options: Omit<MirrorOptions, "mode" | "what">,
): Promise<Result<SyncPlan | null>> {
  return withMirror<SyncPlan | null>(root, { ...options, mode: "read", what: "unlink" }, async (mirror) => {
    const planResult = await planSync(mirror, USUAL_RUN);
    if (planResult.kind === "trouble") return planResult;
    const { plan, open } = planResult.value;
    const steps = plan.steps.filter(({ action: { kind } }) => ["remote", "both"].includes(readSide(kind)));
    const isClean = steps.length === 0 && open.length === 0 && plan.verdict.kind === "run";
    return ok(isClean ? null : { ...planResult.value, plan: { ...plan, steps } });
  });
}
