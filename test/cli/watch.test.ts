import { chmodSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readSocketPath } from "../../src/mirror/daemon/control/socket-path.ts";
import { isChange, useWatchedFolder } from "./watched-folder.ts";

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
