import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askDaemon, NO_DAEMON } from "../../src/mirror/daemon/control/ask.ts";
import { listenControl } from "../../src/mirror/daemon/control/listen.ts";
import { chooseSocketPath, writeSocketPath } from "../../src/mirror/daemon/control/choose-socket.ts";
import { readSocketPath } from "../../src/mirror/daemon/control/socket-path.ts";
import { MAX_REQUEST, PROTOCOL_VERSION } from "../../src/mirror/daemon/control/protocol.ts";
import { connectAs } from "./process.ts";

type Listening = Awaited<ReturnType<typeof listenControl>>;

/**
 * The daemon's socket against other users and other input, beyond
 * test/mirror/daemon/control/control.test.ts.
 */

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const STATUS = { pid: 1, since: 2, phase: "idle", detail: "", paused: false, stillMs: 0, inSyncAsOf: null };

let dir: string;
let root: string;
let socket: string;
let listening: Listening | null = null;
const faults: unknown[] = [];
let asked = 0;

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "mdm-sec-")));
  // Others may come this far: what keeps them out must be the daemon's own.
  chmodSync(dir, 0o755);
  root = join(dir, "w");
  mkdirSync(join(root, ".mdmirror"), { recursive: true });
  asked = 0;
});
afterEach(async () => {
  await listening?.close();
  listening = null;
  rmSync(dir, { recursive: true, force: true });
});

async function handle() {
  asked++;
  return { kind: "done", value: STATUS } as const;
}

async function listen(): Promise<void> {
  const place = chooseSocketPath(root, { env: { XDG_RUNTIME_DIR: dir } });
  if (place.kind === "trouble") throw new Error(place.trouble.what);
  socket = place.value;
  listening = await listenControl({ socket, root, handle, onFault: (error) => void faults.push(error) });
  writeSocketPath(join(root, ".mdmirror"), { socket, pid: process.pid, since: 0 });
}

async function alive(): Promise<void> {
  const answer = await askDaemon(root, { do: "status" }, 5_000);
  expect(answer).toMatchObject({ kind: "ok", value: STATUS });
}

describe("the control socket is its owner's alone", () => {
  test.skipIf(!isRoot)(
    "another user cannot connect: neither through the folder nor to the socket (needs root)",
    async () => {
      await listen();
      expect(connectAs(NOBODY, socket)).toBe("EACCES");
      chmodSync(dirname(socket), 0o755);
      expect(connectAs(NOBODY, socket)).toBe("EACCES");
      expect(lstatSync(socket).mode & 0o777).toBe(0o600);
      expect(asked).toBe(0);
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
      writeSocketPath(join(root, ".mdmirror"), { socket: theirs, pid: 1, since: 0 });
      expect(readSocketPath(join(root, ".mdmirror"))).not.toBeNull();
      chownSync(theirs, NOBODY, NOBODY);
      expect(readSocketPath(join(root, ".mdmirror"))).toBeNull();
    }
    writeSocketPath(join(root, ".mdmirror"), { socket: join(planted, "x.sock"), pid: 1, since: 0 });
    expect(readSocketPath(join(root, ".mdmirror"))).toBeNull();
  });

  test("a symlink in the place of its folder, or of the socket, is not followed", async () => {
    const elsewhere = join(dir, "elsewhere");
    mkdirSync(elsewhere, { mode: 0o700 });
    symlinkSync(elsewhere, join(dir, "link"));
    const place = chooseSocketPath(root, { env: {}, folders: [join(dir, "link"), join(dir, "own")] });
    expect(place).toMatchObject({ kind: "ok", value: expect.stringContaining("/own/") as unknown });
    await listen();
    const path = socket;
    await listening!.close();
    const victim = join(dir, "victim");
    writeFileSync(victim, "a file of somebody", { mode: 0o644 });
    symlinkSync(victim, path);
    expect(readSocketPath(join(root, ".mdmirror"))).toBeNull();
    await listen();
    expect([lstatSync(path).isSocket(), lstatSync(victim).mode & 0o777, lstatSync(victim).size]).toEqual([
      true,
      0o644,
      18,
    ]);
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
    writeFileSync(join(root, ".mdmirror/daemon.json"), text);
    expect(await askDaemon(root, { do: "status" }, 1_000)).toBe(NO_DAEMON);
  });
});

/** A connection that stays; what comes back is counted, not read, when `deaf`. */
function caller(deaf = false): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const made = connect(socket, () => resolve(made));
    if (deaf) made.pause();
    else made.on("data", () => undefined);
    made.on("error", reject);
  });
}

const good = (more: object = {}) => JSON.stringify({ protocol: PROTOCOL_VERSION, root, do: "status", ...more });

describe("any input on it", () => {
  const LINES = [
    "",
    "\0\0\0",
    "GET / HTTP/1.1",
    "null",
    "[]",
    "1e999",
    "[".repeat(10_000),
    '{"__proto__":{"do":"status"}}',
    '{"protocol":1}',
    "\ud800",
    "x".repeat(MAX_REQUEST - 1),
  ];

  test("noise is refused line by line, and the daemon answers the next command", async () => {
    await listen();
    for (const line of [
      ...LINES,
      good({ protocol: 1 }),
      good({ do: "toString" }),
      good({ do: ["status"] }),
      good({ root: 1 }),
    ]) {
      const socket = await caller();
      socket.end(`${line}\n`);
      await new Promise((resolve) => socket.once("close", resolve));
    }
    expect(asked).toBe(0);
    await alive();
    expect(faults).toEqual([]);
  });

  test("a line without end is cut off, also where the caller never stops and never listens", async () => {
    await listen();
    const socket = await caller(true);
    let cut = false;
    socket.on("error", () => undefined);
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => {
        cut = true;
        resolve();
      });
    });
    const chunk = Buffer.alloc(64 * 1024, 0x78);
    for (let i = 0; i < 400 && !cut; i++) {
      if (!socket.write(chunk)) await Promise.race([closed, new Promise((resolve) => socket.once("drain", resolve))]);
    }
    await alive();
    socket.destroy();
    expect(cut).toBe(true);
  });

  test("a caller that asks and asks has one answer, and does not fill the daemon's memory", async () => {
    await listen();
    const socket = await caller(true);
    socket.on("error", () => undefined);
    const lines = Buffer.from(`${good()}\n`.repeat(500));
    for (let i = 0; i < 400; i++)
      if (!socket.write(lines)) await new Promise((resolve) => socket.once("drain", resolve));
    expect(asked).toBe(1);
    await alive();
    socket.destroy();
  });

  test("callers that connect and say nothing keep nobody else out for long", async () => {
    await listen();
    const silent = await Promise.all(Array.from({ length: 40 }, () => caller()));
    for (const socket of silent) socket.write("{");
    await alive();
    for (const socket of silent) socket.destroy();
  });
});
