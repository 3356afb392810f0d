import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Ground, openGround, settle } from "./ground.ts";

const DOCUMENTS = 60;

/** What a sync asked the service for. `gets`: documents read, each as often as it was. */
type Asked = { readonly gets: string[]; readonly puts: number; readonly posts: number; readonly others: string[] };

function asked({ seen }: Ground): Asked {
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

async function converged(): Promise<Ground> {
  const ground = openGround(33);
  for (let n = 0; n < DOCUMENTS; n++) ground.rig.app.create(`d${n % 6}/n${n}.md`, `note ${n}\n`);
  await settle(ground.mirror);
  ground.seen.length = 0;
  return ground;
}

async function syncOnce(ground: Ground): Promise<Asked> {
  ground.seen.length = 0;
  await ground.mirror.sync();
  return asked(ground);
}

describe("I33 one GET for each changed document, none for an unchanged one", () => {
  test("a clone reads each document once", async () => {
    const ground = openGround(33);
    for (let n = 0; n < DOCUMENTS; n++) ground.rig.app.create(`d${n % 6}/n${n}.md`, `note ${n}\n`);
    const { gets, ...writes } = await syncOnce(ground);
    const ids = [...ground.rig.app.files().values()].map(({ id }) => id as string);
    expect(gets).toEqual(ids.sort());
    expect(writes).toEqual({ puts: 0, posts: 0, others: [] });
  });

  test("nothing changed: lists alone, as many as there are pages and root folders", async () => {
    const ground = await converged();
    expect(await syncOnce(ground)).toEqual({ gets: [], puts: 0, posts: 0, others: [] });
    // One page of documents, one of root folders, one below each root folder.
    expect(ground.seen).toHaveLength(1 + 1 + 6);
  });

  test.each([1, 2, 17])("%i edited on the service: each of those is read once", async (k) => {
    const ground = await converged();
    const { app } = ground.rig;
    const changed = [...app.files().values()].slice(0, k);
    for (const { path } of changed) app.edit(path, `edited ${path}\n`);
    expect(await syncOnce(ground)).toEqual({
      gets: changed.map(({ id }) => id as string).sort(),
      puts: 0,
      posts: 0,
      others: [],
    });
  });

  test.each([1, 2, 17])("%i edited here: one PUT each, and nothing is read", async (k) => {
    const ground = await converged();
    for (const path of [...ground.mirror.texts().keys()].slice(0, k)) ground.mirror.write(path, `edited ${path}\n`);
    expect(await syncOnce(ground)).toEqual({ gets: [], puts: k, posts: 0, others: [] });
  });

  test("edited on both sides: one GET to merge, one PUT", async () => {
    const ground = await converged();
    const { app } = ground.rig;
    app.edit("d0/n0.md", "note 0\n\nand there\n");
    ground.mirror.write("d0/n0.md", "here, and\n\nnote 0\n");
    const { id } = app.files().get("d0/n0.md")!;
    expect(await syncOnce(ground)).toEqual({ gets: [id], puts: 1, posts: 0, others: [] });
  });

  test("renamed on either side, and a folder of ten: no text is read or sent", async () => {
    const ground = await converged();
    const { app } = ground.rig;
    app.rename("d1/n1.md", "there.md");
    ground.mirror.disk.user.rename(ground.mirror.path("d2/n2.md"), ground.mirror.path("d2/here.md"));
    ground.mirror.disk.user.rename(ground.mirror.path("d3"), ground.mirror.path("e3"));
    const { gets, puts, posts, others } = await syncOnce(ground);
    expect({ gets, puts, posts, patches: others.length }).toEqual({ gets: [], puts: 0, posts: 0, patches: 2 });
  });

  test("20 new here: one POST each; the first three alone are read back", async () => {
    const ground = await converged();
    for (let n = 0; n < 20; n++) ground.mirror.write(`d0/new${n}.md`, `new ${n}\n`);
    const { gets, puts, posts } = await syncOnce(ground);
    expect({ read: gets.length, different: new Set(gets).size, puts, posts }).toEqual({
      read: 3,
      different: 3,
      puts: 0,
      posts: 20,
    });
  });

  test("gone on the service: one GET proves each, one more that the key is healthy", async () => {
    const ground = await converged();
    const { app } = ground.rig;
    const gone = [...app.files().values()].slice(0, 4);
    for (const { path } of gone) app.remove(path);
    const { gets } = await syncOnce(ground);
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
