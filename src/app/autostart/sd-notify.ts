import { execFile } from "node:child_process";

/**
 * Tells systemd that the daemon is ready, and that it is alive. Node has no datagram sockets of the
 * Unix family, so the word goes through systemd's own `systemd-notify`, which waits until it was
 * taken (so that its sender is still there to be looked up); the unit says `NotifyAccess=all` for
 * that. One such call takes some 10 ms, and one is made a minute.
 */
export type SdNotify = {
  /** `READY=1`, `STOPPING=1`, `STATUS=…`: one line each. */
  say(...assignments: readonly string[]): void;
  /**
   * Milliseconds between two signs of life that systemd waits for; null: it does not wait for any.
   */
  readonly watchdogMs: number | null;
};

const DEADLINE_MS = 10_000;

export type SdOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** Told once: the program is not there, or it refuses. */
  readonly onFault: (error: Error) => void;
};

/** @returns null when no systemd asked for word */
export function openSdNotify(options: SdOptions): SdNotify | null {
  const { env, pid, onFault } = options;
  const socket = env["NOTIFY_SOCKET"];
  if (socket === undefined || socket === "") return null;
  // Those of the manager alone: neither the key nor anything else of ours goes to another program.
  const given = { PATH: env["PATH"] ?? "/usr/bin:/bin", NOTIFY_SOCKET: socket };
  let faulty = false;
  return {
    watchdogMs: watchdogOf(env, pid),
    say(...assignments) {
      execFile("systemd-notify", [...assignments], { env: given, timeout: DEADLINE_MS }, (error) => {
        if (error === null || faulty) return;
        faulty = true;
        onFault(error);
      });
    },
  };
}

function watchdogOf(env: SdOptions["env"], pid: number): number | null {
  const asked = env["WATCHDOG_PID"];
  if (asked !== undefined && asked !== "" && asked !== String(pid)) return null;
  const usec = Number(env["WATCHDOG_USEC"] ?? "");
  return Number.isFinite(usec) && usec > 0 ? usec / 1_000 : null;
}

/**
 * Says that the daemon is alive, a quarter of the time that systemd waits, as long as `alive` is
 * true; and nothing more once it is not: then systemd ends and restarts it.
 * @returns what ends it
 */
export function keepWatchdog(sd: SdNotify, alive: () => boolean): () => void {
  if (sd.watchdogMs === null) return () => undefined;
  const timer = setInterval(() => {
    if (alive()) sd.say("WATCHDOG=1");
  }, sd.watchdogMs / 4);
  timer.unref();
  return () => clearInterval(timer);
}
