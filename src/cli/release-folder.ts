import { borrowLock, FolderLock } from "../mirror/folder/folder-lock.ts";
import { join } from "node:path";
import { MIRROR_FOLDER } from "../mirror/model/mirror-folder.ts";
import { installUnit, isInstalled, uninstallUnit } from "../mirror/daemon/autostart/service-manager.ts";
import { ok, type Result } from "../common/trouble.ts";
import { shownName } from "../common/shown-name.ts";
import type { Io } from "./command.ts";
import { unitOf } from "./service-all.ts";

/**
 * A linked folder that no other process uses or has open, so that the command can move or unlink
 * the folder.
 */
type HeldFolder = {
  /** True if the folder had its own background service, which is uninstalled now. */
  readonly hadUnit: boolean;
  /**
   * Allows a daemon that released the folder to look for the folder again. A second call does
   * nothing.
   */
  readonly giveBack: () => void;
};

/**
 * Makes other processes release the folder.
 * @param root real path
 * @param what name of the command
 */
export async function withFolderReleased(io: Io, root: string, what: string): Promise<Result<HeldFolder>> {
  const hadUnit = await endUnit(io, root);
  if (hadUnit.kind === "trouble") return hadUnit;
  const taker = { what, clock: io.clock };
  const lock = new FolderLock(join(root, MIRROR_FOLDER), taker);
  const taken = await borrowLock(root, lock, taker);
  if (taken.kind === "trouble") return taken;
  return ok({
    hadUnit: hadUnit.value,
    giveBack() {
      lock.free();
      taken.value?.();
    },
  });
}

/** Uninstalls the background service of the folder. Returns true if there was one. */
async function endUnit(io: Io, root: string): Promise<Result<boolean>> {
  const unit = unitOf(io, root);
  if (unit === null || !isInstalled(unit)) return ok(false);
  const removed = await uninstallUnit(unit, io.env);
  if (removed.kind === "ok") io.out(`removed ${shownName(unit.file)}`);
  return removed;
}

/** Installs the background service of the folder for its new path. */
export async function reinstallService(io: Io, root: string): Promise<void> {
  const unit = unitOf(io, root);
  if (unit === null) return;
  const installed = await installUnit(unit, io.env);
  if (installed.kind === "ok" && installed.value === null) io.out(`installed ${shownName(unit.file)}`);
  else io.err(`mdmirror: its background service is not running; next: mdmirror service install ${shownName(root)}`);
}
