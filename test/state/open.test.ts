import { spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { openState } from "../../src/mirror/state/open.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import { doc, recordOf, openIn, opened, SettableClock, NAME, usedFolder } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const clock = new SettableClock();

/** Returns a folder with a small state that was closed well. */
function folderOf(rows: number): string {
  const folder = temporaryFolder();
  const state = openIn(folder);
  fill(state, rows);
  state.close();
  return folder;
}

function fill(state: StoredState, rows: number): void {
  state.transact(() => {
    for (let n = 0; n < rows; n++)
      state.putRecord(recordOf(n, { digest: state.putText(`${n} ${Math.sin(n)} `.repeat(20), NAME) }));
  });
}

/** Overwrites pages after the first third of the file with noise. Header and schema stay. */
function scramble(path: string): void {
  const bytes = readFileSync(path);
  for (let at = Math.floor(bytes.length / 3 / 4096) * 4096; at < bytes.length; at += 4096)
    bytes.fill(0xa5, at, at + 64);
  writeFileSync(path, bytes);
}

const damages: readonly [string, "state.db" | "texts.db", (path: string) => void][] = [
  [
    "is not a database",
    "state.db",
    (path) => writeFileSync(path, "not a database, whatever its name says ".repeat(200)),
  ],
  [
    "is not a database",
    "texts.db",
    (path) => writeFileSync(path, "not a database, whatever its name says ".repeat(200)),
  ],
  ["was cut in the middle", "state.db", (path) => truncateSync(path, Math.floor(statSync(path).size / 2))],
  ["has pages of noise", "state.db", scramble],
  [
    "has a header of noise",
    "state.db",
    (path) => writeFileSync(path, Buffer.from(readFileSync(path)).fill(7, 20, 100)),
  ],
  ["is empty", "state.db", (path) => truncateSync(path, 0)],
  ["is empty", "texts.db", (path) => truncateSync(path, 0)],
  ["is not there", "texts.db", (path) => rmSync(path)],
  [
    "is another program's",
    "state.db",
    (path) => {
      rmSync(path);
      const db = new Sqlite(path);
      db.exec("CREATE TABLE theirs (x)");
      db.close();
    },
  ],
  ["is the other file", "state.db", (path) => copyFileSync(join(path, "../texts.db"), path)],
];

describe("openState", () => {
  test("says whether it made a new state", () => {
    const folder = temporaryFolder();
    for (const created of [true, false]) {
      const result = openState({ folder, clock });
      expect(result).toMatchObject({ kind: "opened", created });
      opened(result).close();
    }
  });

  test("I30 makes files for the owner alone, and leaves no others behind", () => {
    const folder = folderOf(10);
    expect(readdirSync(folder).sort()).toEqual(["state.db", "texts.db"]);
    const state = openIn(folder);
    state.putRecord(recordOf("a"));
    for (const file of readdirSync(folder))
      expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
  });

  test.each(damages)("a file that %s is damaged: %s", (_, file, damage) => {
    const folder = usedFolder();
    damage(join(folder, file));
    expect(openState({ folder, clock })).toMatchObject({ kind: "damaged", file });
  });

  test("a file that was being made when the process was killed is no damage", () => {
    for (const files of [["texts.db"], ["texts.db", "state.db"], ["state.db"]]) {
      const folder = temporaryFolder();
      for (const file of files) writeFileSync(join(folder, file), "");
      const result = openState({ folder, clock });
      expect(result).toMatchObject({ kind: "opened", created: true });
      opened(result).close();
    }
  });

  test("a texts file with pages of noise is damaged when a WAL was left behind", () => {
    const folder = usedFolder();
    const copy = temporaryFolder();
    const state = openIn(folder);
    state.putText("one more", NAME);
    for (const file of readdirSync(folder)) copyFileSync(join(folder, file), join(copy, file));
    state.close();
    scramble(join(copy, "texts.db"));
    expect(openState({ folder: copy, clock })).toMatchObject({ kind: "damaged", file: "texts.db" });
  });

  test("an older copy, or one whose WAL is gone, opens as what it was then", () => {
    const folder = folderOf(10);
    const copy = temporaryFolder();
    const state = openIn(folder);
    fill(state, 20);
    // Copies the files without the -wal and -shm of the open state.
    for (const file of ["state.db", "texts.db"]) copyFileSync(join(folder, file), join(copy, file));
    state.close();
    const older = openIn(copy);
    expect(older.load().records.size).toBe(10);
    expect(older.missingTexts()).toEqual([]);
  });

  test("a file of a newer program is named, and left as it is", () => {
    const folder = folderOf(1);
    const db = new Sqlite(join(folder, "state.db"));
    db.pragma("user_version = 99");
    db.close();
    expect(openState({ folder, clock })).toMatchObject({ kind: "newer", file: "state.db", version: 99 });
    expect(openState({ folder, clock, readOnly: true })).toMatchObject({
      kind: "newer",
      file: "state.db",
      version: 99,
    });
  });

  test.each<[string, (texts: string) => void]>([
    ["missing", (texts) => rmSync(texts)],
    ["damaged", (texts) => writeFileSync(texts, "not a database, whatever its name says ".repeat(200))],
  ])("a file of a newer program is named first, also if the other file is %s, which stays so", (_, harm) => {
    for (const [newer, other] of [
      ["state.db", "texts.db"],
      ["texts.db", "state.db"],
    ] as const) {
      const folder = folderOf(1);
      const db = new Sqlite(join(folder, newer));
      db.pragma("user_version = 99");
      db.close();
      harm(join(folder, other));
      const before = readdirSync(folder);
      for (const readOnly of [false, true])
        expect(openState({ folder, clock, readOnly })).toMatchObject({ kind: "newer", file: newer, version: 99 });
      expect(readdirSync(folder)).toEqual(before);
    }
  });

  test("a missing folder is unusable, and a folder in place of the file is refused by name", () => {
    const folder = temporaryFolder();
    expect(openState({ folder: join(folder, "none"), clock })).toMatchObject({ kind: "unusable", code: "ENOENT" });
    const taken = folderOf(1);
    rmSync(join(taken, "state.db"));
    spawnSync("mkdir", [join(taken, "state.db")]);
    expect(() => openState({ folder: taken, clock })).toThrow("/state.db is a folder where a file should be");
  });
});

describe("read-only", () => {
  test("I23 reads beside a writer what is committed, one moment at a time, and can write nothing", () => {
    const folder = folderOf(3);
    const writer = openIn(folder);
    const reader = opened(openState({ folder, clock, readOnly: true }));
    writer.putRecord(recordOf("new"));
    expect(reader.record(doc("new"))).not.toBeNull();
    writer.transact(() => {
      writer.removeRecord(doc("new"));
      expect(reader.load().records.size).toBe(4);
    });
    expect(reader.load().records.size).toBe(3);
    expect(reader.text([...reader.load().records.values()][0]!.digest)).not.toBeNull();
    expect(() => reader.putRecord(recordOf("b"))).toThrow("readonly");
    expect(() => reader.putText("b", NAME)).toThrow("readonly");
    reader.close();
  });

  test("I23 leaves the files of a closed state as they are", () => {
    const folder = folderOf(3);
    const bytes = () => readdirSync(folder).map((file) => [file, readFileSync(join(folder, file)).toString("base64")]);
    const before = bytes();
    expect(before.map(([file]) => file)).toEqual(["state.db", "texts.db"]);
    const reader = opened(openState({ folder, clock, readOnly: true }));
    reader.load();
    reader.close();
    expect(bytes()).toEqual(before);
    expect(existsSync(join(folder, "lock.db"))).toBe(false);
  });

  test("finds no state in an empty folder, and creates none", () => {
    const folder = temporaryFolder();
    expect(openState({ folder, clock, readOnly: true })).toEqual({ kind: "missing" });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(["state.db", "texts.db"])("an empty %s beside a full file is damaged, and stays as it is", (file) => {
    const folder = folderOf(1);
    writeFileSync(join(folder, file), "");
    expect(openState({ folder, clock, readOnly: true })).toMatchObject({ kind: "damaged", file, detail: "is empty" });
    expect(readFileSync(join(folder, file)).length).toBe(0);
  });

  test("reads in a folder that it cannot write", () => {
    const folder = folderOf(3);
    // Root may write everywhere, so the child runs as nobody.
    const uid = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : { uid: undefined };
    for (const path of ["", ...readdirSync(folder)].map((file) => join(folder, file))) {
      chmodSync(path, path === folder ? 0o555 : 0o444);
      if (uid.uid !== undefined) chownSync(path, uid.uid, uid.gid);
    }
    const script = fileURLToPath(new URL("child.ts", import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [script, "read", folder], { ...uid, encoding: "utf8" });
    chmodSync(folder, 0o755);
    expect([stderr, stdout]).toEqual(["", "3 links\n"]);
  });
});
