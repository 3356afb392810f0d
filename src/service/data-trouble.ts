import { join } from "node:path";
import { isDiskFull, refusal, type Result, toSystemTrouble, trouble, type Trouble } from "../common/trouble.ts";
import { StoreBusyError } from "./store/store.ts";

const FOLDER_ERROR_CODES = /^(?:E(?:ACCES|PERM|EXIST|NOTDIR|LOOP|NAMETOOLONG)|SQLITE_(?:READONLY|PERM|AUTH).*)$/;

/**
 * Returns the reason why the data folder of a service cannot be opened.
 * @throws the error if it is a bug
 */
export function explainDataError(dir: string, error: unknown): Result<never> {
  const code = (error as NodeJS.ErrnoException).code ?? null;
  if (isInUse(error)) {
    const nextStep = "stop that one, or give another folder with --data";
    return trouble("locked", `${dir} is in use by another mdmirror serve`, nextStep, { code });
  }
  if (code === null) throw error;
  if (code === "other-data") {
    const nextStep = "give its database with --database, or another folder with --data";
    return refusal(`${dir} cannot be used: ${(error as Error).message}`, nextStep, code);
  }
  if (code === "newer-data" || code === "older-data") {
    const failure = `${dir}: ${(error as Error).message}; nothing was changed`;
    const program = code === "newer-data" ? "the newer mdmirror" : "the mdmirror that wrote it";
    return refusal(failure, `use ${program}, or give another folder with --data`, code);
  }
  const nextStep = isDiskFull(code)
    ? "free space on that disk: an update needs as much again as service.db has, until the next start"
    : "run mdmirror as the user that the service runs as, or give a folder that this user may write with --data";
  return toSystemTrouble(error, `${dir} cannot be used`, nextStep, FOLDER_ERROR_CODES.test(code) ? "usage" : "fault");
}

export function concernsFolder(dir: string, error: unknown): boolean {
  const { code, path } = error as NodeJS.ErrnoException;
  return code?.startsWith("SQLITE_") === true || path === dir || path?.startsWith(join(dir, "/")) === true;
}

export function isInUse(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code?.startsWith("SQLITE_BUSY") === true;
}

type DatabaseTrouble = Pick<Trouble, "kind" | "what" | "next">;

const START_ADVICE = "check that PostgreSQL runs at this address, then start the service again";

const KNOWN_TROUBLES: readonly (DatabaseTrouble & { readonly when: RegExp })[] = [
  {
    // ORDER: this entry comes before the entry for a rejected password. If a connection is refused
    // because it lacks TLS, the error code also begins with 28, like the code for a rejected
    // password.
    when: /no encryption|SSL off/,
    kind: "usage",
    what: "accepts only connections with TLS",
    next: "end its URL with ?sslmode=verify-full",
  },
  {
    when: /does not support SSL/,
    kind: "usage",
    what: "speaks no TLS",
    next: "enable TLS in PostgreSQL (ssl = on), or on your own network end its URL with ?sslmode=disable",
  },
  {
    when: /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/,
    kind: "usage",
    what: "has a certificate that this machine does not trust",
    next: "end its URL with ?sslmode=verify-full&sslrootcert=FILE, the certificate of its authority",
  },
  {
    when: /^28|SASL/,
    kind: "usage",
    what: "rejects the user or the password",
    next: "give both in the URL, or in PGUSER and PGPASSWORD, or in ~/.pgpass",
  },
  { when: /^3D000/, kind: "usage", what: "does not exist", next: "create it: createdb NAME" },
  {
    when: /^42501/,
    kind: "usage",
    what: "does not allow this user to create tables",
    next: "give the user a database of its own: createdb --owner USER NAME",
  },
  {
    when: /^53300/,
    kind: "offline",
    what: "has no free connection for this process",
    next: "raise max_connections, or the user's CONNECTION LIMIT: a process uses up to twelve",
  },
  { when: /^57P0/, kind: "offline", what: "is starting or stopping", next: "start mdmirror again in a while" },
  {
    when: /^ECONNREFUSED/,
    kind: "offline",
    what: "cannot be reached: nothing listens at this port",
    next: START_ADVICE,
  },
  {
    when: /^(?:ENOTFOUND|EAI_)/,
    kind: "offline",
    what: "cannot be reached: the host name has no address",
    next: "check the host name, then start it again",
  },
  { when: /^ENOENT/, kind: "offline", what: "cannot be reached: the socket does not exist", next: START_ADVICE },
  { when: /^E[A-Z]{3,} /, kind: "offline", what: "cannot be reached", next: START_ADVICE },
  { when: /Connection terminated|timeout/, kind: "offline", what: "does not answer", next: START_ADVICE },
];

/**
 * Returns the reason why a database cannot be used.
 * @param url URL of the database, which may contain a password; messages never show the password
 * @throws the error if it is a bug
 */
export function explainDatabaseError(url: string, thrown: unknown): Result<never> {
  // An open store reports a lost database as `StoreBusyError`. The `cause` of a `StoreBusyError` is
  // the actual reason.
  const error = thrown instanceof StoreBusyError && thrown.cause !== undefined ? thrown.cause : thrown;
  const code = (error as NodeJS.ErrnoException).code ?? null;
  const message = (error as Error).message;
  const name = describeDatabase(url);
  if (code === "newer-data" || code === "older-data") {
    const nextStep =
      code === "newer-data" ? "use the newer mdmirror" : "use the mdmirror that wrote it, or another database";
    return refusal(`${name}: ${message}; nothing was changed`, nextStep, code);
  }
  if (code === "other-data" || code === "other-key") {
    const nextStep =
      "give this process its own folder with --data; the valid admin-key is in the first process's folder";
    return refusal(message, nextStep, code);
  }
  if (code === "unusable-database") {
    const nextStep = "create another: createdb --encoding UTF8 --template template0 NAME";
    return refusal(`${name} cannot be used: ${message}`, nextStep, code);
  }
  const knownTrouble = KNOWN_TROUBLES.find(({ when }) => when.test(`${code ?? ""} ${message}`));
  if (knownTrouble !== undefined)
    return trouble(knownTrouble.kind, `${name} ${knownTrouble.what}`, knownTrouble.next, { code });
  // PostgreSQL's error codes have five characters; an error without such a code is a bug.
  if (!/^[0-9A-Z]{5}$/.test(code ?? "")) throw thrown;
  return trouble("fault", `${name} cannot be used: ${message}`, "read its log, then start it again", { code });
}

/** Returns the name, host and port of a database without the password, for messages. */
function describeDatabase(url: string): string {
  if (!URL.canParse(url)) return "the database";
  const { hostname, port, pathname, searchParams } = new URL(url);
  const host = searchParams.get("host") ?? hostname;
  return `the database ${pathname.slice(1)} of ${host === "" ? "this machine" : host}${port === "" ? "" : `:${port}`}`;
}
