import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { useRig } from "./rig.ts";
import { snapshot } from "../temporary-folder.ts";
import { acquireLock } from "../../src/mirror/state/lock.ts";
import { formatAttention } from "../../src/cli/show-attention.ts";
import type { BlockReason } from "../../src/mirror/model/block.ts";
import { noteTrouble } from "../../src/mirror/folder/transient-trouble.ts";
import { startHttp } from "../../src/service/http/server.ts";

const rig = useRig();

describe("sync", () => {
  test("syncs an edit, a new file, a rename and a deletion in each direction, and ends with 0", async () => {
    for (const name of ["edited", "renamed", "deleted"]) rig.createRemotely(`there/${name}.md`, `${name} there\n`);
    for (const name of ["edited", "renamed", "deleted"]) rig.createRemotely(`here/${name}.md`, `${name} here\n`);
    expect((await rig.init()).code).toBe(0);
    const before = rig.remote("here/renamed.md")!;

    rig.write("here/edited.md", "edited locally, again\n");
    rig.write("here/new.md", "created locally\n");
    rig.write("here/after.md", rig.read("here/renamed.md"));
    rig.remove("here/renamed.md");
    rig.remove("here/deleted.md");
    rig.editRemotely("there/edited.md", "edited there, again\n");
    rig.createRemotely("there/new.md", "new there\n");
    rig.api("PATCH", `/v1/files/${rig.remote("there/renamed.md")!.id}`, { name: "after.md" });
    rig.deleteRemotely("there/deleted.md");

    expect(await rig.json(["sync", "w"])).toMatchObject({
      exit: 0,
      counts: {
        uploaded: 1,
        downloaded: 1,
        createdRemote: 1,
        createdLocal: 1,
        movedRemote: 1,
        movedLocal: 1,
        deletedRemote: 1,
        deletedLocal: 1,
      },
    });
    expect(rig.remote("here/edited.md")!.content).toBe("edited locally, again\n");
    expect(rig.remote("here/new.md")!.content).toBe("created locally\n");
    expect(rig.remote("here/after.md")!.id).toBe(before.id);
    expect(rig.remote("here/deleted.md")).toBe(null);
    expect(rig.read("there/edited.md")).toBe("edited there, again\n");
    expect(rig.read("there/new.md")).toBe("new there\n");
    expect(rig.read("there/after.md")).toBe("renamed there\n");
    expect(rig.exists("there/deleted.md")).toBe(false);
  });

  test("if no approval can end a stop, says what can, and that works", async () => {
    for (const n of [1, 2, 3]) rig.createRemotely(`${n}.md`, `${n}\n`);
    await rig.init();
    rig.remove(".mdmirror/marker");
    const { code, err } = await rig.run(["sync", "w"]);
    expect(code).toBe(4);
    expect(err.join("\n")).toContain("root-replaced");
    expect(err.join("\n")).not.toContain("approve");
    expect(err.at(-1)).toMatch(/next: .*\.mdmirror\//);
    renameSync(rig.path(".mdmirror"), join(rig.dir, "away"));
    expect((await rig.init()).code).toBe(0);
    expect(rig.remote("2.md")!.content).toBe("2\n");
  });

  test("prints one line when there is nothing to do, and none with --quiet", async () => {
    await rig.init();
    expect(await rig.syncCounts()).toEqual({});
    expect(await rig.run(["sync", "w", "--quiet"])).toEqual({ code: 0, out: [], err: [], asked: [] });
  });

  test("--json ends with one object of the documented members alone", async () => {
    await rig.init();
    rig.write("a.md", "a\n");
    rig.write("nul.md", "a\0b");
    const { code, out, err } = await rig.run(["sync", "w", "--json"]);
    expect([code, out.length, err]).toEqual([3, 1, []]);
    const report = JSON.parse(out[0]!);
    expect(Object.keys(report)).toEqual(["state", "run", "counts", "attention"]);
    expect(Object.keys(report.counts).toSorted()).toEqual(
      "uploaded downloaded createdRemote createdLocal movedRemote movedLocal deletedRemote deletedLocal merged submitted respelled conflicts blocked"
        .split(" ")
        .toSorted(),
    );
    expect(report.state).toBe("attention");
    expect(report.counts).toMatchObject({ createdRemote: 1, blocked: 1 });
    expect(report.attention).toEqual([
      { path: "nul.md", kind: "contains-nul", code: null, detail: expect.any(String), next: expect.any(String) },
    ]);
  });

  test("--pull-only sends nothing, --push-only brings nothing", async () => {
    await rig.init();
    rig.write("here.md", "here\n");
    rig.createRemotely("there.md", "there\n");
    await rig.run(["sync", "w", "--pull-only"]);
    expect([rig.remote("here.md"), rig.read("there.md")]).toEqual([null, "there\n"]);
    rig.createRemotely("there-2.md", "there\n");
    await rig.run(["sync", "w", "--push-only"]);
    expect([rig.remote("here.md")?.content, rig.exists("there-2.md")]).toEqual(["here\n", false]);
  });
});

describe("I23 plan, sync --dry-run and status write nothing", () => {
  test.each([
    ["plan", "w"],
    ["plan", "w", "--json"],
    ["sync", "w", "--dry-run"],
    ["status", "w"],
    ["fix-names", "w", "--dry-run"],
  ])("mdmirror %s %s %s", async (...argv) => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    rig.write("a.md", "edited locally\n");
    rig.write("My notes.md", "created locally\n");
    rig.createRemotely("new-there.md", "new there\n");
    const here = snapshot(rig.root);
    const there = JSON.stringify([rig.api("GET", "/v1/files"), rig.api("GET", "/v1/folders")]);
    const { code, err } = await rig.run(argv.filter((arg) => arg !== undefined));
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(snapshot(rig.root)).toEqual(here);
    expect(JSON.stringify([rig.api("GET", "/v1/files"), rig.api("GET", "/v1/folders")])).toBe(there);
  });

  test("plan --json has steps by side, blocked documents and the verdict", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    rig.write("a.md", "edited locally\n");
    rig.write("nul.md", "\0");
    rig.write("picture.png", "");
    rig.createRemotely("new-there.md", "new there\n");
    const json = JSON.parse((await rig.run(["plan", "w", "--json"])).out[0]!);
    expect(
      json.steps.map((step: { kind: string; side: string; path: string }) => [step.kind, step.side, step.path]),
    ).toEqual(
      expect.arrayContaining([
        ["put", "remote", "a.md"],
        ["create-local", "local", "new-there.md"],
      ]),
    );
    expect(json.blocked).toEqual([expect.objectContaining({ path: "nul.md", reason: "contains-nul" })]);
    expect(json.verdict).toEqual({ kind: "run" });
  });
});

describe("how a sync that cannot go on ends", () => {
  test("5 when the service does not answer, with what to do", async () => {
    await rig.init();
    await rig.stopService();
    expect(await rig.json(["sync", "w"])).toMatchObject({
      exit: 5,
      state: "offline",
      attention: [{ path: "", kind: "offline", code: "unreachable", next: "mdmirror doctor" }],
    });
  });

  test("5 when the key is refused, and no local file is touched (I19)", async () => {
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    const [key] = rig.service.admin.keys();
    rig.service.admin.removeKey(key!.id);
    const { code, err } = await rig.run(["sync", "w"]);
    expect(code).toBe(5);
    expect(err[0]).toMatch(/\(unauthenticated, request req_/);
    expect(err[1]).toContain("mdmirror init DIR --key-file FILE");
    expect(rig.read("a.md")).toBe("a\n");
    expect(await rig.json(["status", "w"])).toMatchObject({ exit: 5, attention: [{ code: "unauthenticated" }] });
  });

  test("6 when another process uses the folder, with its name", async () => {
    await rig.init();
    const lock = acquireLock(rig.path(".mdmirror"), { since: Date.now() - 90_000, what: "watch" });
    expect(lock.kind).toBe("locked");
    const { code, err } = await rig.run(["sync", "w"]);
    if (lock.kind === "locked") lock.release();
    expect(code).toBe(6);
    expect(err[0]).toContain(`mdmirror watch (process ${process.pid}, for 1 min)`);
  });

  test("2 when the config has a member that is none, naming file and member", async () => {
    await rig.init();
    rig.write(".mdmirror/config.json", JSON.stringify({ url: rig.url, colour: "red", names: "maybe" }));
    const { code, err } = await rig.run(["sync", "w"]);
    expect(code).toBe(2);
    for (const member of ["colour", "names"]) expect(err[0]).toContain(`.mdmirror/config.json: "${member}" `);
  });

  test("4 when a safety check stops it: nothing is deleted until approve, and then exactly that (I21)", async () => {
    const names = Array.from({ length: 12 }, (_, n) => `n${n}.md`);
    for (const name of names) rig.createRemotely(name, `${name}\n`);
    rig.createRemotely("stays.md", "stays\n");
    await rig.init();
    for (const name of names) rig.remove(name);
    const stopped = await rig.run(["sync", "w"]);
    expect(stopped.code).toBe(4);
    expect(stopped.err[0]).toContain("(delete-budget-remote)");
    expect(stopped.err.filter((line) => line.startsWith("    → delete on the service: n"))).toHaveLength(12);
    expect(stopped.err.slice(-2)).toEqual([
      expect.stringContaining("mdmirror approve"),
      expect.stringContaining("mdmirror reject"),
    ]);
    expect((await rig.run(["status", "w"])).code).toBe(4);
    expect((await rig.run(["approve", "w"])).code).toBe(2);
    const declined = await rig.run(["approve", "w"], { terminal: true, answers: ["n"] });
    expect([declined.code, declined.asked.length]).toEqual([4, 1]);
    expect((await rig.run(["sync", "w"])).code).toBe(4);
    expect(rig.remote("n0.md")).not.toBe(null);

    expect((await rig.run(["approve", "w"], { terminal: true, answers: ["y"] })).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(names.map((name) => rig.remote(name))).toEqual(names.map(() => null));
    expect((await rig.run(["status", "w"])).code).toBe(0);
  });
});

const upload = (path: string, content = `${path}\n`) => rig.createRemotely(path, content);

const attention = (path: string, detail: string, kind: BlockReason = "review-unknown") => {
  return { path, kind, code: null, detail, requestId: null, waits: false };
};

test("a user's file that was renamed for a conflict copy is reported, with its place", async () => {
  upload("q.md", "base\n");
  await rig.init();
  rig.write("q (theirs).md", "my own\n");
  rig.editBoth("q.md", "edited locally\n", "edited there\n");
  rig.pass(60_000);
  const { code, err } = await rig.run(["sync", "w"]);
  const [line] = err.filter((one) => one.includes("was renamed"));
  const place = /^q \(theirs\)\.md: your file was renamed to (\.mdmirror\/trash\/.*), because .*$/.exec(line!)![1]!;
  expect([code, rig.read(place), rig.read("q (theirs).md")]).toEqual([3, "my own\n", "edited there\n"]);
});

/** Messages name the cause first, and use paths and words instead of ids and codes. */
describe("what needs the user", () => {
  test("is reported by its cause, once, with some of the names; single documents follow, sorted", () => {
    const many = Array.from({ length: 40 }, (_, n) => attention(`d/${String(39 - n).padStart(2, "0")}.md`, "no list"));
    const lines = formatAttention(
      [attention("z.md", "b", "conflict"), ...many, { ...attention("a.md", "a", "refused"), refused: "step" }],
      20,
    );
    expect(lines).toEqual([
      "40 documents: review-unknown: no list",
      "  d/00.md, d/01.md, d/02.md, d/03.md, d/04.md and 35 more",
      "  next: read the document on the service, then run: mdmirror resolve PATH --mine | --theirs",
      "a.md: refused: a",
      "  next: run: mdmirror why a.md",
      "z.md: conflict: b",
      '  next: edit the file as you want it and delete the "(theirs)" file, or run: mdmirror resolve z.md --mine | --theirs',
    ]);
  });
});

describe("sync --quiet", () => {
  /**
   * `sync --quiet` as a timer starts it every few minutes. Each printed line would become an email.
   */

  const MINUTE = 60_000;

  beforeEach(async () => {
    rig.createRemotely("a.md", "a\n");
    expect((await rig.init()).code).toBe(0);
  });

  const own = (name: string) => join(rig.root, ".mdmirror", name);
  const quietly = () => rig.run(["sync", "w", "--quiet"]);

  /**
   * Runs `sync --quiet` repeatedly, with that many minutes between two runs. Returns the minutes at
   * which a run printed something, and all exit codes.
   */
  async function runEach(minutes: number, times: number) {
    const reported: number[] = [];
    const codes = new Set<number>();
    for (let run = 0; run < times; run++) {
      const { code, out, err } = await quietly();
      codes.add(code);
      if (out.length + err.length > 0) reported.push(run * minutes);
      rig.pass(minutes * MINUTE);
    }
    return { told: reported, codes: [...codes] };
  }

  function lockIt() {
    const lock = acquireLock(rig.path(".mdmirror"), { since: 1, what: "sync" });
    if (lock.kind !== "locked") throw new Error("the folder is locked already");
    return lock;
  }

  test("says after an hour, and then once a day, that another run uses the folder; the exit code says it each time", async () => {
    const lock = lockIt();
    const { told: reported, codes } = await runEach(30, 52);
    expect([reported, codes]).toEqual([[60, 25 * 60], [6]]);
    lock.release();
    expect(await quietly()).toMatchObject({ code: 0, out: [], err: [] });
    expect(existsSync(own("quiet.json"))).toBe(false);
  });

  test("says after an hour that the service is not reached, and counts from zero once it was", async () => {
    await rig.stopService();
    const first = await runEach(10, 8);
    expect([first.told, first.codes]).toEqual([[60], [5]]);
    const port = Number(new URL(rig.url).port);
    const server = await startHttp(rig.service, { port });
    expect(await quietly()).toMatchObject({ code: 0, err: [] });
    await server.close();
    const second = await runEach(10, 4);
    expect([second.told, second.codes]).toEqual([[], [5]]);
  });

  test("says without delay that the key is refused, as waiting does not help", async () => {
    writeFileSync(own("key"), "mdm_not_a_key_of_this_service\n");
    const { code, err } = await quietly();
    expect([code, err[0]]).toEqual([5, expect.stringContaining("refuses the key")]);
  });

  test.each([
    ["sync", ["sync", "w"]],
    ["a command that opens the mirror", ["plan", "w"]],
    ["wait", ["wait", "w"]],
  ])("%s shows progress unless the configuration turns it off", async (_, command) => {
    const isShown: boolean[] = [];
    for (const progress of [true, false]) {
      const config = JSON.parse(readFileSync(own("config.json"), "utf8")) as object;
      writeFileSync(own("config.json"), JSON.stringify({ ...config, interface: { progress } }));
      const onStatus = vi.fn();
      await rig.run(command, { terminal: true, onStatus });
      isShown.push(onStatus.mock.calls.length > 0);
    }
    expect(isShown).toEqual([true, false]);
  });

  test("says it without delay if the configuration wants that, and if it cannot be noted", async () => {
    const config = JSON.parse(readFileSync(own("config.json"), "utf8")) as object;
    writeFileSync(own("config.json"), JSON.stringify({ ...config, interface: { quietFor: "0s" } }));
    const lock = lockIt();
    expect((await quietly()).err[0]).toContain("is in use by");
    lock.release();
    expect(noteTrouble(join(rig.dir, "none"), "locked", 1, 1_000)).toBe(0);
  });
});

describe("a write that was refused", () => {
  let puts = 0;
  beforeEach(async () => {
    puts = 0;
    rig.intercept = ({ method }) => {
      if (method === "PUT") puts++;
      return null;
    };
    rig.createRemotely("a.md", "a\n");
    await rig.init();
    for (const { id } of rig.service.admin.keys())
      rig.service.admin.changeKey(id, { grants: [{ on: null, level: "read" }] });
    rig.write("a.md", "edited\n");
  });

  /** Runs one sync. Returns the number of its PUTs. */
  async function sync(...options: string[]): Promise<number> {
    const before = puts;
    await rig.run(["sync", "w", ...options]);
    return puts - before;
  }

  test("I08 what was refused is tried again by every sync that is asked for, in a pipe too", async () => {
    expect(await sync()).toBe(1);
    const { err, out } = await rig.run(["sync", "w"]);
    expect([...out, ...err].join("\n")).toContain("or now: mdmirror sync");
    expect(puts).toBe(2);
    expect(await sync("--json")).toBe(1);
  });

  test("I08 with --quiet it is tried again once a day", async () => {
    expect(await sync("--quiet")).toBe(1);
    expect(await sync("--quiet")).toBe(0);
    rig.pass(86_400_000);
    expect(await sync("--quiet")).toBe(1);
    expect(await sync("--quiet")).toBe(0);
  });
});
