import { describe, expect, it } from "vitest";
import { Api } from "../../src/conformance/world.ts";
import { openService } from "../service/fixture.ts";
import type { Variant, VariantState } from "./variant.ts";
import { varyService } from "./vary-service.ts";

/** Opens one service with and without the faults of a variant, under a clock that the test sets. */
async function openWeather(variant: Variant) {
  const { service, key, workspaceId, api } = await openService();
  const clock = { ms: 0 };
  const state: VariantState = { requests: 0, renames: new Map(), now: () => clock.ms };
  const handle = varyService(service.handle, variant, state);
  const other = await service.admin.createKey({ workspaceId, grants: [{ on: null, level: "full" }] });
  if (!("key" in other)) throw new Error(other.detail);
  return { plain: api, varied: new Api(handle, key), other: new Api(handle, other.key), clock, state };
}

const statuses = async (api: Api, times: number) => {
  const seen: number[] = [];
  for (let n = 0; n < times; n++) seen.push((await api.get("/v1/files")).status);
  return seen;
};

async function listed(itemsMove: number, lists: number) {
  const weather = await openWeather({ maxPageSize: 2, itemsMove });
  for (const name of ["a", "b", "c", "d", "e"]) await weather.plain.file(`${name}.md`);
  const paths: string[] = [];
  for (let n = 0; n < lists; n++) paths.push((await weather.varied.paths("files")).join(" "));
  return { ...weather, paths };
}

describe("itemsMove: others write while lists are read", () => {
  const WHOLE = "/a.md /b.md /c.md /d.md /e.md";
  const MISSED = "/a.md /b.md /d.md /e.md";
  const TWICE = "/a.md /b.md /b.md /c.md /d.md /e.md";

  it("one list in a given number misses an item, the next one shows an item twice", async () => {
    const { paths, state } = await listed(2, 6);
    expect(paths).toEqual([WHOLE, MISSED, WHOLE, TWICE, WHOLE, MISSED]);
    expect(state.torn).toBe(3);
  });

  it("leaves lists of one page as they are, and all where it is calm", async () => {
    const { varied, state } = await listed(1, 1);
    expect(await varied.paths("files", { path: "a.md" })).toEqual(["/a.md"]);
    state.calm = true;
    expect((await varied.paths("files")).join(" ")).toBe(WHOLE);
    expect(state.torn).toBe(1);
  });
});

async function found(api: Api) {
  const reply = await api.post("/v1/search/regex", { query: "heron" });
  return (reply.ok(200) as { readonly data: readonly unknown[] }).data.length;
}

describe("searchDelay: a search finds late", () => {
  it("what was written when a number of further requests have arrived", async () => {
    const { plain, varied } = await openWeather({ searchDelay: 2 });
    const { id, lastChangeId } = await varied.file("a.md", "a heron\n");
    expect(await found(plain)).toBe(1);
    expect([await found(varied), await found(varied), await found(varied)]).toEqual([0, 0, 1]);
    await varied.edit(id, lastChangeId, "two herons\n");
    expect([await found(varied), await found(varied), await found(varied)]).toEqual([0, 0, 1]);
  });
});

describe("keyExpires: a key expires, and is good again", () => {
  it("after a number of its requests, for a number of requests; unexecuted, and only for this key", async () => {
    const { plain, varied, other } = await openWeather({ keyExpires: { after: 2, refused: 1 } });
    expect(await statuses(varied, 7)).toEqual([200, 200, 401, 200, 200, 401, 200]);
    expect(await statuses(other, 3)).toEqual([200, 200, 401]);
    await varied.get("/v1/files");
    (await varied.post("/v1/files", { path: "a.md", content: "" })).problem("unauthenticated");
    expect(await plain.paths("files")).toEqual([]);
  });
});

describe("rateLimit: a number of requests a key", () => {
  it("beyond, 429 with Retry-After, after which they are answered again; no other key's", async () => {
    const { varied, other, clock } = await openWeather({ rateLimit: { requests: 3, seconds: 6 } });
    expect(await statuses(varied, 4)).toEqual([200, 200, 200, 429]);
    const refused = await varied.get("/v1/files");
    refused.problem("rate_limited");
    expect(refused.headers["retry-after"]).toBe("2");
    expect(await statuses(other, 4)).toEqual([200, 200, 200, 429]);
    clock.ms += 1_999;
    expect(await statuses(varied, 1)).toEqual([429]);
    clock.ms += 1;
    expect(await statuses(varied, 2)).toEqual([200, 429]);
    clock.ms += 60_000;
    expect(await statuses(varied, 4)).toEqual([200, 200, 200, 429]);
  });

  it("needs a clock", async () => {
    const { service, key } = await openService();
    const varied = new Api(varyService(service.handle, { rateLimit: { requests: 1, seconds: 1 } }), key);
    await expect(varied.get("/v1/files")).rejects.toThrow("rateLimit needs a clock");
  });
});
