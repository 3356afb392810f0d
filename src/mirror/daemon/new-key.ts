import type { OpenedDaemon } from "./open-daemon.ts";

/**
 * Has a folder closed, to be opened again, where the service refuses its key and another one is
 * there by now: `mdmirror init --key-file` has stored it, or who gives the keys has renewed a file.
 * @returns whether it did
 */
export function dropsRefusedKey({ mirror, daemon, reopen }: OpenedDaemon): boolean {
  const { phase } = daemon.status();
  if (phase.kind !== "waiting" || phase.why !== "unauthenticated" || mirror.hasNewKey?.() !== true) return false;
  reopen.abort();
  return true;
}

/** What is asked of a folder whose key was refused waits until it is open by the new one. */
export class KeyRenewal {
  #opening: PromiseWithResolvers<void> | null = null;

  /** @param current what is open; null: nothing is */
  async settled(current: () => OpenedDaemon | null): Promise<OpenedDaemon | null> {
    const open = current();
    if (open === null || !dropsRefusedKey(open)) return open;
    this.#opening ??= Promise.withResolvers<void>();
    await this.#opening.promise;
    return current();
  }

  /** It is open again, or will not be. */
  end(): void {
    this.#opening?.resolve();
    this.#opening = null;
  }
}
