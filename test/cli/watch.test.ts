import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSocketPath } from "../../src/mirror/daemon/control/socket-path.ts";
import { isChange, isRun, useWatchedFolder, type WatchEvent } from "./watch-rig.ts";
import { borrowFolder, NO_DAEMON } from "../../src/mirror/daemon/control/ask.ts";
import { acquireLock } from "../../src/mirror/state/lock.ts";

const watched = useWatchedFolder();

describe("watch", () => {
  test("I09 I30 a local edit is an event with what, side, id, change id and lines, and never a text", async () => {
    const watch = await watched.watchingHere();
    const id = watched.rig.remote("a.md")!.id;
    watched.rig.write("a.md", "# one\nsecret garden\n");
    const event = await watch.until(isChange("a.md"));
    const live = watched.rig.remote("a.md")!;
    expect(event).toMatchObject({
      what: "put",
      side: "remote",
      id,
      changeId: live.lastChangeId,
      added: 1,
      removed: 0,
      outcome: "done",
    });
    expect([live.id, live.content]).toEqual([id, "# one\nsecret garden\n"]);
    expect(JSON.stringify(watch.events)).not.toContain("garden");
  });

  test("a signal ends it with 0; lock, socket and its file are gone", async () => {
    const watch = await watched.watching();
    const { socket } = readSocketPath(watched.own)!;
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    watch.signal("SIGHUP");
    expect(await watch.ended).toBe(0);
    expect(existsSync(socket)).toBe(false);
    expect(readdirSync(watched.own).filter((name) => /daemon|lock.json|wal|shm/.test(name))).toEqual([]);
    expect((await watched.rig.run(["sync", "w"])).code).toBe(0);
  });

  test("a second one on the same folder is refused with 6", async () => {
    const watch = await watched.watchingHere();
    const second = watched.startHere();
    expect(await second.ended).toBe(6);
    expect(second.err()).toContain(`process ${watch.pid}`);
    expect(await watched.daemon()).toMatchObject({ pid: watch.pid });
  });

  test("a configuration fault ends it with 2, so that a service manager does not start it again", async () => {
    writeFileSync(join(watched.own, "config.json"), "{}");
    const watch = watched.startHere();
    expect(await watch.ended).toBe(2);
    expect(watch.err()).toContain('"url"');
  });

  test("I13 a killed daemon leaves a socket without a listener: sync works alone, and the next daemon replaces the socket", async () => {
    const watch = await watched.watching();
    watch.signal("SIGKILL");
    expect(await watch.ended).toBe("SIGKILL");
    expect(existsSync(join(watched.own, "daemon.json"))).toBe(true);
    expect(await watched.daemon()).toBeNull();
    expect((await watched.rig.run(["sync", "w"])).code).toBe(0);
    const next = await watched.watchingHere();
    expect(await watched.daemon()).toMatchObject({ pid: next.pid });
  });
});

describe("under systemd", () => {
  test("it says that it is ready, and that it ends, and the teller does not see the key", async () => {
    const calls = join(watched.rig.dir, "calls");
    const tool = join(watched.rig.dir, "systemd-notify");
    writeFileSync(tool, `#!/bin/sh\necho "$* key=$MDMIRROR_API_KEY" >> '${calls}'\n`);
    chmodSync(tool, 0o755);
    const env = {
      PATH: `${watched.rig.dir}:${process.env["PATH"]}`,
      NOTIFY_SOCKET: join(watched.rig.dir, "n"),
      MDMIRROR_API_KEY: watched.rig.key,
    };
    const watch = await watched.watching(["w"], env);
    watch.signal("SIGTERM");
    expect(await watch.ended).toBe(0);
    expect(readFileSync(calls, "utf8").trimEnd().split("\n")).toEqual([
      "READY=1 STATUS=keeps 1 folder in sync key=",
      "STOPPING=1 key=",
    ]);
  });
});

describe("I30", () => {
  test("neither the key nor a text is in the log, the socket's file, the events or any output", async () => {
    const watch = await watched.watchingHere(["w"], { MDMIRROR_LOG: "debug" });
    watched.rig.write("a.md", "# one\nsecret garden\n");
    await watch.until(isChange("a.md"));
    await watched.rig.run(["sync", "w", "--json"]);
    await watched.rig.run(["status", "w", "--json"]);
    watch.stop();
    await watch.ended;
    const logs = readdirSync(join(watched.own, "log")).map((name) =>
      readFileSync(join(watched.own, "log", name), "utf8"),
    );
    expect(logs.join("")).toContain('"event":"change"');
    expect(logs.join("")).toContain('"event":"remote.exchange"');
    for (const text of [...logs, ...watched.rig.printed]) {
      expect(text).not.toContain(watched.rig.key);
      expect(text).not.toContain("garden");
    }
    const kept = readdirSync(watched.own, { recursive: true, encoding: "utf8" }).filter((name) =>
      statSync(join(watched.own, name)).isFile(),
    );
    for (const name of kept.filter((one) => one !== "key"))
      expect(readFileSync(join(watched.own, name)).includes(watched.rig.key), name).toBe(false);
  });
});

describe("commands where a daemon runs", () => {
  test("sync right after a save borrows the folder, uploads the save, and the daemon continues after it", async () => {
    const watch = await watched.watchingHere();
    watched.rig.write("a.md", "# one\nmore\n");
    watched.rig.write("c.md", "# three\n");
    expect(await watched.rig.json(["sync", "w"])).toMatchObject({ exit: 0, state: "in-sync", attention: [] });
    expect(watched.rig.remote("a.md")!.content).toBe("# one\nmore\n");
    expect(watched.rig.remote("c.md")!.content).toBe("# three\n");
    await watch.until(({ kind }) => kind === "returned");
    const from = watch.events.length;
    watched.rig.write("a.md", "# one\nafter\n");
    await watch.until(isChange("a.md"), from);
    expect(watched.rig.remote("a.md")!.content).toBe("# one\nafter\n");
  });

  test("sync after a deletion sends it, without the delay of the daemon", async () => {
    await watched.watchingHere();
    watched.rig.write("gone.md", "# gone\n");
    expect((await watched.rig.run(["sync", "w"])).code).toBe(0);
    watched.rig.remove("gone.md");
    expect(await watched.rig.run(["sync", "w"])).toMatchObject({ code: 0, err: [] });
    expect(watched.rig.remote("gone.md")).toBe(null);
  });

  test("status --prometheus counts its requests by how they ended, also over the time when it was lent", async () => {
    const watch = await watched.watchingHere();
    const count = async (result: string) => {
      const { code, out } = await watched.rig.run(["status", "w", "--prometheus"]);
      const line = out.join("\n").match(`mdmirror_requests_total\\{mirror="w",result="${result}"\\} (\\d+)`);
      return [code, Number(line?.[1] ?? 0)] as const;
    };
    const [code, first] = await count("2xx");
    expect([code, first > 0, await count("5xx")]).toEqual([0, true, [0, 0]]);
    expect((await watched.rig.run(["sync", "w", "--pull-only"])).code).toBe(0);
    await watch.until(({ kind }) => kind === "returned", 0);
    watched.rig.write("a.md", "# one\nafter\n");
    expect((await watched.rig.run(["sync", "w"])).code).toBe(0);
    expect((await count("2xx"))[1]).toBeGreaterThan(first);
  });

  test("I21 sync --max-deletes beside a daemon: both stop at more deletions, and fewer are made once allowed", async () => {
    const watch = await watched.watchingHere();
    for (const name of ["d1", "d2", "d3"]) watched.rig.write(`${name}.md`, `# ${name}\n`);
    expect((await watched.rig.run(["sync", "w"])).code).toBe(0);
    for (const name of ["d1", "d2"]) watched.rig.remove(`${name}.md`);
    const stopped = await watched.rig.run(["sync", "w", "--max-deletes", "1"]);
    expect(stopped.code).toBe(4);
    const returned = await watch.until(({ kind }) => kind === "returned");
    const live = () => [watched.rig.remote("d1.md"), watched.rig.remote("d2.md")];
    expect(live()).not.toContain(null);
    // After its grace period the daemon plans the deletions with the limit of that sync, not with
    // its own.
    const judged = (event: WatchEvent) => event["state"] === "stopped" || isChange("d1.md")(event);
    watch.clock.speedUp(20);
    await watch.until(judged, watch.events.indexOf(returned));
    expect(live()).not.toContain(null);
    expect((await watched.rig.run(["approve", "w"])).out.join("\n")).toContain("would delete 2 documents on the");
    expect((await watched.rig.run(["sync", "w", "--max-deletes", "2"])).code).toBe(0);
    expect(watched.rig.remote("d1.md")).toBeNull();
    expect(watched.rig.remote("d2.md")).toBeNull();
    expect(watched.rig.remote("d3.md")?.content).toBe("# d3\n");
  });

  test("commands about many documents borrow the folder, and the daemon continues after each", async () => {
    const watch = await watched.watchingHere();
    const before = watch.events.length;
    watched.rig.write("a.md", "# two\n");
    await watch.until(isRun, before);
    for (const argv of [
      ["undo", "w", "--yes"],
      ["protect", "w/*.md"],
      ["unprotect", "w"],
    ]) {
      const from = watch.events.length;
      expect([argv, (await watched.rig.run(argv)).code]).toEqual([argv, 0]);
      await watch.until(({ kind }) => kind === "returned", from);
    }
    expect(watched.rig.remote("a.md")!.content).toBe("# one\n");
  });

  test("a daemon that is stopped while the folder is lent ends, and the borrower keeps the folder", async () => {
    const watch = await watched.watchingHere();
    const borrowed = await borrowFolder(watched.rig.root, "undo");
    if (borrowed === NO_DAEMON || borrowed.kind === "trouble") throw new Error("not lent");
    const lock = acquireLock(watched.own, { since: Date.now(), what: "undo" });
    watch.stop();
    expect(await watch.ended).toBe(0);
    expect(lock.kind).toBe("locked");
    if (lock.kind === "locked") lock.release();
  });

  test("I21 approve applies the changes that the daemon has stopped, and the daemon makes them", async () => {
    for (let n = 0; n < 12; n++) watched.rig.write(`n${n}.md`, `# n${n}\n`);
    expect((await watched.rig.run(["sync", "w"])).code).toBe(0);
    for (let n = 0; n < 12; n++) watched.rig.deleteRemotely(`n${n}.md`);
    const watch = await watched.watchingHere();
    await watch.until((event) => event.kind === "phase" && event["phase"] === "stopped");
    expect(await watched.rig.json(["approve", "w", "--yes"])).toMatchObject({ exit: 0, next: "daemon" });
    // mdmirror waits two seconds after a file changed, so the deletions can take several runs.
    const deleted = () =>
      watch.events.filter(isRun).map(({ counts }) => (counts as { deletedLocal: number }).deletedLocal);
    await watch.until(() => deleted().reduce((sum, count) => sum + count, 0) === 12);
    expect(watched.rig.exists("n3.md")).toBe(false);
  });

  test("pause delays edits, also over a restart, until resume", async () => {
    const watch = await watched.watchingHere();
    expect((await watched.rig.run(["pause", "w"])).out).toEqual(["paused; next: mdmirror resume"]);
    expect((await watched.rig.run(["pause", "w"])).out).toEqual(["the daemon was already paused"]);
    watch.stop();
    expect(await watch.ended).toBe(0);
    watched.rig.write("a.md", "# one\nwhile paused\n");
    const next = watched.startHere();
    await next.until((event) => event.kind === "opened");
    await expect.poll(async () => (await watched.daemon())?.paused).toBe(true);
    expect((await watched.rig.run(["status", "w"])).out.at(-1)).toContain("is paused; next: mdmirror resume");
    // `status --short` does not wait for a busy daemon.
    const short = async () => (await watched.rig.run(["status", "w", "--short"])).out;
    await expect.poll(short).toEqual(["in-sync paused"]);
    expect(watched.rig.remote("a.md")!.content).toBe("# one\n");
    expect((await watched.rig.run(["resume", "w"])).out).toEqual(["resumed"]);
    await next.until(isChange("a.md"));
    expect(watched.rig.remote("a.md")!.content).toBe("# one\nwhile paused\n");
  });

  test("pause --for ends by itself, also after a restart in between", async () => {
    const watch = await watched.watchingHere();
    expect((await watched.rig.run(["pause", "w", "--for", "soon"])).code).toBe(2);
    expect((await watched.rig.run(["pause", "w", "--for", "1h"])).out).toEqual([
      "paused for 1 h; next: mdmirror resume",
    ]);
    expect((await watched.rig.run(["pause", "w"])).out).toEqual(["paused; next: mdmirror resume"]);
    expect((await watched.rig.run(["pause", "w", "--for", "1h"])).code).toBe(0);
    watch.stop();
    expect(await watch.ended).toBe(0);
    const next = watched.startHere();
    await next.until((event) => event.kind === "opened");
    watched.rig.write("a.md", "# one\nwhile paused\n");
    await expect.poll(async () => (await watched.daemon())?.paused).toBe(true);
    expect(watched.rig.remote("a.md")!.content).toBe("# one\n");
    next.clock.speedUp(100_000);
    await next.until(isChange("a.md"));
    expect(watched.rig.remote("a.md")!.content).toBe("# one\nwhile paused\n");
    expect((await watched.daemon())?.paused).toBe(false);
  });
});

const EXCHANGE = /^(GET|PUT|POST|PATCH|DELETE) \/v1\/\S* \d{3} (\w+ )?\(\d+ ms\)/;

test("I30 -v prints each request with its answer, and neither content, names nor the key", async () => {
  const { rig } = watched;
  rig.write("secret-name.md", "secret content\n");
  const { code, out, err } = await rig.run(["sync", "w", "-v"]);
  expect([code, out.length, err.every((line) => EXCHANGE.test(line))]).toEqual([0, 1, true]);
  expect(err.some((line) => line.startsWith("POST /v1/files 201 "))).toBe(true);
  const printed = err.join("\n");
  for (const hidden of ["secret", rig.key]) expect(printed).not.toContain(hidden);
  expect(printed).not.toContain("req_");
  const long = await rig.run(["plan", "w", "-vv"]);
  expect(long.err.length).toBeGreaterThan(0);
  expect(long.err.every((line) => line.includes("req_"))).toBe(true);
  expect((await rig.run(["sync", "w"])).err).toEqual([]);
});

test("-v shows the requests of the sync itself, also if a daemon runs", async () => {
  await watched.watchingHere();
  const { code, err } = await watched.rig.run(["sync", "w", "-v"]);
  expect([code, err.length > 0]).toEqual([0, true]);
});
