import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Clock, Log } from "../core/ports/world.ts";

/** LIMIT: of one log file; one older is kept. */
const MAX_BYTES = 2 * 1024 * 1024;
const MAX_FIELD = 500;

export const SILENT_LOG: Log = { write: () => undefined };

/**
 * JSON lines in `.mdmirror/log/mdmirror.log`. No text is ever given to it; the key is taken out should a message repeat it (I30).
 * A log that cannot be written (a full disk) is told once and then left: it must not stop the mirror.
 */
export function openLog(options: {
  readonly folder: string;
  readonly clock: Clock;
  readonly secret: string;
  /** Also lines of level `debug`: one for each request. */
  readonly debug: boolean;
  readonly onFault: (error: Error) => void;
}): Log {
  const { folder, clock, secret, debug, onFault } = options;
  const dir = join(folder, "log");
  const file = join(dir, "mdmirror.log");
  let size: number | null = null;
  let broken = false;

  function append(line: string): void {
    if (size === null) {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    }
    if (size > MAX_BYTES) {
      renameSync(file, `${file}.1`);
      size = 0;
    }
    appendFileSync(file, line, { mode: 0o600 });
    size += Buffer.byteLength(line);
  }

  return {
    write(level, event, fields) {
      if (broken || (level === "debug" && !debug)) return;
      const kept = Object.entries(fields).map(([name, value]) => [name, cutField(value, secret)]);
      const line = JSON.stringify({
        at: new Date(clock.now()).toISOString(),
        level,
        event,
        ...Object.fromEntries(kept),
      });
      try {
        append(`${line}\n`);
      } catch (error) {
        broken = true;
        onFault(error as Error);
      }
    },
  };
}

function cutField(value: string | number | boolean | null, secret: string): string | number | boolean | null {
  if (typeof value !== "string") return value;
  const clean = value.replaceAll(secret, "[key]");
  return clean.length > MAX_FIELD ? `${clean.slice(0, MAX_FIELD)}…` : clean;
}
