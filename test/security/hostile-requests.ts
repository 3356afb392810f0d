import { type Opened, openService } from "../service/fixture.ts";
import { anyCharacter, fc } from "../property.ts";

/**
 * Several keys with different grants on one service, and the documents that each may read. Ids and
 * keys are the same each time.
 */

export type Item = { readonly id: string; readonly lastChangeId: string; readonly path: string };

/**
 * Opens two workspaces. In the first, only some keys may read some of the folders. Each document
 * has one unique word in its name and another in its content.
 */
export async function openWorld(open: () => Promise<Opened> = openService) {
  const opened = await open();
  const { service, key: owner, workspaceId } = opened;
  const other = await service.admin.createWorkspace("other");
  const ask = async (key: string, method: string, path: string, body?: object) => {
    const sent = body === undefined ? null : JSON.stringify(body);
    const answer = await service.answer({ method, path, headers: { "x-api-key": key }, body: sent });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as Item & { readonly data: readonly Item[]; readonly nextCursor: string | null };
  };
  const files: (Item & { readonly area: string })[] = [];
  const areas = ["open", "closed", "mixed/in", "mixed/out"];
  for (const area of areas)
    for (const n of [1, 2, 3]) {
      const flat = area.replace("/", "");
      const made = await ask(owner, "POST", "/v1/files", {
        path: `${area}/name${flat}${n}x.md`,
        content: `text${flat}${n}x common words\n`,
      });
      files.push({ ...made, area });
    }
  for (const n of [1, 2, 3])
    files.push({
      ...(await ask(other.key, "POST", "/v1/files", {
        path: `open/nameother${n}x.md`,
        content: `textother${n}x common words\n`,
      })),
      area: "other",
    });
  const folderIds: string[] = [];
  for (const path of ["open", "closed", "mixed", "mixed/in", "mixed/out"]) {
    folderIds.push((await ask(owner, "GET", `/v1/folders?path=${encodeURIComponent(path)}`)).data[0]!.id);
  }
  const cursors: string[] = [];
  for (const key of [owner, other.key]) {
    for (const path of ["/v1/files?limit=1", "/v1/files?limit=1&path_prefix=open", "/v1/folders?limit=1"]) {
      cursors.push((await ask(key, "GET", path)).nextCursor ?? "cur_none");
    }
  }
  const [openId, , , inId] = folderIds;
  const keyWith = async (
    ...grants: readonly { readonly on: string | null; readonly level: "none" | "read" | "edit" | "full" }[]
  ) => {
    const made = await service.admin.createKey({ workspaceId, grants } as never);
    if (!("key" in made)) throw new Error("no key was made");
    return made.key;
  };
  const keys: Readonly<Record<string, { readonly key: string; readonly sees: readonly string[] }>> = {
    reader: { key: await keyWith({ on: openId!, level: "read" }), sees: ["open"] },
    writer: { key: await keyWith({ on: inId!, level: "full" }), sees: ["mixed/in"] },
    both: {
      key: await keyWith(
        { on: null, level: "read" },
        { on: folderIds[1]!, level: "none" },
        { on: folderIds[4]!, level: "none" },
      ),
      sees: ["open", "mixed/in"],
    },
    other: { key: other.key, sees: ["other"] },
    nobody: { key: await keyWith(), sees: [] },
  };
  return { ...opened, files, folderIds, cursors, keys };
}

/**
 * Draws requests that a client may try with a key: ids, paths and cursors of other keys, all forms
 * of searches, and the administrator's routes.
 */
type Sent = { readonly method: string; readonly path: string; readonly body: string | null };

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
