import { execFile } from "node:child_process";

type SdNotifyOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** Told once: the program is not there, or it refuses. */
  readonly onFault: (error: Error) => void;
};

const DEADLINE_MS = 10_000;

/** @returns null when no systemd asked for word */
export function openSdNotify({ env, pid, onFault }: SdNotifyOptions): SdNotify | null {
  const socket = env["NOTIFY_SOCKET"];
  if (socket === undefined || socket === "") return null;
  // Those of the manager alone: neither the key nor anything else of ours goes to another program.
  const given = { PATH: env["PATH"] ?? "/usr/bin:/bin", NOTIFY_SOCKET: socket };
  return new SdNotify(given, watchdogOf(env, pid), onFault);
}

/**
 * Tells systemd that the daemon is ready, and that it is alive. Node has no datagram sockets of the
 * Unix family, so the word goes through systemd's own `systemd-notify`, which waits until it was
 * taken (so that its sender is still there to be looked up); the unit says `NotifyAccess=all` for
 * that. One such call takes some 10 ms, and one is made a minute.
 */
class SdNotify {
  /**
   * Milliseconds between two signs of life that systemd waits for; null: it does not wait for any.
   */
  readonly watchdogMs: number | null;
  readonly #env: NodeJS.ProcessEnv;
  readonly #onFault: SdNotifyOptions["onFault"];
  #isFaulty = false;

  constructor(env: NodeJS.ProcessEnv, watchdogMs: number | null, onFault: SdNotifyOptions["onFault"]) {
    this.#env = env;
    this.watchdogMs = watchdogMs;
    this.#onFault = onFault;
  }

  /** `READY=1`, `STOPPING=1`, `STATUS=…`: one line each. */
  say(...assignments: readonly string[]): void {
    execFile("systemd-notify", [...assignments], { env: this.#env, timeout: DEADLINE_MS }, (error) => {
      if (error === null || this.#isFaulty) return;
      this.#isFaulty = true;
      this.#onFault(error);
    });
  }
}

/**
 * Says that the daemon is alive, a quarter of the time that systemd waits, as long as `alive` is
 * true; and nothing more once it is not: then systemd ends and restarts it.
 * @returns what ends it
 */
export function keepWatchdog(sd: Pick<SdNotify, "say" | "watchdogMs">, alive: () => boolean): () => void {
  if (sd.watchdogMs === null) return () => undefined;
  const timer = setInterval(() => {
    if (alive()) sd.say("WATCHDOG=1");
  }, sd.watchdogMs / 4);
  timer.unref();
  return () => clearInterval(timer);
}

function watchdogOf(env: SdNotifyOptions["env"], pid: number): number | null {
  const asked = env["WATCHDOG_PID"];
  if (asked !== undefined && asked !== "" && asked !== String(pid)) return null;
  const usec = Number(env["WATCHDOG_USEC"] ?? "");
  return Number.isFinite(usec) && usec > 0 ? usec / 1_000 : null;
}
