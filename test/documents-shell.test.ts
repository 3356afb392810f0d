import { spawn } from "node:child_process";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Server, startServer } from "../src/lib/server.ts";
import { ENTRY, keptCompiled } from "./program.ts";

/**
 * Runs every shell block of the user documentation in order, each page in a home of its own with a
 * workspace of its own. The first line of a block may say `sh exit N`, or `sh norun: REASON`.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const PAGES = ["README.md", ...globSync("src/docs/**/*.md", { cwd: root, exclude: ["src/docs/decisions/**"] })].sort();

type Block = { readonly code: string; readonly line: number; readonly exit: number; readonly norun: string | null };

/** Reads the blocks whose language is a shell; `info` is the rest of a block's first line. */
function shellBlocks(text: string): Block[] {
  return [...text.matchAll(/^```sh\b(.*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const info = match[1]!.trim();
    const norun = /^norun: (.+)$/.exec(info)?.[1] ?? null;
    const exit = /^exit (\d+)$/.exec(info)?.[1] ?? (info === "" || norun !== null ? "0" : "NaN");
    const line = text.slice(0, match.index).split("\n").length;
    return { code: match[2]!, line, exit: Number(exit), norun };
  });
}

/** A home with its environment, in which the folder is the one that the block before ended in. */
type Home = {
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  /** The address that stands for `SHOWN_URL`. */
  readonly url: string;
  /** Process groups of the blocks that ran. */
  readonly groups: number[];
};

/** The address that the pages show. */
const SHOWN_URL = "http://127.0.0.1:8421";
const LINK = `mdmirror init ~/notes --url ${SHOWN_URL} --key-file ~/notes-service/key --yes`;

let server: Server;
let dir: string;
const homes: Pick<Home, "groups">[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "mdmirror-documents-"));
  server = await startServer({ data: join(dir, "service") });
});

afterAll(async () => {
  for (const { groups } of homes) for (const group of groups) endGroup(group);
  await server.stop();
  rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/** Returns a port that was free a moment ago. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  await new Promise((done) => probe.close(done));
  return port;
}

function endGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Makes the home that a page expects: the folders of `start.md`, and a key to an empty workspace
 * for `~/notes`.
 */
async function openHome(page: string, startsService: boolean): Promise<Home> {
  const home = join(dir, page.replaceAll("/", "-"));
  mkdirSync(join(home, "bin"), { recursive: true });
  // The program finds its Node by the environment, and that of the tests is the right one.
  symlinkSync(ENTRY, join(home, "bin/mdmirror"));
  symlinkSync(process.execPath, join(home, "bin/node"));
  writeFileSync(join(home, "cwd"), home);
  const response = await fetch(`${server.url}/admin/workspaces`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: page }),
  });
  const { key } = (await response.json()) as { readonly key: string };
  const path = `${join(home, "bin")}:${process.env["PATH"]}`;
  const opened = { dir: home, env: { HOME: home, PATH: path, LANG: "C.UTF-8", ...keptCompiled() }, groups: [] };
  homes.push(opened);
  if (startsService) return { ...opened, url: `http://127.0.0.1:${await freePort()}` };
  mkdirSync(join(home, "notes-service"));
  writeFileSync(join(home, "notes-service/key"), key, { mode: 0o600 });
  return { ...opened, url: server.url };
}

/**
 * Runs a block in the folder that the one before ended in. Resolves with its exit code and output.
 */
async function run(home: Home, code: string): Promise<{ readonly exit: number | null; readonly output: string }> {
  const file = join(home.dir, "output");
  const output = openSync(file, "w");
  const started = `until curl -fs ${home.url}/readyz >/dev/null; do sleep 0.1; done`;
  const own = code.replaceAll(SHOWN_URL, home.url).replace("--port 8421", `--port ${new URL(home.url).port}`);
  const script = `trap 'pwd > ~/cwd' EXIT\ncd "$(cat ~/cwd)"\nset -e\n${own.replace("sleep 3", started)}`;
  // A group of its own, so that a service that a block starts ends with the tests.
  const bash = spawn("bash", ["-c", script], { env: home.env, detached: true, stdio: ["ignore", output, output] });
  home.groups.push(bash.pid!);
  const exit = await new Promise<number | null>((done) => bash.once("exit", done));
  closeSync(output);
  return { exit, output: readFileSync(file, "utf8") };
}

describe("each shell block of the documentation runs", () => {
  for (const page of PAGES) {
    const blocks = shellBlocks(readFileSync(join(root, page), "utf8"));
    if (blocks.length === 0) continue;
    const runs = blocks.filter(({ norun }) => norun === null);
    for (const { line, norun } of blocks) if (norun !== null) test.skip(`${page}:${line} (${norun})`, () => undefined);
    test.runIf(runs.length > 0)(`${page}: ${runs.length} blocks`, async () => {
      const startsService = runs.some(({ code }) => code.includes("mdmirror serve --data"));
      const home = await openHome(page, startsService);
      if (!startsService) expect(await run(home, LINK)).toMatchObject({ exit: 0 });
      for (const { code, line, exit } of runs) {
        const ended = await run(home, code);
        expect({ ...ended, at: `${page}:${line}` }).toEqual({ exit, output: ended.output, at: `${page}:${line}` });
      }
    });
  }
});
