import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isLoopbackHost } from "../model/loopback.ts";
import { startHttp } from "../server/http.ts";
import type { Settings } from "../server/settings.ts";
import { type OpenData, openData } from "../server/data.ts";
import { type ImportProgress, type ImportReport, importFolder } from "../server/import.ts";
import { ROOM_FOR_LEAST } from "../server/reserve.ts";
import { codeOf, errnoClause, ok, type Result, trouble } from "./mirror/trouble.ts";

/** The embedded service over HTTP, from a data folder. */

export type ServeOptions = {
  /** Absolute. */
  readonly data: string;
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly insecureHttp: boolean;
  /** A setting given here replaces the one that is stored in the data folder. */
  readonly settings?: Partial<Settings>;
  /** {docs_base} of the problem types; null: the service's own. */
  readonly docsBase?: string | null;
  readonly onFault: (error: unknown, requestId: string) => void;
};

export type Serving = {
  readonly url: string;
  readonly key: string;
  readonly keyFile: string;
  readonly adminKeyFile: string;
  /**
   * Why deletions may fail once the disk is full, as a clause, and what to do; null: space is
   * reserved for them.
   */
  readonly lacks: { readonly what: string; readonly next: string } | null;
  importFolder(dir: string, onProgress: (progress: ImportProgress) => void): Promise<Result<ImportReport>>;
  close(): Promise<void>;
};

export type { ImportReport } from "../server/import.ts";

export async function startService(options: ServeOptions): Promise<Result<Serving>> {
  const { host, tls, insecureHttp } = options;
  if (!isLoopbackHost(host) && tls === null && !insecureHttp) {
    return trouble(
      "usage",
      `plain http on ${host} would show keys to the network`,
      "give --tls-cert FILE and --tls-key FILE; behind a proxy that speaks TLS, or in a network you trust, say --insecure-http",
    );
  }
  const pem = tls === null ? ok(null) : readPem(tls);
  if (pem.kind === "trouble") return pem;
  const data = openOrTell(options);
  if (data.kind === "trouble") return data;
  try {
    return ok(await listen(data.value, options, pem.value));
  } catch (error) {
    data.value.close();
    const told = listenTrouble(error, options);
    if (told === null) throw error;
    return told;
  }
}

async function listen(data: OpenData, options: ServeOptions, pem: Pem | null): Promise<Serving> {
  const { service, key, keyFile, adminKeyFile } = data;
  const { host, port, insecureHttp: allowPlainHttp } = options;
  const server = await startHttp(service, { host, port, allowPlainHttp, ...(pem === null ? {} : { tls: pem }) });
  return {
    url: server.url,
    key,
    keyFile,
    adminKeyFile,
    lacks: service.reserved() === 0 ? lacksRoom(options.data) : null,
    importFolder: (dir, onProgress) => importOrTell(data, dir, onProgress),
    // ORDER: the last answers are written before the database is closed.
    close: () => server.close().then(() => data.close()),
  };
}

/** Each way that listening fails, by the beginning of the error's code. */
const LISTEN_TROUBLES: readonly {
  readonly codes: RegExp;
  readonly what: (options: ServeOptions) => string;
  readonly next: string;
}[] = [
  {
    codes: /^EADDRINUSE$/,
    what: ({ host, port }) => `port ${port} of ${host} is taken`,
    next: "give another with --port N, or none for any free one",
  },
  {
    codes: /^(?:EACCES|EADDRNOTAVAIL|ENOTFOUND)$/,
    what: ({ host, port }) => `${host}, port ${port} cannot be used`,
    next: "give an address of this machine with --host, and a port above 1023 with --port",
  },
  {
    codes: /^ERR_(?:OSSL|SSL)/,
    what: () => "the certificate and its key cannot be used together",
    next: "give PEM files that belong together",
  },
];

/** @returns null when it is no error of the address or the certificate: a bug */
function listenTrouble(error: unknown, options: ServeOptions): Result<never> | null {
  const code = codeOf(error);
  const known = code === null ? undefined : LISTEN_TROUBLES.find(({ codes }) => codes.test(code));
  return known === undefined ? null : trouble("usage", known.what(options), known.next, { code });
}

function lacksRoom(data: string): NonNullable<Serving["lacks"]> {
  const megabytes = ROOM_FOR_LEAST / (1024 * 1024);
  return {
    what: `the disk of ${data} has less than ${megabytes} MB free, so no room is kept for deletions: once it is full, they fail too`,
    next: "make room there, or give a folder on a larger disk with --data",
  };
}

type Pem = { readonly cert: Buffer; readonly key: Buffer };

function readPem(tls: NonNullable<ServeOptions["tls"]>): Result<Pem> {
  const read: Buffer[] = [];
  for (const file of [tls.certFile, tls.keyFile]) {
    try {
      read.push(readFileSync(file));
    } catch (error) {
      return trouble(
        "usage",
        `${file} cannot be read: ${errnoClause(error)}`,
        "give PEM files with --tls-cert and --tls-key",
      );
    }
  }
  return ok({ cert: read[0]!, key: read[1]! });
}

function openOrTell(options: ServeOptions): Result<OpenData> {
  try {
    const { data, onFault, docsBase = null, settings = {} } = options;
    return ok(openData(resolve(data), { onFault, settings, ...(docsBase === null ? {} : { docsBase }) }));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? null;
    if (code?.startsWith("SQLITE_BUSY") === true) {
      return trouble(
        "locked",
        `${options.data} is in use by another mdmirror serve`,
        "stop that one, or give another folder with --data",
        { code },
      );
    }
    if (code === null) throw error;
    if (code === "newer-data") {
      const what = `${options.data}: ${(error as Error).message}; nothing was changed`;
      return trouble("usage", what, "use the newer mdmirror, or give another folder with --data", { code });
    }
    const next =
      code === "SQLITE_FULL"
        ? "make room there: an update needs as much again as service.db has, until the next start"
        : "give a folder that this user may write with --data";
    return trouble("fault", `${options.data} cannot be used: ${errnoClause(error)}`, next, { code });
  }
}

async function importOrTell(
  data: OpenData,
  dir: string,
  onProgress: (progress: ImportProgress) => void,
): Promise<Result<ImportReport>> {
  try {
    return ok(await importFolder(data, dir, onProgress));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? null;
    if (code === null || !/^E[A-Z]+$/.test(code)) throw error;
    return trouble(
      "usage",
      `${dir} cannot be imported: ${errnoClause(error)}`,
      "give a folder of Markdown files with --import",
      { code },
    );
  }
}
