import { isLoopbackHost } from "../common/loopback.ts";
import { writeAddress, removeAddress } from "./data-files.ts";
import { type HttpServer, startHttp } from "./http/server.ts";
import type { HttpService } from "./http/server-state.ts";
import { type OpenData, openData, type OpenDataOptions } from "./data.ts";
import { type ImportProgress, type ImportReport, importFolder } from "./import/import.ts";
import { MIN_FREE_BYTES } from "./store/sqlite/reserve.ts";
import { AccessLog, type TextAppender, makeFileAppender } from "./http/access-log.ts";
import { errnoClause, ok, readErrorCode, refusal, type Result, toSystemTrouble } from "../common/trouble.ts";
import { concernsFolder, explainDatabaseError, explainDataError } from "./data-trouble.ts";
import { readFileSync } from "node:fs";

export type ServeOptions = Omit<OpenDataOptions, "waitMs"> & {
  /** Absolute path of the data folder. */
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly insecureHttp: boolean;
  /** Origin at which a proxy serves the pages, such as `https://notes.example.org`; or null. */
  readonly appOrigin?: string | null;
  /** Target of the access log: an absolute path, or a function; null for no log. */
  readonly accessLog?: string | TextAppender | null;
  /** Milliseconds for which a closing service still accepts requests. Default 0. */
  readonly drainMs?: number;
  readonly onFault: (error: unknown, requestId: string) => void;
};

type MissingCondition = { readonly what: string; readonly next: string };

export type RunningService<Key extends string | null = string> = Pick<
  OpenData<Key>,
  "key" | "keyFile" | "adminKeyFile"
> & {
  readonly url: string;
  /** Abilities that the service does not have, each as a clause with the user's next step. */
  readonly lacks: readonly MissingCondition[];
  importFolder(dir: string, onProgress: (progress: ImportProgress) => void): Promise<Result<ImportReport>>;
  close(): Promise<void>;
};

export type { ImportReport } from "./import/import.ts";

export function startService(options: ServeOptions): Promise<Result<RunningService>> {
  return openAndListen(
    options,
    () => openData(options.data, options),
    (error) => explainDataError(options.data, error),
  );
}

/**
 * Starts a service whose documents are in PostgreSQL. The data folder contains only the keys and
 * the address of this process.
 * @param database URL of the database, which may contain a password
 */
export function startOnDatabase(
  options: ServeOptions,
  database: string,
): Promise<Result<RunningService<string | null>>> {
  const openDatabase = async () => {
    // The module for PostgreSQL is loaded on demand, so that a service on SQLite never loads
    // PostgreSQL's driver.
    const { openSharedData } = await import("./store/postgres/data.ts");
    return openSharedData(options.data, database, options);
  };
  return openAndListen(options, openDatabase, (error) =>
    concernsFolder(options.data, error) ? explainDataError(options.data, error) : explainDatabaseError(database, error),
  );
}

async function openAndListen<Key extends string | null>(
  options: ServeOptions,
  open: () => Promise<OpenData<Key>>,
  troubleOf: (error: unknown) => Result<never>,
): Promise<Result<RunningService<Key>>> {
  const { host, tls, insecureHttp } = options;
  if (!isLoopbackHost(host) && tls === null && !insecureHttp) {
    return refusal(
      `plain http on ${host} would let others on the network read keys`,
      "give --tls-cert FILE and --tls-key FILE; behind a proxy with TLS, or in a network that you trust, use --insecure-http",
    );
  }
  const pem = tls === null ? ok(null) : readPem(tls);
  if (pem.kind === "trouble") return pem;
  const data = await open().then(ok, troubleOf);
  if (data.kind === "trouble") return data;
  // A killed service may have left the file with its address. No running service uses the file,
  // because this process has locked the data folder.
  removeAddress(options.data);
  try {
    return ok(await listen(data.value, options, pem.value));
  } catch (error) {
    await data.value.close();
    const failure = explainListenError(error, options);
    if (failure === null) throw error;
    return failure;
  }
}

async function listen<Key extends string | null>(
  data: OpenData<Key>,
  options: ServeOptions,
  pem: Pem | null,
): Promise<RunningService<Key>> {
  const { service, key, keyFile, adminKeyFile } = data;
  const { host, port } = options;
  const pages = { core: service.core, proxy: options.appOrigin ?? null };
  const log = openAccessLog(options);
  const server = await startHttp(service, {
    host,
    port,
    pages,
    deadlines: { drain: options.drainMs ?? 0 },
    ...(pem === null ? {} : { tls: pem }),
    ...(log === null ? {} : { log: log.note }),
  });
  const adminPort = await openAdminPort(data, options, server);
  const missingAddress = writeAddressFile(options.data, (adminPort ?? server).url);
  return {
    url: server.url,
    key,
    keyFile,
    adminKeyFile,
    lacks: [...(service.reservedBytes() === 0 ? [describeLackOfSpace(options.data)] : []), ...missingAddress],
    importFolder: (dir, onProgress) => importInto(data, dir, onProgress),
    // ORDER: the server closes before the store, so that the server can still send the last
    // answers.
    async close() {
      await Promise.all([server.close(), adminPort?.close()]);
      await log?.close();
      removeAddress(options.data);
      await data.close();
    },
  };
}

function openAccessLog({ accessLog = null, onFault }: ServeOptions): AccessLog | null {
  if (accessLog === null) return null;
  const append = typeof accessLog === "string" ? makeFileAppender(accessLog) : accessLog;
  return new AccessLog(append, (error) => onFault(error, "access-log"));
}

function writeAddressFile(dataFolder: string, url: string): MissingCondition[] {
  try {
    writeAddress(dataFolder, url);
    return [];
  } catch (error) {
    if (readErrorCode(error) === null) throw error;
    const missingAbility = `mdmirror serve cannot write its address into ${dataFolder}, so mdmirror serve admin does not find the service: ${errnoClause(error)}`;
    return [{ what: missingAbility, next: "free some disk space, then start it again" }];
  }
}

/**
 * Opens a second port for local administration, on loopback and without TLS. Administrators'
 * commands read the address of this port from the data folder: they do not know the public address
 * or the name in the certificate.
 * @returns null if the first port is already on loopback and without TLS
 */
async function openAdminPort(
  { service }: AnyOpenData,
  { host, tls }: ServeOptions,
  server: HttpServer,
): Promise<HttpServer | null> {
  if (tls === null && isLoopbackHost(host)) return null;
  try {
    const handle: HttpService["handle"] = async (request, fault) =>
      (await service.admitAdmin(request)) ?? service.handle(request, fault);
    return await startHttp({ handle, admit: service.admitAdmin });
  } catch (error) {
    await server.close();
    throw error;
  }
}

function describeLackOfSpace(dataFolder: string): MissingCondition {
  const megabytes = MIN_FREE_BYTES / (1024 * 1024);
  return {
    what: `the disk of ${dataFolder} has less than ${megabytes} MB free, so mdmirror reserves no space for deletions: on a full disk they fail, too`,
    next: "free some disk space, or use a folder on a larger disk with --data",
  };
}

type AnyOpenData = OpenData<string | null>;

async function importInto(
  { service, key, keyFile }: AnyOpenData,
  dir: string,
  onProgress: (progress: ImportProgress) => void,
): Promise<Result<ImportReport>> {
  if (key === null) {
    const nextStep = `put a key of the workspace into ${keyFile}: mdmirror serve admin keys create makes one`;
    return refusal(`${dir} cannot be imported: another process made the first key of the database`, nextStep);
  }
  try {
    return ok(await importFolder({ service, key }, dir, onProgress));
  } catch (error) {
    if (!/^E[A-Z]+$/.test(readErrorCode(error) ?? "")) throw error;
    return toSystemTrouble(error, `${dir} cannot be imported`, "give a folder of Markdown files with --import");
  }
}

type Pem = { readonly cert: Buffer; readonly key: Buffer };

function readPem(tls: { readonly certFile: string; readonly keyFile: string }): Result<Pem> {
  const contents: Buffer[] = [];
  for (const file of [tls.certFile, tls.keyFile]) {
    try {
      contents.push(readFileSync(file));
    } catch (error) {
      return toSystemTrouble(error, `${file} cannot be read`, "give PEM files with --tls-cert and --tls-key");
    }
  }
  return ok({ cert: contents[0]!, key: contents[1]! });
}

/**
 * Returns the reason why the service cannot listen. Returns null if neither the address nor the
 * certificate is the cause: the error is then a bug.
 */
function explainListenError(error: unknown, { host, port }: ServeOptions): Result<never> | null {
  const code = readErrorCode(error) ?? "";
  if (code === "EADDRINUSE") {
    const nextStep = "give another with --port N; --port 0 takes any free one";
    return refusal(`port ${port} of ${host} is taken`, nextStep, code);
  }
  if (/^(?:EACCES|EADDRNOTAVAIL|ENOTFOUND)$/.test(code)) {
    const nextStep = "give an address of this machine with --host, and a port above 1023 with --port";
    return refusal(`${host}, port ${port} cannot be used`, nextStep, code);
  }
  if (!/^ERR_(?:OSSL|SSL)/.test(code)) return null;
  const failure = "the certificate and its key cannot be used together";
  return refusal(failure, "give PEM files that belong together", code);
}
