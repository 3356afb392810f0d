import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Daemon } from "../engine/daemon/daemon.ts";
import { CONFIG_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { OpenedMirror } from "../folder/open-mirror.ts";
import { aborted } from "../../common/aborted.ts";

/**
 * Lends a folder to a command: between two passes the daemon frees its lock and waits. The command
 * works as if no daemon ran, with its own state, log and network, so each command has one code
 * path, and no text or choice has to travel over the socket.
 */
type Lending = {
  readonly mirror: OpenedMirror;
  readonly daemon: Pick<Daemon, "exclusive">;
  /** Aborted when the borrower is gone: it has finished, or was killed. */
  readonly gone: AbortSignal;
  /** Aborted when the daemon ends: the borrower may keep the folder. */
  readonly stop: AbortSignal;
  /**
   * `replaced`: the borrower replaced a damaged state file, or changed the configuration, so what
   * is open here is no longer what the folder holds.
   */
  readonly onChange: (change: "lent" | "returned" | "replaced") => void;
};

/**
 * Resolves when the lock is free, or nobody wants it any more.
 * @throws what `exclusive` rejects with: the daemon is ending
 */
export async function lendFolder(lending: Lending): Promise<void> {
  const { mirror, daemon, gone, stop, onChange } = lending;
  const free = Promise.withResolvers<void>();
  const over = daemon.exclusive(async () => {
    if (gone.aborted) return;
    const before = openFiles(mirror.root);
    onChange("lent");
    mirror.lock?.free();
    free.resolve();
    await aborted(AbortSignal.any([gone, stop]));
    // RACE: a command that did not ask may have taken the lock meanwhile; it ends, or the daemon
    // does.
    while (!stop.aborted && mirror.lock?.take() === false) await wait(100);
    onChange("returned");
    if (openFiles(mirror.root) !== before) onChange("replaced");
  });
  over.then(free.resolve, free.reject);
  await free.promise;
}

/** Names by their inodes the files that were read when the folder was opened. */
function openFiles(root: string): string {
  return ["state.db", "texts.db", CONFIG_FILE]
    .map((name) => statSync(join(root, MIRROR_FOLDER, name), { throwIfNoEntry: false })?.ino ?? 0)
    .join(" ");
}
