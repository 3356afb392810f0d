import type { OpenedDaemon } from "./open-daemon.ts";

/**
 * Closes a folder, to be opened again, if the service refuses its key and another key exists now:
 * `mdmirror init --key-file` stored it, or a key file was renewed.
 * @returns true if it did
 */
export function dropsRefusedKey({ mirror, daemon, reopen }: OpenedDaemon): boolean {
  const { phase } = daemon.status();
  if (phase.kind !== "waiting" || phase.why !== "unauthenticated" || mirror.hasNewKey?.() !== true) return false;
  reopen.abort();
  return true;
}

/** Requests for a folder that is closed to be opened again wait until it is open. */
export class Reopening {
  #opening: PromiseWithResolvers<void> | null = null;

  /** The folder is about to be closed. */
  begin(): void {
    this.#opening ??= Promise.withResolvers<void>();
  }

  /** @param current the open folder; null if none is open */
  async settled(current: () => OpenedDaemon | null): Promise<OpenedDaemon | null> {
    const open = current();
    if (open !== null && (open.reopen.signal.aborted || dropsRefusedKey(open))) this.begin();
    await this.#opening?.promise;
    return current();
  }

  /** It is open again, or will not be. */
  end(): void {
    this.#opening?.resolve();
    this.#opening = null;
  }
}
