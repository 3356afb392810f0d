import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { borrowFolder, NO_DAEMON } from "../../src/app/control/ask.ts";
import { findPlace } from "../../src/app/control/place.ts";
import { acquireLock } from "../../src/state/lock.ts";
import { openRig, type Rig } from "./rig.ts";
import { startWatch, type WatchEvent, type WatchProcess } from "./watcher.ts";

let rig: Rig;
let running: WatchProcess[] = [];

beforeEach(async () => {
  rig = await openRig();
  rig.write("a.md", "# one\n");
  expect((await rig.init()).code).toBe(0);
});
afterEach(async () => {
  for (const watch of running) watch.signal("SIGKILL");
  for (const watch of running) await watch.ended;
  running = [];
  await rig.close();
});

/** Ready: its first look is over, so what changes from now on is seen. */
async function watching(
  dirs: readonly string[] = ["w"],
  env: Readonly<Record<string, string>> = {},
): Promise<WatchProcess> {
  const watch = startWatch(rig, dirs, env);
  running.push(watch);
  await watch.until(isRun);
  return watch;
}

const isRun = (event: WatchEvent) => event.kind === "run";
const isChange = (path: string) => (event: WatchEvent) => event.kind === "change" && event["path"] === path;
const folder = () => join(rig.root, ".mdmirror");
const daemonOf = async () =>
  (
    JSON.parse((await rig.run(["status", "w", "--json"])).out[0]!) as {
      daemon: { pid: number; phase: string; paused: boolean } | null;
    }
  ).daemon;

describe("watch", () => {
  test("I09 I30 an edit here is an event with what, side, id, change id and lines, and never a text", async () => {
    const watch = await watching();
    const id = rig.remote("a.md")!.id;
    rig.write("a.md", "# one\nsecret garden\n");
    const event = await watch.until(isChange("a.md"));
    const live = rig.remote("a.md")!;
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

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "%s ends it with 0; lock, socket and its file are gone",
    async (signal) => {
      const watch = await watching();
      const { socket } = findPlace(folder())!;
      expect(statSync(socket).mode & 0o777).toBe(0o600);
      watch.signal(signal);
      expect(await watch.ended).toBe(0);
      expect(existsSync(socket)).toBe(false);
      expect(readdirSync(folder()).filter((name) => /daemon|lock.json|wal|shm/.test(name))).toEqual([]);
      expect((await rig.run(["sync", "w"])).code).toBe(0);
    },
  );

  test("a second one on the same folder is refused with 6", async () => {
    const watch = await watching();
    const second = startWatch(rig, ["w"]);
    expect(await second.ended).toBe(6);
    expect(second.err()).toContain(`process ${watch.pid}`);
    expect(await daemonOf()).toMatchObject({ pid: watch.pid });
  });

  test("while a command has the folder it is refused with 6, naming the command", async () => {
    const lock = acquireLock(folder(), { since: Date.now(), what: "sync" });
    const watch = startWatch(rig, ["w"]);
    expect(await watch.ended).toBe(6);
    expect(watch.err()).toContain("mdmirror sync");
    if (lock.kind === "locked") lock.release();
  });

  test("a configuration fault ends it with 2, so that a service manager does not start it again", async () => {
    writeFileSync(join(folder(), "config.json"), "{}");
    const watch = startWatch(rig, ["w"]);
    expect(await watch.ended).toBe(2);
    expect(watch.err()).toContain('"url"');
  });

  test("one process keeps several folders, and all or none", async () => {
    mkdirSync(join(rig.dir, "v"));
    expect((await rig.run(["init", "v", "--url", rig.url, "--key-file", rig.keyFile, "--yes"])).code).toBe(0);
    expect(await startWatch(rig, ["w", "nowhere"]).ended).toBe(2);
    const watch = await watching(["w", "v"]);
    await watch.until((event) => isRun(event) && event.root === join(rig.dir, "v"));
    await watch.until((event) => isRun(event) && event.root === rig.root);
    rig.write("b.md", "# two\n");
    await watch.until((event) => isChange("b.md")(event) && event.root === rig.root);
    const other = await rig.run(["sync", "v"]);
    expect(other.code).toBe(0);
    expect(readFileSync(join(rig.dir, "v", "b.md"), "utf8")).toBe("# two\n");
    expect((await rig.run(["status", "v"])).out.at(-1)).toContain(`process ${watch.pid}`);
  });

  test("I13 killed, it leaves a socket that is nobody's: sync works alone, and the next one takes its place", async () => {
    const watch = await watching();
    watch.signal("SIGKILL");
    expect(await watch.ended).toBe("SIGKILL");
    expect(existsSync(join(folder(), "daemon.json"))).toBe(true);
    expect(await daemonOf()).toBeNull();
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    const next = await watching();
    expect(await daemonOf()).toMatchObject({ pid: next.pid });
  });
});

describe("commands where a daemon runs", () => {
  test("sync right after a save sends it, by the daemon, with its report", async () => {
    const watch = await watching();
    rig.write("a.md", "# one\nmore\n");
    rig.write("c.md", "# three\n");
    const { code, out } = await rig.run(["sync", "w", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out.at(-1)!)).toMatchObject({
      state: "in-sync",
      counts: { uploaded: 1, createdRemote: 1 },
      attention: [],
    });
    expect(rig.remote("c.md")!.content).toBe("# three\n");
    expect(watch.events.some(({ kind }) => kind === "lent")).toBe(false);
  });

  test("a sync with options of its own borrows the folder, and the daemon goes on after it", async () => {
    const watch = await watching();
    expect((await rig.run(["sync", "w", "--pull-only"])).code).toBe(0);
    const kinds = watch.events.map(({ kind }) => kind);
    await watch.until(({ kind }) => kind === "returned");
    expect(kinds).toContain("lent");
    const from = watch.events.length;
    rig.write("a.md", "# one\nafter\n");
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    await watch.until(isChange("a.md"), from);
    expect(rig.remote("a.md")!.content).toBe("# one\nafter\n");
  });

  test("I21 sync --max-deletes beside a daemon: more are held by both, fewer go once they are allowed", async () => {
    const watch = await watching();
    for (const name of ["d1", "d2", "d3"]) rig.write(`${name}.md`, `# ${name}\n`);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    for (const name of ["d1", "d2"]) unlinkSync(join(rig.root, `${name}.md`));
    const halted = await rig.run(["sync", "w", "--max-deletes", "1"]);
    expect([halted.code, halted.err.join("\n")]).toEqual([
      4,
      expect.stringContaining("2 documents to be deleted on the service"),
    ]);
    await watch.until(({ kind }) => kind === "returned");
    expect([rig.remote("d1.md"), rig.remote("d2.md")]).not.toContain(null);
    expect((await rig.run(["sync", "w", "--max-deletes", "2"])).code).toBe(0);
    expect([rig.remote("d1.md"), rig.remote("d2.md"), rig.remote("d3.md")?.content]).toEqual([null, null, "# d3\n"]);
  });

  test("a borrower that dies gives the folder back", async () => {
    const watch = await watching();
    const borrowed = await borrowFolder(rig.root, "undo");
    if (borrowed === NO_DAEMON || borrowed.kind === "trouble") throw new Error("not lent");
    expect(await daemonOf()).toMatchObject({ phase: "lent" });
    const lock = acquireLock(folder(), { since: Date.now(), what: "undo" });
    expect(lock.kind).toBe("locked");
    if (lock.kind === "locked") lock.release();
    borrowed.value.giveBack();
    await watch.until(({ kind }) => kind === "returned");
    expect((await rig.run(["sync", "w"])).code).toBe(0);
  });

  test("an edit that a whole look saw before it had settled goes out all the same", async () => {
    const watch = await watching();
    const borrowed = await borrowFolder(rig.root, "resolve");
    if (borrowed === NO_DAEMON || borrowed.kind === "trouble") throw new Error("not lent");
    rig.write("a.md", "# one\nby resolve\n");
    borrowed.value.giveBack();
    await watch.until(isChange("a.md"));
    expect(rig.remote("a.md")!.content).toBe("# one\nby resolve\n");
  });

  test("told to end while the folder is lent, it ends, and the borrower keeps the folder", async () => {
    const watch = await watching();
    const borrowed = await borrowFolder(rig.root, "undo");
    if (borrowed === NO_DAEMON || borrowed.kind === "trouble") throw new Error("not lent");
    const lock = acquireLock(folder(), { since: Date.now(), what: "undo" });
    watch.signal("SIGTERM");
    expect(await watch.ended).toBe(0);
    expect(lock.kind).toBe("locked");
    if (lock.kind === "locked") lock.release();
  });

  test("I21 approve lets go what the daemon has halted, and the daemon does it", async () => {
    for (let n = 0; n < 12; n++) rig.write(`n${n}.md`, `# n${n}\n`);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    for (let n = 0; n < 12; n++) rig.api("DELETE", `/v1/files/${rig.remote(`n${n}.md`)!.id}`);
    const watch = await watching();
    await watch.until((event) => event.kind === "phase" && event["phase"] === "halted");
    const approved = await rig.run(["approve", "w", "--yes"]);
    expect([approved.code, approved.out.at(-1)]).toEqual([0, "approved; the daemon goes on with it"]);
    await watch.until((event) => isRun(event) && (event["counts"] as { deletedLocal: number }).deletedLocal === 12);
    expect(existsSync(join(rig.root, "n3.md"))).toBe(false);
  });

  test("pause holds edits back, also over a restart, until resume", async () => {
    const watch = await watching();
    expect((await rig.run(["pause", "w"])).out).toEqual(["paused; next: mdmirror resume"]);
    expect((await rig.run(["pause", "w"])).out).toEqual(["it was paused already"]);
    watch.signal("SIGTERM");
    expect(await watch.ended).toBe(0);
    rig.write("a.md", "# one\nwhile paused\n");
    const next = startWatch(rig, ["w"]);
    running.push(next);
    await next.until((event) => event.kind === "opened");
    await expect.poll(async () => (await daemonOf())?.paused).toBe(true);
    expect((await rig.run(["status", "w"])).out.at(-1)).toContain("is paused; next: mdmirror resume");
    expect(rig.remote("a.md")!.content).toBe("# one\n");
    expect((await rig.run(["resume", "w"])).out).toEqual(["goes on"]);
    await next.until(isChange("a.md"));
    expect(rig.remote("a.md")!.content).toBe("# one\nwhile paused\n");
  });

  test("without one, pause says how to start one", async () => {
    expect(await rig.run(["pause", "w"])).toMatchObject({
      code: 2,
      err: [`mdmirror: no daemon keeps ${rig.root}`, expect.stringContaining("mdmirror watch")],
    });
  });

  test("one that hangs is told after its deadline, with the process and what to do", async () => {
    const watch = await watching();
    watch.signal("SIGSTOP");
    const { code, err } = await rig.run(["status", "w"]);
    expect(code).toBe(1);
    expect(err.join("\n")).toMatch(
      new RegExp(`process ${watch.pid}.*has not answered "status" for 3 s[\\s\\S]*kill ${watch.pid}`),
    );
    watch.signal("SIGCONT");
    expect((await rig.run(["status", "w"])).code).toBe(0);
  });

  test("status --max-age counts from the daemon's last look, and fails when that is older", async () => {
    await watching();
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    const { code, out } = await rig.run(["status", "w", "--json", "--max-age", "15m"]);
    const { syncedAt, daemon } = JSON.parse(out[0]!) as { syncedAt: number; daemon: { inSyncAsOf: number } };
    expect(code).toBe(0);
    expect(syncedAt).toBeGreaterThanOrEqual(daemon.inSyncAsOf);
    rig.pass(3_600_000);
    expect((await rig.run(["status", "w", "--max-age", "15m"])).code).toBe(3);
  });

  test.each([
    ["the folder is away", ""],
    ["its marker is away", ".mdmirror/marker"],
  ])("I04 while %s it halts and deletes nothing, and goes on when it is back", async (_name, path) => {
    const watch = await watching();
    const place = join(rig.root, path);
    const away = join(rig.dir, "away");
    renameSync(place, away);
    await watch.until((event) => event.kind === "phase" && event["phase"] === "halted");
    expect(rig.remote("a.md")!.content).toBe("# one\n");
    renameSync(away, place);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(readFileSync(join(rig.root, "a.md"), "utf8")).toBe("# one\n");
  });
});

describe("under systemd", () => {
  test("it says that it is ready, and that it ends, and the teller does not see the key", async () => {
    const calls = join(rig.dir, "calls");
    const tool = join(rig.dir, "systemd-notify");
    writeFileSync(tool, `#!/bin/sh\necho "$* key=$MDMIRROR_API_KEY" >> '${calls}'\n`);
    chmodSync(tool, 0o755);
    const env = {
      PATH: `${rig.dir}:${process.env["PATH"]}`,
      NOTIFY_SOCKET: join(rig.dir, "n"),
      MDMIRROR_API_KEY: rig.key,
    };
    const watch = await watching(["w"], env);
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
    const watch = await watching(["w"], { MDMIRROR_LOG: "debug" });
    rig.write("a.md", "# one\nsecret garden\n");
    await watch.until(isChange("a.md"));
    await rig.run(["sync", "w", "--json"]);
    await rig.run(["status", "w", "--json"]);
    watch.signal("SIGTERM");
    await watch.ended;
    const logs = readdirSync(join(folder(), "log")).map((name) => readFileSync(join(folder(), "log", name), "utf8"));
    expect(logs.join("")).toContain('"event":"change"');
    expect(logs.join("")).toContain('"event":"remote.exchange"');
    for (const text of [...logs, ...rig.printed]) {
      expect(text).not.toContain(rig.key);
      expect(text).not.toContain("garden");
    }
    const kept = readdirSync(folder(), { recursive: true, encoding: "utf8" }).filter((name) =>
      statSync(join(folder(), name)).isFile(),
    );
    for (const name of kept.filter((one) => one !== "key"))
      expect(readFileSync(join(folder(), name)).includes(rig.key), name).toBe(false);
  });
});
