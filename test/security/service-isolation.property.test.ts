import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ADMIN_KEY } from "../service/ground.ts";
import { type Item, openWorld } from "./tenants.ts";

/** No answer to any key holds what another may read and it may not, whatever they send (beyond test/service/fuzz.test.ts). */

const world = openWorld();
const flatName = (area: string) => area.replace("/", "");
/** The markers of each area: in names and in texts. */
const markers = world.files.map(({ area, path }) => {
  const name = /name[a-z]+\dx/.exec(path)![0];
  return { area, marks: [name, name.replace("name", "text")] };
});

const someId = fc.constantFrom(...world.files.map(({ id }) => id), ...world.folderIds);
const someChange = fc.constantFrom(...world.files.map(({ lastChangeId }) => lastChangeId));
const somePath = fc.constantFrom(
  "open",
  "closed",
  "mixed",
  "mixed/in",
  "mixed/out",
  "/closed",
  "closed/",
  "CLOSED",
  "open/../closed",
  "mixed/in/new.md",
  "",
);
const hostile = fc.oneof(
  fc.constantFrom(
    "",
    ".",
    "..",
    "../..",
    "%2e%2e",
    "\0",
    "null",
    "' OR 1=1 --",
    '" OR ""="',
    "%",
    "_",
    "*",
    "doc_",
    "__proto__",
    "[object Object]",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.constantFrom("x".repeat(5_000), "\u202e".repeat(300), "é".repeat(3_000), "1".repeat(400)),
);
const cursor = fc.oneof(
  fc.constantFrom(...world.cursors),
  fc
    .tuple(fc.constantFrom(...world.cursors), fc.nat(35), fc.constantFrom("A", "z", "_", "-"))
    .map(([text, at, character]) => text.slice(0, at) + character + text.slice(at + 1)),
  hostile,
);
const pattern = fc.oneof(
  fc.constantFrom(
    "text.*",
    "(a+)+$",
    ".*",
    "(?i)TEXT[a-z]+\\dx",
    "text(closed|out|other)?",
    "^",
    "$",
    "\\C",
    "(?=text)",
    "(text)\\1",
    "a{1000}{1000}",
    "(((((((((x?)*)*)*)*)*)*)*)*)*",
    "[[:alpha:]]+x",
    "\\pL+",
    "(?s).",
    "\\x{10FFFF}",
    "(",
    "[",
    "*",
    "(?P<n>t)",
    "x{1001}",
    "\\Q",
    "|||",
    "(?:)".repeat(200),
  ),
  hostile,
);
const words = fc.oneof(
  fc.constantFrom(
    "common",
    "common words",
    "text",
    "closed",
    "mixed",
    '"common words"',
    "common OR 1",
    "NEAR(common words)",
    "path:closed",
    "*",
    "common*",
    "-common",
    "NOT common",
  ),
  hostile,
);
const limit = fc.constantFrom(undefined, 1, 1_000, 0, -1, 1e9, "1", null, 1.5);
const enc = (text: string) => encodeURIComponent(text.toWellFormed());

type Sent = { readonly method: string; readonly path: string; readonly body: string | null };
const get = (path: string): Sent => ({ method: "GET", path, body: null });
const send = (method: string, path: string, body: unknown): Sent => ({ method, path, body: JSON.stringify(body) });
const odd = fc.oneof(somePath, someId, hostile, fc.jsonValue({ maxDepth: 2 }));

const request: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 4, arbitrary: someId.map((id) => get(`/v1/files/${id}`)) },
  { weight: 2, arbitrary: someId.map((id) => get(`/v1/folders/${id}`)) },
  { weight: 2, arbitrary: hostile.map((id) => get(`/v1/files/${enc(id)}`)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom("files", "folders"),
        fc.constantFrom("path", "path_prefix", "parent_id", "x"),
        fc.oneof(somePath, someId, hostile),
      )
      .map(([kind, name, value]) => get(`/v1/${kind}?limit=1000&${name}=${enc(value)}`)),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom("files", "folders"), cursor)
      .map(([kind, at]) => get(`/v1/${kind}?limit=1&cursor=${enc(at)}`)),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(words, limit, fc.option(somePath))
      .map(([query, n, prefix]) =>
        send("POST", "/v1/search", { query, limit: n, ...(prefix === null ? {} : { path_prefix: prefix }) }),
      ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(pattern, limit, fc.option(somePath)).map(([text, n, prefix]) =>
      send("POST", "/v1/search/regex", {
        pattern: text,
        limit: n,
        ...(prefix === null ? {} : { path_prefix: prefix }),
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(someId, fc.oneof(someId, hostile, fc.constant(null)))
      .map(([id, parentId]) => send("PATCH", `/v1/files/${id}`, { parentId })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(someId, fc.oneof(someId, fc.constant(null)))
      .map(([id, parentId]) => send("PATCH", `/v1/folders/${id}`, { parentId })),
  },
  { weight: 2, arbitrary: fc.tuple(someId, hostile).map(([id, name]) => send("PATCH", `/v1/files/${id}`, { name })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(someId, someChange)
      .map(([id, baseChangeId]) =>
        send("PUT", `/v1/files/${id}/content`, { baseChangeId, content: "common words\nadded\n" }),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom("files", "folders"), someId)
      .map(([kind, id]) => send("DELETE", `/v1/${kind}/${id}?recursive=true`, undefined)),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("files", "folders"), odd, odd)
      .map(([kind, path, content]) => send("POST", `/v1/${kind}`, { path, content })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          "GET",
          "POST",
          "PUT",
          "DELETE",
          "PATCH",
          "HEAD",
          "OPTIONS",
          "TRACE",
          "CONNECT",
          "PROPFIND",
          "get",
        ),
        fc.constantFrom(
          "/admin/keys",
          "/admin/workspaces",
          "/admin/reviews",
          "/admin",
          "//admin/keys",
          "/v1/../admin/keys",
          "/v1/%2e%2e/admin/keys",
          "/ADMIN/keys",
          "/v1/files/../../admin/keys",
          "http://127.0.0.1/admin/keys",
        ),
        odd,
      )
      .map(([method, path, body]) => send(method, path, { label: body })),
  },
);

describe("no answer holds another key's data", () => {
  it("in any sequence of requests of five keys with grants of their own", async () => {
    let requests = 0;
    const seen = new Set<string>();
    const statuses = new Map<number, number>();
    const step = fc.tuple(fc.constantFrom(...Object.keys(world.keys)), request);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 60 }), async (steps) => {
        const { service, keys } = openWorld();
        for (const [who, sent] of steps) {
          const { key, sees } = keys[who]!;
          const response = await service.handle({ ...sent, headers: { "x-api-key": key } });
          requests++;
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          expect(response.status).toBeLessThan(500);
          const all = response.body + JSON.stringify(response.headers);
          const said = `${sent.path} ${sent.body ?? ""}`;
          for (const { area, marks } of markers)
            for (const mark of marks) {
              if (!all.includes(mark)) continue;
              if (sees.includes(area)) seen.add(`${who} ${flatName(area)}`);
              else if (!said.includes(mark))
                expect(`${who}: ${sent.method} ${said} -> ${response.body}`).not.toContain(mark);
            }
          if (/admin/i.test(sent.path)) expect(response.status).toBeGreaterThanOrEqual(400);
        }
        // And what none of them may write is as it was.
        for (const { id, path, area } of world.files.filter((file) =>
          ["open", "closed", "mixed/out"].includes(file.area),
        )) {
          const headers = { "x-api-key": world.key };
          const answer = service.answer({ method: "GET", path: `/v1/files/${id}`, headers, body: null });
          expect([answer.status, (JSON.parse(answer.body) as Item).path]).toEqual([200, path]);
          expect(answer.body).toContain(`"text${flatName(area)}`);
        }
      }),
      { numRuns: 140 },
    );
    expect(requests).toBeGreaterThan(5_000);
    // Each key was answered with what it may read: the markers would be found.
    expect([...seen].sort()).toEqual(["both mixedin", "both open", "other other", "reader open", "writer mixedin"]);
    expect([200, 400, 403, 404].filter((status) => !statuses.has(status))).toEqual([]);
  });

  it("nor do the routes of the administrator take any other key, nor the service's the administrator's", async () => {
    for (const { key } of Object.values(world.keys))
      for (const path of ["/admin/keys", "/admin/workspaces", "/admin/reviews"]) {
        const headers = { authorization: `Bearer ${key}`, "x-api-key": ADMIN_KEY };
        const answer = await world.service.handle({
          method: "GET",
          path,
          headers: { authorization: headers.authorization },
          body: null,
        });
        expect([path, answer.status]).toEqual([path, 401]);
      }
    const answer = await world.service.handle({
      method: "GET",
      path: "/v1/files",
      headers: { "x-api-key": ADMIN_KEY },
      body: null,
    });
    expect(answer.status).toBe(401);
  });
});
