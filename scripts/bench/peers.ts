/**
 * The peers, where they are installed: rclone bisync (over sftp on loopback, and local to local)
 * and unison.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { userInfo } from "node:os";
import { join } from "node:path";
import { type Finished, runChild, track } from "./child.ts";
import type { Fixture } from "./fixture.ts";
import { pause } from "./watched.ts";

const SSHD = "/usr/sbin/sshd";
/**
 * Run as root, sshd does not start without this folder, which its service makes. It is left there:
 * another bench's sshd may be using it.
 */
const SSHD_FOLDER = "/run/sshd";

export const installed = (program: string): boolean =>
  spawnSync("sh", ["-c", `command -v ${program}`], { stdio: "ignore" }).status === 0;

/** @returns why a peer cannot be run, or null */
export function peerFault(program: "rclone" | "unison" | "syncthing", sftp = false): string | null {
  if (!installed(program)) return `${program} is not installed (apt-get install ${program})`;
  if (sftp && !existsSync(SSHD)) return "sshd is not installed (apt-get install openssh-server)";
  return null;
}

/** A second tree like the first, with its times. */
export async function copyTree(from: string, to: string): Promise<void> {
  await runChild("cp", ["-a", from, to]);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

export type Sshd = { readonly env: Readonly<Record<string, string>>; stop(): Promise<void> };

/**
 * An sshd of our own on loopback, with keys that are thrown away; `env` makes it rclone's remote
 * `bench:`.
 */
export async function startSshd(fixture: Fixture): Promise<Sshd> {
  const folder = fixture.fresh("sshd");
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const keygen = (name: string) =>
    runChild("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, name)], {});
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
      // Without anybody's own start files of a shell, which can take longer than what the shell is
      // asked for.
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

export type Peer = { sync(): Promise<Finished>; readonly local: string; end(): Promise<void> };

/**
 * `sftp-hashes`: rclone as it comes, which asks md5sum for each file through ssh; `sftp`: its
 * quickest form, without a shell on the other side.
 */
export type BisyncOver = "sftp-hashes" | "sftp" | "local";

/**
 * Two trees that bisync keeps, known to it. With rclone's own number of checkers: more made it
 * slower, for each opens a connection.
 */
export async function startBisync(fixture: Fixture, from: string, over: BisyncOver): Promise<Peer> {
  const [local, remote, work] = [fixture.fresh("bisync-a"), fixture.fresh("bisync-b"), fixture.fresh("bisync-work")];
  await copyTree(from, local);
  await copyTree(from, remote);
  mkdirSync(work);
  const sshd = over === "local" ? null : await startSshd(fixture);
  const shell = over === "sftp" ? { RCLONE_CONFIG_BENCH_SHELL_TYPE: "none" } : {};
  const env = { ...(sshd?.env ?? { RCLONE_CONFIG: join(work, "rclone.conf") }), ...shell };
  const args = ["bisync", local, over === "local" ? remote : `bench:${remote}`];
  const options = ["--workdir", work];
  const sync = () => runChild("rclone", [...args, ...options], { env });
  try {
    await runChild("rclone", [...args, ...options, "--resync"], { env });
    if (over !== "sftp-hashes") await sync();
  } catch (error) {
    await sshd?.stop();
    throw error;
  }
  return { sync, local, end: async () => sshd?.stop() };
}

/** Two trees that unison keeps, known to it. */
export async function startUnison(fixture: Fixture, from: string): Promise<Peer> {
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
