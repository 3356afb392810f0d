import { expect } from "vitest";
import { PROBLEM_CODES, type ProblemCode } from "../../src/contract/problem.ts";
import type { WireResponse } from "../../src/contract/wire.ts";
import { fc } from "../property.ts";
import { ADMIN_KEY } from "./fixture.ts";
import { context, type HostileGround, method, query, request, SECRET, value } from "./hostile-requests.ts";

/**
 * Hostile input: whatever is sent, the answer is one that the document knows, and never another
 * key's data. On any store.
 */

const { secret } = context;

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

/** The codes of all answers, and what was answered well. */
type Reached = { readonly codes: ReadonlySet<string>; readonly good: ReadonlySet<string> };

/** Any request of a key is answered soundly. */
export async function answersSoundly({ service }: HostileGround, numRuns: number): Promise<Reached> {
  const codes = new Set<string>();
  const good = new Set<string>();
  await fc.assert(
    fc.asyncProperty(request, async ([m, p, k, b]) => {
      const response = await service.answer({ method: m, path: p, headers: { "x-api-key": k }, body: b });
      expectSound(response);
      codes.add(response.status < 300 ? String(response.status) : JSON.parse(response.body).code);
      if (response.status < 300) good.add(`${m} ${p.split("?")[0]}`);
      if (response.status < 300 && /[?&]path_prefix=(\/|%2F)(&|$)/.test(p)) good.add("the whole tree");
      if (response.status < 300 && b?.includes('"parentId":null')) good.add("parentId null");
    }),
    { numRuns },
  );
  return { codes, good };
}

/** What was sent left the other workspace as it was. */
export async function leavesOthersAlone({ service, workspaceId }: HostileGround): Promise<void> {
  const texts = (await service.admin.workspaces()).map(({ name }) => name);
  expect(texts).toEqual(["main", SECRET]);
  expect(await service.admin.reviews.list(workspaceId)).toEqual([]);
}

/** So is any request of an administrator. */
export async function answersAdminSoundly(admin: HostileGround, numRuns: number): Promise<void> {
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
    { numRuns },
  );
}
