/**
 * `node scripts/record-upgrades.ts [COMMIT…]`: makes the fixtures of `test/upgrades`: a linked
 * folder and a service as programs of earlier commits wrote them, each in one packed file.
 *
 * The programs are taken from the repository's history and run with the packages of this checkout.
 * An existing fixture is never made again. For a new format, add the last commit of the old format
 * to `POINTS`.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.ts";

/** The last commit with each format of `state.db`, `texts.db` and `service.db`. */
const POINTS: Readonly<Record<string, string>> = {
  "678de31": "state 6, texts 2, service 10",
};

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "test/fixtures/upgrades");

type Old = { readonly dir: string; readonly env: NodeJS.ProcessEnv; readonly run: (...argv: string[]) => number };

function unpackProgram(commit: string, dir: string): Old {
  const program = join(dir, "program");
  mkdirSync(program);
  const archive = execFileSync("git", ["-C", root, "archive", commit, "src", "package.json", "config"], {
    maxBuffer: 1e9,
  });
  execFileSync("tar", ["-x", "-C", program], { input: archive });
  symlinkSync(join(root, "node_modules"), join(program, "node_modules"));
  const env = {
    PATH: process.env["PATH"],
    HOME: dir,
    XDG_STATE_HOME: join(dir, "state"),
    XDG_CACHE_HOME: join(dir, "cache"),
  };
  const run = (...argv: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(program, "src/cli/entry.mjs"), ...argv], {
      cwd: dir,
      env,
      encoding: "utf8",
    });
    console.log(`  mdmirror ${argv.join(" ")}: ${status}${status === 0 ? "" : ` ${stdout.trim()} ${stderr.trim()}`}`);
    return status ?? -1;
  };
  return { dir, env, run };
}

async function startService({ dir, env }: Old, port: number): Promise<ChildProcess> {
  const entry = join(dir, "program/src/cli/entry.mjs");
  const child = spawn(process.execPath, [entry, "serve", "--port", String(port), "--data", "data"], { cwd: dir, env });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      if (chunk.includes("serving")) resolve();
    });
    child.once("exit", () => reject(new Error("the service ended")));
  });
  return child;
}

/**
 * Fills a service and a linked folder like several days of work: edits, a move, a deletion, a
 * conflict, a protected document.
 */
async function live(old: Old, url: string): Promise<void> {
  const { dir, run } = old;
  const file = (name: string) => join(dir, "w", name);
  mkdirSync(join(dir, "w/notes/deep"), { recursive: true });
  for (let n = 0; n < 7; n++) writeFileSync(file(`notes/n${n}.md`), `# Note ${n}\n\n${"A line of words.\n".repeat(n)}`);
  writeFileSync(file("notes/deep/bücher.md"), "# Bücher\n\nGrüße\n");
  writeFileSync(file("plan.md"), "# Plan\n\none\ntwo\nthree\n");
  run("init", "w", "--url", url, "--key-file", "data/key", "--yes");
  writeFileSync(file("plan.md"), "# Plan\n\none\ntwo and a half\nthree\n");
  renameSync(file("notes/n1.md"), file("notes/deep/moved.md"));
  rmSync(file("notes/n2.md"));
  run("sync", "w");
  const key = readFileSync(join(dir, "data/key"), "utf8").trim();
  await edit(url, key, "plan.md", "# Plan\n\none\ntheirs\nthree\n");
  writeFileSync(file("plan.md"), "# Plan\n\none\nmine\nthree\n");
  run("sync", "w");
  run("protect", "w/notes/n6.md");
  run("status", "w");
}

async function edit(url: string, key: string, path: string, content: string): Promise<void> {
  const headers = { "x-api-key": key, authorization: `Bearer ${key}`, "content-type": "application/json" };
  // The service may have just closed the previous connection, so the request is sent a second time.
  const ask = (path: string, init: RequestInit) => fetch(path, init).catch(() => fetch(path, init));
  const list = (await (await ask(`${url}/v1/files?limit=1000`, { headers })).json()) as {
    data: { id: string; path: string; lastChangeId: string }[];
  };
  const found = list.data.find((one) => one.path.replace(/^\//, "") === path);
  if (found === undefined) throw new Error(`${path} is not on the service`);
  const body = { content, baseChangeId: found.lastChangeId };
  const shapes = [body, { edit: body }];
  for (const shape of shapes) {
    const put = await ask(`${url}/v1/files/${found.id}/content`, {
      method: "PUT",
      headers,
      body: JSON.stringify(shape),
    });
    if (put.ok) return;
  }
  throw new Error(`${path} cannot be edited`);
}

async function record(commit: string): Promise<void> {
  const file = join(target, `${commit}.tar.gz`);
  if (existsSync(file)) return console.log(`${commit} is there`);
  console.log(`${commit}: ${POINTS[commit] ?? ""}`);
  const dir = mkdtempSync(join(tmpdir(), "mdmirror-upgrade-"));
  try {
    const old = unpackProgram(commit, dir);
    const port = await freePort();
    const service = await startService(old, port);
    try {
      await live(old, `http://127.0.0.1:${port}`);
    } finally {
      service.kill("SIGTERM");
      await new Promise((resolve) => service.once("exit", resolve));
    }
    mkdirSync(target, { recursive: true });
    execFileSync("tar", ["-cz", "-f", file, "-C", dir, "--exclude=data/reserve", "data", "w"]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const asked = process.argv.slice(2);
for (const commit of asked.length > 0 ? asked : Object.keys(POINTS)) await record(commit);
