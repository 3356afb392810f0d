import Sqlite from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { listMigrations, NEWEST_SCHEMA, OLDEST_SCHEMA } from "../../src/service/store/sqlite/schema.ts";
import { MAX_STEP_COST, SearchIndex } from "../../src/service/store/sqlite/search-table.ts";
import { Api } from "../../src/conformance/world.ts";
import { copyOf, makeKey, type Opened, openService } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { join } from "node:path";
import { findBlock } from "../../src/markdown/search/key-index.ts";
import { documentsWithLiteral } from "../../src/markdown/search/keys.ts";
import { type Db, openDatabase, SqliteSession } from "../../src/service/store/sqlite/database.ts";

async function open(): Promise<Opened> {
  const opened = await openService();
  onTestFinished(() => opened.service.close());
  return opened;
}

async function found({ api }: Pick<Opened, "api">, query: string, more: object = {}): Promise<string[]> {
  const { json } = await api.post("/v1/search/hybrid", { query, ...more });
  return json.data.map((item: { path: string }) => item.path.slice(1));
}

describe("the index of the service", () => {
  test("follows a rename and a move of a folder: names, prefixes, words of the path", async () => {
    const opened = await open();
    const { api } = opened;
    await api.file("old-shelf/deep/a.md", "text\n");
    await api.file("old-shelf/b.md", "text\n");
    expect(await found(opened, "shelf")).toHaveLength(2);
    const [shelf] = (await api.page("folders", { path: "old-shelf" })).data;
    await api.patch(`/v1/folders/${shelf!.id}`, { name: "drawer" });
    expect((await found(opened, "drawer")).sort()).toEqual(["drawer/b.md", "drawer/deep/a.md"]);
    expect(await found(opened, "shelf")).toEqual([]);
    const target = await api.folder("cabinet");
    await api.patch(`/v1/folders/${shelf!.id}`, { parentId: target.id });
    expect((await found(opened, "cabinet")).sort()).toEqual(["cabinet/drawer/b.md", "cabinet/drawer/deep/a.md"]);
    expect(await found(opened, "text", { path_prefix: "drawer" })).toEqual([]);
  });

  test("a write that is rolled back leaves nothing to find", async () => {
    const opened = await open();
    await opened.api.file("a.md", "kept\n");
    const file = { workspace: 1, id: "doc_b", folder: { seq: 0, path: "" }, name: "b.md", changeId: "chg_b" };
    const undone = opened.service.core.server.store.write(async ({ files }) => {
      await files.insert({ ...file, text: "phantom\n", at: 0 });
      throw new Error("rolled back");
    });
    await expect(undone).rejects.toThrow("rolled back");
    expect([await found(opened, "phantom"), await found(opened, "kept")]).toEqual([[], ["a.md"]]);
    await opened.api.file("c.md", "phantom\n");
    expect(await found(opened, "phantom")).toEqual(["c.md"]);
  });

  test("a data folder of any former version is indexed whole, in steps", async () => {
    for (const version of [OLDEST_SCHEMA, NEWEST_SCHEMA - 1]) {
      const folder = temporaryFolder();
      const former = new Sqlite(join(folder, "service.db"));
      for (const sql of listMigrations(0).slice(0, version - OLDEST_SCHEMA + 1)) former.exec(sql);
      former.pragma(`user_version = ${version}`);
      former.exec("INSERT INTO workspaces (id, name, state, retry_after) VALUES ('wsp_1', 'main', 'open', 0)");
      for (let n = 1; n <= 2 * MAX_STEP_COST; n++) {
        former.exec(
          `INSERT INTO changes (id, file, status, codec, text, at) VALUES ('chg_${n}', ${n}, 'saved', 0, CAST('aardvark' AS BLOB), 0)`,
        );
        former.exec(
          `INSERT INTO files (id, workspace, folder, name, protected, change_id) VALUES ('doc_${n}', 1, 0, '${n}.md', 0, 'chg_${n}')`,
        );
      }
      former.close();
      const { service } = await openService({ database: { folder } });
      const { key } = await makeKey({ service, workspaceId: "wsp_1" }, { on: null, level: "read" });
      const api = new Api(service.handle, key);
      for (let more = true; more; more = (await service.indexStep()) === "more")
        expect(await found({ api }, "aardvark", { limit: 500 })).toHaveLength(2 * MAX_STEP_COST);
      await service.close();
    }
  });
});

describe("what is not indexed yet", () => {
  test("is found, even with a long queue, and a search indexes nothing", async () => {
    const opened = await open();
    for (let n = 0; n < 100; n++) await opened.api.file(`${n}.md`, "zebra\n");
    expect(await found(opened, "zebra", { limit: 500 })).toHaveLength(100);
    let steps = 0;
    while ((await opened.service.indexStep()) === "more") steps++;
    expect(steps).toBeGreaterThanOrEqual(Math.ceil(100 / MAX_STEP_COST));
    expect(await found(opened, "zebra", { limit: 500 })).toHaveLength(100);
  });

  test("of a renamed folder is found by its new name, and by its old one no more", async () => {
    const opened = await open();
    const { api } = opened;
    for (let n = 0; n < 20; n++) await api.file(`shelf/deep/${n}.md`, `zebra ${n}\n`);
    await opened.service.indexStep("all");
    for (let n = 20; n < 40; n++) await api.file(`shelf/deep/${n}.md`, `zebra ${n}\n`);
    const [shelf] = (await api.page("folders", { path: "shelf" })).data;
    await api.patch(`/v1/folders/${shelf!.id}`, { name: "drawer" });
    for (let more = true; more; more = (await opened.service.indexStep()) === "more") {
      expect(await found(opened, "drawer zebra", { limit: 500 })).toHaveLength(40);
      expect(await found(opened, "shelf", { limit: 500 })).toEqual([]);
      const matching = await api.post("/v1/search/regex", { query: "^zebra [0-9]+$", limit: 500 });
      expect(matching.json.data).toHaveLength(40);
    }
  });
});

async function indexed({ service }: Opened): Promise<number[]> {
  const db = new Sqlite(Buffer.from(await copyOf({ service })));
  const rows = db.prepare<[], { id: number }>("SELECT id FROM search_keys_docsize ORDER BY id").all();
  db.close();
  return rows.map(({ id }) => id);
}

describe("a step of the index", () => {
  test("is bounded, by documents and by the length of texts, and takes the newest write first", async () => {
    const opened = await open();
    for (let n = 0; n < 20; n++) await opened.api.file(`${n}.md`, "zebra\n");
    await opened.service.indexStep();
    expect(await indexed(opened)).toEqual(Array.from({ length: MAX_STEP_COST }, (_, n) => 21 - MAX_STEP_COST + n));
    await opened.api.file("long.md", "x ".repeat(20_000));
    let steps = 0;
    for (; (await indexed(opened)).length === MAX_STEP_COST; steps++) await opened.service.indexStep();
    expect(steps).toBe(Math.ceil(40 / MAX_STEP_COST));
    expect(await indexed(opened)).toContain(21);
  });

  test("indexes content with very many keys in parts, and finds it before, between and after these parts", async () => {
    const opened = await open();
    const text = wideText(20_000);
    const [first, last] = [text.slice(0, 3), text.slice(-4, -1)];
    const file = await opened.api.file("wide.md", `# ${text}`);
    await opened.api.file("other.md", "zebra\n");
    for (const n of [1, 2]) {
      let steps = 1;
      for (; (await opened.service.indexStep()) === "more"; steps++) {
        expect(await found(opened, `${last} ${first}`)).toEqual(["wide.md"]);
        expect(await found(opened, "zebra")).toEqual(["other.md"]);
      }
      expect(steps).toBeGreaterThanOrEqual(15);
      expect(await found(opened, `${last} ${first}`)).toEqual(["wide.md"]);
      expect(await found(opened, "parts")).toEqual(n === 1 ? [] : ["wide.md"]);
      const changed = { content: `# ${text} parts`, baseChangeId: file.lastChangeId };
      if (n === 1) expect((await opened.api.put(`/v1/files/${file.id}/content`, changed)).status).toBe(200);
    }
  });

  test("begins again with a text that changes while it is indexed in parts", async () => {
    const opened = await open();
    const file = await opened.api.file("wide.md", wideText(20_000));
    for (let n = 0; n < 5; n++) expect(await opened.service.indexStep()).toBe("more");
    await opened.api.put(`/v1/files/${file.id}/content`, { content: "plain zebra", baseChangeId: file.lastChangeId });
    await opened.service.indexStep("all");
    expect(await indexed(opened)).toHaveLength(1);
    expect(await found(opened, "zebra")).toEqual(["wide.md"]);
  });
});

/** Returns content of that many different Han characters. */
function wideText(length: number): string {
  return Array.from({ length }, (_, n) => String.fromCodePoint(0x4e00 + n)).join("");
}

const WIDE = wideText(10_000);

/** Opens a database with one document that is not indexed yet and has very many keys. */
function openWide(): Db {
  const db = openDatabase(":memory:");
  onTestFinished(() => void db.close());
  db.prepare("INSERT INTO workspaces (id, name, state, retry_after) VALUES ('wsp_1', 'main', 'open', 0)").run();
  db.prepare(
    "INSERT INTO changes (id, file, status, codec, text, at) VALUES ('chg_1', 1, 'saved', 0, CAST(? AS BLOB), 0)",
  ).run(WIDE);
  db.prepare(
    "INSERT INTO files (id, workspace, folder, name, protected, change_id) VALUES ('doc_1', 1, 0, 'wide.md', 0, 'chg_1')",
  ).run();
  return db;
}

const makeIndex = (db: Db) => new SearchIndex(db, new SqliteSession(db));

function step(db: Db, index: SearchIndex, end: "COMMIT" | "ROLLBACK"): "done" | "more" {
  db.prepare("BEGIN").run();
  const left = index.update(MAX_STEP_COST);
  db.prepare(end).run();
  return left;
}

test("a text is indexed whole, whichever step of it is rolled back", () => {
  const whole = openWide();
  const steps = [0];
  for (const index = makeIndex(whole); step(whole, index, "COMMIT") === "more"; ) steps.push(steps.length);
  expect(steps.length).toBeGreaterThan(5);
  for (const lost of steps) {
    const db = openWide();
    const index = makeIndex(db);
    for (let n = 0; step(db, index, n === lost ? "ROLLBACK" : "COMMIT") === "more" || n <= lost; ) n++;
    expect(index.waiting(1)).toEqual([]);
    for (let at = 0; at < WIDE.length; at += 1_990)
      expect(index.keys.inBlock(1, findBlock(1), withNamed(WIDE.slice(at, at + 10)))).toEqual([1]);
  }
});

function withNamed(literal: string) {
  const set = documentsWithLiteral(literal);
  return set.kind === "any" ? expect.fail("any document") : set;
}
