import { describe, expect, test } from "vitest";
import { openDatabase } from "../../src/server/sqlite/database.ts";
import { MIGRATIONS } from "../../src/server/sqlite/schema.ts";
import { MOST_RANKED } from "../../src/search/word-queries.ts";
import { SearchIndex, STEP } from "../../src/server/sqlite/search-index.ts";
import { type Opened, openService, seeded, temporaryFolder } from "./fixture.ts";
import Sqlite from "better-sqlite3";
import { join } from "node:path";

async function found({ api }: Pick<Opened, "api">, query: string, more: object = {}): Promise<string[]> {
  const { json } = await api.post("/v1/search/hybrid", { query, ...more });
  return json.data.map((item: { path: string }) => item.path.slice(1));
}

describe("the index of the service", () => {
  test("follows a rename and a move of a folder: names, prefixes, words of the path", async () => {
    const opened = await openService();
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
    await opened.service.close();
  });

  test("a refused write, and a batch that is rolled back, leave nothing to find", async () => {
    const opened = await openService();
    await opened.api.file("a.md", "kept\n");
    await expect(
      opened.service.batch(async (answer) => {
        const body = JSON.stringify({ path: "b.md", content: "phantom\n" });
        const headers = { "x-api-key": opened.key };
        expect((await answer({ method: "POST", path: "/v1/files", headers, body })).status).toBe(201);
        const query = JSON.stringify({ query: "phantom" });
        const response = await answer({ method: "POST", path: "/v1/search/hybrid", headers, body: query });
        expect(JSON.parse(response.body).data).toHaveLength(1);
        throw new Error("rolled back");
      }),
    ).rejects.toThrow("rolled back");
    expect([await found(opened, "phantom"), await found(opened, "kept")]).toEqual([[], ["a.md"]]);
    await opened.api.file("c.md", "phantom\n");
    expect(await found(opened, "phantm")).toEqual(["c.md"]);
    await opened.service.close();
  });

  test("a database from before search is indexed whole", () => {
    const folder = temporaryFolder();
    const old = new Sqlite(join(folder, "service.db"));
    old.exec(MIGRATIONS[0]!);
    old.pragma("user_version = 1");
    old.exec("INSERT INTO changes (id, file, status, codec, text, at) VALUES ('chg_1', 1, 'saved', 0, 'aardvark', 0)");
    old.exec(
      "INSERT INTO files (id, workspace, folder, name, protected, change_id) VALUES ('doc_1', 1, 0, 'a.md', 0, 'chg_1')",
    );
    old.close();
    const db = openDatabase({ folder });
    const index = new SearchIndex(db);
    expect(index.update(10)).toBe("done");
    expect(
      index.hybrid({ accepts: () => true, read: (document) => index.read(document) }, "aardvark", 10),
    ).toHaveLength(1);
    db.close();
  });

  test("a data folder of the former version is found at once, and indexed anew in steps", () => {
    const folder = temporaryFolder();
    const former = new Sqlite(join(folder, "service.db"));
    for (const sql of MIGRATIONS.slice(0, 5)) former.exec(sql);
    former.pragma("user_version = 5");
    const documents = MOST_RANKED + 100;
    const changes = former.prepare(
      "INSERT INTO changes (id, file, status, codec, text, at) VALUES (?, ?, 'saved', 0, ?, 0)",
    );
    const files = former.prepare(
      "INSERT INTO files (id, workspace, folder, name, protected, change_id) VALUES (?, 1, 0, ?, 0, ?)",
    );
    const words = former.prepare("INSERT INTO search_words (rowid, headings, body) VALUES (?, '', ?)");
    const paths = former.prepare("INSERT INTO search_paths (rowid, name, folders) VALUES (?, ?, '')");
    former.transaction(() => {
      for (let n = 1; n <= documents; n++) {
        const text = n === documents - 50 ? "common words" : "words common";
        changes.run(`chg_${n}`, n, Buffer.from(text));
        files.run(`doc_${n}`, `${n}.md`, `chg_${n}`);
        words.run(n, text);
        paths.run(n, String(n));
      }
      former.exec("DELETE FROM search_queue");
    })();
    former.close();
    const db = openDatabase({ folder });
    const index = new SearchIndex(db);
    const first = () => {
      const all = { accepts: () => true, read: (document: number) => index.read(document) };
      const hits = index.hybrid(all, "common words", 10);
      return [hits.length, hits[0]!.document];
    };
    expect(first()).toEqual([10, documents]);
    expect(index.update(STEP)).toBe("more");
    expect(first()).toEqual([10, documents]);
    expect(index.update(Number.MAX_SAFE_INTEGER)).toBe("done");
    expect(first()).toEqual([10, documents - 50]);
    db.close();
  });

  test("survives a restart with writes that were not indexed yet", async () => {
    const folder = temporaryFolder();
    const first = await openService({ database: { folder } });
    await first.api.file("a.md", "aardvark\n");
    await first.service.close();
    const second = await openService({ database: { folder }, random: seeded("again") });
    const { key } = (await second.service.admin.createKey({
      workspaceId: first.workspaceId,
      label: "again",
      grants: [{ on: null, level: "read" }],
    })) as { key: string };
    const answer = await second.service.handle({
      method: "POST",
      path: "/v1/search/hybrid",
      headers: { "x-api-key": key },
      body: JSON.stringify({ query: "aardvark" }),
    });
    expect(JSON.parse(answer.body).data).toHaveLength(1);
    await second.service.close();
  });

  test("a slow clock refuses no regex", async () => {
    let now = 0;
    const opened = await openService({ now: () => (now += 60_000) });
    for (let n = 0; n < 20; n++) await opened.api.file(`${n}.md`, "zebra\n");
    expect((await opened.api.post("/v1/search/regex", { query: "zebra" })).json.data).toHaveLength(20);
    await opened.service.close();
  });
});

const behind = () => openService({ searchCatchesUp: "a-step" });

describe("a step of the index", () => {
  test("is bounded, and takes the newest write first", async () => {
    const opened = await behind();
    for (let n = 0; n < 100; n++) await opened.api.file(`${n}.md`, "zebra\n");
    expect(await found(opened, "zebra", { limit: 500 })).toEqual(
      Array.from({ length: STEP }, (_, n) => `${99 - n}.md`).sort(byNumber),
    );
    let steps = 0;
    while ((await opened.service.indexStep()) === "more") steps++;
    // One of them only merges: the one after it finds that nothing is left.
    expect(steps).toBe(Math.ceil((100 - STEP) / STEP));
    expect(await found(opened, "zebra", { limit: 500 })).toHaveLength(100);
    await opened.service.close();
  });

  test("that a search takes merges nothing: that is left to the next one", async () => {
    const opened = await behind();
    const segments = async () => {
      const db = new Sqlite(Buffer.from(await opened.service.copy()));
      const { n } = db.prepare<[], { n: number }>("SELECT count(DISTINCT segid) AS n FROM search_words_idx").get()!;
      db.close();
      return n;
    };
    for (let n = 0; n < 12; n++) {
      await opened.api.file(`${n}.md`, "zebra\n");
      expect(await found(opened, "zebra", { limit: 500 })).toHaveLength(n + 1);
    }
    expect(await segments()).toBe(12);
    while ((await opened.service.indexStep()) === "more");
    expect(await segments()).toBeLessThan(6);
    await opened.service.close();
  });

  test("is bounded by the length of texts too", async () => {
    const opened = await behind();
    for (let n = 0; n < 10; n++) await opened.api.file(`${n}.md`, `zebra ${"x ".repeat(20_000)}`);
    expect(await found(opened, "zebra")).toEqual(["9.md"]);
    await opened.service.close();
  });

  test("of a renamed or moved folder reads no text, and takes its files in portions", async () => {
    const opened = await openService();
    const { api } = opened;
    for (let n = 0; n < 40; n++) await api.file(`shelf/deep/${n}.md`, `zebra ${n}\n`);
    expect(await found(opened, "zebra", { limit: 500 })).toHaveLength(40);
    const [shelf] = (await api.page("folders", { path: "shelf" })).data;
    await api.patch(`/v1/folders/${shelf!.id}`, { name: "drawer" });
    const copy = openDatabase({ copy: await opened.service.copy() });
    const index = new SearchIndex(copy);
    expect(index.update(5)).toBe("more");
    expect(index.update(1_000)).toBe("done");
    copy.close();
    // What is asked of the texts' index before and after is the same rows: none was written again.
    expect(textRows(await opened.service.copy())).toEqual(textRows(await after(opened)));
    expect(await found(opened, "drawer zebra", { limit: 500 })).toHaveLength(40);
    expect(await found(opened, "shelf", { limit: 500 })).toEqual([]);
    await opened.service.close();
  });
});

function byNumber(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10);
}

async function after({ service }: Opened): Promise<Uint8Array> {
  await service.indexAll();
  return await service.copy();
}

/** The stored blocks of the index of texts: a document that is indexed again changes them. */
function textRows(copy: Uint8Array): unknown[] {
  const db = new Sqlite(Buffer.from(copy));
  const rows = ["search_words_data", "search_grams_data"].flatMap((table) =>
    db.prepare(`SELECT * FROM ${table}`).all(),
  );
  db.close();
  return rows;
}
