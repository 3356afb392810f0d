import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import { Service } from "../../../src/service/service.ts";
import { makeDatabase, whyNoPostgres } from "../../postgres/database.ts";
import { rethrow } from "../../simulator/quiet-ports.ts";
import { openService, seeded } from "../fixture.ts";

/**
 * The index narrows a search to the documents that may match, and never excludes one that matches.
 */

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
    database = await makeDatabase();
    const random = seeded("service");
    store = await PostgresStore.open({ url: database.url, random });
    const postgres = new Service({ store, random, now: () => 0, onFault: rethrow });
    const { service: sqlite, key } = await openService();
    sides = { sqlite, postgres, keys: [key, (await postgres.admin.createWorkspace("main")).key] };
    for (const [i, text] of texts().entries()) {
      const path = `/folder${i % 7 === 0 ? "-seven" : ""}/note-${i}.md`;
      await ask(sides, "POST", "/v1/files", { path, content: text });
    }
    await store.indexStep("all");
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
});

/**
 * Returns documents from one seed: each word is in some of them, and each document has some of the
 * words.
 */
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

/** Sends a request to both stores. Returns the answers, SQLite's first. */
async function ask(sides: Sides, method: string, path: string, body: object): Promise<[unknown, unknown]> {
  const [own, other] = sides.keys;
  return [await send(sides.sqlite, own, method, path, body), await send(sides.postgres, other, method, path, body)];
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
