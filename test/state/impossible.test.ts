import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { checkFiles, setAsideDamaged } from "../../src/mirror/state/damage.ts";
import { openState } from "../../src/mirror/state/open.ts";
import type { StoredState } from "../../src/mirror/state/state.ts";
import {
  change,
  conflictOf,
  dirOf,
  doc,
  blockOf,
  linkOf,
  openIn,
  ROWS,
  settableClock,
  textDigest,
  tombstoneOf,
  usedFolder,
} from "./fixture.ts";

const clock = settableClock();

function folderOfEach(): string {
  const folder = usedFolder();
  const state = openIn(folder);
  state.putDir(dirOf("a"));
  state.putTombstone(tombstoneOf("t"));
  state.putConflict(conflictOf("c"));
  state.putBlock(blockOf("h"));
  state.putLink(linkOf("s", { submissions: [{ digest: textDigest("s"), baseChangeId: change("s"), at: 1 }] }));
  state.openIntent(1, { kind: "trash", id: doc("i"), path: "a.md", setAsideAt: "trash/2027-01-15/a.md" });
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
    expect(state.load().links.size).toBe(ROWS + 1);
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
    [(state: StoredState) => state.removeLink(doc(3)), ROWS - 1],
    [(state: StoredState) => state.putLink(linkOf("new")), ROWS],
  ] as const) {
    const state = openIn(folder);
    write(state);
    expect(state.load().links.size).toBe(size);
    state.close();
  }
  const state = openIn(folder);
  state.moveSubtree("local", "notes", "moved");
  expect(state.load().links.get(doc(4))!.localPath).toBe("moved/4.md");
  state.moveMembers("local", "moved", "again", "notes");
  state.putBlock(blockOf("h"));
  expect(state.load()).toMatchObject({ blocks: new Map([["h", blockOf("h")]]) });
  expect(state.load().links.get(doc(4))!.localPath).toBe("again/4.md");
});
