/**
 * Other programs on the same documents, if they are installed: rclone bisync over sftp on loopback,
 * and unison between two local folders. mdmirror in contrast uses HTTP and JSON, with a service
 * that stores every version.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { type Finished, runChild, track } from "../child.ts";
import { isGenerated, pathsOf } from "../corpus.ts";
import type { Fixture } from "../fixture.ts";
import { freePort } from "../../free-port.ts";
import { interleave, type Line, type LineOptions, onceIfLarge, ratioRow } from "../line.ts";
import type { Row } from "../rows.ts";
import { pause } from "../watched.ts";

type Against = {
  readonly name: string;
  readonly about: string;
  /** Returns the number of pairs, given the requested number. */
  repeats(size: string, repeats: number): number;
  /** Seconds that one sync of the program takes for 1,000 documents. */
  readonly cycleSeconds: number;
  fault(): string | null;
  start(fixture: Fixture, from: string): Promise<Peer>;
};

const PEERS: readonly Against[] = [
  {
    name: "bisync",
    about: "rclone bisync over sftp in its quickest form: no shell, no hashes",
    repeats: onceIfLarge,
    cycleSeconds: 0.3,
    fault: () => peerFault("rclone", true),
    start: (fixture, from) => startBisync(fixture, from, "sftp"),
  },
  {
    name: "bisync-hashes",
    about: "rclone bisync over sftp by its defaults: with md5sum of each file",
    repeats: (size, repeats) => (Number(size) >= 10_000 ? 1 : repeats),
    cycleSeconds: 10,
    fault: () => peerFault("rclone", true),
    start: (fixture, from) => startBisync(fixture, from, "sftp-hashes"),
  },
  {
    name: "unison",
    about: "unison between two local folders, which speaks no HTTP",
    repeats: onceIfLarge,
    cycleSeconds: 0.05,
    fault: () => peerFault("unison"),
    start: startUnison,
  },
];

/**
 * Syncs with nothing to do, after one edit, and after edits of 1 % of the files, in turn with each
 * other program.
 */
export const PEER_LINES: readonly Line[] = PEERS.map((against) => ({
  name: against.name,
  about: `nothing to do, one file and 1 % of the files changed, against ${against.about}`,
  sizes: (asked) => asked.filter((size) => size === "10000" || (asked.length === 1 && isGenerated(size))),
  seconds: (size, repeats) =>
    (Number(size) / 1_000) * (0.5 + against.repeats(size, repeats) * 3 * (against.cycleSeconds + 0.05)),
  run: (asked) => compare(asked, against),
}));

async function compare(asked: LineOptions, against: Against): Promise<readonly Row[]> {
  const { fixture, size } = asked;
  const { name: line } = against;
  const fault = against.fault();
  if (fault !== null) return [{ kind: "skipped", line, size, why: fault }];
  const mirror = await fixture.mirror(size);
  const peer = await against.start(fixture, (await fixture.corpus(size)).folder);
  const documents = Number(size);
  const rows: Row[] = [];
  try {
    for (const [what, count] of [
      ["sync with nothing to do", 0],
      ["one file changed", 1],
      ["1 % of files changed", documents / 100],
    ] as const) {
      const ours = (turn: number) => {
        edit(mirror.root, documents, count, turn);
        return fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key);
      };
      const other = (turn: number) => {
        edit(peer.local, documents, count, turn);
        return peer.sync();
      };
      await fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key);
      const pairs = await interleave(against.repeats(size, asked.repeats), ours, other);
      rows.push(ratioRow({ line, what: `${what} / ${line}`, size, bound: null }, pairs));
    }
    return rows;
  } finally {
    await peer.end();
  }
}

/** Edits `count` files, spread over the tree. Each turn edits other files. */
function edit(root: string, documents: number, count: number, turn: number): void {
  const paths = pathsOf(documents);
  for (let n = 0; n < count; n++) {
    const path = paths[(turn * 7 + Math.floor((n * documents) / count)) % documents]!;
    appendFileSync(join(root, path), `Edited in turn ${turn}, ${n}.\n`);
  }
}

const SSHD = "/usr/sbin/sshd";
/**
 * sshd as root does not start without this folder, which its system service would create. It is not
 * removed, because the sshd of another benchmark may use it.
 */
const SSHD_FOLDER = "/run/sshd";

const installed = (program: string): boolean =>
  spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;

/** Returns why a program cannot be run; null if it can. */
function peerFault(program: "rclone" | "unison", sftp = false): string | null {
  if (!installed(program)) return `${program} is not installed (apt-get install ${program})`;
  if (sftp && !existsSync(SSHD)) return "sshd is not installed (apt-get install openssh-server)";
  return null;
}

/** Copies a tree with its file times. */
async function copyTree(from: string, to: string): Promise<void> {
  await runChild("cp", ["-a", from, to]);
}

type Sshd = { readonly env: Readonly<Record<string, string>>; stop(): Promise<void> };

/**
 * Starts a temporary sshd on loopback with temporary keys. `env` makes it rclone's remote `bench:`.
 */
async function startSshd(fixture: Fixture): Promise<Sshd> {
  const folder = fixture.fresh("sshd");
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const keygen = (name: string) => runChild("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)]);
  await keygen("host");
  await keygen("user");
  const port = await freePort();
  writeFileSync(
    join(folder, "config"),
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${join(folder, "host")}`,
      `AuthorizedKeysFile ${join(folder, "user.pub")}`,
      `PidFile ${join(folder, "pid")}`,
      "StrictModes no",
      "PermitRootLogin yes",
      "PasswordAuthentication no",
      "UsePAM no",
      "MaxStartups 200",
      // Without the start files of the user's shell, which could take longer than the command.
      `SetEnv HOME=${home}`,
      "Subsystem sftp internal-sftp",
      "",
    ].join("\n"),
  );
  if (process.getuid?.() === 0) mkdirSync(SSHD_FOLDER, { recursive: true, mode: 0o755 });
  const child = spawn(SSHD, ["-D", "-e", "-f", join(folder, "config")], {
    stdio: ["ignore", "ignore", "pipe"],
    detached: true,
  });
  track(child);
  let words = "";
  child.stderr.on("data", (chunk: Buffer) => {
    words = `${words}${chunk.toString()}`.slice(-2_000);
  });
  while (!words.includes("Server listening")) {
    if (child.exitCode !== null) throw new Error(`sshd ended with ${child.exitCode}: ${words.trim()}`);
    await pause(20);
  }
  const remote = "RCLONE_CONFIG_BENCH_";
  return {
    env: {
      RCLONE_CONFIG: join(folder, "rclone.conf"),
      [`${remote}TYPE`]: "sftp",
      [`${remote}HOST`]: "127.0.0.1",
      [`${remote}PORT`]: String(port),
      [`${remote}USER`]: userInfo().username,
      [`${remote}KEY_FILE`]: join(folder, "user"),
    },
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

type Peer = { sync(): Promise<Finished>; readonly local: string; end(): Promise<void> };

/**
 * `sftp-hashes`: rclone's defaults, which run md5sum through ssh for each file. `sftp`: its fastest
 * form, without remote commands.
 */
type BisyncOver = "sftp-hashes" | "sftp";

/**
 * Makes two trees that bisync has synced once. It uses rclone's default number of checkers: each
 * opens a connection, so more of them are slower.
 */
async function startBisync(fixture: Fixture, from: string, over: BisyncOver): Promise<Peer> {
  const [local, remote, work] = [fixture.fresh("bisync-a"), fixture.fresh("bisync-b"), fixture.fresh("bisync-work")];
  await copyTree(from, local);
  await copyTree(from, remote);
  mkdirSync(work);
  const sshd = await startSshd(fixture);
  const env = { ...sshd.env, ...(over === "sftp" ? { RCLONE_CONFIG_BENCH_SHELL_TYPE: "none" } : {}) };
  const args = ["bisync", local, `bench:${remote}`];
  const options = ["--workdir", work];
  const sync = () => runChild("rclone", [...args, ...options], { env });
  try {
    await runChild("rclone", [...args, ...options, "--resync"], { env });
    if (over !== "sftp-hashes") await sync();
  } catch (error) {
    await sshd.stop();
    throw error;
  }
  return { sync, local, end: () => sshd.stop() };
}

/** Makes two trees that unison has synced twice. */
async function startUnison(fixture: Fixture, from: string): Promise<Peer> {
  const [local, remote, work] = [fixture.fresh("unison-a"), fixture.fresh("unison-b"), fixture.fresh("unison-work")];
  await copyTree(from, local);
  await copyTree(from, remote);
  mkdirSync(work);
  const args = [local, remote, "-batch", "-auto", "-silent", "-ui", "text", "-confirmbigdel=false"];
  const sync = () => runChild("unison", args, { env: { UNISON: work } });
  await sync();
  await sync();
  return { sync, local, end: () => Promise.resolve() };
}
