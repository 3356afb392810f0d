import { describe, expect, onTestFinished, test, vi } from "vitest";
import { indexInSteps } from "../../src/server/search-steps.ts";
import { openDatabase } from "../../src/server/database.ts";
import { MIGRATIONS } from "../../src/server/schema.ts";
import { SearchIndex, STEP } from "../../src/server/search-index.ts";
import { type Opened, openService, seeded, temporaryFolder } from "./fixture.ts";
import { Store } from "../../src/server/store.ts";
import Sqlite from "better-sqlite3";
import { join } from "node:path";

async function found({ api }: Pick<Opened, "api">, query: string, more: object = {}): Promise<string[]> {
  const { json } = await api.post("/v1/search/hybrid", { query, ...more });
  return json.data.map((item: { path: string }) => item.path.slice(1));
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
        const answer = opened.service.answer({ method: "POST", path: "/v1/search/hybrid", headers, body: query });
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
    const index = new SearchIndex(db);
    expect(index.update(10)).toBe("done");
    expect(
      index.hybrid({ accepts: () => true, read: (document) => index.read(document) }, "aardvark", 10),
    ).toHaveLength(1);
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
      path: "/v1/search/hybrid",
      headers: { "x-api-key": key },
      body: JSON.stringify({ query: "aardvark" }),
    });
    expect(JSON.parse(answer.body).data).toHaveLength(1);
    second.service.close();
  });

  test("a slow clock refuses no regex", async () => {
    let now = 0;
    const opened = openService({ now: () => (now += 60_000) });
    for (let n = 0; n < 20; n++) await opened.api.file(`${n}.md`, "zebra\n");
    expect((await opened.api.post("/v1/search/regex", { query: "zebra" })).json.data).toHaveLength(20);
    opened.service.close();
  });
});

function watched(steps: ("more" | "done" | Error)[]) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let write = () => undefined as unknown;
  const state = { served: 0, steps: 0, faults: [] as unknown[] };
  const stop = indexInSteps(
    {
      served: () => state.served,
      onWrite: (listener) => {
        write = listener;
      },
      indexStep: () => {
        state.steps++;
        vi.advanceTimersByTime(5);
        const next = steps.shift() ?? "done";
        if (next instanceof Error) throw next;
        return next;
      },
    },
    (error) => state.faults.push(error),
  );
  return { state, stop, write: () => write() };
}

describe("indexing in steps", () => {
  test("follows a write within 50 ms, and many that come together once", () => {
    const { state, stop, write } = watched([]);
    vi.advanceTimersByTime(45);
    expect(state.steps).toBe(1);
    for (let n = 0; n < 10; n++) write();
    vi.advanceTimersByTime(45);
    expect(state.steps).toBe(2);
    vi.advanceTimersByTime(100_000);
    expect(state.steps).toBe(2);
    stop();
  });

  test("goes on until all is done, and leaves time to requests while any come", () => {
    const { state, stop } = watched(["more", "more", "more", "done"]);
    vi.advanceTimersByTime(16);
    expect(state.steps).toBe(4);
    stop();
    const busy = watched(["more", "more"]);
    busy.state.served = 1;
    vi.advanceTimersByTime(34);
    expect(busy.state.steps).toBe(1);
    vi.advanceTimersByTime(2);
    expect(busy.state.steps).toBe(3);
    busy.stop();
  });

  test("tells a fault once and tries again a minute later; ends when told", () => {
    const { state, stop } = watched([new Error("disk full"), "more"]);
    vi.advanceTimersByTime(59_000);
    expect([state.steps, state.faults]).toEqual([1, [new Error("disk full")]]);
    vi.advanceTimersByTime(2_000);
    expect(state.steps).toBe(3);
    stop();
  });
});

const behind = () => openService({ searchCatchesUp: "a-step" });

describe("a step of the index", () => {
  test("is bounded, and takes the newest write first", async () => {
    const opened = behind();
    for (let n = 0; n < 100; n++) await opened.api.file(`${n}.md`, "zebra\n");
    expect(await found(opened, "zebra", { limit: 500 })).toEqual(
      Array.from({ length: STEP }, (_, n) => `${99 - n}.md`).sort(byNumber),
    );
    let steps = 0;
    while (opened.service.indexStep() === "more") steps++;
    // One of them only merges: the one after it finds that nothing is left.
    expect(steps).toBe(Math.ceil((100 - STEP) / STEP));
    expect(await found(opened, "zebra", { limit: 500 })).toHaveLength(100);
    opened.service.close();
  });

  test("is bounded by the length of texts too", async () => {
    const opened = behind();
    for (let n = 0; n < 10; n++) await opened.api.file(`${n}.md`, `zebra ${"x ".repeat(20_000)}`);
    expect(await found(opened, "zebra")).toEqual(["9.md"]);
    opened.service.close();
  });

  test("of a renamed or moved folder reads no text, and takes its files in portions", async () => {
    const opened = openService();
    const { api } = opened;
    for (let n = 0; n < 40; n++) await api.file(`shelf/deep/${n}.md`, `zebra ${n}\n`);
    expect(await found(opened, "zebra", { limit: 500 })).toHaveLength(40);
    const [shelf] = (await api.page("folders", { path: "shelf" })).data;
    await api.patch(`/v1/folders/${shelf!.id}`, { name: "drawer" });
    const copy = new Store({ copy: opened.service.copy() }, seeded("copy"));
    const written = copy.search.update(5);
    expect(written).toBe("more");
    expect(copy.search.update(1_000)).toBe("done");
    copy.close();
    // What is asked of the texts' index before and after is the same rows: none was written again.
    expect(textRows(opened.service.copy())).toEqual(textRows(after(opened)));
    expect(await found(opened, "drawer zebra", { limit: 500 })).toHaveLength(40);
    expect(await found(opened, "shelf", { limit: 500 })).toEqual([]);
    opened.service.close();
  });
});

function byNumber(a: string, b: string): number {
  return Number.parseInt(a, 10) - Number.parseInt(b, 10);
}

function after({ service }: Opened): Uint8Array {
  service.indexAll();
  return service.copy();
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
