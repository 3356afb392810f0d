import { beforeAll, describe, expect, it } from "vitest";
import { PROBLEM_CODES, type ProblemCode } from "../../src/contract/problem.ts";
import type { WireResponse } from "../../src/contract/wire.ts";
import { loadRegexEngine } from "../../src/server/search.ts";
import { fc } from "../property.ts";
import { ADMIN_KEY, openService } from "./fixture.ts";
import {
  body,
  context,
  hostileGround,
  method,
  NEWER,
  query,
  request,
  SECRET,
  target,
  value,
} from "./hostile-requests.ts";

/**
 * Hostile input: whatever is sent, the answer is one that the document knows, and never another
 * key's data.
 */

const { secret } = context;

beforeAll(loadRegexEngine);

/** The invariants of every answer. */
function expectSound(response: WireResponse): void {
  expect(response.status).toBeLessThan(500);
  expect(response.headers["x-request-id"]).toMatch(/^req_/);
  const found = [`"id":"${secret.id}"`, `"fileId":"${secret.id}"`];
  for (const trace of [secret.lastChangeId, '"content":"the-other', `${SECRET}/a.md"`, ...found]) {
    // What the caller sent may be shown back in a detail; only an answer with data would leak.
    if (response.status < 300) expect(response.body).not.toContain(trace);
  }
  if (response.status < 300) return;
  const problem = JSON.parse(response.body);
  expect(PROBLEM_CODES[problem.code as ProblemCode].status).toBe(response.status);
  expect(response.body.length).toBeLessThan(20_000);
}

describe("whatever is sent", () => {
  it("is answered as the document says, never with a 500 or another's data", async () => {
    const codes = new Set<string>();
    const good = new Set<string>();
    await fc.assert(
      fc.asyncProperty(request, async ([m, p, k, b]) => {
        const response = await context.service.answer({ method: m, path: p, headers: { "x-api-key": k }, body: b });
        expectSound(response);
        codes.add(response.status < 300 ? String(response.status) : JSON.parse(response.body).code);
        if (response.status < 300) good.add(`${m} ${p.split("?")[0]}`);
        if (response.status < 300 && /[?&]path_prefix=(\/|%2F)(&|$)/.test(p)) good.add("the whole tree");
        if (response.status < 300 && b?.includes('"parentId":null')) good.add("parentId null");
      }),
      { numRuns: 5_000 },
    );
    // The input is hostile, but not so wild that it ends at the door.
    const reached = ["200", "not_found", "unauthenticated", "invalid_request", "invalid_id", "file_not_found"];
    expect(reached.filter((code) => !codes.has(code))).toEqual([]);
    const wanted = [...NEWER.map((each) => `POST ${each}`), "the whole tree", "parentId null"];
    expect(wanted.filter((each) => !good.has(each))).toEqual([]);
  });

  it("leaves the other workspace as it was", async () => {
    const texts = (await context.service.admin.workspaces()).map(({ name }) => name);
    expect(texts).toEqual(["main", SECRET]);
    expect(await context.service.admin.reviews.list(context.workspaceId)).toEqual([]);
  });

  it("is answered alike under /admin, also to the admin key", async () => {
    const admin = await hostileGround();
    const place = fc.constantFrom(
      "/admin/keys",
      "/admin/workspaces",
      "/admin/reviews",
      "/admin/keys/x",
      "/admin/reviews/x/accept",
    );
    const names = fc.constantFrom("workspaceId", "grants", "label", "rateLimit", "name", "state", "retryAfter");
    const values = fc.oneof(
      value,
      fc.constantFrom([{ on: null, level: "read" }], [{}], { requests: 1, seconds: 1 }, admin.workspaceId),
    );
    const members = fc.dictionary(names, values);
    await fc.assert(
      fc.asyncProperty(method, place, query, members, async (m, p, q, b) => {
        const sent = q.map(([name, each]) => `${name}=${each}`).join("&");
        const headers = { authorization: `Bearer ${ADMIN_KEY}` };
        const response = await admin.service.answer({
          method: m,
          path: sent === "" ? p : `${p}?${sent}`,
          headers,
          body: JSON.stringify(b),
        });
        expect(response.status).toBeLessThan(500);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a sequence of requests", () => {
  it("is answered the same from the same seed", async () => {
    const command = fc.tuple(method, target, body);
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 15 }), async (commands) => {
        const run = async () => {
          const { service, key: own } = await openService();
          // All at once, as they come: the answers are in their order all the same.
          const asked = commands.map(([method, path, body]) => ({ method, path, headers: { "x-api-key": own }, body }));
          return Promise.all(asked.map((one) => service.answer(one)));
        };
        expect(await run()).toEqual(await run());
      }),
      { numRuns: 30 },
    );
  });
});
