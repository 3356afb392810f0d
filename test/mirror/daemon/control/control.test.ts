import { existsSync, mkdirSync, renameSync, statSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { askDaemon, borrowFolder, NO_DAEMON } from "../../../../src/mirror/daemon/control/ask.ts";
import { writeSocketPath } from "../../../../src/mirror/daemon/control/choose-socket.ts";
import type { ControlRequest } from "../../../../src/mirror/daemon/control/protocol.ts";
import { answering, dir, folder, impostor, listening, placed, root, STATUS, useFolders } from "./rig.ts";

useFolders();

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

  test("answers a refusal with what to do next", async () => {
    const trouble = { kind: "locked", what: "the folder is lent", next: "wait" } as const;
    await listening(async () => ({ kind: "refused", trouble }));
    expect(await askDaemon(root, { do: "sync" })).toEqual({ kind: "trouble", trouble });
  });

  test("reports a bug of a handler without its message, which may contain content", async () => {
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
    writeSocketPath(join(copy, ".mdmirror"), { socket, pid: 1, since: 0 });
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
    writeSocketPath(folder, { socket, pid: 4242, since: 0 });
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

  test("ends its connections when it is closed, and callers learn that it ended", async () => {
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
  test("a daemon that never answers is reported as silent, without advice to kill it", async () => {
    await impostor(() => undefined);
    const answer = await askDaemon(root, { do: "sync" }, 40);
    expect(answer).toMatchObject({ kind: "trouble", trouble: { kind: "fault", code: "daemon-silent" } });
    expect(JSON.stringify(answer)).toContain("4242");
    expect(JSON.stringify(answer)).not.toMatch(/\bkill\b/);
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
