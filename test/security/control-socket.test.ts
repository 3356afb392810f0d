import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { askDaemon, NO_DAEMON } from "../../src/mirror/daemon/control/ask.ts";
import { chooseSocketPath, readSocketPath, writeSocketPath } from "../../src/mirror/daemon/control/socket-path.ts";
import { PROTOCOL_VERSION } from "../../src/mirror/daemon/control/protocol.ts";
import { answering, dir, folder, listening, root, STATUS, useFolders } from "../mirror/daemon/control/rig.ts";

/** Returns the result of another user's attempt to connect. */
function connectAs(uid: number, path: string): string {
  const code = `require("net").connect(${JSON.stringify(path)}).on("connect",()=>{console.log("connected");process.exit()}).on("error",(e)=>console.log(e.code))`;
  // The other user may not be able to enter the folder of this Node.
  const script = [
    "import socket",
    "s=socket.socket(socket.AF_UNIX)",
    "try:",
    ` s.connect(${JSON.stringify(path)})`,
    " print('connected')",
    "except PermissionError:",
    " print('EACCES')",
  ];
  const python = spawnSync("/usr/bin/python3", ["-c", script.join("\n")], { uid, gid: uid, encoding: "utf8" });
  if (python.error === undefined) return python.stdout.trim();
  return spawnSync(process.execPath, ["-e", code], { uid, gid: uid, encoding: "utf8" }).stdout.trim();
}

/**
 * The daemon's socket against other users and hostile input (normal use:
 * test/mirror/daemon/control/control.test.ts).
 */

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

useFolders();

async function alive(): Promise<void> {
  const answer = await askDaemon(root, { do: "status" }, 5_000);
  expect(answer).toMatchObject({ kind: "ok", value: STATUS });
}

describe("the control socket is its owner's alone", () => {
  test.skipIf(!isRoot)(
    "another user cannot connect: neither through the folder nor to the socket (needs root)",
    async () => {
      let asked = 0;
      const { socket } = await listening(() => Promise.reject(new Error(`asked ${++asked} times`)));
      // Other users may enter this folder, so only the daemon's own checks can refuse them.
      chmodSync(dir, 0o755);
      expect(connectAs(NOBODY, socket)).toBe("EACCES");
      chmodSync(dirname(socket), 0o755);
      expect(connectAs(NOBODY, socket)).toBe("EACCES");
      expect([lstatSync(socket).mode & 0o777, asked]).toEqual([0o600, 0]);
    },
  );

  test.skipIf(!isRoot)("a folder or a socket that another user planted is not used (needs root)", () => {
    const planted = join(dir, "planted");
    mkdirSync(planted, { mode: 0o700 });
    chownSync(planted, NOBODY, NOBODY);
    const own = join(dir, "own");
    const place = chooseSocketPath(root, { env: {}, folders: [planted, own] });
    expect(place).toMatchObject({ kind: "ok", value: expect.stringContaining(own) as unknown });
    const theirs = join(own, "x.sock");
    const script = `import socket; socket.socket(socket.AF_UNIX).bind(${JSON.stringify(theirs)})`;
    if (spawnSync("/usr/bin/python3", ["-c", script]).status === 0) {
      writeSocketPath(folder, { socket: theirs, pid: 1, since: 0 });
      expect(readSocketPath(folder)).not.toBeNull();
      chownSync(theirs, NOBODY, NOBODY);
      expect(readSocketPath(folder)).toBeNull();
    }
    writeSocketPath(folder, { socket: join(planted, "x.sock"), pid: 1, since: 0 });
    expect(readSocketPath(folder)).toBeNull();
  });

  test("a symlink in the place of its folder, or of the socket, is not followed", async () => {
    const elsewhere = join(dir, "elsewhere");
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, join(dir, "link"));
    const place = chooseSocketPath(root, { env: {}, folders: [join(dir, "link"), join(dir, "own")] });
    expect(place).toMatchObject({ kind: "ok", value: expect.stringContaining("/own/") as unknown });
    const { socket: path, stopListening } = await listening(answering);
    await stopListening();
    const victim = join(dir, "victim");
    writeFileSync(victim, "a file of somebody", { mode: 0o644 });
    symlinkSync(victim, path);
    expect(readSocketPath(folder)).toBeNull();
    await listening(answering);
    expect(lstatSync(path).isSocket()).toBe(true);
    expect(lstatSync(victim).mode & 0o777).toBe(0o644);
    expect(lstatSync(victim).size).toBe(18);
    await alive();
  });

  test.each([
    "{}",
    "null",
    '{"socket":"x","pid":1,"since":1}',
    '{"socket":["/x"],"pid":1,"since":1}',
    `{"socket":"/${"x".repeat(1e6)}","pid":1,"since":1}`,
    "\0",
    "[".repeat(1e5),
  ])("a daemon.json that is something else is no daemon", async (text) => {
    writeFileSync(join(folder, "daemon.json"), text);
    expect(await askDaemon(root, { do: "status" }, 1_000)).toBe(NO_DAEMON);
  });
});

/** Opens a connection that never reads the answers. */
function deafCaller(socket: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const made = connect(socket, () => resolve(made));
    made.pause();
    made.on("error", reject);
  });
}

describe("any input on it", () => {
  test("a line without end is cut off, also where the caller never stops and never listens", async () => {
    const { socket } = await listening(answering);
    const caller = await deafCaller(socket);
    let cut = false;
    caller.on("error", () => undefined);
    const closed = new Promise<void>((resolve) => {
      caller.once("close", () => {
        cut = true;
        resolve();
      });
    });
    const chunk = Buffer.alloc(64 * 1024, 0x78);
    for (let i = 0; i < 400 && !cut; i++) {
      if (!caller.write(chunk)) await Promise.race([closed, new Promise((resolve) => caller.once("drain", resolve))]);
    }
    await alive();
    caller.destroy();
    expect(cut).toBe(true);
  });

  test("a caller that asks and asks has one answer, and does not fill the daemon's memory", async () => {
    let asked = 0;
    const { socket } = await listening(async (...call) => {
      asked++;
      return answering(...call);
    });
    const caller = await deafCaller(socket);
    caller.on("error", () => undefined);
    const line = `${JSON.stringify({ protocol: PROTOCOL_VERSION, root, do: "status" })}\n`;
    const lines = Buffer.from(line.repeat(500));
    for (let i = 0; i < 400; i++)
      if (!caller.write(lines)) await new Promise((resolve) => caller.once("drain", resolve));
    expect(asked).toBe(1);
    await alive();
    caller.destroy();
  });

  test("callers that connect and say nothing keep nobody else out for long", async () => {
    const { socket } = await listening(answering);
    const silent = await Promise.all(Array.from({ length: 40 }, () => deafCaller(socket)));
    for (const caller of silent) caller.write("{");
    await alive();
    for (const caller of silent) caller.destroy();
  });
});
