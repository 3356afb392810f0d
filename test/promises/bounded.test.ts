import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Fixture, openFixture, settle } from "./fixture.ts";
import type { Variant } from "../variants/variant.ts";

const DOCUMENTS = 60;

/** What a sync asked the service for. `gets`: documents read, each as often as it was. */
type Asked = { readonly gets: string[]; readonly puts: number; readonly posts: number; readonly others: string[] };

function asked({ seen }: Fixture): Asked {
  const gets: string[] = [];
  const others: string[] = [];
  let [puts, posts] = [0, 0];
  for (const { method, path } of seen) {
    const id = /^\/v1\/files\/(doc_[^/?]+)$/.exec(path)?.[1];
    if (method === "GET" && id !== undefined) gets.push(id);
    else if (method === "PUT") puts++;
    else if (method === "POST" && path === "/v1/files") posts++;
    else if (method !== "GET") others.push(`${method} ${path}`);
  }
  return { gets: gets.sort(), puts, posts, others };
}

async function converged(variant: Variant = {}): Promise<Fixture> {
  const fixture = openFixture(33, variant);
  for (let n = 0; n < DOCUMENTS; n++) fixture.rig.app.create(`d${n % 6}/n${n}.md`, `note ${n}\n`);
  await settle(fixture.mirror);
  fixture.seen.length = 0;
  return fixture;
}

async function syncOnce(fixture: Fixture): Promise<Asked> {
  fixture.seen.length = 0;
  await fixture.mirror.sync();
  return asked(fixture);
}

describe("I33 one GET for each changed document, none for an unchanged one", () => {
  test("a clone reads each document once", async () => {
    const fixture = openFixture(33);
    for (let n = 0; n < DOCUMENTS; n++) fixture.rig.app.create(`d${n % 6}/n${n}.md`, `note ${n}\n`);
    const { gets, ...writes } = await syncOnce(fixture);
    const ids = [...fixture.rig.app.files().values()].map(({ id }) => id as string);
    expect(gets).toEqual(ids.sort());
    expect(writes).toEqual({ puts: 0, posts: 0, others: [] });
  });

  test("nothing changed: lists alone, as many as there are pages", async () => {
    const fixture = await converged();
    expect(await syncOnce(fixture)).toEqual({ gets: [], puts: 0, posts: 0, others: [] });
    // One page of documents, one of folders.
    expect(fixture.seen).toHaveLength(1 + 1);
  });

  test("nothing changed where no list shows the whole tree: as many more as there are root folders", async () => {
    const fixture = await converged({ noTree: true });
    expect(await syncOnce(fixture)).toEqual({ gets: [], puts: 0, posts: 0, others: [] });
    // One page of documents, one of root folders, one below each root folder.
    expect(fixture.seen).toHaveLength(1 + 1 + 6);
  });

  test.each([1, 2, 17])("%i edited on the service: each of those is read once", async (k) => {
    const fixture = await converged();
    const { app } = fixture.rig;
    const changed = [...app.files().values()].slice(0, k);
    for (const { path } of changed) app.edit(path, `edited ${path}\n`);
    expect(await syncOnce(fixture)).toEqual({
      gets: changed.map(({ id }) => id as string).sort(),
      puts: 0,
      posts: 0,
      others: [],
    });
  });

  test.each([1, 2, 17])("%i edited locally: one PUT each, and nothing is read", async (k) => {
    const fixture = await converged();
    for (const path of [...fixture.mirror.texts().keys()].slice(0, k)) fixture.mirror.write(path, `edited ${path}\n`);
    expect(await syncOnce(fixture)).toEqual({ gets: [], puts: k, posts: 0, others: [] });
  });

  test("edited on both sides: one GET to merge, one PUT", async () => {
    const fixture = await converged();
    const { app } = fixture.rig;
    app.edit("d0/n0.md", "note 0\n\nand there\n");
    fixture.mirror.write("d0/n0.md", "here, and\n\nnote 0\n");
    const { id } = app.files().get("d0/n0.md")!;
    expect(await syncOnce(fixture)).toEqual({ gets: [id], puts: 1, posts: 0, others: [] });
  });

  test("renamed on either side, and a folder of ten: no text is read or sent", async () => {
    const fixture = await converged();
    const { app } = fixture.rig;
    app.rename("d1/n1.md", "there.md");
    fixture.mirror.disk.user.rename(fixture.mirror.path("d2/n2.md"), fixture.mirror.path("d2/here.md"));
    fixture.mirror.disk.user.rename(fixture.mirror.path("d3"), fixture.mirror.path("e3"));
    const { gets, puts, posts, others } = await syncOnce(fixture);
    expect({ gets, puts, posts, patches: others.length }).toEqual({ gets: [], puts: 0, posts: 0, patches: 2 });
  });

  test("20 create locally: one POST each; the first three alone are read back, and none in the runs after", async () => {
    const fixture = await converged();
    for (let n = 0; n < 20; n++) fixture.mirror.write(`d0/new${n}.md`, `new ${n}\n`);
    const { gets, puts, posts } = await syncOnce(fixture);
    expect({ read: gets.length, different: new Set(gets).size, puts, posts }).toEqual({
      read: 3,
      different: 3,
      puts: 0,
      posts: 20,
    });
    for (let n = 0; n < 20; n++) fixture.mirror.write(`d1/new${n}.md`, `new ${n}\n`);
    expect(await syncOnce(fixture)).toEqual({ gets: [], puts: 0, posts: 20, others: [] });
  });

  test("gone on the service: one GET proves each, one more that the key is healthy", async () => {
    const fixture = await converged();
    const { app } = fixture.rig;
    const gone = [...app.files().values()].slice(0, 4);
    for (const { path } of gone) app.remove(path);
    const { gets } = await syncOnce(fixture);
    const others = gets.filter((id) => !gone.some((file) => file.id === id));
    expect(gets.filter((id) => !others.includes(id))).toEqual(gone.map(({ id }) => id as string).sort());
    expect(others).toHaveLength(1);
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
