import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemRandom } from "../../src/app/mirror/random.ts";
import type { SudoCaller } from "../../src/app/trust/owner.ts";
import type { Io } from "../../src/cli/command.ts";
import { runCommandLine } from "../../src/cli/main.ts";
import type { FileWithContent } from "../../src/contract/resources.ts";
import { combineByMerge } from "../../src/server/combine.ts";
import { startHttp } from "../../src/server/http.ts";
import { createService, type Service } from "../../src/server/service.ts";
import { rollBytes } from "../simulator/dice.ts";

/**
 * Commands in process, against an embedded service on a loopback port and a real temporary folder.
 */

export type Ran = { readonly code: number; readonly out: string[]; readonly err: string[]; readonly asked: string[] };

export type RunOptions = {
  readonly terminal?: boolean;
  readonly answers?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly stop?: AbortSignal;
  /** Called with each line as it is printed. */
  readonly onOut?: (line: string) => void;
  readonly onErr?: (line: string) => void;
  /** Instead of the rig's, on which no wait takes time. */
  readonly clock?: Io["clock"];
};

export type Rig = {
  /** A temporary folder; `w` below it is the mirrored one of most tests. */
  readonly dir: string;
  readonly root: string;
  readonly url: string;
  readonly key: string;
  readonly keyFile: string;
  /** Where this rig's list of mirrors is: the XDG_STATE_HOME of its commands. */
  readonly stateHome: string;
  readonly service: Service;
  readonly workspaceId: string;
  /** Everything that any command of this rig has printed. */
  readonly printed: string[];
  /** Each time that a command gave the rights of `sudo` back. */
  readonly became: SudoCaller[];
  run(argv: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Links `w` and makes the first sync. */
  init(...more: string[]): Promise<Ran>;
  api(method: string, path: string, body?: object, key?: string): unknown;
  /** A document's live text by its path; null when it is not there. */
  remote(path: string): FileWithContent | null;
  write(path: string, text: string): void;
  read(path: string): string;
  /** Moves the clock on, in milliseconds. */
  pass(ms: number): void;
  stopService(): Promise<void>;
  close(): Promise<void>;
};

export async function openRig(): Promise<Rig> {
  const dir = mkdtempSync(join(tmpdir(), "mdmirror-cli-"));
  const service = createService({ database: ":memory:", now: Date.now, random: rollBytes(1), combine: combineByMerge });
  const { key, workspaceId } = service.admin.createWorkspace("test");
  const server = await startHttp(service);
  const keyFile = join(dir, "key-file");
  writeFileSync(keyFile, `${key}\n`);
  let serving = true;
  let offset = 0;
  const clock: Io["clock"] = {
    now: () => Date.now() + offset,
    monotonic: () => performance.now() + offset,
    // A wait moves the clock on and ends: no test waits.
    sleep: async (ms) => {
      offset += ms;
    },
  };
  const printed: string[] = [];
  const rig: Rig = {
    dir,
    root: join(dir, "w"),
    url: server.url,
    key,
    keyFile,
    stateHome: join(dir, "state"),
    service,
    workspaceId,
    printed,
    became: [],
    async run(argv, options = {}) {
      const out: string[] = [];
      const err: string[] = [];
      const asked: string[] = [];
      const answers = [...(options.answers ?? [])];
      const terminal = options.terminal ?? false;
      const io: Io = {
        out: (line) => {
          out.push(line);
          printed.push(line);
          options.onOut?.(line);
        },
        text: (text) => {
          const lines = text.replace(/\n$/, "");
          out.push(lines);
          printed.push(lines);
        },
        err: (line) => {
          err.push(line);
          printed.push(line);
          options.onErr?.(line);
        },
        status: (text) => void printed.push(text),
        terminal: { input: terminal, output: terminal, error: terminal, columns: 80 },
        // No test looks into the list of mirrors of whoever runs it.
        env: { XDG_STATE_HOME: rig.stateHome, ...options.env },
        cwd: options.cwd ?? dir,
        home: join(dir, "home"),
        clock: options.clock ?? clock,
        random: systemRandom(),
        become: (caller) => void rig.became.push(caller),
        ask: async (question) => {
          asked.push(question);
          return answers.shift() ?? null;
        },
        stop: options.stop ?? new AbortController().signal,
        readText: (path) => readFileSync(path, "utf8"),
      };
      const code = await runCommandLine(argv, io);
      return { code, out, err, asked };
    },
    init: (...more) => rig.run(["init", "w", "--url", server.url, "--key-file", keyFile, "--yes", ...more]),
    api(method, path, body, as = key) {
      const text = body === undefined ? null : JSON.stringify(body);
      const response = service.answer({
        method,
        path,
        headers: { "x-api-key": as, "content-type": "application/json" },
        body: text,
      });
      if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${response.body}`);
      return response.body === "" ? null : JSON.parse(response.body);
    },
    remote(path) {
      const list = rig.api("GET", `/v1/files?path=${encodeURIComponent(path)}`) as { data: { id: string }[] };
      const [found] = list.data;
      return found === undefined ? null : (rig.api("GET", `/v1/files/${found.id}`) as FileWithContent);
    },
    write(path, text) {
      mkdirSync(dirname(join(dir, "w", path)), { recursive: true });
      writeFileSync(join(dir, "w", path), text);
    },
    read: (path) => readFileSync(join(dir, "w", path), "utf8"),
    pass(ms) {
      offset += ms;
    },
    async stopService() {
      if (serving) await server.close();
      serving = false;
    },
    async close() {
      await rig.stopService();
      service.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
  return rig;
}

/** Every file and folder below, with bytes, mode and times: what "nothing was written" means. */
export function snapshot(root: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of ["", ...readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted()]) {
    const whole = join(root, path);
    const stat = statSync(whole, { bigint: true });
    const bytes = stat.isFile() ? createHash("sha256").update(readFileSync(whole)).digest("hex") : "";
    found.set(path, `${stat.mode} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino} ${bytes}`);
  }
  return found;
}
