import { constants } from "node:os";
import { shownName } from "../../model/shown-name.ts";

/**
 * What a log line may hold: fields of this list, each of its own narrow form. Free words (a
 * service's `detail`, an exception's message) may repeat a document's text, so none of them gets
 * in: of `detail` and `why` only the names of system errors stay. People's words are in the state
 * file (`mdmirror log`, `mdmirror why`).
 */

export type LogValue = string | number | boolean | null;
type Form = (value: LogValue) => LogValue | undefined;

const count: Form = (value) => (typeof value === "number" && Number.isFinite(value) ? value : undefined);
const flag: Form = (value) => (typeof value === "boolean" ? value : undefined);
/** A word of ours or of the contract: `delete-remote`, `file_not_found`. */
const word = textOf(/^[A-Za-z0-9_.:-]{1,64}$/);
/** An id of the service: `doc_…`, a request's. */
const ident = textOf(/^[\x21-\x7e]{1,128}$/);
/** A place, never what is in it: one line, which steers no terminal that it is shown on. */
const place: Form = (value) => (typeof value === "string" && PLACE.test(value) ? shownName(value) : undefined);
const PLACE = /^[^\p{Cc}\u2028\u2029]{0,1024}$/u;

const ERRNOS: ReadonlySet<string> = new Set(Object.keys(constants.errno));
/** Of undici, Node's name lookup, TLS and SQLite. */
const OTHER_CODES =
  /^(?:(?:UND_ERR|ERR_TLS|ERR_SSL|SQLITE|CERT|EAI|HPE|UNABLE_TO)_[A-Z_]+|ENOTFOUND|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)$/;
const errors: Form = (value) => {
  if (typeof value !== "string") return undefined;
  const names = value.match(/\b[A-Z][A-Z0-9_]{3,40}\b/g) ?? [];
  const known = names.find((name) => ERRNOS.has(name) || OTHER_CODES.test(name));
  return known ?? undefined;
};

const FIELDS: Readonly<Record<string, Form>> = {
  accepted: count,
  action: word,
  attempt: count,
  attention: count,
  byPolicy: count,
  cause: word,
  changeId: ident,
  code: word,
  conflicts: count,
  count: count,
  createdLocal: count,
  createdRemote: count,
  deletedLocal: count,
  deletedRemote: count,
  detail: errors,
  downloaded: count,
  errno: word,
  folders: count,
  holds: count,
  id: ident,
  level: word,
  merged: count,
  method: word,
  movedLocal: count,
  movedRemote: count,
  ms: count,
  outcome: word,
  passes: count,
  path: place,
  paused: flag,
  phase: word,
  pid: count,
  polling: flag,
  reason: word,
  requestId: ident,
  root: place,
  route: place,
  run: count,
  signal: word,
  side: word,
  state: word,
  status: count,
  submitted: count,
  uploaded: count,
  waitMs: count,
  what: word,
  why: errors,
};

/**
 * @param secret taken out of what would hold it all the same: a path that somebody named after the
 * key
 */
export function keepFields(fields: Readonly<Record<string, LogValue>>, secret: string): Record<string, LogValue> {
  const kept: Record<string, LogValue> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) continue;
    const form = Object.hasOwn(FIELDS, name) ? FIELDS[name]! : null;
    const shown = form?.(value);
    if (shown === undefined) continue;
    kept[name] = typeof shown === "string" && secret !== "" ? shown.replaceAll(secret, "[key]") : shown;
  }
  return kept;
}

function textOf(form: RegExp): Form {
  return (value) => (typeof value === "string" && form.test(value) ? value : undefined);
}
