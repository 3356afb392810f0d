import { PHASE_WORDS } from "../../src/mirror/operations/results/actions.ts";
import { setImmediate as turn } from "node:timers/promises";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { systemRandom } from "../../src/common/random.ts";
import type { SudoCaller } from "../../src/mirror/trust/owner.ts";
import type { Io } from "../../src/cli/command.ts";
import { runCommandLine } from "../../src/cli/main.ts";
import type { FileWithContent } from "../../src/contract/resources.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import type { Clock } from "../../src/common/clock.ts";
import { startHttp } from "../../src/service/http/server.ts";
import { SyncService } from "../sync-service/service.ts";
import { rollBytes } from "../simulator/dice.ts";
import { emptyDatabase } from "../simulator/empty-service.ts";

/**
 * Runs commands in the test's process, with an embedded service on a loopback port and a real
 * temporary folder.
 */

/** Matches a line of progress, which commands print into a pipe after ten seconds. */
const PROGRESS = new RegExp(`^mdmirror: (?:${Object.values(PHASE_WORDS).join("|")}), \\d`);

export type CommandResult = {
  readonly code: number;
  readonly out: string[];
  readonly err: string[];
  readonly asked: string[];
};

export type RunOptions = {
  readonly terminal?: boolean;
  readonly answers?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  readonly stop?: AbortSignal;
  /** Called with each line as it is printed. */
  readonly onOut?: (line: string) => void;
  readonly onErr?: (line: string) => void;
  readonly onStatus?: (text: string) => void;
  /** Replaces the rig's clock, whose sleeps take no time. */
  readonly clock?: Io["clock"];
};

/** A clock that each sleep moves forward, so that no test waits. */
class RigClock implements Clock {
  #ahead = 0;

  now(): number {
    return Date.now() + this.#ahead;
  }

  monotonic(): number {
    return performance.now() + this.#ahead;
  }

  /** Takes no real time, but lets other tasks run, like any sleep. */
  async sleep(ms: number): Promise<void> {
    this.advance(ms);
    await turn();
  }

  advance(ms: number): void {
    this.#ahead += ms;
  }
}

/** The environment of one command. Records its output and its questions. */
class RigIo implements Io {
  readonly kept: Omit<CommandResult, "code"> = { out: [], err: [], asked: [] };
  readonly terminal: Io["terminal"];
  readonly env: Io["env"];
  readonly cwd: string;
  readonly clock: Clock;
  readonly random = systemRandom();
  readonly stop: AbortSignal;
  readonly #rig: Rig;
  readonly #answers: string[];
  readonly #options: RunOptions;

  constructor(rig: Rig, options: RunOptions) {
    const { terminal = false } = options;
    this.terminal = { input: terminal, output: terminal, error: terminal, columns: 80 };
    // Without the real home folder: no test reads the user's list of linked folders or runs the
    // user's hooks.
    this.env = {
      XDG_STATE_HOME: rig.stateHome,
      XDG_CONFIG_HOME: rig.configHome,
      XDG_RUNTIME_DIR: rig.dir,
      HOME: join(rig.dir, "home"),
      ...options.env,
    };
    this.cwd = options.cwd ?? rig.dir;
    this.clock = options.clock ?? rig.clock;
    this.stop = options.stop ?? new AbortController().signal;
    this.#rig = rig;
    this.#answers = [...(options.answers ?? [])];
    this.#options = options;
  }

  readonly out = (line: string): void => {
    this.#print(this.kept.out, line);
    this.#options.onOut?.(line);
  };

  readonly err = (line: string): void => {
    // Progress lines are dropped, because they only appear on a slow machine.
    if (!PROGRESS.test(line)) this.#print(this.kept.err, line);
    this.#options.onErr?.(line);
  };

  text(text: string): void {
    this.#print(this.kept.out, text.replace(/\n$/, ""));
  }

  status(text: string): void {
    this.#rig.printed.push(text);
    this.#options.onStatus?.(text);
  }

  become(caller: SudoCaller): void {
    this.#rig.became.push(caller);
  }

  async ask(question: string): Promise<string | null> {
    this.kept.asked.push(question);
    return this.#answers.shift() ?? null;
  }

  readonly stoppable: Io["stoppable"] = async (work) => {
    return { value: await work(this.stop), isStopped: this.stop.aborted };
  };

  readText(path: string): string {
    return readFileSync(path, "utf8");
  }

  #print(to: string[], lines: string): void {
    to.push(lines);
    this.#rig.printed.push(lines);
  }
}

type Intercept = (request: WireRequest) => WireResponse | null | Promise<null>;
type Http = Awaited<ReturnType<typeof startHttp>>;
type RigOptions = { readonly links?: "resolve" };

export class Rig {
  /** A temporary folder; `w` in it is the linked folder of most tests. */
  dir!: string;
  root!: string;
  url!: string;
  key!: string;
  keyFile!: string;
  /** XDG_STATE_HOME of the commands: contains the list of linked folders. */
  stateHome!: string;
  /** XDG_CONFIG_HOME of the commands: contains the hooks. */
  configHome!: string;
  service!: SyncService;
  workspaceId!: string;
  clock!: RigClock;
  /** All output lines of all commands of this rig. */
  printed: string[] = [];
  /** The users to whom commands that ran under `sudo` changed. */
  became: SudoCaller[] = [];
  /** Called before each HTTP request. An answer other than null replaces the service's. */
  intercept: Intercept = () => null;
  #server!: Http;
  readonly #beforeClose: (() => Promise<void>)[] = [];
  #isServing = false;

  async open(options: RigOptions = {}): Promise<void> {
    this.service = new SyncService({ database: emptyDatabase(), now: Date.now, random: rollBytes(1), ...options });
    this.intercept = () => null;
    const handle: SyncService["handle"] = async (request, fault) =>
      (await this.intercept(request)) ?? this.service.handle(request, fault);
    this.#server = await startHttp({ ...this.service, handle });
    this.#isServing = true;
    this.url = this.#server.url;
    this.dir = mkdtempSync(join(tmpdir(), "mdmirror-cli-"));
    this.root = join(this.dir, "w");
    this.stateHome = join(this.dir, "state");
    this.configHome = join(this.dir, "config");
    this.clock = new RigClock();
    this.printed = [];
    this.became = [];
    const { key, workspaceId } = this.service.admin.createWorkspace("test");
    this.key = key;
    this.workspaceId = workspaceId;
    this.keyFile = join(this.dir, "key-file");
    writeFileSync(this.keyFile, `${key}\n`);
  }

  async run(argv: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const io = new RigIo(this, options);
    const code = await runCommandLine(argv, io);
    return { code, ...io.kept };
  }

  /** Links `w` and runs the first sync. */
  init(...more: string[]): Promise<CommandResult> {
    return this.link("w", ...more);
  }

  /** Links a folder and runs its first sync. */
  link(dir: string, ...more: string[]): Promise<CommandResult> {
    return this.run(["init", dir, "--url", this.url, "--key-file", this.keyFile, "--yes", ...more]);
  }

  /** Runs a command that prints JSON. Returns its members, with the exit code as `exit`. */
  async json<Members = Readonly<Record<string, unknown>>>(
    argv: readonly string[],
    options: RunOptions = {},
  ): Promise<{ readonly exit: number } & Members> {
    const { code, out } = await this.run([...argv, "--json"], options);
    return { exit: code, ...(JSON.parse(out[0]!) as Members) };
  }

  /** Syncs `w`. Returns the number of actions by kind, without blocked documents. */
  async syncCounts(): Promise<Record<string, number>> {
    const { counts } = (await this.json(["sync", "w"])) as { readonly counts?: Readonly<Record<string, number>> };
    return Object.fromEntries(Object.entries(counts!).filter(([name, n]) => n > 0 && name !== "blocked"));
  }

  api(method: string, path: string, body?: object, key = this.key): unknown {
    const response = this.service.answer({
      method,
      path,
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${response.body}`);
    return response.body === "" ? null : JSON.parse(response.body);
  }

  /** Returns the live document at a path on the service; null if there is none. */
  remote(path: string): FileWithContent | null {
    const list = this.api("GET", `/v1/files?path=${encodeURIComponent(path)}`) as { data: { id: string }[] };
    const [found] = list.data;
    return found === undefined ? null : (this.api("GET", `/v1/files/${found.id}`) as FileWithContent);
  }

  /** Creates a document on the service. */
  createRemotely(path: string, content: string): FileWithContent {
    return this.api("POST", "/v1/files", { path, content }) as FileWithContent;
  }

  deleteRemotely(path: string): void {
    this.api("DELETE", `/v1/files/${this.remote(path)!.id}`);
  }

  protectRemotely(path: string): void {
    this.api("PATCH", `/v1/files/${this.remote(path)!.id}`, { protected: true });
  }

  /** Returns the ids of the changes in review. */
  reviews(): string[] {
    const all = this.service.admin.reviews.page({ workspaceId: this.workspaceId });
    if (!("data" in all)) throw new Error("no list of reviews");
    return all.data.map(({ id }) => id);
  }

  /** Replaces a document's content on the service. */
  editRemotely(path: string, content: string): void {
    const { id, lastChangeId } = this.remote(path)!;
    this.api("PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content });
  }

  /** Gives a document different contents on both sides, which the next sync finds. */
  editBoth(path: string, mine: string, theirs: string): void {
    this.write(path, mine);
    this.editRemotely(path, theirs);
  }

  /** Creates another Full access key of the workspace. Returns it. */
  newKey(): string {
    const made = this.service.admin.createKey({
      workspaceId: this.workspaceId,
      grants: [{ on: null, level: "full" }],
    });
    if (!("key" in made)) throw new Error(made.detail);
    return made.key;
  }

  /** Returns the absolute path of a file in `w`. */
  path(path: string): string {
    return join(this.root, path);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(this.path(path)), { recursive: true });
    writeFileSync(this.path(path), text);
  }

  read(path: string): string {
    return readFileSync(this.path(path), "utf8");
  }

  exists(path: string): boolean {
    return existsSync(this.path(path));
  }

  /** Removes a file or a folder. */
  remove(path: string): void {
    rmSync(this.path(path), { recursive: true });
  }

  rename(from: string, to: string): void {
    renameSync(this.path(from), this.path(to));
  }

  /**
   * Moves the clock forward.
   * @param ms milliseconds
   */
  pass(ms: number): void {
    this.clock.advance(ms);
  }

  async stopService(): Promise<void> {
    if (this.#isServing) await this.#server.close();
    this.#isServing = false;
  }

  /** Adds a function that is called before the rig removes its folder. */
  beforeClose(work: () => Promise<void>): void {
    this.#beforeClose.push(work);
  }

  async close(): Promise<void> {
    for (const work of this.#beforeClose.splice(0)) await work();
    await this.stopService();
    this.service.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** Returns an open rig, which the caller closes. */
export async function openRig(options?: RigOptions): Promise<Rig> {
  const rig = new Rig();
  await rig.open(options);
  return rig;
}

/** Returns a rig that is opened before each test of the file, and closed after it. */
export function useRig(options?: RigOptions): Rig {
  const rig = new Rig();
  beforeEach(() => rig.open(options));
  afterEach(() => rig.close());
  return rig;
}

/** Returns a rig that is opened before all tests of the file, and closed after them. */
export function useRigOfFile(): Rig {
  const rig = new Rig();
  beforeAll(() => rig.open());
  afterAll(() => rig.close());
  return rig;
}

/** Returns a rig that is opened for each test. Its folder is in sync with the given documents. */
export function useSyncedRig(documents: Readonly<Record<string, string>> = { "a.md": "first\n", "k.md": "k\n" }) {
  const rig = useRig();
  beforeEach(async () => {
    for (const [path, content] of Object.entries(documents)) rig.createRemotely(path, content);
    await rig.init();
  });
  /** Runs a command in the linked folder. */
  const run = (...argv: string[]) => rig.run(argv, { cwd: rig.root });
  /**
   * Runs a command that prints JSON in the linked folder. Returns its members, with the exit code
   * as `exit`.
   */
  const json = <Members>(...argv: string[]) => rig.json<Members>(argv, { cwd: rig.root });
  const sync = () => run("sync");
  /** Saves `a.md`, waits until the daemon would take it for finished, and syncs. */
  async function edit(text: string): Promise<void> {
    rig.write("a.md", text);
    rig.pass(60_000);
    expect((await sync()).code).toBe(0);
  }
  return { rig, run, json, sync, edit };
}
