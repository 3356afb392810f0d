import { createRequire } from "node:module";
import type { Clock, Log } from "../../ports/world.ts";
import { appendOwn, lookAtOwn, makeOwnFolder, renameOwn } from "../../state/own-files.ts";
import { keepFields } from "./log-fields.ts";

/**
 * LIMIT: of one log file, and of the older ones kept beside it: `mdmirror.log`, `mdmirror.log.1` …
 * `mdmirror.log.4`.
 */
const MAX_BYTES = 1024 * 1024;
const OLDER = 4;

export const SILENT_LOG: Log = { debug: false, write: () => undefined };

/**
 * JSON lines (pino) in `.mdmirror/log/mdmirror.log`. Only fields of the list in `log-fields.ts` get
 * in, each by its form, so neither a text nor the key can (I30). A log that cannot be written (a
 * full disk) is told once and then left: it must not stop the mirror.
 */
export function openLog(options: {
  readonly folder: string;
  readonly clock: Clock;
  readonly secret: string;
  /** Also lines of level `debug`: one for each request. */
  readonly debug: boolean;
  readonly onFault: (error: Error) => void;
  /** Bytes of one file, for tests. */
  readonly maxBytes?: number;
}): Log {
  const { folder, clock, secret, debug, onFault } = options;
  let broken = false;
  const append = openRotation(folder, options.maxBytes ?? MAX_BYTES);
  const keep = (line: string) => {
    try {
      append(line);
    } catch (error) {
      broken = true;
      onFault(error as Error);
    }
  };
  let logger: ReturnType<typeof makeLogger> | null = null;
  return {
    debug,
    write(level, event, fields) {
      if (broken || (level === "debug" && !debug)) return;
      logger ??= makeLogger(clock, keep);
      logger[level](keepFields(fields, secret), event);
    },
  };
}

/** pino takes 20 ms to load: a run that logs nothing does not pay for it. */
function makeLogger(clock: Clock, write: (line: string) => void) {
  const { pino } = createRequire(import.meta.url)("pino") as typeof import("pino");
  const settings = {
    base: null,
    level: "debug",
    messageKey: "event",
    timestamp: () => `,"at":"${new Date(clock.now()).toISOString()}"`,
    formatters: { level: (level: string) => ({ level }) },
  };
  return pino(settings, { write });
}

/**
 * Appends lines to a file that is put aside when it is full; the oldest goes.
 * ASSUMES: one writer, which holds the folder's lock.
 */
function openRotation(folder: string, maxBytes: number): (line: string) => void {
  const file = "log/mdmirror.log";
  let size: number | null = null;
  return (line) => {
    if (size === null) {
      // Not what is above: where a disk was taken away, nothing is made beneath its mount point.
      makeOwnFolder(folder, "log");
      size = lookAtOwn(folder, file, "own-file")?.size ?? 0;
    }
    const more = Buffer.byteLength(line);
    if (size > 0 && size + more > maxBytes) {
      for (let n = OLDER; n > 0; n--) {
        const from = n === 1 ? file : `${file}.${n - 1}`;
        if (lookAtOwn(folder, from, "own-file") !== null) renameOwn(folder, from, `${file}.${n}`);
      }
      size = 0;
    }
    appendOwn(folder, file, line);
    size += more;
  };
}
