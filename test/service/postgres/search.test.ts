import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { combineByMerge } from "../../../src/service/files/combine.ts";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import { loadRegexEngine } from "../../../src/service/search/search.ts";
import { createService, type Service } from "../../../src/service/service.ts";
import { makeDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { rethrow } from "../../simulator/quiet-ports.ts";
import { openService, seeded } from "../fixture.ts";

/** Keys narrow a search down to what can hold it, and never pass by what does. */

const WORDS = ["Zürich", "compress", "uncompressed", "kubernetes", "noch", "gzip", "über", "--no-verify", "std::vec"];
const MORE = ["圧縮する", "압축합니다", "ไฟล์", "Сжать", "ضَغَطَ", "🎉", "a1", "x", "Straße", "ﬁni"];
const QUERIES = [
  ...["zurich", "compress", "kubernet", "gzip noch", "--no-verify", "no-ver", "std::vec", "圧縮", "縮", "압축"],
  ...["файл", "сжать", "ضغط", "🎉", "a1", "x", "strasse", "fini", "folder seven", "note-12", "gone", "comp x"],
];
const PATTERNS = [
  "compress(ed)?",
  "no-ver|gzip",
  "^Zürich",
  "(?i)ZÜRICH",
  "圧縮.る",
  "x{1,2} a1",
  "[a-f]1",
  "std::\\w+",
];

type Sides = { readonly sqlite: Service; readonly postgres: Service; readonly keys: readonly [string, string] };

describe.skipIf(whyNoPostgres !== null)("a search on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let sides: Sides;
  let store: PostgresStore;

  beforeAll(async () => {
    await loadRegexEngine();
    database = await makeDatabase();
    const random = seeded("service");
    store = await PostgresStore.open({ url: database.url, random });
    const postgres = createService({ store, random, now: () => 0, combine: combineByMerge, onFault: rethrow });
    const { service: sqlite, key } = await openService();
    sides = { sqlite, postgres, keys: [key, (await postgres.admin.createWorkspace("main")).key] };
    for (const [i, text] of texts().entries()) {
      const path = `/folder${i % 7 === 0 ? "-seven" : ""}/note-${i}.md`;
      await ask(sides, "POST", "/v1/files", { path, content: text });
    }
    await store.indexing.step("all");
  });
  afterAll(async () => {
    await sides.postgres.close();
    await database.remove();
  });

  it("by words finds what SQLite finds, in its order, in any script and in part", async () => {
    for (const query of QUERIES) {
      const [expected, found] = await ask(sides, "POST", "/v1/search/hybrid", { query, limit: 500 });
      expect(pathsOf(found), query).toEqual(pathsOf(expected));
    }
  });

  it("by a regex finds what SQLite finds, in its order, with the same lines", async () => {
    for (const query of PATTERNS) {
      const [expected, found] = await ask(sides, "POST", "/v1/search/regex", { query, limit: 500 });
      expect(linesOf(found), query).toEqual(linesOf(expected));
      expect(pathsOf(found).length, query).toBeGreaterThan(0);
    }
  });

  it("finds an edit and a new name before and after they are indexed, and what is gone never", async () => {
    const [, made] = await ask(sides, "POST", "/v1/files", { path: "/late.md", content: "wolpertinger\n" });
    const { id, lastChangeId } = made as { id: string; lastChangeId: string };
    const found = async (query: string) =>
      pathsOf((await ask(sides, "POST", "/v1/search/hybrid", { query, limit: 10 }))[1]);
    const steps = async (query: string, expected: readonly string[]) => {
      expect(await found(query)).toEqual(expected);
      await store.indexing.step("all");
      expect(await found(query)).toEqual(expected);
    };
    await steps("wolpertinger", ["/late.md"]);
    await one(sides, "PUT", `/v1/files/${id}/content`, { baseChangeId: lastChangeId, content: "elwetritsch\n" });
    await steps("elwetritsch", ["/late.md"]);
    await steps("wolpertinger", []);
    await one(sides, "PATCH", `/v1/files/${id}`, { name: "rasselbock.md" });
    await steps("rasselbock", ["/rasselbock.md"]);
    const [, matching] = await ask(sides, "POST", "/v1/search/regex", { query: "elwetr.tsch", limit: 10 });
    expect(pathsOf(matching)).toEqual(["/rasselbock.md"]);
    const { lastChangeId: live } = (await one(sides, "GET", `/v1/files/${id}`)) as { lastChangeId: string };
    await one(sides, "PUT", `/v1/files/${id}/content`, { baseChangeId: live, content: "hanghuhn\n" });
    const [, waiting] = await ask(sides, "POST", "/v1/search/regex", { query: "hanghu.n", limit: 10 });
    expect(pathsOf(waiting)).toEqual(["/rasselbock.md"]);
    await one(sides, "DELETE", `/v1/files/${id}`);
    await steps("elwetritsch", []);
  });
});

/** Each word in some texts, and each text with some words, from one seed. */
function texts(): string[] {
  const chance = seeded("texts");
  const all = [...WORDS, ...MORE];
  return Array.from({ length: 150 }, () => {
    const [count, ...picks] = chance(9);
    return `${picks
      .slice(0, 1 + (count! % 6))
      .map((pick) => all[pick % all.length])
      .join(" ")}\n`;
  });
}

/** The same of both, SQLite first. */
async function ask(sides: Sides, method: string, path: string, body: object): Promise<[unknown, unknown]> {
  const [own, other] = sides.keys;
  return [await send(sides.sqlite, own, method, path, body), await send(sides.postgres, other, method, path, body)];
}

function one(sides: Sides, method: string, path: string, body?: object): Promise<unknown> {
  return send(sides.postgres, sides.keys[1], method, path, body);
}

async function send(service: Service, key: string, method: string, path: string, body?: object): Promise<unknown> {
  const sent = body === undefined ? null : JSON.stringify(body);
  const answer = await service.answer({ method, path, headers: { "x-api-key": key }, body: sent });
  expect(answer.status, answer.body).toBeLessThan(300);
  return answer.body === "" ? null : JSON.parse(answer.body);
}

type Hits = { readonly data: readonly { readonly path: string; readonly sources: readonly { line: number }[] }[] };

function pathsOf(answer: unknown): string[] {
  return (answer as Hits).data.map(({ path }) => path);
}

function linesOf(answer: unknown): string[] {
  return (answer as Hits).data.map(({ path, sources }) => `${path} ${sources.map(({ line }) => line).join(" ")}`);
}
