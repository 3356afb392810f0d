import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askDaemon, borrowFolder, NO_DAEMON } from "../../../src/app/control/ask.ts";
import { type Call, type Handled, type Listening, listenControl } from "../../../src/app/control/listen.ts";
import { choosePlace, findPlace, removePlace, writePlace } from "../../../src/app/control/place.ts";
import { type ControlRequest, MAX_REQUEST, PROTOCOL } from "../../../src/app/control/protocol.ts";

let dir: string;
let root: string;
let folder: string;
const open: (() => Promise<void>)[] = [];

beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "mdm-ctl-")));
  root = join(dir, "w");
  folder = join(root, ".mdmirror");
  mkdirSync(folder, { recursive: true });
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
  rmSync(dir, { recursive: true, force: true });
});

const env = () => ({ XDG_RUNTIME_DIR: dir });

function placed(): string {
  const place = choosePlace(root, { env: env() });
  if (place.kind === "trouble") throw new Error(place.trouble.what);
  return place.value;
}

type Handle = (request: ControlRequest, call: Call) => Promise<Handled>;
const STATUS = { pid: 1, since: 2, phase: "idle", detail: "", paused: false, stillMs: 0 };
const answering: Handle = async () => ({ kind: "done", value: STATUS });

async function listening(handle: Handle, faults: unknown[] = []): Promise<{ socket: string; listening: Listening }> {
  const socket = placed();
  const made = await listenControl({ socket, root, handle, onFault: (error) => void faults.push(error) });
  writePlace(folder, { socket, pid: process.pid, since: 0 });
  open.push(() => made.close());
  return { socket, listening: made };
}

/** What a server of any kind says, as the daemon of the folder. */
async function impostor(serve: Parameters<typeof createServer>[1] & object): Promise<Server> {
  const socket = placed();
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  writePlace(folder, { socket, pid: 4242, since: 0 });
  const callers: Socket[] = [];
  server.on("connection", (socket) => callers.push(socket));
  open.push(async () => {
    for (const socket of callers) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return server;
}

/** Raw lines to the socket and what comes back, until it is closed or so many lines came. */
function say(socket: string, bytes: string | Buffer, lines = 1): Promise<Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    let text = "";
    const client = connect(socket, () => client.write(bytes));
    const end = () => {
      client.destroy();
      resolve(
        text
          .trimEnd()
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      );
    };
    client.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      if (text.split("\n").length > lines) end();
    });
    client.on("close", end);
    client.on("error", reject);
  });
}

describe("a daemon's socket", () => {
  test("answers a command that asks", async () => {
    const asked: ControlRequest[] = [];
    await listening(async (request) => {
      asked.push(request);
      return { kind: "done", value: STATUS };
    });
    expect(await askDaemon(root, { do: "status" })).toEqual({ kind: "ok", value: STATUS });
    expect(asked).toEqual([{ do: "status" }]);
  });

  test("is found by any path to the folder", async () => {
    await listening(answering);
    symlinkSync(root, join(dir, "link"));
    expect(await askDaemon(join(dir, "link"), { do: "status" })).toMatchObject({ kind: "ok" });
  });

  test("is open to this user alone: 0600, in a folder of 0700", async () => {
    const { socket } = await listening(answering);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "daemon.json")).mode & 0o777).toBe(0o600);
  });

  test("tells a refusal with what to do next", async () => {
    const trouble = { kind: "locked", what: "the folder is lent", next: "wait" } as const;
    await listening(async () => ({ kind: "refused", trouble }));
    expect(await askDaemon(root, { do: "sync" })).toEqual({ kind: "trouble", trouble });
  });

  test("tells a bug of a handler without its words, which may hold a text", async () => {
    const faults: unknown[] = [];
    await listening(async () => {
      throw new Error("# my secret text");
    }, faults);
    const answer = await askDaemon(root, { do: "sync" });
    expect(JSON.stringify(answer)).toContain("failed at this request");
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(faults).toHaveLength(1);
  });

  test("of another folder is no daemon of this one: .mdmirror was copied", async () => {
    const { socket } = await listening(answering);
    const copy = join(dir, "copy");
    mkdirSync(join(copy, ".mdmirror"), { recursive: true });
    writePlace(join(copy, ".mdmirror"), { socket, pid: 1, since: 0 });
    expect(await askDaemon(copy, { do: "status" })).toBe(NO_DAEMON);
  });

  test("that a crash left behind is no daemon, and is replaced", async () => {
    const socket = placed();
    // A socket file that nobody listens on is what a kill leaves: made by a listener whose file
    // outlives it.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${socket}.1`, resolve));
    renameSync(`${socket}.1`, socket);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    writePlace(folder, { socket, pid: 4242, since: 0 });
    expect(statSync(socket).isSocket()).toBe(true);
    expect(await askDaemon(root, { do: "status" })).toBe(NO_DAEMON);
    await listening(answering);
    expect(await askDaemon(root, { do: "status" })).toMatchObject({ kind: "ok" });
  });

  test("is gone when it is closed", async () => {
    const { socket, listening: made } = await listening(answering);
    await made.close();
    expect(existsSync(socket)).toBe(false);
    expect(await askDaemon(root, { do: "status" })).toBe(NO_DAEMON);
  });

  test("cuts callers when it is closed, who are told that it ended", async () => {
    let began: () => void = () => undefined;
    const started = new Promise<void>((resolve) => {
      began = resolve;
    });
    const { listening: made } = await listening(() => {
      began();
      return new Promise(() => undefined);
    });
    const asking = askDaemon(root, { do: "sync" });
    await started;
    await made.close();
    expect(await asking).toMatchObject({ kind: "trouble", trouble: { code: "daemon-ended" } });
  });
});

describe("a call has a deadline", () => {
  test("a daemon that never answers hangs, and the message says how to end it", async () => {
    await impostor(() => undefined);
    const answer = await askDaemon(root, { do: "sync" }, 40);
    expect(answer).toMatchObject({ kind: "trouble", trouble: { kind: "fault", code: "daemon-hangs" } });
    expect(JSON.stringify(answer)).toContain("kill 4242");
  });

  test("beats keep it waiting, beyond its deadline in all", async () => {
    await listening(async (_request, call) => {
      for (let n = 0; n < 6; n++) {
        call.beat();
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      return { kind: "done", value: {} };
    });
    expect(await askDaemon(root, { do: "sync" }, 200)).toMatchObject({ kind: "ok" });
  });

  test.each([
    ["no JSON", "hello\n"],
    ["no reply", '{"a":1}\n'],
    ["a line without end", "x".repeat(5 * 1024 * 1024)],
  ])("what answers with %s is no mdmirror", async (_name, bytes) => {
    await impostor((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", () => socket.write(bytes));
    });
    expect(await askDaemon(root, { do: "status" }, 5_000)).toMatchObject({
      kind: "trouble",
      trouble: { code: "not-a-daemon" },
    });
  });
});

describe("lending", () => {
  test("lasts until the borrower gives the folder back, or dies", async () => {
    const gone: string[] = [];
    let ended: () => void = () => undefined;
    const end = new Promise<void>((resolve) => {
      ended = resolve;
    });
    await listening(async (request, call) => {
      call.gone.addEventListener("abort", () => {
        gone.push(request.do);
        ended();
      });
      return { kind: "done", value: { lent: true } };
    });
    const borrowed = await borrowFolder(root, "approve");
    if (borrowed === NO_DAEMON || borrowed.kind === "trouble") throw new Error("not lent");
    expect(gone).toEqual([]);
    borrowed.value.giveBack();
    borrowed.value.giveBack();
    await end;
    expect(gone).toEqual(["lend"]);
  });
});

const line = (members: object) => `${JSON.stringify({ protocol: PROTOCOL, id: 7, root, ...members })}\n`;

describe("what is no request is refused", () => {
  test.each<[string, () => string, string]>([
    ["no JSON", () => "sync\n", "one JSON object"],
    ["a list", () => "[1]\n", "one JSON object"],
    ["an unknown member", () => line({ do: "sync", force: true }), '"force\\" is no member'],
    ["an unknown verb", () => line({ do: "shutdown" }), "not known here"],
    ["a verb of Object's", () => line({ do: "constructor" }), "not known here"],
    ["another protocol", () => line({ do: "sync", protocol: 99 }), `protocol ${PROTOCOL}`],
    ["no id", () => line({ do: "sync", id: "7" }), '"id\\" must'],
    ["a borrower that is no command", () => line({ do: "lend", what: "rm -rf /" }), '"what\\" must'],
  ])("%s", async (_name, bytes, why) => {
    const asked: ControlRequest[] = [];
    const { socket } = await listening(async (request) => {
      asked.push(request);
      return { kind: "done", value: {} };
    });
    const [reply] = await say(socket, bytes());
    expect(reply).toMatchObject({ kind: "refused", trouble: { kind: "usage" } });
    expect(JSON.stringify(reply)).toContain(why);
    expect(asked).toEqual([]);
  });

  test("a line longer than the bound ends the connection", async () => {
    const { socket } = await listening(answering);
    const [reply] = await say(socket, "x".repeat(MAX_REQUEST + 1), 2);
    expect(reply).toMatchObject({ id: 0, kind: "refused" });
  });

  test("requests cut anywhere are read whole, and several on a line each are answered by id", async () => {
    const { socket } = await listening(answering);
    const two = line({ do: "status", id: 1 }) + line({ do: "status", id: 2 });
    const replies = await say(socket, two, 2);
    expect(replies.map(({ id }) => id)).toEqual([1, 2]);
  });
});

describe("the place of the socket", () => {
  test("is twelve hex digits in the runtime folder, the same for the same root", () => {
    expect(placed()).toMatch(new RegExp(`^${dir}/mdmirror/[0-9a-f]{12}\\.sock$`));
    expect(placed()).toBe(placed());
    expect(choosePlace(join(dir, "other"), { env: env() })).not.toEqual({ kind: "ok", value: placed() });
  });

  test("goes on to the next folder where one is too long for a socket, or open to others", () => {
    const long = join(dir, "x".repeat(90));
    const shared = join(dir, "shared");
    mkdirSync(shared, { mode: 0o777 });
    chmodSync(shared, 0o777);
    const good = join(dir, "good");
    const place = choosePlace(root, { env: {}, folders: [long, shared, good] });
    expect(place).toMatchObject({ kind: "ok" });
    expect(place.kind === "ok" && dirname(place.value)).toBe(good);
    expect(existsSync(long)).toBe(false);
  });

  test("is trouble where there is none, and says what to set", () => {
    const place = choosePlace(root, { env: {}, folders: [join(dir, "x".repeat(90))] });
    expect(place).toMatchObject({ kind: "trouble", trouble: { kind: "fault" } });
    expect(JSON.stringify(place)).toContain("XDG_RUNTIME_DIR");
  });

  test.each<[string, (socket: string) => void]>([
    ["its folder was opened to others", (socket) => chmodSync(dirname(socket), 0o755)],
    ["it is no JSON", () => writeFileSync(join(folder, "daemon.json"), "{")],
    [
      "it names a file that is no socket",
      (socket) => writePlace(folder, { socket: `${socket}.txt`, pid: 1, since: 0 }),
    ],
    ["it names a relative path", () => writePlace(folder, { socket: "w.sock", pid: 1, since: 0 })],
    ["it was removed", () => removePlace(folder)],
  ])("is not trusted when %s", async (_name, change) => {
    const { socket } = await listening(answering);
    writeFileSync(`${socket}.txt`, "");
    expect(findPlace(folder)).not.toBeNull();
    change(socket);
    expect(findPlace(folder)).toBeNull();
  });
});
