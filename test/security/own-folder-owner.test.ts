import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openLog } from "../../src/mirror/folder/log.ts";
import { OWN_ENTRIES } from "../../src/mirror/model/mirror-folder.ts";
import { acquireLock } from "../../src/mirror/state/lock.ts";
import { useRig } from "../cli/rig.ts";
import { SLEEPLESS_CLOCK } from "../simulator/quiet-ports.ts";

/** The files of `.mdmirror/`: their modes, their hard links, their owners. */

const rig = useRig();
beforeEach(async () => {
  rig.write("a.md", "one\n");
  expect((await rig.init()).code).toBe(0);
});

const own = (name = "") => join(rig.root, ".mdmirror", name);

type Made = { readonly mode: string; readonly kind: "file" | "folder" | "other" };

function listing(): Map<string, Made> {
  const found = new Map<string, Made>([["", made(own())]]);
  for (const path of readdirSync(own(), { recursive: true, encoding: "utf8" })) {
    // The file may have been removed after the folder was listed.
    if (lstatSync(own(path), { throwIfNoEntry: false }) !== undefined) found.set(path, made(own(path)));
  }
  return found;
}

function made(path: string): Made {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return { mode: "gone", kind: "other" };
  const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : "other";
  return { mode: (stat.mode & 0o7777).toString(8), kind };
}

/** Records each file that exists at any turn of the event loop during `work`. */
async function watchFolder(seen: Map<string, Made>, work: () => Promise<unknown>): Promise<void> {
  let next: NodeJS.Immediate;
  const look = () => {
    for (const [path, what] of listing()) if (what.mode !== "gone") seen.set(path, what);
    next = setImmediate(look);
  };
  look();
  try {
    await work();
  } finally {
    clearImmediate(next!);
    look();
    clearImmediate(next!);
  }
}

/**
 * Returns true for stored user files (set aside, in the trash, or damaged), which keep their mode.
 */
function isStored(path: string): boolean {
  return /^(tmp|trash|damaged)\/./.test(path);
}

/** Runs commands, `watch` among them, that together write every kind of file. */
async function live(seen: Map<string, Made>): Promise<void> {
  const run = (...argv: string[]) => watchFolder(seen, () => rig.run(argv));
  rig.write("b.md", "two\n");
  rig.write("c.md", "three\n");
  await run("sync", "w");
  await run("search", "two", "w");
  rig.editBoth("b.md", "two, here\n", "two, there\n");
  rig.deleteRemotely("c.md");
  await run("sync", "w");
  expect(rig.exists("b (theirs).md")).toBe(true);
  await run("resolve", "w/b.md", "--mine");
  await run("restore", "w/c.md");
  await run("undo");
  await run("doctor", "w");
  await run("pause", "w");
  const stop = new AbortController();
  const watched = {
    stop: stop.signal,
    env: { MDMIRROR_NOTIFY: "off", MDMIRROR_LOG: "debug" },
  };
  chmodSync(rig.dir, 0o700);
  const onOut = (line: string) => {
    if (!line.includes('"run"')) return;
    const { socket } = JSON.parse(readFileSync(own("daemon.json"), "utf8")) as { readonly socket: string };
    expect([made(dirname(socket)).mode, made(socket).mode]).toEqual(["700", "600"]);
    stop.abort();
  };
  await watchFolder(seen, () => rig.run(["watch", "w", "--json"], { ...watched, onOut }));
  const log = openLog({
    folder: own(),
    clock: SLEEPLESS_CLOCK,
    secret: "no",
    debug: true,
    maxBytes: 200,
    onFault: (error) => expect.unreachable(error.message),
  });
  await watchFolder(seen, async () => {
    for (let line = 0; line < 20; line++) log.write("info", "run", { count: line });
  });
  writeFileSync(own("texts.db"), "no database", { flag: "r+" });
  await run("sync", "w");
  rig.pass(2 * 86_400_000);
  await run("sync", "w");
  const lock = acquireLock(own(), { since: 1, what: "test" });
  await run("sync", "w", "--quiet");
  if (lock.kind === "locked") lock.release();
}

describe("I26 the folder `.mdmirror`", () => {
  test("I30 everything that a life makes in it is in the table, with mode 0600 or 0700, under any umask", async () => {
    const seen = new Map<string, Made>();
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    rmSync(own(), { recursive: true });
    expect((await rig.init()).code).toBe(0);
    await live(seen);
    const wrong = [...seen].filter(([path, { mode, kind }]) => {
      if (path === "") return mode !== "700";
      if (isStored(path)) return false;
      const entry = OWN_ENTRIES.get(path);
      if (entry === undefined) return true;
      const isFolder = entry === "folder" || entry === "store";
      return isFolder ? kind !== "folder" || mode !== "700" : kind !== "file" || mode !== "600";
    });
    expect(wrong).toEqual([]);
    const expected = ["key", "config.json", "marker", ".gitignore", "lock.db", "lock.json", "state.db", "state.db-wal"];
    expected.push(
      "texts.db",
      "search.db",
      "daemon.json",
      "quiet.json",
      "log/mdmirror.log",
      "log/mdmirror.log.4",
      "trash",
      "damaged",
    );
    expect(expected.filter((name) => !seen.has(name))).toEqual([]);
    expect([...seen.keys()].filter((path) => /^trash\/.+\.md$/.test(path))).not.toEqual([]);
  });

  test("what is wider than that when a command writes is closed to others, and folders come first", async () => {
    for (const name of ["", "tmp", "trash", "log"]) {
      mkdirSync(own(name), { recursive: true });
      chmodSync(own(name), 0o777);
    }
    for (const name of ["config.json", "state.db", "texts.db", "lock.db", "marker"]) chmodSync(own(name), 0o666);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect([...listing()].filter(([path, { mode }]) => !isStored(path) && !/^[67]00$/.test(mode))).toEqual([]);
  });
});

describe("a hard link in the folder of mdmirror itself", () => {
  test("of a file that is written in place is refused, with what to do", async () => {
    for (const name of ["state.db", "texts.db", "lock.db", "log/mdmirror.log"]) {
      if (!existsSync(own(name))) {
        mkdirSync(dirname(own(name)), { recursive: true, mode: 0o700 });
        writeFileSync(own(name), "", { mode: 0o600 });
      }
      linkSync(own(name), join(rig.dir, "other"));
      const before = readFileSync(join(rig.dir, "other"));
      const { code, err } = await rig.run(["sync", "w"]);
      expect([code, err[0]]).toEqual([2, expect.stringContaining(`/.mdmirror/${name} has a second name elsewhere`)]);
      expect(err[1]).toMatch(/^ {2}next: make it a file of its own: cp -p /);
      expect(readFileSync(join(rig.dir, "other"))).toEqual(before);
      rmSync(join(rig.dir, "other"));
    }
    expect((await rig.run(["sync", "w"])).code).toBe(0);
  });

  test("of a file that is replaced does no harm: the other name keeps its bytes", async () => {
    linkSync(own("key"), join(rig.dir, "other"));
    const key = rig.newKey();
    writeFileSync(rig.keyFile, `${key}\n`);
    await rig.run(["init", "w", "--key-file", rig.keyFile]);
    expect(readFileSync(own("key"), "utf8")).toBe(`${key}\n`);
    expect(readFileSync(join(rig.dir, "other"), "utf8")).toBe(`${rig.key}\n`);
  });
});

describe.skipIf(process.getuid?.() !== 0)("files of another user (needs root)", () => {
  afterEach(() => {
    delete process.env["SUDO_UID"];
  });

  test("in the folder of mdmirror itself are refused, and so is the folder", async () => {
    for (const name of ["", "state.db", "config.json", "tmp"]) {
      chownSync(own(name), 4321, 4321);
      const { code, err } = await rig.run(["sync", "w"]);
      expect([code, err[0]]).toEqual([2, expect.stringContaining("belongs to user 4321, and this process is user 0")]);
      chownSync(own(name), 0, 0);
    }
    expect((await rig.run(["sync", "w"])).code).toBe(0);
  });

  test("belong to the user who called sudo, and so do new files in them", async () => {
    // A process of its own would change to that user. Files that root creates nevertheless get that
    // user as owner.
    process.env["SUDO_UID"] = "4321";
    const env = { SUDO_UID: "4321", SUDO_GID: "4321" };
    for (const path of ["", ...readdirSync(own(), { recursive: true, encoding: "utf8" })])
      chownSync(own(path), 4321, 4321);
    rig.write("b.md", "two\n");
    expect((await rig.run(["sync", "w"], { env })).code).toBe(0);
    expect((await rig.run(["search", "two", "w"], { env })).code).toBe(0);
    const files = ["", "state.db", "search.db", "lock.db"];
    expect(files.filter((name) => lstatSync(own(name)).uid !== 4321)).toEqual([]);
  });
});

test("in state/ one family of files alone reaches the disk", () => {
  const folder = join(import.meta.dirname, "../../src/mirror/state");
  const reaching = readdirSync(folder).filter((name) => {
    const text = readFileSync(join(folder, name), "utf8").replaceAll(/^import type .*$/gm, "");
    return /"node:fs(?:\/promises)?"|new Sqlite\(/.test(text);
  });
  expect(reaching.toSorted()).toEqual(["database.ts", "own-database.ts", "own-files.ts"]);
  // A copy in memory of bytes that were read, so no file is opened.
  const opened = readFileSync(join(folder, "database.ts"), "utf8").match(/new Sqlite\([^,)]*/g);
  expect(opened).toEqual(['new Sqlite(copy.length === 0 ? ":memory:" : copy.fill(1']);
});
