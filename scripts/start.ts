/**
 * `npm start`: serves a real book by the embedded service, mirrors it to ./workspace, shows changes
 * in both directions, and says what to try next. With MDMIRROR_URL and a key (MDMIRROR_API_KEY or
 * MDMIRROR_KEY_FILE) it mirrors that service instead. On a terminal it serves until Ctrl-C;
 * otherwise it ends.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, posix } from "node:path";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readConfig, writeConfig } from "../src/mirror/settings/config.ts";
import { type RunningService, startService } from "../src/service/serve.ts";
import type { Io } from "../src/cli/command.ts";
import { reportTrouble } from "../src/cli/exit.ts";
import { formatImport } from "../src/cli/commands/serve.ts";
import { runCommandLine } from "../src/cli/main.ts";
import { createProcessIo } from "../src/cli/process-io.ts";

/**
 * The tour of `npm start`: makes each kind of change once in each direction, on real documents, and
 * restores both sides.
 */

type Fixture = {
  /** Path of the linked folder. */
  readonly root: string;
  readonly url: string;
  readonly key: string;
  /** Runs `mdmirror sync` and shows it. Returns its exit code. */
  readonly sync: () => Promise<number>;
  /** Returns the number of links in the linked folder that lead nowhere. */
  readonly countBrokenLinks: () => Promise<number>;
  readonly say: (line: string) => void;
};

type Doc = { readonly id: string; readonly path: string; readonly lastChangeId: string; readonly content: string };

const LINE = "A line that was written here, in an editor.\n";
const ENDING = "-renamed.md";

/** @returns what was not as expected; empty if every change arrived */
async function tour(fixture: Fixture): Promise<string[]> {
  const { root, sync, say } = fixture;
  const failures: string[] = [];
  const check = (good: boolean, what: string) => {
    say(`  ${good ? "✓" : "✗"} ${what}`);
    if (!good) failures.push(what);
  };
  const mark = Date.now().toString(36);
  const brokenBefore = await fixture.countBrokenLinks();
  const [edited, renamed] = pickChapters(root);
  if (edited === undefined || renamed === undefined) return ["there are not two documents to show anything with"];
  const to = renamed.replace(/\.md$/, ENDING);
  const here = `written-here-${mark}.md`;
  const there = `written-there-${mark}.md`;
  const idBefore = (await find(fixture, renamed))?.id;

  say("");
  say("local → service: an edit, a new file, a rename");
  appendFileSync(join(root, edited), LINE);
  writeFileSync(join(root, here), `# Written here\n\nBy a tool that knows nothing of the service (${mark}).\n`);
  renameSync(join(root, renamed), join(root, to));
  if ((await sync()) !== 0) return ["mdmirror sync did not end well"];
  check((await read(fixture, edited))?.content.endsWith(LINE) === true, `${edited}: the edit is on the service`);
  check((await find(fixture, here)) !== null, `${here}: the new file is on the service`);
  const moved = await find(fixture, to);
  check(
    moved !== null && moved.id === idBefore,
    `${to}: renamed on the service, and still the same document (${moved?.id})`,
  );
  check((await fixture.countBrokenLinks()) === brokenBefore, `${to}: the rename broke no link`);

  say("");
  say("service → local: an edit, a new file, a rename, a deletion");
  const doc = await read(fixture, edited);
  if (doc !== null) await put(fixture, doc, doc.content.slice(0, -LINE.length));
  await call(fixture, "POST", "/v1/files", { path: there, content: "# Written there\n\nBy somebody else.\n" });
  if (moved !== null) await call(fixture, "PATCH", `/v1/files/${moved.id}`, { name: renamed.split("/").at(-1)! });
  const made = await find(fixture, here);
  if (made !== null) await call(fixture, "DELETE", `/v1/files/${made.id}`);
  if ((await sync()) !== 0) return ["mdmirror sync did not end well"];
  check(!readFileSync(join(root, edited), "utf8").endsWith(LINE), `${edited}: the edit is in the file`);
  check(existsSync(join(root, there)), `${there}: the new file is in the folder`);
  check(existsSync(join(root, renamed)) && !existsSync(join(root, to)), `${renamed}: renamed in the folder`);
  check((await fixture.countBrokenLinks()) === brokenBefore, `${renamed}: the rename broke no link`);
  check(!existsSync(join(root, here)), `${here}: deleted in the folder, and now in .mdmirror/trash`);

  say("");
  say("local → service: a deletion (checked twice, 2 s apart, before anything is deleted on the service)");
  rmSync(join(root, there));
  if ((await sync()) !== 0) return ["mdmirror sync did not end well"];
  check((await find(fixture, there)) === null, `${there}: deleted on the service`);
  return failures;
}

/** Returns two chapters of some length; the second is the one to which most links lead. */
function pickChapters(root: string): string[] {
  const documents = readdirSync(root, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /^[\w./-]+\.md$/.test(path) && !path.startsWith(".") && !path.endsWith(ENDING))
    .toSorted();
  const texts = documents.map((path) => [posix.dirname(path), readFileSync(join(root, path), "utf8")] as const);
  const countLinks = (to: string) =>
    texts.filter(([folder, text]) => text.includes(`](${posix.relative(folder, to)}`)).length;
  const [first, ...others] = documents.filter((path) => /(^|\/)ch\d/.test(path));
  if (first === undefined) return [];
  const counted = others.map((path) => ({ path, links: countLinks(path) }));
  return [first, ...counted.toSorted((a, b) => b.links - a.links).map(({ path }) => path)];
}

async function call(fixture: Fixture, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${fixture.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${fixture.key}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? null : JSON.parse(text);
}

async function find(fixture: Fixture, path: string): Promise<Doc | null> {
  const list = (await call(fixture, "GET", `/v1/files?path=${encodeURIComponent(path)}`)) as {
    readonly data: readonly Doc[];
  };
  return list.data[0] ?? null;
}

async function read(fixture: Fixture, path: string): Promise<Doc | null> {
  const found = await find(fixture, path);
  return found === null ? null : ((await call(fixture, "GET", `/v1/files/${found.id}`)) as Doc);
}

async function put(fixture: Fixture, doc: Doc, content: string): Promise<void> {
  await call(fixture, "PUT", `/v1/files/${doc.id}/content`, { baseChangeId: doc.lastChangeId, content });
}

const project = fileURLToPath(new URL("..", import.meta.url));
const workspace = join(project, "workspace");
const data = join(project, ".mdmirror-service");
const PORT = 8420;

process.exitCode = await start(createProcessIo());

async function start(io: Io): Promise<number> {
  const url = io.env["MDMIRROR_URL"] ?? "";
  return url === "" ? showWithOwnService(io) : mirrorReal(io);
}

/** Prints a command, then runs it. */
function run(io: Io, ...argv: string[]): Promise<number> {
  io.out(`$ mdmirror ${argv.join(" ")}`);
  return runCommandLine(argv, { ...io, cwd: project });
}

async function countBrokenLinks(io: Io): Promise<number> {
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  await runCommandLine(["links", "check", "workspace", "--json"], { ...io, out, cwd: project });
  return (JSON.parse(lines.join("")) as { readonly broken: readonly unknown[] }).broken.length;
}

async function mirrorReal(io: Io): Promise<number> {
  const keyFile = io.env["MDMIRROR_KEY_FILE"];
  const key = keyFile === undefined ? [] : ["--key-file", keyFile];
  const linked = existsSync(join(workspace, ".mdmirror", "config.json"));
  const code = linked ? await run(io, "sync", "workspace", ...key) : await run(io, "init", "workspace", ...key);
  if (code === 0 || code === 3) suggestCommands(io, "");
  return code === 3 ? 0 : code;
}

async function showWithOwnService(io: Io): Promise<number> {
  const fresh = !existsSync(join(data, "service.db"));
  const started = await serve(io, fresh || linksById() ? "resolve" : "any");
  if (started.kind === "trouble") return reportTrouble(io, started.trouble);
  const serving = started.value;
  // Uses the demonstration's own key and URL, whatever the environment contains.
  const own: Io = { ...io, env: { ...io.env, MDMIRROR_URL: serving.url, MDMIRROR_API_KEY: serving.key } };
  try {
    io.out(`the embedded service runs at ${serving.url}; its key is in .mdmirror-service/key`);
    if (fresh && !(await importBook(io, serving))) return 1;
    io.out("");
    const linked = await linkWorkspace(own, serving);
    if (linked !== 0) return linked;
    const failures = await tour({
      root: workspace,
      url: serving.url,
      key: serving.key,
      sync: () => run(own, "sync", "workspace"),
      countBrokenLinks: () => countBrokenLinks(own),
      say: (line) => io.out(line),
    });
    io.out("");
    if (failures.length > 0) {
      for (const failure of failures) io.err(`mdmirror: not as it should be: ${failure}`);
      return 1;
    }
    io.out("./workspace is a mirror of real documents; every change has travelled, each way.");
    suggestCommands(
      io,
      io.terminal.input
        ? ""
        : `scripts/mdmirror serve --port ${new URL(serving.url).port}   # in another terminal: the service again\n`,
    );
    if (io.terminal.input) await untilStopped(io);
    return 0;
  } finally {
    await serving.close();
  }
}

/** Returns true if the workspace of an earlier start has links by id. */
function linksById(): boolean {
  const config = readConfig(join(workspace, ".mdmirror"));
  return config.kind === "ok" && config.value.links.mode === "translate";
}

async function serve(io: Io, links: "any" | "resolve"): ReturnType<typeof startService> {
  const options = {
    data,
    links,
    host: "127.0.0.1",
    tls: null,
    insecureHttp: false,
    onFault: (error: unknown, requestId: string) =>
      io.err(`service: request ${requestId} failed: ${(error as Error).message}`),
  };
  const usual = await startService({ ...options, port: PORT });
  const taken = usual.kind === "trouble" && usual.trouble.code === "EADDRINUSE";
  return taken ? startService({ ...options, port: 0 }) : usual;
}

/** Imports the whole book if it is beside the checkout, otherwise the part in the fixtures. */
async function importBook(io: Io, serving: RunningService): Promise<boolean> {
  const archive = join(project, "..", "shared", "corpora", "rust-book.tar.gz");
  let book = join(project, "test", "fixtures", "rust-book");
  if (existsSync(archive)) {
    const into = join(data, "corpus");
    mkdirSync(into, { recursive: true });
    const unpacked = spawnSync("tar", ["-xzf", archive, "-C", into], { stdio: ["ignore", "ignore", "inherit"] });
    if (unpacked.status === 0) book = join(into, "rust-book");
  }
  const report = await serving.importFolder(book, () => undefined);
  if (report.kind === "trouble") {
    reportTrouble(io, report.trouble);
    return false;
  }
  for (const line of formatImport(report.value)) io.out(line);
  return true;
}

/**
 * Links the workspace, or updates the one of an earlier start, because the service may have another
 * port now.
 */
async function linkWorkspace(io: Io, serving: RunningService): Promise<number> {
  const folder = join(workspace, ".mdmirror");
  if (!existsSync(join(folder, "config.json"))) return run(io, "init", "workspace", "--url", serving.url, "--yes");
  const config = readConfig(folder);
  if (config.kind === "trouble") return reportTrouble(io, config.trouble);
  if (!config.value.url.startsWith("http://127.0.0.1:")) {
    io.err(`mdmirror: ./workspace is linked to ${config.value.url}, not to the demonstration`);
    io.err("  next: MDMIRROR_URL=… npm start mirrors it; or move ./workspace away for a new demonstration");
    return 2;
  }
  if (config.value.url !== serving.url) {
    writeConfig(folder, { ...config.value, url: serving.url });
    const trusted = await run(io, "trust", "workspace", "--yes");
    if (trusted !== 0) return trusted;
  }
  const code = await run(io, "sync", "workspace");
  if (code !== 0 && code !== 3) io.err("mdmirror: to start again, move ./workspace and .mdmirror-service away");
  return code === 3 ? 0 : code;
}

function suggestCommands(io: Io, first: string): void {
  io.out("");
  io.out("try:");
  const lines = [
    ...first.split("\n").filter((line) => line !== ""),
    "$EDITOR workspace/README.md            # edit, add, rename, delete as you like",
    "scripts/mdmirror plan workspace        # what a sync would do",
    "scripts/mdmirror sync workspace        # do it",
    "scripts/mdmirror status workspace",
    "scripts/mdmirror doctor workspace",
    "scripts/mdmirror --help",
  ];
  for (const line of lines) io.out(`  ${line}`);
}

async function untilStopped(io: Io): Promise<void> {
  const stop = io.stop;
  io.out("");
  io.out("the service keeps running; Ctrl-C ends it");
  if (!stop.aborted) await new Promise<void>((done) => stop.addEventListener("abort", () => done(), { once: true }));
}
