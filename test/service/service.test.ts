import { describe, expect, it, test, vi } from "vitest";
import { Api } from "../../src/conformance/world.ts";
import { ADMIN_KEY, makeKey, openService } from "./fixture.ts";

describe("Service", () => {
  it("answers 500 internal_error to a fault of its own, reports the fault, and saves nothing of the request", async () => {
    const faults: unknown[] = [];
    const { api } = await openService({
      combine: () => {
        throw new Error("broken merge");
      },
      onFault: (error, requestId) => faults.push([String(error), requestId]),
    });
    const file = await api.file("a.md", "one");
    const live = (await api.edit(file.id, file.lastChangeId, "two")).edited();
    const reply = await api.edit(file.id, file.lastChangeId, "three");
    const { requestId, detail } = reply.problem("internal_error");
    expect(faults).toEqual([["Error: broken merge", requestId]]);
    expect(detail).not.toContain("broken merge");
    expect(await api.read(file.id)).toEqual(live);
    await api.file("b.md");
  });

  it("looks a key up once a second before bodies, and at each request again", async () => {
    const { service, key, api } = await openService();
    const looked = vi.spyOn(service.core.server.store, "holder");
    const head = { method: "POST", path: "/v1/files", headers: { "x-api-key": key } };
    expect([await service.admit(head), await service.admit(head), looked.mock.calls.length]).toEqual([null, null, 1]);
    for (const { id } of await service.admin.keys()) await service.admin.removeKey(id);
    expect(await service.admit(head)).toBeNull();
    (await api.post("/v1/files", { path: "a.md", content: "" })).problem("unauthenticated");
    expect(await service.admit({ ...head, headers: { "x-api-key": "mdm_other" } })).toMatchObject({ status: 401 });
  });

  it("gives combine the content of the base, the sent content and the live content", async () => {
    const asked: string[][] = [];
    const { api } = await openService({
      combine: (...texts) => {
        asked.push(texts);
        return "combined";
      },
    });
    const file = await api.file("a.md", "base");
    await api.edit(file.id, file.lastChangeId, "live");
    expect((await api.edit(file.id, file.lastChangeId, "sent")).edited().content).toBe("combined");
    expect(asked).toEqual([["base", "sent", "live"]]);
  });

  it("takes an edit into review when the combined content is over the limit", async () => {
    const { api } = await openService({ combine: () => "x".repeat(51_201) });
    const file = await api.file("a.md", "base");
    const live = (await api.edit(file.id, file.lastChangeId, "live")).edited();
    expect((await api.edit(file.id, file.lastChangeId, "sent")).ok(202).reason).toBe("conflict");
    expect(await api.read(file.id)).toEqual(live);
  });

  it("stops at the twentieth fault of a body and of a query", async () => {
    const { api } = await openService();
    const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, n) => [`m${n}`, 0]));
    const { errors } = (await api.post("/v1/files", many)).json;
    expect(errors.map((error: { pointer: string }) => error.pointer)).toEqual(
      Array.from({ length: 20 }, (_, n) => `/m${n}`),
    );
    const query = Array.from({ length: 1_000 }, (_, n) => `q${n}=1`).join("&");
    expect((await api.get(`/v1/files?${query}`)).json.errors).toHaveLength(20);
  });

  it("judges by the headers alone who may send a body, and takes nothing from a rate limit for it", async () => {
    const { service, key } = await openService({ settings: { rateLimit: { requests: 1, seconds: 10 } } });
    const head = (sent: string, path = "/v1/files") => ({ method: "POST", path, headers: { "x-api-key": sent } });
    const judged = async (...of: Parameters<typeof head>) => (await service.admit(head(...of)))?.status ?? null;
    expect([await judged("mdm_no"), await judged(ADMIN_KEY), await judged(key, "/admin/keys")]).toEqual([
      401, 401, 401,
    ]);
    expect([await judged(key), await judged(key), await judged(ADMIN_KEY, "/admin/keys")]).toEqual([null, null, null]);
    await new Api(service.handle, key).get("/v1/files");
    expect(await judged(key)).toBe(429);
    // An import is a task of the service itself, so request limits do not apply to it.
    const own = { method: "GET", path: "/v1/files", headers: { "x-api-key": key }, body: null };
    expect([(await service.answer(own)).status, (await service.answer(own)).status]).toEqual([200, 200]);
    await service.close();
    expect(await judged(key)).toBe(503);
  });

  it("names problem types below the docs base that it was given", async () => {
    const { api } = await openService({ docsBase: "https://docs.example" });
    expect((await api.get("/v1/files?x=1")).json.type).toBe("https://docs.example/errors/invalid-request");
  });

  it("serves /admin to no key when it was given none", async () => {
    const bare = await openService({ adminKeyHash: undefined } as object);
    (await new Api(bare.service.handle, "undefined").get("/admin/keys")).problem("unauthenticated");
  });
});

describe("the rate limit", () => {
  it("refills with time, and counts each key by itself", async () => {
    let now = 0;
    const { api, service, workspaceId } = await openService({
      settings: { rateLimit: { requests: 2, seconds: 10 } },
      now: () => now,
    });
    const other = new Api(service.handle, (await makeKey({ service, workspaceId }, { on: null, level: "read" })).key);
    (await api.get("/v1/files")).ok(200);
    (await api.get("/v1/files")).ok(200);
    const reply = await api.get("/v1/files");
    reply.problem("rate_limited");
    expect(reply.headers["retry-after"]).toBe("5");
    (await other.get("/v1/files")).ok(200);
    now += 4_999;
    (await api.get("/v1/files")).problem("rate_limited");
    now += 5_001;
    (await api.get("/v1/files")).ok(200);
  });

  it("neither forgives nor punishes a clock that is set back", async () => {
    let now = 1_000_000;
    const { api } = await openService({ settings: { rateLimit: { requests: 1, seconds: 10 } }, now: () => now });
    (await api.get("/v1/files")).ok(200);
    now = 0;
    (await api.get("/v1/files")).problem("rate_limited");
    now = 10_000;
    (await api.get("/v1/files")).ok(200);
  });
});

async function start(links: "any" | "resolve") {
  const { api, service } = await openService({ links });
  const create = (path: string, content: string) => api.post("/v1/files", { path, content });
  return { api, service, create };
}

test("a text whose links lead nowhere is refused as a whole, by name, where links are judged", async () => {
  const { create } = await start("resolve");
  const made = await create("/b.md", "b\n");
  const { id } = made.json as { id: string };
  for (const text of [
    `[b](${id}#part) [b](/b.md) [web](https://example.org) [part](#part) [later](ref://later.md)\n`,
    "`[b](b.md)` is code\n",
    "[there](/)\n".replace("/", "/b.md"),
  ])
    expect((await create(`/${text.length}.md`, text)).status, text).toBe(201);
  const refused = await create("/a.md", "[b](b.md) [c](/none.md) [d](doc_00000000000000) [e](dir_00000000000000)\n");
  expect([refused.status, refused.json]).toMatchObject([
    400,
    {
      code: "invalid_request",
      errors: ["b.md", "/none.md", "doc_00000000000000", "dir_00000000000000"].map((said) => ({
        code: "unresolved_reference",
        pointer: "/content",
        detail: `content references a file or folder which cannot be resolved: ${JSON.stringify(said)}.`,
      })),
    },
  ]);
  expect((await create("/a.md", "[b](b.md)\n")).status).toBe(400);
});

test("an edit is judged as a new text is, and by default nothing is", async () => {
  const judging = await start("resolve");
  const { id, lastChangeId } = (await judging.create("/a.md", "a\n")).json as { id: string; lastChangeId: string };
  const put = (content: string) => judging.api.put(`/v1/files/${id}/content`, { baseChangeId: lastChangeId, content });
  expect((await put("[b](b.md)\n")).status).toBe(400);
  expect((await put(`[a](${id})\n`)).status).toBe(200);
  const open = await start("any");
  expect((await open.create("/a.md", "[b](b.md)\n")).status).toBe(201);
});
