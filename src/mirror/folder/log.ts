import { constants } from "node:os";
import { shownName } from "../../common/shown-words.ts";
import { type Log, LOG_FIELDS, type LogFields, type LogForm, type LogValue } from "../ports/world.ts";
import type { Clock } from "../../common/clock.ts";
import { appendToOwnFile, statOwnFile, makeOwnFolder, renameOwnFile } from "../state/own-files.ts";

/**
 * LIMIT: number of bytes of a log file, so that the current file and four older files together have
 * at most 5 MB.
 */
const MAX_BYTES = 1024 * 1024;
const OLDER_LOGS = 4;

export const SILENT_LOG: Log = { debug: false, write: () => undefined };

type LogOptions = {
  readonly folder: string;
  readonly clock: Clock;
  readonly secret: string;
  /** True to write lines of level `debug` too: one line for each request. */
  readonly debug: boolean;
  readonly onFault: (error: Error) => void;
  /** Bytes of one log file. Tests pass a smaller limit. */
  readonly maxBytes?: number;
};

/**
 * Opens the log `.mdmirror/log/mdmirror.log`, which has one JSON object on each line. Writes only
 * the fields in `LOG_FIELDS`, each only in its own form, so that neither content nor the key is
 * logged (I30). If the log cannot be written, for example on a full disk, reports this once, and
 * syncing continues.
 */
export function openLog({ folder, clock, secret, debug, onFault, maxBytes = MAX_BYTES }: LogOptions): Log {
  const appendLine = openRotatedFile(folder, maxBytes);
  let isBroken = false;
  const writeLine = (...[level, event, fields]: Parameters<Log["write"]>): void => {
    if (isBroken || (level === "debug" && !debug)) return;
    const timestamp = new Date(clock.now()).toISOString();
    try {
      appendLine(`${JSON.stringify({ level, at: timestamp, ...keepFields(fields, secret), event })}\n`);
    } catch (error) {
      isBroken = true;
      onFault(error as Error);
    }
  };
  return { debug, write: writeLine };
}

/**
 * Returns a function that appends a line to the log. Before a file gets too large, renames the file
 * and removes the oldest file.
 * ASSUMES: only the process with the folder's lock writes to the log.
 */
function openRotatedFile(folder: string, maxBytes: number): (line: string) => void {
  const file = "log/mdmirror.log";
  let size: number | null = null;
  return (line) => {
    if (size === null) {
      // Creates only this folder, and no folder above, because the disk of the linked folder may be
      // unmounted.
      makeOwnFolder(folder, "log");
      size = statOwnFile(folder, file, "own-file")?.size ?? 0;
    }
    const lineBytes = Buffer.byteLength(line);
    if (size > 0 && size + lineBytes > maxBytes) {
      rotateLog(folder, file);
      size = 0;
    }
    appendToOwnFile(folder, file, line);
    size += lineBytes;
  };
}

/** Gives each log file the next higher number, and so overwrites the oldest file. */
function rotateLog(folder: string, file: string): void {
  for (let n = OLDER_LOGS; n > 0; n--) {
    const olderName = n === 1 ? file : `${file}.${n - 1}`;
    if (statOwnFile(folder, olderName, "own-file") !== null) renameOwnFile(folder, olderName, `${file}.${n}`);
  }
}

type FieldForm = (value: LogValue) => LogValue | undefined;

/** Matches a single line without characters that could control a terminal. */
const PATH_FORM = /^[^\p{Cc}\u2028\u2029]{0,1024}$/u;

const SYSTEM_ERROR_CODES: ReadonlySet<string> = new Set(Object.keys(constants.errno));
/** Matches error codes of undici, Node's name lookup, TLS and SQLite. */
const OTHER_CODES =
  /^(?:(?:UND_ERR|ERR_TLS|ERR_SSL|SQLITE|CERT|EAI|HPE|UNABLE_TO)_[A-Z_]+|ENOTFOUND|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/;

const FIELD_FORMS: Readonly<Record<LogForm, FieldForm>> = {
  count: (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined),
  flag: (value) => (typeof value === "boolean" ? value : undefined),
  word: makeForm(/^[A-Za-z0-9_.:-]{1,64}$/),
  ident: makeForm(/^[\x21-\x7e]{1,128}$/),
  place: (value) => (typeof value === "string" && PATH_FORM.test(value) ? shownName(value) : undefined),
  errors(value) {
    const names = typeof value === "string" ? (value.match(/\b[A-Z][A-Z0-9_]{3,40}\b/g) ?? []) : [];
    return names.find((name) => SYSTEM_ERROR_CODES.has(name) || OTHER_CODES.test(name));
  },
};

/** @param secret the key. A path may contain the key, so the key is removed from all fields */
function keepFields(fields: LogFields, secret: string): Record<string, LogValue> {
  const keptFields: Record<string, LogValue> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || !Object.hasOwn(LOG_FIELDS, name)) continue;
    const shownValue = FIELD_FORMS[LOG_FIELDS[name as keyof typeof LOG_FIELDS]](value);
    if (shownValue === undefined) continue;
    keptFields[name] =
      typeof shownValue === "string" && secret !== "" ? shownValue.replaceAll(secret, "[key]") : shownValue;
  }
  return keptFields;
}

function makeForm(form: RegExp): FieldForm {
  return (value) => (typeof value === "string" && form.test(value) ? value : undefined);
}
