import { fc } from "../property.ts";
import { type Opened, openService } from "./fixture.ts";

/** Hostile requests to the service, and the ground that they are about. */

export const SECRET = "the-other-workspace-holds-this";

export type HostileGround = Awaited<ReturnType<typeof hostileGround>>;

/** From one seed, so that the ids are the same on any store. */
export async function hostileGround(open: () => Promise<Opened> = openService) {
  const opened = await open();
  const { service } = opened;
  const ask = async (key: string, method: string, path: string, body: object) =>
    JSON.parse(
      (await service.answer({ method, path, headers: { "x-api-key": key }, body: JSON.stringify(body) })).body,
    );
  const other = (await service.admin.createWorkspace(SECRET)).key;
  const secret = await ask(other, "POST", "/v1/files", { path: `${SECRET}/a.md`, content: SECRET });
  const mine = await ask(opened.key, "POST", "/v1/files", { path: "mine/a.md", content: "text" });
  const secretFolder = await service.answer({
    method: "GET",
    path: "/v1/folders",
    headers: { "x-api-key": other },
    body: null,
  });
  const folderId = JSON.parse(secretFolder.body).data[0].id as string;
  return { ...opened, secret, folderId, mine };
}

/** What the requests below are about. */
export const context = await hostileGround();
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
    `${mine.id}-cmit_00000000000000`,
  ),
  fc.constantFrom("x".repeat(300), `${"a/".repeat(3_000)}b.md`, "é".repeat(60_000), "-1", "1e2", "0", "1000", "true"),
);
export const value = fc.oneof(
  { weight: 4, arbitrary: text },
  fc.jsonValue({ maxDepth: 3 }),
  fc.boolean(),
  fc.constant(null),
);
const member = fc.constantFrom(
  "path",
  "parentId",
  "name",
  "content",
  "protected",
  "baseChangeId",
  "query",
  "limit",
  "includeSources",
  "path_prefix",
  "kind",
  "__proto__",
  "x",
);
const object = fc.array(fc.tuple(fc.oneof({ weight: 9, arbitrary: member }, text), value), { maxLength: 4 });
/** Of the right shape, so that what comes behind the door is reached. */
const search = fc.record(
  {
    query: fc.oneof(text, fc.constantFrom("text", "tex", SECRET, "t.xt", "(", ".*")),
    limit: fc.constantFrom<unknown>(1, 500, 501, null),
    includeSources: fc.constantFrom<unknown>(true, false, "no", null),
    path_prefix: fc.constantFrom<unknown>("/", "mine", SECRET, null),
  },
  { requiredKeys: ["query"] },
);
const placed = fc.record(
  { parentId: fc.constantFrom<unknown>(null, null, folderId), name: text, content: value },
  { requiredKeys: ["parentId"] },
);
const shaped = fc.oneof(search, placed, fc.constant({})).map((members) => JSON.stringify(members));
export const body = fc.oneof(
  { weight: 1, arbitrary: shaped },
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
      "search",
      "hybrid",
      "regex",
      "auth",
      "validate-key",
      mine.id,
      secret.id,
      folderId,
    ),
  },
  { weight: 1, arbitrary: text.map((each) => encodeURIComponent(each.toWellFormed())) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme-ascii" }) },
);
export const NEWER = ["/v1/search/hybrid", "/v1/search/regex", "/auth/validate-key"] as const;
const path = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("/v1/files", "/v1/folders", `/v1/files/${mine.id}`, `/v1/files/${mine.id}/content`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(`/v1/files/${secret.id}`, `/v1/files/${secret.id}/content`, `/v1/folders/${folderId}`),
  },
  { weight: 1, arbitrary: fc.constantFrom(...NEWER) },
  { weight: 2, arbitrary: fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`) },
);
const parameter = fc.constantFrom("limit", "cursor", "path", "path_prefix", "parent_id", "recursive", "x");
export const query = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.tuple(
        parameter,
        text.map((each) => encodeURIComponent(each.toWellFormed())),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom<[string, string]>(["path_prefix", "/"], ["path_prefix", "%2F"], ["cursor", ""]),
    },
  ),
  { maxLength: 3 },
);
export const target = fc
  .tuple(path, query, fc.oneof(fc.constant(""), fc.string({ unit: "grapheme-ascii" })))
  .map(([at, pairs, rest]) => {
    const sent = pairs.map(([name, each]) => `${name}=${each}`).join("&") + rest;
    return sent === "" ? at : `${at}?${sent}`;
  });
export const method = fc.constantFrom("GET", "POST", "PATCH", "PUT", "DELETE", "get", "HEAD", "");
const key = fc.oneof({ weight: 9, arbitrary: fc.constant(context.key) }, { weight: 1, arbitrary: text });

const wild = fc.tuple(method, target, key, body);
const known = fc.tuple(
  fc.constant("POST"),
  fc.constantFrom<string>(...NEWER, "/v1/files", "/v1/folders"),
  fc.constant(context.key),
  shaped,
);
const treeQuery = fc.constantFrom("path_prefix=/", "path_prefix=%2F", "path_prefix=/&limit=1", "cursor=");
const tree = fc.tuple(
  fc.constant("GET"),
  fc.tuple(fc.constantFrom("/v1/files", "/v1/folders"), treeQuery).map(([at, sent]) => `${at}?${sent}`),
  key,
  fc.constant(null),
);
export const request = fc.oneof(
  { weight: 17, arbitrary: wild },
  { weight: 2, arbitrary: known },
  { weight: 1, arbitrary: tree },
);
