import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import Sqlite from "better-sqlite3";
import { checkFiles, setAsideDamaged } from "../../src/mirror/state/damage.ts";
import { toDatabaseFault } from "../../src/mirror/state/database.ts";
import { openState } from "../../src/mirror/state/open.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import {
  opened,
  openIn,
  ROWS,
  SettableClock,
  textDigest,
  textOf,
  usedFolder,
  change,
  conflictOf,
  dirOf,
  doc,
  blockOf,
  recordOf,
  tombstoneOf,
  NAME,
} from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const clock = new SettableClock();
/** Overwrites one page in ten with noise. */
function scramble(path: string): void {
  const bytes = readFileSync(path);
  const page = bytes.readUInt16BE(16);
  // After the first 80 kB, which contain the schema.
  for (let at = 81_920; at < bytes.length; at += 10 * page) bytes.fill(0xa5, at, at + page);
  writeFileSync(path, bytes);
}

describe("setAsideDamaged", () => {
  test("I03 a damaged state is set aside with all that belongs to it, and the content store stays", () => {
    const folder = usedFolder();
    mkdirSync(join(folder, "tmp"));
    writeFileSync(join(folder, "tmp", "parked"), "the only copy");
    writeFileSync(join(folder, "state.db"), "noise");
    writeFileSync(join(folder, "state.db-wal"), "more noise");
    expect(setAsideDamaged(folder, "state.db", "2027-01-15")).toEqual({
      to: "damaged/2027-01-15",
      moved: ["state.db", "state.db-wal", "tmp"],
      salvagedTexts: 0,
    });
    expect(readFileSync(join(folder, "damaged/2027-01-15/tmp/parked"), "utf8")).toBe("the only copy");
    const result = openState({ folder, clock });
    expect(result).toMatchObject({ kind: "opened", created: true });
    const state = opened(result);
    expect(state.load().records.size).toBe(0);
    expect(state.text(textDigest(textOf(7)))).toBe(textOf(7));
  });

  test("a second time under the same stamp takes another folder", () => {
    const folder = usedFolder();
    for (const to of ["damaged/x", "damaged/x-2", "damaged/x-3"]) {
      writeFileSync(join(folder, "state.db"), "noise");
      expect(setAsideDamaged(folder, "state.db", "x").to).toBe(to);
    }
  });

  test("I03 a damaged content store is set aside alone, and readable contents are restored", () => {
    const folder = usedFolder();
    scramble(join(folder, "texts.db"));
    const { moved, salvagedTexts } = setAsideDamaged(folder, "texts.db", "x");
    expect(moved).toEqual(["texts.db"]);
    expect(salvagedTexts).toBeGreaterThan(ROWS / 2);
    expect(salvagedTexts).toBeLessThan(ROWS);
    const state = openIn(folder);
    expect(state.load().records.size).toBe(ROWS);
    expect(state.missingTexts()).toHaveLength(ROWS - salvagedTexts);
    for (const digest of state.missingTexts()) expect(state.text(digest)).toBeNull();
    // The names that could be read are restored, each with its content.
    const named = new Set(state.storedOrigins({}).map(({ digest }) => digest));
    expect(named.size).toBeGreaterThan(0);
    expect(state.digests()).toEqual(expect.arrayContaining([...named]));
    for (let n = 0; n < ROWS; n++) expect([textOf(n), null]).toContain(state.text(textDigest(textOf(n))));
  });

  test.each<[string, (path: string) => void]>([
    ["is noise", (path) => writeFileSync(path, "noise ".repeat(2_000))],
    ["is empty", (path) => truncateSync(path, 0)],
    ["is not there", (path) => rmSync(path)],
    ["was cut to its first page", (path) => truncateSync(path, 4_096)],
  ])("a texts file that %s is begun anew, and the state opens", (_, damage) => {
    const folder = usedFolder();
    damage(join(folder, "texts.db"));
    expect(setAsideDamaged(folder, "texts.db", "x").salvagedTexts).toBe(0);
    const state = openIn(folder);
    expect(state.missingTexts()).toHaveLength(ROWS);
    expect(state.text(state.putText(textOf(3), NAME))).toBe(textOf(3));
    expect(state.missingTexts()).toHaveLength(ROWS - 1);
  });

  test("commits that were still in the WAL of the content store are restored too", () => {
    const folder = usedFolder();
    const copy = temporaryFolder();
    const state = openIn(folder);
    const late = state.putText("late", NAME);
    for (const file of readdirSync(folder)) copyFileSync(join(folder, file), join(copy, file));
    state.close();
    expect(setAsideDamaged(copy, "texts.db", "x").salvagedTexts).toBe(ROWS + 1);
    expect(existsSync(join(copy, "texts.db-wal"))).toBe(false);
    const again = openIn(copy);
    expect(again.text(late)).toBe("late");
    expect(again.storedOrigins(NAME).map(({ digest }) => digest)).toContain(late);
  });
});

describe("checkFiles", () => {
  test("finds no damage in intact or missing files", () => {
    expect(checkFiles(usedFolder())).toEqual([]);
    expect(checkFiles(temporaryFolder())).toEqual([]);
  });

  test("finds pages of noise that an opening need not meet", () => {
    const folder = usedFolder();
    scramble(join(folder, "texts.db"));
    const state = openIn(folder);
    state.close();
    expect(checkFiles(folder)).toMatchObject([{ kind: "damaged", file: "texts.db" }]);
    writeFileSync(join(folder, "state.db"), "noise ".repeat(1_000));
    expect(checkFiles(folder).map(({ file }) => file)).toEqual(["state.db", "texts.db"]);
  });
});

test("an exception for damage met in use is distinguished from a bug", () => {
  const folder = usedFolder();
  const state = openIn(folder);
  state.close();
  scramble(join(folder, "texts.db"));
  const damaged = openIn(folder);
  const errors: unknown[] = [];
  for (let n = 0; n < ROWS; n++) {
    try {
      damaged.text(textDigest(textOf(n)));
    } catch (error) {
      errors.push(error);
    }
  }
  damaged.close();
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) expect(toDatabaseFault(error)).toMatchObject({ kind: "damaged" });
  expect(toDatabaseFault(new TypeError("a bug"))).toBeNull();
  expect(toDatabaseFault("no error at all")).toBeNull();
});

test("I03 after damage was met in use, the next opening checks the files, once", () => {
  const folder = usedFolder();
  scramble(join(folder, "texts.db"));
  const met = openIn(folder);
  expect(() => {
    for (let n = 0; n < ROWS; n++) met.text(textDigest(textOf(n)));
  }).toThrow(expect.objectContaining({ code: expect.stringMatching(/^SQLITE_CORRUPT/) }));
  met.close();
  expect(openState({ folder, clock, readOnly: true }).kind, "who only reads does not look for it").toBe("opened");
  expect(openState({ folder, clock })).toMatchObject({ kind: "damaged", file: "texts.db" });
  expect(setAsideDamaged(folder, "texts.db", "x").salvagedTexts).toBeGreaterThan(0);
  const repaired = openIn(folder);
  for (let n = 0; n < ROWS; n++) repaired.putText(textOf(n), NAME);
  expect(repaired.missingTexts()).toEqual([]);
  repaired.close();
  expect(readdirSync(folder).toSorted()).toEqual(["damaged", "state.db", "texts.db"]);
});

test("damage met while a transaction writes is remembered, though the transaction is rolled back", () => {
  const folder = usedFolder();
  scramble(join(folder, "texts.db"));
  const met = openIn(folder);
  expect(() =>
    met.transact(() => {
      for (let n = 0; n < ROWS; n++) met.putText(textOf(n), NAME);
    }),
  ).toThrow(expect.objectContaining({ code: expect.stringMatching(/^SQLITE_CORRUPT/) }));
  met.close();
  expect(openState({ folder, clock })).toMatchObject({ kind: "damaged", file: "texts.db" });
});

/** Number of records in `folderOfEach`, without one in review. */
const FEW = 9;

function folderOfEach(): string {
  const folder = temporaryFolder();
  const state = openIn(folder);
  for (let n = 0; n < FEW; n++) state.putRecord(recordOf(n));
  state.putDir(dirOf("a"));
  state.putTombstone(tombstoneOf("t"));
  state.putConflict(conflictOf("c"));
  state.putBlock(blockOf("h"));
  state.putRecord(recordOf("s", { submissions: [{ digest: textDigest("s"), baseChangeId: change("s"), at: 1 }] }));
  const setAsideAt = "trash/2027-01-15/a.md";
  state.openIntent(1, { kind: "trash", id: doc("i"), path: "a.md", setAsideAt, expect: textDigest("i") });
  state.setMeta("remote.traits", JSON.stringify({ refusedCharacters: "$" }));
  state.close();
  return folder;
}

function corrupt(folder: string, sql: string): void {
  const db = new Sqlite(join(folder, "state.db"));
  expect(db.prepare(sql).run().changes).toBeGreaterThan(0);
  db.close();
}

describe("a row that cannot be, which the check of the pages passes,", () => {
  test("is not found where there is none", () => {
    const folder = folderOfEach();
    expect(checkFiles(folder)).toEqual([]);
    const state = openIn(folder);
    expect(state.load().records.size).toBe(FEW + 1);
  });

  test.each([
    "UPDATE records SET id = 'doc_' || char(0x1b) WHERE rowid = 7",
    "UPDATE records SET id = 'dok_7' WHERE rowid = 7",
    "UPDATE records SET change_id = 'chg_7/8' WHERE rowid = 7",
    "UPDATE records SET digest = upper(digest) WHERE rowid = 7",
    "UPDATE records SET digest = substr(digest, 2) WHERE rowid = 7",
    "UPDATE records SET local_digest = 'x' WHERE rowid = 7",
    "UPDATE records SET echo_digest = '' WHERE rowid = 7",
    "UPDATE records SET local_path = '' WHERE rowid = 7",
    "UPDATE records SET local_path = '../a.md' WHERE rowid = 7",
    "UPDATE records SET local_path = 'a//b.md' WHERE rowid = 7",
    "UPDATE records SET local_path = 'a/./b.md' WHERE rowid = 7",
    "UPDATE records SET remote_path = '/a.md' WHERE rowid = 7",
    "UPDATE records SET remote_path = 'a.md/..' WHERE rowid = 7",
    "UPDATE records SET remote_path = 'a' || char(0) || '.md' WHERE rowid = 7",
    "UPDATE records SET size = -7 WHERE rowid = 7",
    "UPDATE records SET size = 7.5 WHERE rowid = 7",
    "UPDATE records SET ino = NULL WHERE rowid = 7",
    "UPDATE records SET state = 'linkfd' WHERE rowid = 7",
    "UPDATE records SET submissions = '[{' WHERE submissions IS NOT NULL",
    "UPDATE records SET submissions = '{}' WHERE submissions IS NOT NULL",
    "UPDATE records SET submissions = '[null]' WHERE submissions IS NOT NULL",
    `UPDATE records SET submissions = '[{"digest":"x","baseChangeId":"chg_1","at":1}]' WHERE submissions IS NOT NULL`,
    "UPDATE dirs SET id = 'dir_'",
    "UPDATE dirs SET local_path = 'a/../..'",
    "UPDATE tombstones SET change_id = 'x'",
    "UPDATE tombstones SET trash_path = '/etc/passwd'",
    "UPDATE conflicts SET base_digest = 'x'",
    "UPDATE conflicts SET shown = '[]'",
    "UPDATE conflicts SET conflict_copy_path = '..'",
    "UPDATE blocked SET reason = 'refusee'",
    "UPDATE blocked SET reason = 'toString'",
    "UPDATE blocked SET change_id = 'x'",
    `UPDATE intents SET intent = '{"kind":"trash"'`,
    `UPDATE intents SET intent = 'null'`,
    `UPDATE intents SET intent = '{"kind":"trasj","id":"doc_i","path":"a.md","setAsideAt":"trash/a.md"}'`,
    `UPDATE intents SET intent = '{"kind":"trash","id":"doc_i","path":"a.md"}'`,
    `UPDATE intents SET intent = '{"kind":"trash","id":"doc_i","path":"a.md","setAsideAt":"../a.md"}'`,
    `UPDATE intents SET intent = '{"kind":"trash","id":"doc/i","path":"a.md","setAsideAt":"trash/a.md"}'`,
    `UPDATE meta SET value = '{"refusedCharacters":"$}' WHERE key = 'remote.traits'`,
    "UPDATE meta SET value = value || char(7)",
    "UPDATE meta SET key = 'remote' || char(0)",
  ])("makes the state a damaged one: %s", (sql) => {
    const folder = folderOfEach();
    corrupt(folder, sql);
    const damaged = {
      kind: "damaged",
      file: "state.db",
      detail: expect.stringMatching(/^a row of [a-z, ]+ contains /),
    };
    expect(openState({ folder, clock })).toMatchObject(damaged);
    expect(openState({ folder, clock, readOnly: true })).toMatchObject(damaged);
    expect(checkFiles(folder)).toMatchObject([damaged]);
    setAsideDamaged(folder, "state.db", "x");
    expect(openState({ folder, clock })).toMatchObject({ kind: "opened", created: true });
  });
});

test("what is written between the opening and the first load is in it", () => {
  const folder = usedFolder();
  for (const [write, size] of [
    [(state: StoredState) => state.removeRecord(doc(3)), ROWS - 1],
    [(state: StoredState) => state.putRecord(recordOf("new")), ROWS],
  ] as const) {
    const state = openIn(folder);
    write(state);
    expect(state.load().records.size).toBe(size);
    state.close();
  }
  const state = openIn(folder);
  state.moveSubtree("local", "notes", "moved");
  expect(state.load().records.get(doc(4))!.localPath).toBe("moved/4.md");
  state.moveMembers("local", "moved", "again", "notes");
  state.putBlock(blockOf("h"));
  expect(state.load()).toMatchObject({ blocks: new Map([["h", blockOf("h")]]) });
  expect(state.load().records.get(doc(4))!.localPath).toBe("again/4.md");
});
