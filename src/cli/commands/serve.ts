import { unwrap } from "../../common/trouble.ts";
import { resolve } from "node:path";
import type { ImportReport, ServeOptions, RunningService } from "../../service/serve.ts";
import { waitForAbort } from "../../common/clock.ts";
import type { Args, Command, Io } from "../command.ts";
import { EXIT, refuseUsage } from "../exit.ts";
import { count, plural } from "../../common/quantities.ts";
import { shownName } from "../../common/shown-words.ts";
import { readDatabaseUrl, DEFAULT_DATA, readSetting, RATE_FORM, readRate } from "../service-data.ts";
import { isLoopbackHost } from "../../common/loopback.ts";
import { quoteForShell } from "../../mirror/model/shell-word.ts";

const DEFAULT_PORT = 8420;
/**
 * LIMIT: milliseconds in which a closing service still answers new requests, so that the service
 * ends soon.
 */
const DRAIN_MS = 1_500;
/** LIMIT: number of files or links named for each reason, so that the output stays short. */
const MAX_NAMES = 5;

export const command: Command = {
  about: [
    "Runs a complete File and Folder Service on SQLite, or on PostgreSQL with --database. Prints its URL and the file with its key.",
    "Ends cleanly on SIGTERM or Ctrl-C. Other machines can reach it only with TLS (--tls-cert).",
  ],
  examples: ["mdmirror serve", "mdmirror serve --data ~/service --import ~/notes --port 8731"],
  options: {
    port: { value: "N", range: [0, 65_535], help: `port (default: ${DEFAULT_PORT}; 0: any free one)` },
    host: { value: "H", help: "address to listen on (default: 127.0.0.1)" },
    data: { value: "DIR", help: `folder for documents and keys (default: ${DEFAULT_DATA})` },
    database: {
      value: "URL",
      help: "keep documents in PostgreSQL, for any number of services: postgres://USER@HOST/NAME",
    },
    import: { value: "DIR", help: "first import the Markdown files below DIR; existing documents are not changed" },
    "tls-cert": { value: "FILE", help: "certificate, PEM" },
    "tls-key": { value: "FILE", help: "private key of the certificate, PEM" },
    "rate-limit": {
      value: "N/S",
      form: RATE_FORM,
      help: "at most N requests by a key in S seconds (default: no limit); stored",
    },
    links: {
      value: "HOW",
      choices: ["any", "resolve"],
      help: "any: accept all links; resolve: refuse content with links that have no target (default: any)",
    },
    "keep-versions": {
      value: "DAYS",
      form: { words: "a number of days, or all", isValid: (value) => /^(?:all|\d{1,5})$/.test(value) },
      help: "remove replaced versions after DAYS (default: keep all); stored",
    },
    "most-versions": {
      value: "N",
      form: { words: "a number from 1 on, or all", isValid: (value) => /^(?:all|[1-9]\d{0,4})$/.test(value) },
      help: "keep at most N versions of a document (default: all); stored",
    },
    "docs-base": {
      value: "URL",
      form: { words: "an http URL", isValid: (value) => /^https?:\/\//.test(value) },
      help: "base URL of the explanations of errors: the `type` of an error is URL/errors/CODE",
    },
    "app-origin": {
      value: "URL",
      form: { words: "an http URL without a path: https://notes.example.org", isValid: isOrigin },
      help: "address of the pages for browsers behind a proxy, such as https://notes.example.org",
    },
    "access-log": {
      value: "FILE",
      help: "append a line of JSON for each request, without content, keys and paths (- is standard output)",
    },
    "insecure-http": { help: "allow plain http from other machines; others on the network can then read keys" },
  },
  operands: { usage: "", least: 0, most: 0 },
  async run(io, args) {
    const [certFile, keyFile] = [args.text("tls-cert"), args.text("tls-key")];
    if ((certFile === null) !== (keyFile === null)) return refuseUsage("--tls-cert and --tls-key go together");
    const database = args.text("database") ?? readDatabaseUrl(io);
    if (database !== null && !(/^postgres(?:ql)?:\/\//.test(database) && URL.canParse(database)))
      return refuseUsage("--database takes postgres://USER@HOST/NAME");
    const { stop } = io;
    const options = readServeOptions(io, args);
    const { startOnDatabase, startService } = await import("../../service/serve.ts");
    const runningService = unwrap(
      await (database === null ? startService(options) : startOnDatabase(options, database)),
    );
    try {
      await runImport(io, args, runningService);
      showServiceStart(io, runningService);
      await waitForAbort(stop);
      return EXIT.inSync;
    } finally {
      await runningService.close();
    }
  },
};

function readServeOptions(io: Io, args: Args): ServeOptions {
  const resolveFile = (name: string) => resolve(io.cwd, args.text(name)!);
  const appOrigin = args.text("app-origin");
  const accessLog = args.text("access-log");
  const printLines = async (text: string) => {
    for (const line of text.trimEnd().split("\n")) io.out(line);
  };
  return {
    data: resolve(io.cwd, args.text("data") ?? DEFAULT_DATA),
    host: args.text("host") ?? "127.0.0.1",
    port: args.number("port") ?? DEFAULT_PORT,
    tls: args.text("tls-cert") === null ? null : { certFile: resolveFile("tls-cert"), keyFile: resolveFile("tls-key") },
    insecureHttp: args.flag("insecure-http"),
    // If the user did not pass an option, the stored value of its setting stays.
    settings: {
      ...readSetting("rateLimit", args.text("rate-limit"), readRate),
      ...readSetting("keepVersions", args.text("most-versions"), Number),
      ...readSetting("keepVersionsDays", args.text("keep-versions"), Number),
    },
    links: args.text("links") === "resolve" ? "resolve" : "any",
    appOrigin: appOrigin === null ? null : new URL(appOrigin).origin,
    docsBase: args.text("docs-base")?.replace(/\/+$/, ""),
    accessLog: accessLog === "-" ? printLines : accessLog && resolve(io.cwd, accessLog),
    drainMs: DRAIN_MS,
    onFault(error, what) {
      const failedWork = what === "database" ? "a connection to the database" : what.replace(/^(?=req_)/, "request ");
      io.err(`mdmirror serve: ${failedWork} failed: ${(error as Error).message}`);
    },
  };
}

function showServiceStart(io: Io, { lacks, url, key, keyFile, adminKeyFile }: RunningService<string | null>): void {
  for (const { what, next } of lacks) {
    io.err(`mdmirror serve: ${what}`);
    io.err(`  next: ${next}`);
  }
  io.out(`serving ${url}`);
  const keyPlace = key === null ? "in the data folder of the first service that used this database" : keyFile;
  io.out(`key: ${keyPlace}${key === null ? "" : ` (admin: ${adminKeyFile})`}`);
  io.out(`pages: ${url}/app`);
  if (key !== null) io.out(`try: ${formatInitCommand(url, keyFile)}`);
}

function isOrigin(text: string): boolean {
  return /^https?:\/\/[^/?#@\s]+\/?$/.test(text) && URL.canParse(text);
}

async function runImport(io: Io, args: Args, serving: RunningService<string | null>): Promise<void> {
  const dir = args.text("import");
  if (dir === null) return;
  const onProgress = ({ files }: { readonly files: number }) => {
    if (io.terminal.error) io.status(`importing ${count(files)} …`);
  };
  const report = await serving.importFolder(resolve(io.cwd, dir), onProgress);
  if (io.terminal.error) io.status("");
  for (const line of formatImport(unwrap(report))) io.out(line);
}

/** Returns lines about an import: imported files, then files that were not imported, by reason. */
export function formatImport({ files, folders, bytes, renamed, refused, links }: ImportReport): string[] {
  const renamedPaths = renamed.map(({ path, name }) => `${path} as ${name}`);
  return [
    `imported ${plural(files, "file")} in ${plural(folders, "folder")} (${(bytes / 1_000_000).toFixed(1)} MB)`,
    ...(renamed.length === 0 ? [] : [`  under another name: ${formatNames(renamedPaths)}`]),
    ...groupByReason(refused).map(
      ([reason, all]) => `  not imported, ${reason}: ${formatNames(all.map(({ path }) => path))}`,
    ),
    ...(links === undefined ? [] : formatLinks(links)),
  ];
}

/**
 * Groups files or links by the reason why they were not imported. The most frequent reason comes
 * first.
 */
function groupByReason<Entry extends { readonly reason: string }>(entries: readonly Entry[]) {
  const groups = [...Map.groupBy(entries, ({ reason }): Entry["reason"] => reason)];
  return groups.sort((a, b) => b[1].length - a[1].length);
}

/** Returns a number and the first names, such as `7 (a.md, b.md, …)`. */
function formatNames(names: readonly string[]): string {
  return `${count(names.length)} (${names.slice(0, MAX_NAMES).join(", ")}${names.length > MAX_NAMES ? ", …" : ""})`;
}

const INACTIVE_LINK_REASONS = {
  "no-target": "to a missing target",
  "no-document": "to no document",
  "not-imported": "to a file that was not imported",
  outside: "out of the folder",
  "not-written-again": "in documents that link to each other: the service refused the second write",
} as const;

function formatLinks({ byId, twice, inert }: NonNullable<ImportReport["links"]>): string[] {
  const twiceNote = twice === 0 ? "" : `; ${plural(twice, "document")} written twice, because they link to each other`;
  return [
    `  links by id: ${count(byId)}${twiceNote}`,
    ...groupByReason(inert).map(([reason, all]) => {
      const names = all.map(({ path, to }) => `${shownName(path)} → ${shownName(to)}`);
      return `  imported as inactive links (ref://…), ${INACTIVE_LINK_REASONS[reason]}: ${formatNames(names)}`;
    }),
  ];
}

/** Returns the `mdmirror init` command that links a folder on this machine to the service. */
export function formatInitCommand(url: string, keyFile: string): string {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  // If a service listens on all addresses of the machine, local programs reach it through loopback.
  // With TLS, the URL keeps the host name, because the certificate names this host.
  const loopback = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : null;
  const target = protocol === "http:" && loopback !== null ? `http://${loopback}${port === "" ? "" : `:${port}`}` : url;
  const needsAllowHttp = protocol === "http:" && loopback === null && !isLoopbackHost(host);
  return `mdmirror init my-notes --url ${target}${needsAllowHttp ? ` --allow-http ${host}` : ""} --key-file ${quoteForShell(keyFile)}`;
}
