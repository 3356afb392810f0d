import { describe, expect, test, vi } from "vitest";
import { indexWhenIdle } from "../../src/service/search-idle.ts";
import { openDatabase } from "../../src/service/database.ts";
import { MIGRATIONS } from "../../src/service/schema.ts";
import { searchIndex } from "../../src/service/search-index.ts";
import { type Opened, openService, seeded, temporaryFolder } from "./ground.ts";
import Sqlite from "better-sqlite3";
import { join } from "node:path";

async function found({ api }: Pick<Opened, "api">, query: string, more: object = {}): Promise<string[]> {
  const { json } = await api.post("/v1/search", { query, ...more });
  return json.data.map((item: { path: string }) => item.path);
}

describe("the index of the service", () => {
  test("follows a rename and a move of a folder: names, prefixes, words of the path", async () => {
    const opened = openService();
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
    opened.service.close();
  });

  test("a refused write, and a batch that is rolled back, leave nothing to find", async () => {
    const opened = openService();
    await opened.api.file("a.md", "kept\n");
    expect(() =>
      opened.service.batch(() => {
        const body = JSON.stringify({ path: "b.md", content: "phantom\n" });
        const headers = { "x-api-key": opened.key };
        expect(opened.service.answer({ method: "POST", path: "/v1/files", headers, body }).status).toBe(201);
        const query = JSON.stringify({ query: "phantom" });
        const answer = opened.service.answer({ method: "POST", path: "/v1/search", headers, body: query });
        expect(JSON.parse(answer.body).data).toHaveLength(1);
        throw new Error("rolled back");
      }),
    ).toThrow("rolled back");
    expect([await found(opened, "phantom"), await found(opened, "kept")]).toEqual([[], ["a.md"]]);
    await opened.api.file("c.md", "phantom\n");
    expect(await found(opened, "phantm")).toEqual(["c.md"]);
    opened.service.close();
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
    const index = searchIndex(db);
    expect(index.update(10)).toBe("done");
    expect(index.hybrid({ accepts: () => true, read: index.read }, "aardvark", 10)).toHaveLength(1);
    db.close();
  });

  test("survives a restart with writes that were not indexed yet", async () => {
    const folder = temporaryFolder();
    const first = openService({ database: { folder } });
    await first.api.file("a.md", "aardvark\n");
    first.service.close();
    const second = openService({ database: { folder }, random: seeded("again") });
    const { key } = second.service.admin.createKey({
      workspaceId: first.workspaceId,
      label: "again",
      grants: [{ on: null, level: "read" }],
    }) as { key: string };
    const answer = await second.service.handle({
      method: "POST",
      path: "/v1/search",
      headers: { "x-api-key": key },
      body: JSON.stringify({ query: "aardvark" }),
    });
    expect(JSON.parse(answer.body).data).toHaveLength(1);
    second.service.close();
  });

  test("a pattern that takes too long here is refused, and what was found till then not shown", async () => {
    let now = 0;
    const opened = openService({ now: () => (now += 500) });
    for (let n = 0; n < 20; n++) await opened.api.file(`${n}.md`, "zebra\n");
    const { json } = await opened.api.post("/v1/search/regex", { pattern: "zebra" });
    expect(json).toMatchObject({ code: "invalid_request", errors: [{ code: "out_of_range", pointer: "/pattern" }] });
    opened.service.close();
  });
});

describe("indexing while idle", () => {
  test("waits for a second without requests, then works in portions until all is done", () => {
    vi.useFakeTimers();
    let served = 0;
    const portions: number[] = [];
    const left = [2, 1, 0];
    const stop = indexWhenIdle({
      served: () => served,
      indexSome: (most) => {
        portions.push(most);
        return (left.shift() ?? 0) > 0 ? "more" : "done";
      },
    });
    vi.advanceTimersByTime(1_000);
    served++;
    vi.advanceTimersByTime(1_000);
    expect(portions).toEqual([]);
    vi.advanceTimersByTime(1_020);
    expect(portions).toEqual([250, 250, 250]);
    stop();
    vi.advanceTimersByTime(10_000);
    expect(portions).toHaveLength(3);
    vi.useRealTimers();
  });
});
