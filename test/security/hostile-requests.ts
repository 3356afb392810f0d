import { anyCharacter, fc } from "../property.ts";
import type { openWorld } from "./tenants.ts";

/**
 * Draws requests that a client may try with a key: ids, paths and cursors of other keys, all forms
 * of searches, and the administrator's routes.
 */
export type Sent = { readonly method: string; readonly path: string; readonly body: string | null };

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
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.constantFrom("x".repeat(5_000), "\u202e".repeat(300), "é".repeat(3_000), "1".repeat(400)),
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
const get = (path: string): Sent => ({ method: "GET", path, body: null });
const send = (method: string, path: string, body: unknown): Sent => ({ method, path, body: JSON.stringify(body) });

type Ids = {
  readonly someId: fc.Arbitrary<string>;
  readonly someChange: fc.Arbitrary<string>;
  readonly cursor: fc.Arbitrary<string>;
};

export function requestTo(world: Awaited<ReturnType<typeof openWorld>>): fc.Arbitrary<Sent> {
  const someId = fc.constantFrom(...world.files.map(({ id }) => id), ...world.folderIds);
  const someChange = fc.constantFrom(...world.files.map(({ lastChangeId }) => lastChangeId));
  const cursor = fc.oneof(
    fc.constantFrom(...world.cursors),
    fc
      .tuple(fc.constantFrom(...world.cursors), fc.nat(35), fc.constantFrom("A", "z", "_", "-"))
      .map(([text, at, character]) => text.slice(0, at) + character + text.slice(at + 1)),
    hostile,
  );
  const ids = { someId, someChange, cursor };
  return fc.oneof(
    { weight: 16, arbitrary: readRequest(ids) },
    { weight: 7, arbitrary: searchRequest() },
    { weight: 15, arbitrary: writeRequest(ids) },
    { weight: 4, arbitrary: oddRequest },
  );
}

/** Bodies that are no JSON or useless JSON, and unknown routes and methods. */
const oddRequest: fc.Arbitrary<Sent> = fc.record({
  method: fc.constantFrom("GET", "POST", "PATCH", "PUT", "get", "HEAD", ""),
  path: fc.oneof(
    fc.constantFrom("/v1/files", "/v1/folders", "/v1/search/hybrid", "/auth/validate-key", "/v1/files?path_prefix=/"),
    fc.tuple(hostile, hostile).map(([path, query]) => `/v1/${enc(path)}?${enc(query)}`),
  ),
  body: fc.oneof(
    fc.constantFrom(null, "{}", "[".repeat(100_000), `{"path":${'{"a":'.repeat(20_000)}`, '{"__proto__":1}'),
    fc.json(),
    hostile,
  ),
});

/** Draws requests of an administrator with any members. */
export function adminRequest(workspaceId: string): fc.Arbitrary<Sent> {
  const names = fc.constantFrom("workspaceId", "grants", "label", "rateLimit", "name", "state", "retryAfter");
  const values = fc.oneof(
    hostile,
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom([{ on: null, level: "read" }], [{}], { requests: 1, seconds: 1 }, workspaceId),
  );
  const places = ["keys", "workspaces", "reviews", "keys/x", "reviews/x/accept"].map((place) => `/admin/${place}`);
  return fc
    .tuple(
      fc.constantFrom("GET", "POST", "PATCH", "PUT", "DELETE", "HEAD"),
      fc.constantFrom(...places),
      fc.dictionary(fc.constantFrom("limit", "cursor", "workspaceId", "status", "x"), hostile.map(enc), { maxKeys: 2 }),
      fc.dictionary(names, values),
    )
    .map(([method, path, query, body]) => {
      const sent = Object.entries(query).map(([name, value]) => `${name}=${value}`);
      return send(method, sent.length === 0 ? path : `${path}?${sent.join("&")}`, body);
    });
}

function readRequest({ someId, cursor }: Ids): fc.Arbitrary<Sent> {
  return fc.oneof(
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
  );
}

function searchRequest(): fc.Arbitrary<Sent> {
  return fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(words, limit, fc.option(somePath))
        .map(([query, n, prefix]) =>
          send("POST", "/v1/search/hybrid", { query, limit: n, ...(prefix === null ? {} : { path_prefix: prefix }) }),
        ),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(pattern, limit, fc.option(somePath)).map(([text, n, prefix]) =>
        send("POST", "/v1/search/regex", {
          query: text,
          limit: n,
          ...(prefix === null ? {} : { path_prefix: prefix }),
        }),
      ),
    },
  );
}

function writeRequest({ someId, someChange }: Ids): fc.Arbitrary<Sent> {
  const odd = fc.oneof(somePath, someId, hostile, fc.jsonValue({ maxDepth: 2 }));
  return fc.oneof(
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
}
