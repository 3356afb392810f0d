import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Daemon } from "../engine/daemon/daemon.ts";
import { CONFIG_FILE, MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { OpenedMirror } from "../folder/open-mirror.ts";
import { aborted } from "../../common/aborted.ts";

/**
 * Lends a folder to a command: between two cycles the daemon frees its lock and waits. The command
 * works as if no daemon ran, with its own state, log and network. So each command has one code
 * path, and no content or choice travels over the socket.
 */
type Lending = {
  readonly mirror: OpenedMirror;
  readonly daemon: Pick<Daemon, "exclusive">;
  /** Aborted when the borrower has finished or was killed. */
  readonly gone: AbortSignal;
  /** Aborted when the daemon ends: the borrower may keep the folder. */
  readonly stop: AbortSignal;
  /**
   * `replaced`: the borrower replaced a damaged state file or changed the configuration, so the
   * daemon's open files are outdated.
   */
  readonly onChange: (change: "lent" | "returned" | "replaced") => void;
};

/**
 * Resolves when the lock is free, or nobody needs it any more.
 * @throws the error of `exclusive`: the daemon is ending
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

/** Identifies the files that were read when the folder was opened, by their inodes. */
function openFiles(root: string): string {
  return ["state.db", "texts.db", CONFIG_FILE]
    .map((name) => statSync(join(root, MIRROR_FOLDER, name), { throwIfNoEntry: false })?.ino ?? 0)
    .join(" ");
}
