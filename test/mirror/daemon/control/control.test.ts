import { existsSync, mkdirSync, renameSync, statSync, symlinkSync, chmodSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { ok } from "../../../../src/common/trouble.ts";
import { askDaemon, borrowFolder, NO_DAEMON } from "../../../../src/mirror/daemon/control/ask.ts";
import {
  chooseSocketPath,
  readSocketPath,
  removeSocketPath,
  writeSocketPath,
} from "../../../../src/mirror/daemon/control/socket-path.ts";
import { type ControlRequest, MAX_REQUEST, PROTOCOL_VERSION } from "../../../../src/mirror/daemon/control/protocol.ts";
import { answering, dir, folder, impostor, listening, placed, root, STATUS, useFolders, env } from "./rig.ts";

useFolders();

describe("a daemon's socket", () => {
  test("answers a command that asks", async () => {
    const asked: ControlRequest[] = [];
    await listening(async (request) => {
      asked.push(request);
      return ok(STATUS);
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

  test("says what to do in the words of each version", async () => {
    const { socket } = await listening(answering);
    const ofNewer = `${JSON.stringify({ protocol: 99, root, do: "status" })}\n`;
    expect(JSON.parse(await sendBytes(socket, ofNewer))).toMatchObject({ kind: "refused", trouble: { kind: "usage" } });
    expect(JSON.parse(await sendBytes(socket, line({ do: "status" })))).toEqual({ kind: "done", value: STATUS });
  });

  test("answers a refusal with what to do next", async () => {
    const trouble = { kind: "locked", what: "the folder is lent", next: "wait" } as const;
    await listening(async () => ({ kind: "trouble", trouble }));
    expect(await askDaemon(root, { do: "pause" })).toEqual({ kind: "trouble", trouble });
  });

  test("reports a bug of a handler without its message, which may contain content", async () => {
    const faults: unknown[] = [];
    await listening(async () => {
      throw new Error("# my secret text");
    }, faults);
    const answer = await askDaemon(root, { do: "pause" });
    expect(JSON.stringify(answer)).toContain("failed at this request");
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(faults).toHaveLength(1);
  });

  test("of another folder is no daemon of this one: .mdmirror was copied", async () => {
    const { socket } = await listening(answering);
    const copy = join(dir, "copy");
    mkdirSync(join(copy, ".mdmirror"), { recursive: true });
    writeSocketPath(join(copy, ".mdmirror"), { socket, pid: 1, since: 0 });
    expect(await askDaemon(copy, { do: "status" })).toBe(NO_DAEMON);
  });

  test("that a crash left behind is no daemon, and is replaced", async () => {
    const socket = placed();
    // Makes the socket file that a killed daemon leaves: nobody listens on it.
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(`${socket}.1`, resolve));
    renameSync(`${socket}.1`, socket);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    writeSocketPath(folder, { socket, pid: 4242, since: 0 });
    expect(statSync(socket).isSocket()).toBe(true);
    expect(await askDaemon(root, { do: "status" })).toBe(NO_DAEMON);
    await listening(answering);
    expect(await askDaemon(root, { do: "status" })).toMatchObject({ kind: "ok" });
  });

  test("is gone when it is closed", async () => {
    const { socket, stopListening } = await listening(answering);
    await stopListening();
    expect(existsSync(socket)).toBe(false);
    expect(await askDaemon(root, { do: "status" })).toBe(NO_DAEMON);
  });

  test("ends its connections when it is closed, and callers learn that it ended", async () => {
    const { promise: started, resolve: began } = Promise.withResolvers<void>();
    const { stopListening } = await listening(() => {
      began();
      return new Promise(() => undefined);
    });
    const asking = askDaemon(root, { do: "pause" });
    await started;
    await stopListening();
    expect(await asking).toMatchObject({ kind: "trouble", trouble: { code: "daemon-ended" } });
  });
});

describe("a call has a deadline", () => {
  test("a daemon that never answers is reported as silent, without advice to kill it", async () => {
    await impostor(() => undefined);
    const answer = await askDaemon(root, { do: "pause" }, 40);
    expect(answer).toMatchObject({ kind: "trouble", trouble: { kind: "locked", code: "daemon-silent" } });
    expect(JSON.stringify(answer)).toContain("4242");
    expect(JSON.stringify(answer)).not.toMatch(/\bkill\b/);
  });

  test("beats keep it waiting, beyond its deadline in all", async () => {
    await listening(async (_request, call) => {
      for (let n = 0; n < 6; n++) {
        call.beat();
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      return ok({});
    });
    expect(await askDaemon(root, { do: "pause" }, 200)).toMatchObject({ kind: "ok" });
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
    const { promise: end, resolve: ended } = Promise.withResolvers<void>();
    await listening(async (request, call) => {
      call.gone.addEventListener("abort", () => {
        gone.push(request.do);
        ended();
      });
      return ok({ lent: true });
    });
    const borrowed = await borrowFolder(root, "approve");
    if (borrowed === NO_DAEMON || borrowed.kind === "trouble") throw new Error("not lent");
    expect(gone).toEqual([]);
    borrowed.value();
    borrowed.value();
    await end;
    expect(gone).toEqual(["lend"]);
  });
});

describe("the place of the socket", () => {
  test("is twelve hex digits in the runtime folder, the same for the same root", () => {
    expect(placed()).toMatch(new RegExp(`^${dir}/mdmirror/[0-9a-f]{12}\\.sock$`));
    expect(placed()).toBe(placed());
    expect(chooseSocketPath(join(dir, "other"), { env: env() })).not.toEqual({ kind: "ok", value: placed() });
  });

  test("takes the next folder if one is too long for a socket, or open to others", () => {
    const long = join(dir, "x".repeat(90));
    const shared = join(dir, "shared");
    mkdirSync(shared, { mode: 0o777 });
    chmodSync(shared, 0o777);
    const good = join(dir, "good");
    const place = chooseSocketPath(root, { env: {}, folders: [long, shared, good] });
    expect(place).toMatchObject({ kind: "ok" });
    expect(place.kind === "ok" && dirname(place.value)).toBe(good);
    expect(existsSync(long)).toBe(false);
  });

  test.each([
    ["linux", 107, true],
    ["linux", 108, false],
    ["darwin", 103, true],
    ["darwin", 104, false],
  ] as const)("on %s a path of %i bytes is short enough: %s", (platform, bytes, fits) => {
    const name = "/0123456789ab.sock";
    const exact = join(dir, "x".repeat(bytes - dir.length - 1 - name.length));
    const other = join(dir, "other");
    const place = chooseSocketPath(root, { env: {}, folders: [exact, other], platform });
    expect(place.kind === "ok" && dirname(place.value)).toBe(fits ? exact : other);
    expect(place.kind === "ok" && fits ? place.value.length : bytes).toBe(bytes);
  });

  test("is an error without a usable folder, which says what to set", () => {
    const place = chooseSocketPath(root, { env: {}, folders: [join(dir, "x".repeat(90))] });
    expect(place).toMatchObject({ kind: "trouble", trouble: { kind: "fault" } });
    expect(JSON.stringify(place)).toContain("XDG_RUNTIME_DIR");
  });

  test.each<[string, (socket: string) => void]>([
    ["its folder was opened to others", (socket) => chmodSync(dirname(socket), 0o755)],
    ["it is no JSON", () => writeFileSync(join(folder, "daemon.json"), "{")],
    [
      "it names a file that is no socket",
      (socket) => writeSocketPath(folder, { socket: `${socket}.txt`, pid: 1, since: 0 }),
    ],
    ["it names a relative path", () => writeSocketPath(folder, { socket: "w.sock", pid: 1, since: 0 })],
    ["it was removed", () => removeSocketPath(folder)],
  ])("is not trusted when %s", async (_name, change) => {
    const { socket } = await listening(answering);
    writeFileSync(`${socket}.txt`, "");
    expect(readSocketPath(folder)).not.toBeNull();
    change(socket);
    expect(readSocketPath(folder)).toBeNull();
  });
});

/** Sends bytes to the socket. Returns everything that it answers until the connection ends. */
function sendBytes(socket: string, bytes: string): Promise<string> {
  return text(connect(socket).end(bytes));
}

const line = (members: object) => `${JSON.stringify({ protocol: PROTOCOL_VERSION, root, ...members })}\n`;

describe("what is no request is refused", () => {
  test.each<[string, () => string, string]>([
    ["no JSON", () => "sync\n", "one JSON object"],
    ["a list", () => "[1]\n", "one JSON object"],
    ["null", () => "null\n", "one JSON object"],
    ["a request of HTTP", () => "GET / HTTP/1.1\n", "one JSON object"],
    ["noise", () => "\0\0\0\ud800\n", "one JSON object"],
    ["brackets, nested deep", () => `${"[".repeat(10_000)}\n`, "one JSON object"],
    ["a line that is as long as it may be", () => `${"x".repeat(MAX_REQUEST - 1)}\n`, "one JSON object"],
    ["an unknown verb", () => line({ do: "shutdown" }), "not known"],
    ["a verb of Object's", () => line({ do: "constructor" }), "not known"],
    ["a verb in a list", () => line({ do: ["status"] }), "not known"],
    ["another protocol", () => line({ do: "pause", protocol: 99 }), `protocol ${PROTOCOL_VERSION}`],
  ])("%s", async (_name, bytes, why) => {
    const asked: ControlRequest[] = [];
    const { socket } = await listening(async (request) => {
      asked.push(request);
      return ok({});
    });
    const reply = await sendBytes(socket, bytes());
    expect(JSON.parse(reply)).toMatchObject({ kind: "refused", trouble: { kind: "usage" } });
    expect(reply).toContain(why);
    expect(asked).toEqual([]);
  });
});
