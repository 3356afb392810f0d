import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Variant } from "../variants/variant.ts";
import { type Fixture, openFixture, settle } from "./fixture.ts";

/**
 * What each thing that people do costs in requests. On a hosted service each is money, and counts
 * against a limit: one more is a fault, though nothing else shows it.
 */

type Requests = Readonly<Record<string, number>>;

/** Of a workspace whose documents and folders are a page each. */
const LISTS = { "GET /v1/files": 1, "GET /v1/folders": 1 } as const;

function counted({ seen }: Fixture): Requests {
  const requests: Record<string, number> = {};
  for (const { method, path } of seen) {
    const route = `${method} ${path.replace(/\?.*/s, "").replace(/\/(doc|dir)_[^/]+/, "/{id}")}`;
    requests[route] = (requests[route] ?? 0) + 1;
  }
  return requests;
}

/** In sync; three of the documents were created locally, so that nothing is read back later. */
async function inSync(variant: Variant = {}): Promise<Fixture> {
  const fixture = openFixture(33, variant);
  for (let n = 0; n < 57; n++) fixture.rig.app.create(`d${n % 6}/n${n}.md`, `note ${n}\n`);
  await settle(fixture.mirror);
  for (let n = 0; n < 3; n++) fixture.mirror.write(`d0/first${n}.md`, `first ${n}\n`);
  await settle(fixture.mirror);
  return fixture;
}

async function requestsOf(fixture: Fixture): Promise<Requests> {
  fixture.seen.length = 0;
  await fixture.mirror.sync();
  return counted(fixture);
}

type Act = readonly [what: string, act: (fixture: Fixture) => void, beside: Requests];

const FILE = "/v1/files/{id}";
const FOLDER = "/v1/folders/{id}";

const HERE: readonly Act[] = [
  ["nothing to do", () => undefined, {}],
  ["an edit", ({ mirror }) => mirror.write("d1/n1.md", "edited\n"), { [`PUT ${FILE}/content`]: 1 }],
  [
    "ten edits",
    ({ mirror }) => {
      for (let n = 0; n < 10; n++) mirror.write(`d${n % 6}/n${n}.md`, `edited ${n}\n`);
    },
    { [`PUT ${FILE}/content`]: 10 },
  ],
  ["a new document", ({ mirror }) => mirror.write("d1/new.md", "new\n"), { "POST /v1/files": 1 }],
  [
    "the first document of a form that a service may change: it is read back",
    ({ mirror }) => mirror.write("d1/new.md", "no final newline"),
    { "POST /v1/files": 1, [`GET ${FILE}`]: 1 },
  ],
  [
    "a new folder with a document",
    ({ mirror }) => mirror.write("made/new.md", "new\n"),
    { "POST /v1/folders": 1, "POST /v1/files": 1 },
  ],
  ["a rename", (fixture) => rename(fixture, "d1/n1.md", "d1/other.md"), { [`PATCH ${FILE}`]: 1 }],
  ["a move", (fixture) => rename(fixture, "d1/n1.md", "d2/n1.md"), { [`PATCH ${FILE}`]: 1 }],
  ["a move to the root", (fixture) => rename(fixture, "d1/n1.md", "n1.md"), { [`PATCH ${FILE}`]: 1 }],
  [
    "a rename and an edit of it",
    (fixture) => {
      rename(fixture, "d1/n1.md", "d1/other.md");
      fixture.mirror.write("d1/other.md", "note 1\n\nand an edit of it\n");
    },
    { [`PATCH ${FILE}`]: 1, [`PUT ${FILE}/content`]: 1 },
  ],
  ["a folder renamed", (fixture) => rename(fixture, "d1", "e1"), { [`PATCH ${FOLDER}`]: 1 }],
  ["a folder moved", (fixture) => rename(fixture, "d1", "d2/d1"), { [`PATCH ${FOLDER}`]: 1 }],
  [
    "a deletion: read once more, since there is no conditional DELETE",
    ({ mirror }) => mirror.disk.user.remove(mirror.path("d1/n1.md")),
    { [`GET ${FILE}`]: 1, [`DELETE ${FILE}`]: 1 },
  ],
];

const THERE: readonly Act[] = [
  ["an edit", ({ rig }) => rig.app.edit("d1/n1.md", "edited\n"), { [`GET ${FILE}`]: 1 }],
  [
    "seventeen edits",
    ({ rig }) => {
      for (const path of [...rig.app.files().keys()].slice(0, 17)) rig.app.edit(path, `edited ${path}\n`);
    },
    { [`GET ${FILE}`]: 17 },
  ],
  [
    "an edit of a document that is edited locally too, and one more look",
    ({ rig, mirror }) => {
      rig.app.edit("d0/n0.md", "note 0\n\nand there\n");
      mirror.write("d0/n0.md", "here, and\n\nnote 0\n");
    },
    { "GET /v1/files": 2, "GET /v1/folders": 2, [`GET ${FILE}`]: 1, [`PUT ${FILE}/content`]: 1 },
  ],
  ["a new document", ({ rig }) => void rig.app.create("d1/new.md", "new\n"), { [`GET ${FILE}`]: 1 }],
  ["a rename", ({ rig }) => rig.app.rename("d1/n1.md", "other.md"), {}],
  ["a move", ({ rig }) => rig.app.move("d1/n1.md", "d2"), {}],
  ["a folder renamed", ({ rig }) => rig.app.renameFolder("d1", "e1"), {}],
  [
    "a deletion: proven by its id, and by that of another which shows that the key is healthy",
    ({ rig }) => rig.app.remove("d1/n1.md"),
    { [`GET ${FILE}`]: 2 },
  ],
  [
    "four deletions",
    ({ rig }) => {
      for (const path of ["d1/n1.md", "d2/n2.md", "d3/n3.md", "d4/n4.md"]) rig.app.remove(path);
    },
    { [`GET ${FILE}`]: 5 },
  ],
];

function rename({ mirror }: Fixture, from: string, to: string): void {
  mirror.disk.user.rename(mirror.path(from), mirror.path(to));
}

describe("I33 each thing costs its own requests beside the two lists, and no other", () => {
  test.each(HERE)("here: %s", async (_what, act, beside) => {
    const fixture = await inSync();
    act(fixture);
    expect(await requestsOf(fixture)).toEqual({ ...LISTS, ...beside });
    expect(await requestsOf(fixture)).toEqual(LISTS);
  });

  test.each(THERE)("there: %s", async (_what, act, beside) => {
    const fixture = await inSync();
    act(fixture);
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
    const fixture = await inSync({ noTree: true });
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
  const MANY = 800;
  type Measured = { readonly held: number; readonly requests: number; readonly uploaded: boolean };

  function measure(documents: number, characters: number): Measured {
    const child = fileURLToPath(new URL("memory-child.ts", import.meta.url));
    const argv = ["--expose-gc", child, String(documents), String(characters)];
    return JSON.parse(execFileSync(process.execPath, argv, { encoding: "utf8" })) as Measured;
  }

  test("800 documents of 50,000 characters, cloned and edited, hold less heap than the texts of one version more than small ones do", () => {
    const [small, big] = [measure(MANY, 500), measure(MANY, CHARACTERS)];
    expect([small.uploaded, big.uploaded]).toEqual([true, true]);
    // The same work by the same requests; the texts alone differ.
    expect(big.requests).toBe(small.requests);
    expect(big.held - small.held).toBeLessThan(MANY * CHARACTERS);
  });
});
