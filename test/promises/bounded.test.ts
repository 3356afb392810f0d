import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { actLocally, actOnService } from "../simulator/commands.ts";
import type { Variant } from "../variants/variant.ts";
import { Moment } from "../simulator/moment.ts";
import { type Fixture, continueFrom, openFixture, settle, countByRoute } from "./fixture.ts";

/**
 * The number of requests for each change by a user. A hosted service charges for requests and
 * limits them, so an additional request is a fault although nothing else shows it.
 */

type Requests = Readonly<Record<string, number>>;

/**
 * Requests of one cycle without changes, in a workspace whose documents and folders need one page
 * each.
 */
const LISTS = { "GET /v1/files": 1, "GET /v1/folders": 1 } as const;

/**
 * Syncs 60 documents. Three of them were created locally, so mdmirror has already learned that it
 * need not read new documents back.
 */
async function sync(variant: Variant): Promise<Moment> {
  const fixture = openFixture(33, variant);
  actOnService(fixture.rig.app, "new d0/n0.md $X");
  for (let n = 1; n < 57; n++) fixture.rig.app.create(`d${n % 6}/n${n}.md`, `note ${n}\n`);
  await settle(fixture.mirror);
  for (let n = 0; n < 3; n++) fixture.mirror.write(`d0/first${n}.md`, `first ${n}\n`);
  await settle(fixture.mirror);
  return new Moment(fixture);
}

const inSync = await sync({});

async function requestsOf(fixture: Fixture): Promise<Requests> {
  fixture.seen.length = 0;
  await fixture.mirror.sync();
  return countByRoute(fixture.seen.map(({ method, path }) => `${method} ${path}`));
}

const FILE = "/v1/files/{id}";
const FOLDER = "/v1/folders/{id}";
const CONTENT = `${FILE}/content`;

/** Local commands, commands on the service, and the requests in addition to the lists. */
type Row = readonly [local: string, remote: string, beside: Requests];

const edits = (verb: string, count: number): string =>
  Array.from({ length: count }, (_, n) => `${verb} d${n % 6}/n${n}.md edited-${n}`).join("; ");

const ROWS: readonly Row[] = [
  ["", "", {}],
  [edits("write", 1), "", { [`PUT ${CONTENT}`]: 1 }],
  [edits("write", 10), "", { [`PUT ${CONTENT}`]: 10 }],
  ["write d1/new.md new", "", { "POST /v1/files": 1 }],
  // The service may change CRLF line ends, so the first such document is read back.
  ["write d1/new.md $CRLF", "", { "POST /v1/files": 1, [`GET ${FILE}`]: 1 }],
  ["write made/new.md new", "", { "POST /v1/folders": 1, "POST /v1/files": 1 }],
  ["mv d1/n1.md d1/other.md", "", { [`PATCH ${FILE}`]: 1 }],
  ["mv d1/n1.md d2/n1.md", "", { [`PATCH ${FILE}`]: 1 }],
  ["mv d1/n1.md n1.md", "", { [`PATCH ${FILE}`]: 1 }],
  ["mv d0/n0.md d0/b.md; write d0/b.md $X1", "", { [`PATCH ${FILE}`]: 1, [`PUT ${CONTENT}`]: 1 }],
  ["mv d1 e1", "", { [`PATCH ${FOLDER}`]: 1 }],
  ["mv d1 d2/d1", "", { [`PATCH ${FOLDER}`]: 1 }],
  // The API has no conditional DELETE, so mdmirror reads the document once more.
  ["rm d1/n1.md", "", { [`GET ${FILE}`]: 1, [`DELETE ${FILE}`]: 1 }],
  ["", edits("edit", 1), { [`GET ${FILE}`]: 1 }],
  ["", edits("edit", 17), { [`GET ${FILE}`]: 17 }],
  ["", "new d1/new.md new", { [`GET ${FILE}`]: 1 }],
  ["", "mv d1/n1.md d1/other.md", {}],
  ["", "mv d1/n1.md d2/n1.md", {}],
  ["", "mv d1 e1", {}],
  // Two reads prove the deletion: one of the document, and one of another document, which shows
  // that the key works.
  ["", "rm d1/n1.md", { [`GET ${FILE}`]: 2 }],
  ["", "rm d1/n1.md; rm d2/n2.md; rm d3/n3.md; rm d4/n4.md", { [`GET ${FILE}`]: 5 }],
  // A merge, and the lists of one more cycle.
  [
    "write d0/n0.md $X1",
    "edit d0/n0.md $X10",
    { "GET /v1/files": 2, "GET /v1/folders": 2, [`GET ${FILE}`]: 1, [`PUT ${CONTENT}`]: 1 },
  ],
];

describe("I33 each thing costs its own requests beside the two lists, and no other", () => {
  test.each(ROWS)("local: %s, on the service: %s", async (local, remote, beside) => {
    const fixture = continueFrom(inSync);
    actLocally(fixture.mirror, local);
    actOnService(fixture.rig.app, remote);
    expect(await requestsOf(fixture)).toEqual({ ...LISTS, ...beside });
    expect(await requestsOf(fixture)).toEqual(LISTS);
  });

  test("a clone reads each document once", async () => {
    const fixture = openFixture(33);
    for (let n = 0; n < 60; n++) fixture.rig.app.create(`d${n % 6}/n${n}.md`, `note ${n}\n`);
    expect(await requestsOf(fixture)).toEqual({ ...LISTS, [`GET ${FILE}`]: 60 });
    const read = fixture.seen.filter(({ path }) => path.startsWith("/v1/files/doc_"));
    expect(new Set(read.map(({ path }) => path)).size).toBe(60);
  });

  test("of twenty new documents the first three are read back, and none in the runs after", async () => {
    const fixture = openFixture(33);
    fixture.rig.app.create("d/n.md", "note\n");
    await settle(fixture.mirror);
    for (let n = 0; n < 20; n++) fixture.mirror.write(`new${n}.md`, `new ${n}\n`);
    expect(await requestsOf(fixture)).toMatchObject({ "POST /v1/files": 20, [`GET ${FILE}`]: 3 });
    for (let n = 20; n < 40; n++) fixture.mirror.write(`new${n}.md`, `new ${n}\n`);
    expect(await requestsOf(fixture)).toEqual({ ...LISTS, "POST /v1/files": 20 });
  });

  test("nothing to do where no list shows the whole tree: one request more for each folder of the root", async () => {
    const fixture = continueFrom(await sync({ noTree: true }), { noTree: true });
    expect(await requestsOf(fixture)).toEqual({ "GET /v1/files": 1, "GET /v1/folders": 1 + 6 });
  });

  test("nothing to do: a request for each thousand documents, one for the folders", async () => {
    const fixture = openFixture(33);
    for (let n = 0; n < 1_001; n++) fixture.rig.app.create(`d${n % 6}/n${n}.md`, `note ${n}\n`);
    await settle(fixture.mirror);
    expect(await requestsOf(fixture)).toEqual({ "GET /v1/files": 2, "GET /v1/folders": 1 });
  });
});

describe("I33 memory is for what is known of documents, not for their texts", () => {
  const CHARACTERS = 50_000;
  const MANY = 400;
  type Measured = { readonly heapBytes: number; readonly requests: number; readonly uploaded: boolean };

  function measure(documents: number, characters: number): Measured {
    const child = fileURLToPath(new URL("memory-child.ts", import.meta.url));
    const argv = ["--expose-gc", child, String(documents), String(characters)];
    return JSON.parse(execFileSync(process.execPath, argv, { encoding: "utf8" })) as Measured;
  }

  test("400 documents of 50,000 characters, cloned and edited, need at most one version of their content more heap than small ones", () => {
    const [small, big] = [measure(MANY, 500), measure(MANY, CHARACTERS)];
    expect([small.uploaded, big.uploaded]).toEqual([true, true]);
    // The same work needs the same requests, whatever the length of the documents.
    expect(big.requests).toBe(small.requests);
    expect(big.heapBytes - small.heapBytes).toBeLessThan(MANY * CHARACTERS);
  });
});
