import { describe, expect, it } from "vitest";
import { syncToConvergence } from "../../src/engine/run/sync.ts";
import type { RunReport } from "../../src/engine/run/report.ts";
import type { World } from "../../src/engine/run/world.ts";
import type { WireRequest } from "../../src/contract/wire.ts";
import type { Wire, WireResult } from "../../src/ports/wire.ts";
import { createRemote } from "../../src/remote/client.ts";
import { answer, LOST, problem } from "../remote/scripted-wire.ts";
import { type Answered, answerLines, eachOf, isBatch } from "../remote/take-batch.ts";
import { type Mirror, SETTINGS } from "../simulator/mirror.ts";
import { closeNothing, NO_LOG } from "../simulator/quiet-ports.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

/** What comes back for a batch. @param carry carries it out */
type Lie = (carry: () => Promise<Answered>, request: WireRequest) => Promise<WireResult>;

const html = (status: number): WireResult => answer(status, "<html>no</html>", { "content-type": "text/html" });
const instead =
  (result: WireResult): Lie =>
  async () =>
    result;
/** Carried out, and its answer is another one. */
const garbled =
  (change: (body: string) => string): Lie =>
  async (carry) => {
    const { response } = await carry();
    return { kind: "answer", response: { ...response, body: change(response.body) } };
  };

const LIES: readonly [name: string, lie: Lie][] = [
  ["is reset before it is carried out", instead(LOST)],
  ["is reset after it was carried out", async (carry) => carry().then(() => LOST)],
  ["times out after it was carried out", async (carry) => carry().then(() => ({ ...LOST, timedOut: true }))],
  ["is not known", instead(problem(404, "not_found"))],
  ["is refused by a proxy: 403", instead(html(403))],
  ["is refused by a proxy: 405", instead(html(405))],
  ["is refused by a proxy: 413", instead(html(413))],
  ["meets a proxy's 502", instead(html(502))],
  ["meets a fault of the service", instead(problem(500, "internal_error"))],
  ["is carried out, and then a proxy's 504", async (carry) => carry().then(() => html(504))],
  ["is answered by a login page", instead(html(200))],
  ["is answered by one file", instead(answer(201, { id: "doc_1", lastChangeId: "chg_1", path: "a.md" }))],
  ["is answered by nothing", instead(answer(204))],
  ["is answered in half", garbled((body) => body.slice(0, Math.floor(body.length / 2)))],
  ["is answered with one line less", garbled((body) => body.replace(/[^\n]*\n[^\n]*\n$/, ""))],
  ["is answered with one more", garbled((body) => body + answerLines([{ status: 201, headers: {}, body: "{}" }]))],
  ["is answered in another order", garbled((body) => body.replace('"at":0', '"at":1'))],
  ["has statuses as text", garbled((body) => body.replace(/"status":(\d+)/g, '"status":"$1"'))],
];

const honest: Lie = (carry) => carry();

/** A mirror of a service that takes batches, and what it sent, one by one. */
class Batching implements Wire {
  readonly rig: Rig;
  readonly mirror: Mirror;
  readonly sent: WireRequest[] = [];
  batches = 0;
  lie: Lie;
  readonly close = closeNothing;
  /** What comes back for a write that goes by itself. */
  readonly #alone: Lie;
  readonly #base: World;

  constructor(seed: number, lie: Lie, alone = honest) {
    this.rig = createRig(seed);
    this.mirror = this.rig.mirror();
    this.lie = lie;
    this.#alone = alone;
    this.#base = this.mirror.world();
  }

  async send(request: WireRequest): Promise<WireResult> {
    this.sent.push(...eachOf(request));
    // ORDER: no answer comes before what is ready by itself was done, as over a network.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const carry = async (): Promise<Answered> => ({
      kind: "answer",
      response: await this.rig.service.handle(request),
    });
    if (!isBatch(request)) return request.body === null ? carry() : this.#alone(carry, request);
    this.batches++;
    return this.lie(carry, request);
  }

  /** By a client of its own, as each `sync` has. */
  sync(): Promise<RunReport> {
    const { clock, random } = this.#base;
    const remote = createRemote({ wire: this, key: keyOf(this.rig), clock, random, log: NO_LOG, traits: null });
    const world: World = { ...this.#base, remote };
    return syncToConvergence(world, { settings: SETTINGS, retryRefused: true, kind: "sync" });
  }

  /** Until both sides agree. @returns after so many runs at most */
  async converge(runs: number): Promise<void> {
    for (let run = 0; run < runs && (await this.sync()).state !== "in-sync"; run++);
  }

  textsThere(): Map<string, string> {
    return new Map([...this.rig.app.files().values()].map(({ path, text }) => [path, text]));
  }
}

function keyOf({ service }: Rig): string {
  const [workspace] = service.admin.workspaces();
  const made = service.admin.createKey({ workspaceId: workspace!.id, grants: [{ on: null, level: "full" }] });
  if (!("key" in made)) throw new Error("no key");
  return made.key;
}

/** I08: a POST of a path that was sent before comes after a look at that path. */
function judgeLooks(sent: readonly WireRequest[]): void {
  const unknown = new Set<string>();
  for (const { method, path, body } of sent) {
    const looked = new URL(path, "http://service").searchParams.get("path");
    if (method === "GET" && looked !== null) unknown.delete(looked);
    // The list of everything shows it, too.
    if (method === "GET" && /^\/v1\/files\?limit=\d+$/.test(path)) unknown.clear();
    if (method !== "POST") continue;
    const made = (JSON.parse(body!) as { path: string }).path;
    expect(unknown, `POST of ${made}`).not.toContain(made);
    unknown.add(made);
  }
}

const DOCUMENTS = new Map(Array.from({ length: 30 }, (_, n) => [`${n % 3}/n${n}.md`, `text ${n}\n`]));

describe("a batch that", () => {
  it.each(LIES)("%s: a push brings each document once (I01, I03, I08)", async (name, lie) => {
    const at = new Batching(81, lie);
    for (const [path, text] of DOCUMENTS) at.mirror.write(path, text);
    await at.converge(2);
    expect(at.batches).toBeGreaterThan(0);
    expect(at.textsThere()).toEqual(DOCUMENTS);
    expect(at.mirror.texts()).toEqual(DOCUMENTS);
    // What is refused in the service's own words was not done, and is sent again by itself.
    if (name !== "is not known") judgeLooks(at.sent);
  });

  it.each(LIES)("%s: a clone brings each document, in one run (I01, I03)", async (_name, lie) => {
    const at = new Batching(83, lie);
    for (const [path, text] of DOCUMENTS) at.rig.app.create(path, text);
    expect((await at.sync()).state).toBe("in-sync");
    expect(at.batches).toBeGreaterThan(0);
    expect(at.mirror.texts()).toEqual(DOCUMENTS);
    expect(at.sent.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  it.each(LIES)("%s: edits, moves and deletions of many end as one, too (I01, I03, I08)", async (_name, lie) => {
    const at = new Batching(82, honest);
    const { app } = at.rig;
    const { user } = at.mirror.disk;
    for (let n = 0; n < 12; n++) app.create(`a/n${n}.md`, `text ${n}\n`);
    expect((await at.sync()).state).toBe("in-sync");
    const ids = new Map([...app.files().values()].map(({ path, id }) => [path, id]));
    at.batches = 0;
    at.lie = lie;
    user.makeFolder(at.mirror.path("b"));
    for (let n = 0; n < 4; n++) at.mirror.write(`a/n${n}.md`, `edited ${n}\n`);
    for (let n = 4; n < 8; n++) user.rename(at.mirror.path(`a/n${n}.md`), at.mirror.path(`b/n${n}.md`));
    for (let n = 8; n < 11; n++) user.remove(at.mirror.path(`a/n${n}.md`));
    await at.converge(2);
    expect(at.batches).toBeGreaterThan(0);
    const after = [...app.files().values()].map(({ path, text, id }) => [path, text, id]).sort();
    const expected = [
      ...[0, 1, 2, 3].map((n) => [`a/n${n}.md`, `edited ${n}\n`, ids.get(`a/n${n}.md`)!]),
      ["a/n11.md", "text 11\n", ids.get("a/n11.md")!],
      ...[4, 5, 6, 7].map((n) => [`b/n${n}.md`, `text ${n}\n`, ids.get(`a/n${n}.md`)!]),
    ];
    expect(after).toEqual(expected.toSorted());
    expect([...at.mirror.texts()].sort()).toEqual(after.map(([path, text]) => [path, text]));
  });
});

describe("a text that a proxy does not let through", () => {
  it("holds up no other that went with it, and is said (I17)", async () => {
    const refuse: Lie = async (carry, { body }) => (body!.includes("poison") ? html(403) : carry());
    const at = new Batching(85, refuse, refuse);
    for (let n = 0; n < 30; n++) at.mirror.write(`n${n}.md`, n === 17 ? "poison\n" : `text ${n}\n`);
    const report = await at.sync();
    expect(at.batches).toBeGreaterThan(0);
    expect(at.textsThere().size).toBe(29);
    expect(report).toMatchObject({ state: "attention", counts: { createdRemote: 29 } });
    expect(report.attention.map(({ path, detail }) => [path, detail])).toEqual([
      ["n17.md", expect.stringContaining("403")],
    ]);
    at.mirror.write("n17.md", "as good as any\n");
    expect((await at.sync()).state).toBe("in-sync");
    expect(at.textsThere().size).toBe(30);
  });
});

describe("what goes out together", () => {
  it("new documents in new folders, whose depths follow one another", async () => {
    const at = new Batching(83, honest);
    for (let n = 0; n < 40; n++) at.mirror.write(`f${n % 10}/g/n${n}.md`, `text ${n}\n`);
    await at.sync();
    // Twenty folders and forty documents; the first three are read back.
    expect(at.sent.filter(({ method }) => method === "POST")).toHaveLength(60);
    expect(at.batches).toBeLessThan(14);
  });

  it("an edit of one document is one PUT, as without batches", async () => {
    const at = new Batching(84, honest);
    for (let n = 0; n < 3; n++) at.mirror.write(`n${n}.md`, `text ${n}\n`);
    await at.sync();
    at.batches = 0;
    at.sent.length = 0;
    at.mirror.write("n1.md", "edited\n");
    await at.sync();
    expect(at.batches).toBe(0);
    expect(at.sent.filter(({ method }) => method !== "GET").map(({ method }) => method)).toEqual(["PUT"]);
  });
});
