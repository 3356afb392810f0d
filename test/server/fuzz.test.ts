import { fc } from "../property.ts";
import { describe, expect, it } from "vitest";
import { PROBLEM_CODES, type ProblemCode } from "../../src/contract/problem.ts";
import type { WireResponse } from "../../src/contract/wire.ts";
import { ADMIN_KEY, openService } from "./fixture.ts";

/**
 * Hostile input: whatever is sent, the answer is one that the document knows, and never another
 * key's data.
 */

const SECRET = "the-other-workspace-holds-this";

function hostileGround() {
  const opened = openService();
  const { service } = opened;
  const ask = (key: string, method: string, path: string, body: object) =>
    JSON.parse(service.answer({ method, path, headers: { "x-api-key": key }, body: JSON.stringify(body) }).body);
  const other = service.admin.createWorkspace(SECRET).key;
  const secret = ask(other, "POST", "/v1/files", { path: `${SECRET}/a.md`, content: SECRET });
  const mine = ask(opened.key, "POST", "/v1/files", { path: "mine/a.md", content: "text" });
  const secretFolder = service.answer({
    method: "GET",
    path: "/v1/folders",
    headers: { "x-api-key": other },
    body: null,
  });
  const folderId = JSON.parse(secretFolder.body).data[0].id as string;
  return { ...opened, secret, folderId, mine };
}

const context = hostileGround();
const { secret, folderId, mine } = context;

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme-composite" }),
  fc.constantFrom(
    "a.md",
    "mine/a.md",
    "mine",
    `${SECRET}/a.md`,
    SECRET,
    "",
    ".",
    "..",
    "/",
    "\u0000",
    "\ud800",
    "__proto__",
  ),
  fc.constantFrom<string>(
    mine.id,
    mine.lastChangeId,
    secret.id,
    secret.lastChangeId,
    folderId,
    "dir_x",
    "doc_x",
    "chg_x",
  ),
  fc.constantFrom("x".repeat(300), `${"a/".repeat(3_000)}b.md`, "é".repeat(60_000), "-1", "1e2", "0", "1000", "true"),
);
const value = fc.oneof({ weight: 4, arbitrary: text }, fc.jsonValue({ maxDepth: 3 }), fc.boolean(), fc.constant(null));
const member = fc.constantFrom(
  "path",
  "parentId",
  "name",
  "content",
  "protected",
  "baseChangeId",
  "kind",
  "__proto__",
  "x",
);
const object = fc.array(fc.tuple(fc.oneof({ weight: 9, arbitrary: member }, text), value), { maxLength: 4 });
const body = fc.oneof(
  {
    weight: 6,
    arbitrary: object.map(
      (members) => `{${members.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join(",")}}`,
    ),
  },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: fc.constantFrom(null, "[".repeat(100_000), `{"path":${'{"a":'.repeat(20_000)}`) },
);
const segment = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "files",
      "folders",
      "content",
      "v1",
      "admin",
      "keys",
      "reviews",
      mine.id,
      secret.id,
      folderId,
    ),
  },
  { weight: 1, arbitrary: text.map((each) => encodeURIComponent(each.toWellFormed())) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme-ascii" }) },
);
const path = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("/v1/files", "/v1/folders", `/v1/files/${mine.id}`, `/v1/files/${mine.id}/content`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(`/v1/files/${secret.id}`, `/v1/files/${secret.id}/content`, `/v1/folders/${folderId}`),
  },
  { weight: 2, arbitrary: fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`) },
);
const parameter = fc.constantFrom("limit", "cursor", "path", "path_prefix", "parent_id", "recursive", "x");
const query = fc.array(
  fc.tuple(
    parameter,
    text.map((each) => encodeURIComponent(each.toWellFormed())),
  ),
  { maxLength: 3 },
);
const target = fc
  .tuple(path, query, fc.oneof(fc.constant(""), fc.string({ unit: "grapheme-ascii" })))
  .map(([at, pairs, rest]) => {
    const sent = pairs.map(([name, each]) => `${name}=${each}`).join("&") + rest;
    return sent === "" ? at : `${at}?${sent}`;
  });
const method = fc.constantFrom("GET", "POST", "PATCH", "PUT", "DELETE", "get", "HEAD", "");
const key = fc.oneof({ weight: 9, arbitrary: fc.constant(context.key) }, { weight: 1, arbitrary: text });

/** The invariants of every answer. */
function expectSound(response: WireResponse): void {
  expect(response.status).toBeLessThan(500);
  expect(response.headers["x-request-id"]).toMatch(/^req_/);
  for (const trace of [secret.lastChangeId, '"content":"the-other', `${SECRET}/a.md"`]) {
    // What the caller sent may be shown back in a detail; only an answer with data would leak.
    if (response.status < 300) expect(response.body).not.toContain(trace);
  }
  if (response.status < 300) return;
  const problem = JSON.parse(response.body);
  expect(PROBLEM_CODES[problem.code as ProblemCode].status).toBe(response.status);
  expect(response.body.length).toBeLessThan(20_000);
}

describe("whatever is sent", () => {
  it("is answered as the document says, never with a 500 or another's data", () => {
    const codes = new Set<string>();
    fc.assert(
      fc.property(method, target, key, body, (m, p, k, b) => {
        const response = context.service.answer({ method: m, path: p, headers: { "x-api-key": k }, body: b });
        expectSound(response);
        codes.add(response.status < 300 ? String(response.status) : JSON.parse(response.body).code);
      }),
      { numRuns: 5_000 },
    );
    // The input is hostile, but not so wild that it ends at the door.
    const reached = ["200", "not_found", "unauthenticated", "invalid_request", "invalid_id", "file_not_found"];
    expect(reached.filter((code) => !codes.has(code))).toEqual([]);
  });

  it("leaves the other workspace as it was", () => {
    const texts = context.service.admin.workspaces().map(({ name }) => name);
    expect(texts).toEqual(["main", SECRET]);
    expect(context.service.admin.reviews.list(context.workspaceId)).toEqual([]);
  });

  it("is answered alike under /admin, also to the admin key", () => {
    const admin = hostileGround();
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
    fc.assert(
      fc.property(method, place, query, members, (m, p, q, b) => {
        const sent = q.map(([name, each]) => `${name}=${each}`).join("&");
        const headers = { authorization: `Bearer ${ADMIN_KEY}` };
        const response = admin.service.answer({
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
  it("is answered the same from the same seed", () => {
    const command = fc.tuple(method, target, body);
    fc.assert(
      fc.property(fc.array(command, { maxLength: 15 }), (commands) => {
        const run = () => {
          const { service, key: own } = openService();
          return commands.map(([m, p, b]) =>
            service.answer({ method: m, path: p, headers: { "x-api-key": own }, body: b }),
          );
        };
        expect(run()).toEqual(run());
      }),
      { numRuns: 30 },
    );
  });
});
