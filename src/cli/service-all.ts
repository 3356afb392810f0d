import { join } from "node:path";
import { isInstalled, uninstallUnit } from "../mirror/daemon/autostart/service-manager.ts";
import { makeUnit, type ManagerKind, type ServiceUnit } from "../mirror/daemon/autostart/service-unit.ts";
import { managerOf } from "../mirror/daemon/autostart/service-manager.ts";
import { readConfig } from "../mirror/settings/config.ts";
import { findKey } from "../mirror/settings/key.ts";
import { admit } from "../mirror/trust/gate.ts";
import { type ListedMirror, listOwnMirrors } from "../mirror/trust/list.ts";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { shownName, shownWords } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { complain } from "./complain.ts";
import type { ExitCode } from "./exit.ts";

/**
 * Manages one background service for all linked folders, in addition to or in place of services for
 * single folders.
 */

/** Returns the unit file of the background service for all linked folders, or null. */
export function isKeptWithAll(io: Io, manager: ManagerKind): string | null {
  const unit = unitOf(io, manager, null);
  return unit !== null && isInstalled(unit) ? unit.file : null;
}

/**
 * Names each linked folder that the background service could not sync, with the reason. Removes
 * services of single folders, which would run a second daemon for the same folder. Returns null if
 * the service may be installed.
 */
export async function readyAll(io: Io): Promise<ExitCode | null> {
  const listed = listOwnMirrors(io.env);
  if (listed.kind === "trouble") return complain(io, listed.trouble);
  const manager = managerOf(process.platform);
  for (const mirror of listed.value.mirrors) {
    const why = mirror.place === "present" ? unreadyBecause(io, mirror) : null;
    if (why !== null)
      io.err(`mdmirror: ${shownName(mirror.name)} is not synced until this is solved: ${shownWords(why)}`);
    const unit = manager === null ? null : unitOf(io, manager, mirror.root);
    if (unit === null || !isInstalled(unit)) continue;
    const removed = await uninstallUnit(unit, io.env);
    if (removed.kind === "trouble") return complain(io, removed.trouble);
    io.out(`removed ${unit.file}: the background service for all linked folders replaces it`);
  }
  return null;
}

/**
 * Returns why a folder is not ready; null if it is ready. The background service inherits neither
 * the environment nor the options of this shell. So the address and the key must be stored.
 */
function unreadyBecause({ env: given, cwd }: Io, { root }: ListedMirror): string | null {
  const { MDMIRROR_API_KEY: _key, MDMIRROR_URL: _url, ...env } = given;
  const folder = join(root, MIRROR_FOLDER);
  const config = readConfig(folder);
  if (config.kind === "trouble") return config.trouble.what;
  const admitted = admit(root, config.value, { mode: "read", env, cwd });
  if (admitted.kind === "trouble") return admitted.trouble.what;
  const key = findKey({ folder, keyFile: null, cwd, env, origin: admitted.value.origin });
  return key.kind === "trouble" ? `${key.trouble.what}; store it: mdmirror init ${root} --key-file FILE` : null;
}

/** Returns the unit of the background service; null if no unit can be made for this folder. */
function unitOf({ home, env }: Io, manager: ManagerKind, root: string | null): ServiceUnit | null {
  // Only the location of the unit is needed, not its content.
  const unit = makeUnit({ manager, root, home, env, notifies: true });
  return unit.kind === "ok" ? unit.value : null;
}
