import { execFile } from "node:child_process";

type SdNotifyOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  /** Receives an error, at most once, if the program `systemd-notify` is missing or fails. */
  readonly onFault: (error: Error) => void;
};

const DEADLINE_MS = 10_000;

type SystemdNotifier = {
  /** Milliseconds within which systemd expects a sign of life; null if it expects none. */
  readonly watchdogMs: number | null;
  /** Sends assignments such as `READY=1`, `STOPPING=1` or `STATUS=…` to systemd. */
  send(...assignments: string[]): void;
};

/**
 * Reports to systemd that the daemon is ready and alive. Node cannot send to systemd's socket, so
 * the program `systemd-notify` sends each message. systemd identifies a sender by its process, so
 * `systemd-notify` ends only when systemd has read the message. The unit accepts such messages with
 * `NotifyAccess=all`. The program runs about once a minute, for a short time.
 * @returns null if systemd did not ask for notifications
 */
export function openSdNotify({ env, pid, onFault }: SdNotifyOptions): SystemdNotifier | null {
  const socket = env["NOTIFY_SOCKET"];
  if (socket === undefined || socket === "") return null;
  // The program gets no other variables, because one of them may contain the key.
  const variables = { PATH: env["PATH"] ?? "/usr/bin:/bin", NOTIFY_SOCKET: socket };
  let isFaulty = false;
  const send: SystemdNotifier["send"] = (...assignments) => {
    execFile("systemd-notify", assignments, { env: variables, timeout: DEADLINE_MS }, (error) => {
      if (error === null || isFaulty) return;
      isFaulty = true;
      onFault(error);
    });
  };
  return { watchdogMs: readWatchdogMs(env, pid), send };
}

/**
 * Sends four signs of life to systemd in each watchdog period. While `alive` returns false, sends
 * none, and systemd then restarts the daemon.
 * @returns a function that ends the signs of life
 */
export function keepWatchdog(sd: SystemdNotifier, alive: () => boolean): () => void {
  if (sd.watchdogMs === null) return () => undefined;
  const timer = setInterval(() => {
    if (alive()) sd.send("WATCHDOG=1");
  }, sd.watchdogMs / 4);
  timer.unref();
  return () => clearInterval(timer);
}

function readWatchdogMs(env: SdNotifyOptions["env"], pid: number): number | null {
  const watched = env["WATCHDOG_PID"];
  if (watched !== undefined && watched !== "" && watched !== String(pid)) return null;
  const periodMicros = Number(env["WATCHDOG_USEC"] ?? "");
  return Number.isFinite(periodMicros) && periodMicros > 0 ? periodMicros / 1_000 : null;
}
