import { join } from "node:path";
import {
  makeUnit,
  type ServiceUnit,
  installUnit,
  isInstalled,
  managerOf,
  uninstallUnit,
} from "../mirror/daemon/autostart/service-unit.ts";
import { homeOf } from "../mirror/trust/registry.ts";
import { readConfig } from "../mirror/settings/config.ts";
import { findKey, isOnPath } from "../mirror/settings/key.ts";
import { admit } from "../mirror/trust/gate.ts";
import { listOwnMirrors } from "../mirror/trust/list.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { shellWord } from "../mirror/model/shell-word.ts";
import { ok, type Result, unwrap } from "../common/trouble.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { lockFolder } from "../mirror/folder/folder-lock.ts";

/**
 * Manages one background service for all linked folders, in addition to services for single folders
 * or instead of them.
 */

/** Returns the unit file of the background service for all linked folders, or null. */
export function isKeptWithAll(io: Io): string | null {
  const unit = unitOf(io, null);
  return unit !== null && isInstalled(unit) ? unit.file : null;
}

/**
 * Reports each linked folder that the background service could not sync, with the reason. Removes
 * services of single folders, which would run a second daemon for the same folder.
 */
export async function readyAll(io: Io): Promise<void> {
  for (const { root, name, place } of listOwnMirrors(io.env).mirrors) {
    const ready = place === "present" ? judgeReady(io, root) : ok([]);
    if (ready.kind === "trouble") {
      const { what, next } = ready.trouble;
      io.err(`mdmirror: ${shownName(name)} is not synced until this is solved: ${shownWords(`${what}; ${next}`)}`);
    }
    const unit = unitOf(io, root);
    if (unit === null || !isInstalled(unit)) continue;
    unwrap(await uninstallUnit(unit, io.env));
    io.out(`removed ${unit.file}: the background service for all linked folders replaces it`);
  }
}

/**
 * Checks whether the background service can sync a folder. It inherits neither the environment nor
 * the options of this shell, so the address and the key must be stored.
 * @returns notes for the user
 */
export function judgeReady({ env: given, cwd }: Io, root: string): Result<readonly string[]> {
  const { MDMIRROR_API_KEY: _key, MDMIRROR_URL: _url, ...env } = given;
  const folder = join(root, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return config;
  const admitted = admit(root, config.value, { mode: "write", env, cwd });
  if (admitted.kind === "trouble") return admitted;
  const { origin, notes } = admitted.value;
  const key = findKey({ folder, keyFile: null, cwd, env, origin });
  if (key.kind === "ok") return ok(notes);
  const next = `store it first: mdmirror init ${shellWord(root)} --key-file FILE`;
  return { kind: "trouble", trouble: { ...key.trouble, next } };
}

/**
 * Returns the unit of the background service; null if this system or this folder cannot have one.
 * @param root null for the service of all linked folders
 */
function unitOf({ env }: Io, root: string | null): ServiceUnit | null {
  const manager = managerOf(process.platform);
  const unit = manager === null ? null : unitFor(env, manager, root);
  return unit?.kind === "ok" ? unit.value : null;
}

/** @param notifies true if the manager learns from the daemon when it is ready */
export function unitFor(
  env: Io["env"],
  manager: ServiceUnit["manager"],
  root: string | null,
  notifies = isOnPath("systemd-notify", env["PATH"] ?? ""),
): Result<ServiceUnit> {
  return makeUnit({ manager, root, home: homeOf(env), env, notifies });
}

/**
 * Makes other processes release a linked folder, so that the command can move or unlink it.
 * `hadUnit`: true if the folder had its own background service, which is now uninstalled.
 * `giveBack`: allows a daemon that released the folder to look for the folder again; a second call
 * does nothing.
 * @param root real path
 * @param what name of the command
 */
export async function withFolderReleased(io: Io, root: string, what: string) {
  const unit = unitOf(io, root);
  const hadUnit = unit !== null && isInstalled(unit) && unwrap(await uninstallUnit(unit, io.env));
  if (hadUnit) io.out(`removed ${shownName(unit.file)}`);
  const { free: giveBack } = unwrap(await lockFolder(root, { what, clock: io.clock }));
  return { hadUnit, giveBack };
}

/** Installs the background service of the folder for its new path. */
export async function reinstallService(io: Io, root: string): Promise<void> {
  const unit = unitOf(io, root);
  if (unit === null) return;
  const installed = await installUnit(unit, io.env);
  if (installed.kind === "ok" && installed.value === null) io.out(`installed ${shownName(unit.file)}`);
  else io.err(`mdmirror: its background service is not running; next: mdmirror service install ${shownName(root)}`);
}
