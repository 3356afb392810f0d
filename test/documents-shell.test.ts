import { spawn } from "node:child_process";
import { chmodSync, closeSync, globSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { openRig, type CommandResult, type Rig } from "./cli/rig.ts";

/**
 * Runs every shell block of the user documentation in order. Each page has its own home folder and
 * its own workspace. The first line of a block may contain `sh exit N` or `sh norun: REASON`. The
 * commands `mdmirror` of a block run in the process of the test, which is much faster than starting
 * a process for each.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const PAGES = ["README.md", ...globSync("src/docs/**/*.md", { cwd: root, exclude: ["src/docs/decisions/**"] })].sort();

type Block = { readonly code: string; readonly line: number; readonly exit: number; readonly norun: string | null };

/** Returns the shell blocks of a document; `info` is the rest of a block's first line. */
function shellBlocks(text: string): Block[] {
  return [...text.matchAll(/^```sh\b(.*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const info = match[1]!.trim();
    const norun = /^norun: (.+)$/.exec(info)?.[1] ?? null;
    const exit = /^exit (\d+)$/.exec(info)?.[1] ?? (info === "" || norun !== null ? "0" : "NaN");
    const line = text.slice(0, match.index).split("\n").length;
    return { code: match[2]!, line, exit: Number(exit), norun };
  });
}

/** The service's address in the pages. */
const SHOWN_URL = "http://127.0.0.1:8421";
const LINK = `mdmirror init ~/notes --url ${SHOWN_URL} --key-file ~/notes-service/key --yes`;

/**
 * The home folder of one page. Each block starts in the working folder in which the previous block
 * ended.
 */
class Home {
  readonly #rig: Rig;
  readonly #dir: string;
  readonly #url: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #groups: number[] = [];
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<CommandResult>>();

  /** @param url the address that replaces `SHOWN_URL` */
  constructor(rig: Rig, url: string, port: number) {
    this.#rig = rig;
    this.#url = url;
    this.#dir = join(rig.dir, "home");
    this.#env = { HOME: this.#dir, PATH: `${join(this.#dir, "bin")}:${process.env["PATH"]}`, LANG: "C.UTF-8" };
    mkdirSync(join(this.#dir, "bin"), { recursive: true });
    const command = join(this.#dir, "bin/mdmirror");
    // Bash itself connects to the test, because starting a program for it would take longer than
    // most commands.
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} || exit 99\n{ printf '%s\\0' "$PWD" "$@"; printf end; } >&3`;
    writeFileSync(command, `#!/usr/bin/env bash\n${ask}\neval "$(cat <&3)"\n`);
    chmodSync(command, 0o755);
    symlinkSync(process.execPath, join(this.#dir, "bin/node"));
    writeFileSync(join(this.#dir, "cwd"), this.#dir);
  }

  /** Writes the key of an empty workspace to the file that the pages name. */
  writeKey(): void {
    mkdirSync(join(this.#dir, "notes-service"));
    writeFileSync(join(this.#dir, "notes-service/key"), this.#rig.key, { mode: 0o600 });
  }

  /** Runs a command. Returns a shell script with the same output and the same exit code. */
  async command(cwd: string, argv: readonly string[]): Promise<string> {
    const env = { ...this.#env, XDG_STATE_HOME: undefined, XDG_CONFIG_HOME: undefined };
    const running = this.#rig.run(argv, { cwd, env, stop: this.#stop.signal });
    this.#running.add(running);
    const { code, out, err } = await running;
    this.#running.delete(running);
    const quoted = (lines: readonly string[]) => `'${lines.join("\n").replaceAll("'", "'\\''")}'`;
    return `printf '%s\\n' ${quoted(out)}; printf '%s\\n' ${quoted(err)} >&2; exit ${code}`;
  }

  async run(code: string): Promise<{ readonly exit: number | null; readonly output: string }> {
    const file = join(this.#dir, "output");
    const output = openSync(file, "w");
    const started = `until curl -fs ${this.#url}/readyz >/dev/null; do sleep 0.1; done`;
    const own = code.replaceAll(SHOWN_URL, this.#url).replace("--port 8421", `--port ${new URL(this.#url).port}`);
    const script = `trap 'pwd > ~/cwd' EXIT\ncd "$(cat ~/cwd)"\nset -e\n${own.replace("sleep 3", started)}`;
    // A process group for each block, so that its background commands end with the test.
    const bash = spawn("bash", ["-c", script], { env: this.#env, detached: true, stdio: ["ignore", output, output] });
    this.#groups.push(bash.pid!);
    const exit = await new Promise<number | null>((done) => bash.once("exit", done));
    closeSync(output);
    return { exit, output: readFileSync(file, "utf8") };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    for (const group of this.#groups) endGroup(group);
    await this.#rig.close();
  }
}

function endGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/**
 * Starts a server on a free loopback port. Returns the port and a function that stops the server.
 */
async function listen(answer: (socket: Socket) => void) {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const close = () => new Promise<unknown>((done) => server.close(done));
  return { port: (server.address() as AddressInfo).port, close };
}

async function openHome(startsService: boolean): Promise<Home> {
  const rig = await openRig();
  const commands = await listen((socket) => {
    let sent = "";
    socket.setEncoding("utf8").on("data", async (chunk) => {
      sent += chunk;
      if (!sent.endsWith("\0end")) return;
      const [cwd, ...argv] = sent.split("\0").slice(0, -1);
      socket.end(await home.command(cwd!, argv));
    });
  });
  // The port of a server that was just stopped, so it is probably still free.
  const free = await listen(() => undefined);
  await free.close();
  const home = new Home(rig, startsService ? `http://127.0.0.1:${free.port}` : rig.url, commands.port);
  onTestFinished(async () => {
    await home.close();
    await commands.close();
  });
  if (!startsService) home.writeKey();
  return home;
}

describe("each shell block of the documentation runs", () => {
  for (const page of PAGES) {
    const blocks = shellBlocks(readFileSync(join(root, page), "utf8"));
    if (blocks.length === 0) continue;
    const runs = blocks.filter(({ norun }) => norun === null);
    for (const { line, norun } of blocks) if (norun !== null) test.skip(`${page}:${line} (${norun})`, () => undefined);
    test.runIf(runs.length > 0)(`${page}: ${runs.length} blocks`, async () => {
      const startsService = runs.some(({ code }) => code.includes("mdmirror serve --data"));
      const home = await openHome(startsService);
      if (!startsService) expect(await home.run(LINK)).toMatchObject({ exit: 0 });
      for (const { code, line, exit } of runs) {
        const ended = await home.run(code);
        expect({ ...ended, at: `${page}:${line}` }).toEqual({ exit, output: ended.output, at: `${page}:${line}` });
      }
    });
  }
});
