import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import type { Service } from "../../../src/service/service.ts";
import type { Api } from "../../../src/conformance/world.ts";
import { makeDatabase, whyNoPostgres } from "../../postgres/database.ts";
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

type Sides = readonly [sqlite: Api, postgres: Api];

describe.skipIf(whyNoPostgres !== null)("a search on PostgreSQL", () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>;
  let service: Service;
  let sides: Sides;

  beforeAll(async () => {
    database = await makeDatabase();
    const random = seeded("service");
    const store = await PostgresStore.open({ url: database.url, random });
    const opened = await openService({ store, random });
    service = opened.service;
    sides = [(await openService()).api, opened.api];
    for (const [i, text] of texts().entries()) {
      const path = `/folder${i % 7 === 0 ? "-seven" : ""}/note-${i}.md`;
      for (const api of sides) await api.file(path, text);
    }
    await service.indexStep("all");
  });
  afterAll(async () => {
    await service.close();
    await database.remove();
  });

  it("by words finds what SQLite finds, in its order, in any script and in part", async () => {
    for (const query of QUERIES) {
      const [expected, found] = await ask(sides, "/v1/search/hybrid", { query, limit: 500 });
      expect(pathsOf(found), query).toEqual(pathsOf(expected));
    }
  });

  it("by a regex finds what SQLite finds, in its order, with the same lines", async () => {
    for (const query of PATTERNS) {
      const [expected, found] = await ask(sides, "/v1/search/regex", { query, limit: 500 });
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

/** Sends a search to both stores. Returns the answers, SQLite's first. */
async function ask([sqlite, postgres]: Sides, path: string, body: object): Promise<[Hits, Hits]> {
  return [(await sqlite.post(path, body)).ok(200), (await postgres.post(path, body)).ok(200)];
}

type Hits = { readonly data: readonly { readonly path: string; readonly sources: readonly { line: number }[] }[] };

function pathsOf({ data }: Hits): string[] {
  return data.map(({ path }) => path);
}

function linesOf({ data }: Hits): string[] {
  return data.map(({ path, sources }) => `${path} ${sources.map(({ line }) => line).join(" ")}`);
}
