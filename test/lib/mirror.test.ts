import { describe, expect, it, onTestFinished, vi } from "vitest";
import { linkMirror, MdmirrorError, openMirror } from "../../src/lib/index.ts";
import { chownSync, cpSync, existsSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeEnvironment, makeMirror, MirrorSession } from "../../src/lib/mirror.ts";
import { startServer } from "../../src/lib/server.ts";
import type { WatchEvent } from "../../src/lib/types.ts";
import { LiveClock } from "../clocks.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { createClient } from "../../src/lib/client.ts";

/**
 * Opens a service and a linked folder in this process, with a separate home folder.
 * @param times how much faster than the system's clock the library's clock runs
 */
async function makeLibRig(times = 1) {
  const dir = temporaryFolder();
  const service = await startServer({ data: join(dir, "service") });
  const env = { HOME: dir, XDG_STATE_HOME: join(dir, "state"), XDG_RUNTIME_DIR: dir };
  const root = join(dir, "notes");
  const linked = await linkMirror(root, { url: service.url, key: service.key, env });
  const clock = new LiveClock();
  clock.speedUp(times);
  const mirror =
    times === 1 ? linked : makeMirror(new MirrorSession(realpathSync(root), { ...makeEnvironment({ env }), clock }));
  onTestFinished(async () => {
    await mirror.close();
    await linked.close();
    await service.stop();
  });
  return {
    service,
    mirror,
    root,
    dir,
    options: { env },
    read: (path: string) => readFileSync(join(root, path), "utf8"),
    write: (path: string, text: string) => writeFileSync(join(root, path), text),
  };
}

/** Returns the error of a call, which must be one of the library's. */
async function errorOf(call: Promise<unknown>): Promise<MdmirrorError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MdmirrorError);
  return error as MdmirrorError;
}

describe("a folder opened by the library", () => {
  it("syncs, and returns what sync --json prints", async () => {
    const { mirror, write } = await makeLibRig();
    write("a.md", "one\n");
    expect((await mirror.status()).state).toBe("never");
    expect((await mirror.plan()).steps).toMatchObject([{ kind: "create-remote", side: "remote", path: "a.md" }]);
    expect(await mirror.sync()).toMatchObject({
      state: "in-sync",
      run: 1,
      counts: { createdRemote: 1 },
      attention: [],
    });
    expect(await mirror.status()).toMatchObject({ state: "in-sync", documents: 1, conflicts: [], attention: [] });
    expect(await mirror.verify()).toMatchObject({ agree: true, documents: [{ path: "a.md", size: 4 }] });
  });

  it("stops a sync by its signal, says how much is left, and continues with the next", async () => {
    const { mirror, write, service } = await makeLibRig();
    for (const name of ["a", "b", "c"]) write(`${name}.md`, `${name}\n`);
    const stopped = await mirror.sync({ signal: AbortSignal.abort() });
    expect([stopped.state, stopped.counts.createdRemote]).toEqual(["attention", 0]);
    expect(stopped.attention).toMatchObject([{ kind: "unfinished", path: "", detail: expect.stringContaining("3") }]);
    expect(await mirror.sync({ signal: new AbortController().signal })).toMatchObject({
      state: "in-sync",
      counts: { createdRemote: 3 },
    });
    const client = createClient({ url: service.url, key: service.key });
    onTestFinished(() => client.close());
    expect((await client.listFiles()).items).toHaveLength(3);
  });

  it("answers a stop only for what its caller saw", async () => {
    // The safety check scans a second time, two seconds later.
    const { mirror, root, write, read } = await makeLibRig(50);
    const names = Array.from({ length: 24 }, (_, at) => `${at}.md`);
    for (const name of names) write(name, `# ${name}\n`);
    await mirror.sync();
    for (const name of names.slice(0, 12)) rmSync(join(root, name));
    expect((await mirror.sync()).state).toBe("stopped");
    const plan = await mirror.plan();
    const expectedOf = ({ safetyStop }: typeof plan) => ({ expected: { stop: safetyStop!.version! } });
    expect(await mirror.approve({ dryRun: true })).toMatchObject({ items: Array(12).fill({ end: "planned" }) });
    expect(await errorOf(mirror.approve({}))).toMatchObject({ kind: "usage", code: "usage" });
    rmSync(join(root, names[12]!));
    expect(await errorOf(mirror.approve(expectedOf(plan)))).toMatchObject({ kind: "usage", code: "stale" });
    const seen = expectedOf(await mirror.plan());
    const done = { items: Array(13).fill({ end: "done" }), next: "sync", sync: null };
    expect(await mirror.approve(seen)).toMatchObject(done);
    const stale = mirror.reject({ expected: { stop: "0".repeat(64) } });
    expect(await errorOf(stale)).toMatchObject({ kind: "usage", code: "stale" });
    expect((await mirror.status()).safetyStop?.approved).toBe(true);
    expect(await mirror.reject({ dryRun: true })).toMatchObject({ items: Array(13).fill({ end: "planned" }) });
    expect((await mirror.status()).safetyStop?.approved).toBe(true);
    expect(await mirror.reject(seen)).toMatchObject(done);
    expect([(await mirror.sync()).state, read(names[0]!)]).toEqual(["in-sync", "# 0.md\n"]);
  });

  it("is asked by its own watch for a sync, and both end with it", async () => {
    const { mirror, write } = await makeLibRig();
    const watch = mirror.watch();
    const seen: WatchEvent[] = [];
    const until = async (is: (event: WatchEvent) => boolean) => {
      for (;;) {
        const { value } = await watch.next();
        if (value === undefined) throw new Error("the watch ended");
        seen.push(value);
        if (is(value)) return;
      }
    };
    await until(({ kind }) => kind === "opened");
    write("a.md", "one\n");
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
    await until((event) => event.kind === "change" && event.path === "a.md");
    expect(seen.at(-1)).toMatchObject({ what: "create-remote", outcome: "done", added: 1 });
    // A second watch of the same folder fails, and the first one continues.
    expect(await errorOf(mirror.watch().next())).toMatchObject({ kind: "locked" });
    await mirror
      .restore({ paths: ["a.md"], n: 1 })
      .catch((error: unknown) => expect(error).toBeInstanceOf(MdmirrorError));
    await mirror.close();
    for (;;) if ((await watch.next()).done === true) break;
    expect(await errorOf(mirror.sync())).toMatchObject({ kind: "closed", code: "closed" });
  });
});

describe("what the library refuses, and how", () => {
  it("says code, path and what to do", async () => {
    const { dir, service, options } = await makeLibRig();
    const none = join(dir, "none");
    expect(await errorOf(openMirror(none, options))).toMatchObject({ code: "not-a-mirror", path: none });
    const again = linkMirror(join(dir, "notes"), { url: service.url, key: service.key, ...options });
    expect(await errorOf(again)).toMatchObject({ code: "linked-already", next: expect.stringContaining("openMirror") });
    const bad = { url: service.url, key: "mdm_wrong", ...options };
    const refused = await errorOf(linkMirror(join(dir, "other"), bad));
    expect([refused.kind, refused.code]).toEqual(["offline", "unauthenticated"]);
    expect(JSON.stringify(refused) + refused.message + refused.stack).not.toContain("mdm_wrong");
  });

  it("sends nothing of a folder that came from elsewhere, with any configuration", async () => {
    const { dir, root, service, options, mirror, write } = await makeLibRig();
    write("a.md", "one\n");
    await mirror.sync();
    const stolen = join(dir, "stolen");
    cpSync(root, stolen, { recursive: true });
    const stranger = { env: { ...options.env, XDG_STATE_HOME: join(dir, "stranger"), MDMIRROR_API_KEY: service.key } };
    const opened = await openMirror(stolen, stranger);
    for (const call of [() => opened.sync(), () => opened.plan(), () => opened.verify(), () => opened.status()])
      expect(await errorOf(call())).toMatchObject({ kind: "usage", code: "untrusted" });
    await opened.close();
  });

  it("reports an unreachable service in the result of sync", async () => {
    const { mirror, service } = await makeLibRig(50);
    await service.stop();
    const { state, attention } = await mirror.sync();
    expect([state, attention]).toMatchObject(["offline", [{ kind: "offline", next: "mdmirror doctor" }]]);
  });
});

describe("a guest in another's process", () => {
  it.skipIf(process.geteuid?.() !== 0)("works on nobody else's folder (needs root)", async () => {
    const { root, options } = await makeLibRig();
    const another = 65_534;
    for (const path of [root, join(root, ".mdmirror")]) chownSync(path, another, another);
    const bySudo = { env: { ...options.env, SUDO_UID: `${another}`, SUDO_GID: `${another}` } };
    const link = `${root}-link`;
    symlinkSync(root, link);
    for (const folder of [root, link])
      expect(await errorOf(openMirror(folder, options))).toMatchObject({ kind: "usage", code: "foreign-owner" });
    const refused = await errorOf(openMirror(root, bySudo));
    expect(refused).toMatchObject({ code: "foreign-owner", message: expect.stringContaining("who called sudo") });
    expect(process.geteuid?.()).toBe(0);
  });

  it("prints nothing, handles no signal and leaves the exit code alone", async () => {
    const written = vi.spyOn(process.stdout, "write");
    const complained = vi.spyOn(process.stderr, "write");
    const signals = ["SIGINT", "SIGTERM", "SIGHUP", "uncaughtException"] as const;
    const listeners = () => signals.map((signal) => process.listenerCount(signal));
    const before = [listeners(), process.exitCode];
    try {
      const { mirror, write } = await makeLibRig();
      write("a.md", "one\n");
      for await (const event of mirror.watch()) if (event.kind === "run") break;
      await mirror.sync();
      expect([listeners(), process.exitCode]).toEqual(before);
      expect([written.mock.calls, complained.mock.calls]).toEqual([[], []]);
    } finally {
      written.mockRestore();
      complained.mockRestore();
    }
  });
});

describe("the service in process", () => {
  it("keeps a given folder, and removes a folder that it made itself", async () => {
    const { dir } = await makeLibRig();
    const own = await startServer();
    expect(readFileSync(join(own.data, "key"), "utf8").trim()).toBe(own.key);
    expect(own.adminKey).not.toBe(own.key);
    const taken = await errorOf(startServer({ data: join(dir, "x"), port: Number(new URL(own.url).port) }));
    expect(taken).toMatchObject({ kind: "usage", code: "EADDRINUSE" });
    await own.stop();
    expect(() => readFileSync(join(own.data, "key"))).toThrow(expect.objectContaining({ code: "ENOENT" }));
  });
});

/** Arguments of a program without type checks. */

it("no document is named by anything but a path", async () => {
  const { mirror, write, read } = await makeLibRig();
  for (const text of ["one\n", "two\n"]) {
    write("a.md", text);
    await mirror.sync();
  }
  for (const path of [undefined, null, "", 5, {}, []] as unknown as string[])
    for (const call of [
      mirror.restore({ paths: [path], n: 1 }),
      mirror.restore({ paths: [path] }),
      mirror.show({ path }),
      mirror.history({ path }),
      mirror.diff({ path, n: 1 }),
      mirror.resolve({ paths: [path], way: "mine" }),
    ])
      expect([path, await errorOf(call)]).toMatchObject([path, { kind: "usage", code: "usage" }]);
  expect(read("a.md")).toBe("two\n");
});

const odd = (value: unknown) => value as never;

it("what else is not what it must be is named, and changes nothing", async () => {
  const { mirror, write, read } = await makeLibRig();
  write("a.md", "one\n");
  await mirror.sync();
  for (const call of [
    mirror.restore({ paths: ["a.md"], n: 0 }),
    mirror.show({ path: "a.md", n: odd("1") }),
    mirror.restore({ paths: odd("a.md") }),
    mirror.restore({ paths: ["a.md"], asOf: odd(new Date("no date")) }),
    mirror.restore(odd({ paths: ["a.md"], version: 1 })),
    mirror.restore(odd(undefined)),
    mirror.resolve(odd({ paths: ["a.md"] })),
    mirror.resolve({ paths: ["a.md"], way: odd("both") }),
    mirror.resolve(odd("mine")),
  ])
    expect(await errorOf(call)).toMatchObject({ kind: "usage", message: expect.stringMatching(/ is not /) });
  expect(read("a.md")).toBe("one\n");
});

it("an unknown direction is refused: nothing is sent, and no folder is linked", async () => {
  const { mirror, service, dir, options, write } = await makeLibRig();
  write("a.md", "not sent\n");
  const target = { url: service.url, key: service.key, ...options };
  for (const call of [
    mirror.sync({ direction: odd("pull-only") }),
    linkMirror(join(dir, "other"), { ...target, direction: odd("pull-only") }),
  ])
    expect(await errorOf(call)).toMatchObject({ kind: "usage", code: "usage" });
  expect((await mirror.plan()).steps).toMatchObject([{ path: "a.md" }]);
  expect(existsSync(join(dir, "other"))).toBe(false);
});

it("an empty list of folders links nothing, and a list of one keeps the folder's path", async () => {
  const { service, dir, options } = await makeLibRig();
  const link = (name: string, remote: readonly string[]) =>
    linkMirror(join(dir, name), { url: service.url, key: service.key, remote, ...options });
  expect(await errorOf(link("none", []))).toMatchObject({ kind: "usage", code: "usage" });
  expect(existsSync(join(dir, "none"))).toBe(false);
  const mirror = await link("one", ["guides"]);
  onTestFinished(() => mirror.close());
  expect((await mirror.status()).remote).toEqual(["guides"]);
});
