/**
 * Cases about both kinds of search, hybrid and regex (`src/contract/README.md`, "Search" and
 * "Limits").
 */
import type { Problem } from "../contract/api/resources.ts";
import {
  type CaseSetup,
  type CheckedReply,
  type ContractCase,
  defineAssumedCase,
  defineCase,
  type Json,
  markLeavingReview,
} from "./world.ts";
import assert from "node:assert/strict";

type SearchKind = "search" | "regex search";
export const SEARCH_KINDS: readonly SearchKind[] = ["search", "regex search"];
const SEARCH_ROUTES = { search: "/v1/search/hybrid", "regex search": "/v1/search/regex" } as const;

/** Number of equal answers to the same search after which the search index counts as up to date. */
const EQUAL_ANSWERS_WANTED = 4;
const MAX_REPEATS = 200;

/**
 * Sends a search. If the service updates its search index late, repeats the search until several
 * answers in a row are equal.
 */
export async function searchUntilStable(
  setup: Pick<CaseSetup, "api" | "indexesLate">,
  kind: SearchKind,
  query: string,
  extra: object = {},
): Promise<CheckedReply> {
  const sendSearch = () => setup.api.post(SEARCH_ROUTES[kind], { query, ...extra });
  let reply = await sendSearch();
  if (!setup.indexesLate) return reply;
  for (
    let [same, requests] = [1, 1];
    reply.status === 200 && same < EQUAL_ANSWERS_WANTED && requests < MAX_REPEATS;
    requests++
  ) {
    const nextReply = await sendSearch();
    same = nextReply.text === reply.text ? same + 1 : 1;
    reply = nextReply;
  }
  return reply;
}

/** Expects that the service refuses a search because one field of the request is not valid. */
export async function expectRefused(
  { api }: CaseSetup,
  kind: SearchKind,
  query: string,
  pointer: string,
  extra: object = {},
): Promise<Problem> {
  return (await api.post(SEARCH_ROUTES[kind], { query, ...extra })).invalid(pointer);
}

export async function findItems(
  setup: CaseSetup,
  kind: SearchKind,
  query: string,
  extra: object = {},
): Promise<Json[]> {
  return (await searchUntilStable(setup, kind, query, { path_prefix: setup.folder.path, ...extra })).ok(200).data;
}

async function findPaths(setup: CaseSetup, kind: SearchKind, query: string, extra: object = {}): Promise<string[]> {
  const items = await findItems(setup, kind, query, extra);
  return items.map((item: Json) => (item.path as string).slice(setup.folder.path.length + 1));
}

export const createDocument = (setup: CaseSetup, name: string, content: string) =>
  setup.api.file(`${setup.folder.path}/${name}`, content);

/**
 * Returns the matches of one file in an answer, each without the fields that are equal for all
 * matches of the file.
 */
export const readMatchPlaces = ({ sources }: Json): Json[] =>
  sources.map(({ object: _, fileId: __, ...place }: Json) => place);

/** Returns the parts of a snippet or line that its `ranges` mark. */
const readMarkedParts = ({ text, ranges }: Json): string[] =>
  ranges.map(([start, end]: [number, number]) => [...text].slice(start, end).join(""));

async function createDocuments(setup: CaseSetup, count: number): Promise<void> {
  for (let n = 0; n < count; n++) await createDocument(setup, `many-${n}.md`, `zebra ${n}\n`);
}

const envelopeAndLimitCases = SEARCH_KINDS.flatMap((kind): ContractCase[] => [
  defineCase(`answers the list envelope: ${kind}`, async (setup) => {
    const file = await createDocument(setup, "one.md", "A quokka.\n");
    const page = (await searchUntilStable(setup, kind, "quokka")).ok(200);
    assert.deepEqual(Object.keys(page).sort(), ["data", "hasMore", "nextCursor", "object", "url"]);
    assert.deepEqual(
      [page.object, page.url, page.hasMore, page.nextCursor],
      ["list", SEARCH_ROUTES[kind], false, null],
    );
    const { id, lastChangeId, path } = (page.data as Json[]).find((item) => item.id === file.id);
    assert.deepEqual({ id, lastChangeId, path }, { id: file.id, lastChangeId: file.lastChangeId, path: file.path });
  }),
  defineCase(`finds what was written, immediately or some requests later: ${kind}`, async (setup) => {
    for (let n = 0; n < 20; n++)
      await createDocument(setup, `late-${n}.md`, `A dormouse.\n${"and more ".repeat(200)}\n`);
    assert.equal((await findItems(setup, kind, "dormouse", { limit: 50 })).length, 20);
  }),
  defineCase(`takes a limit of 1, 2, 499 and 500: ${kind}`, async (setup) => {
    await createDocuments(setup, 3);
    assert.equal((await findItems(setup, kind, "zebra", { limit: 1 })).length, 1);
    assert.equal((await findItems(setup, kind, "zebra", { limit: 2 })).length, 2);
    for (const limit of [499, 500]) assert.equal((await findItems(setup, kind, "zebra", { limit })).length, 3);
  }),
  defineCase(`refuses a limit of 0 and of 501: ${kind}`, async (setup) => {
    for (const limit of [0, 501, -1, 1e15, "10", 1.5, null, true]) {
      const code = Number.isInteger(limit) ? "out_of_range" : "wrong_type";
      assert.equal((await expectRefused(setup, kind, "zebra", "/limit", { limit })).errors?.[0]?.code, code);
    }
  }),
  defineCase(`answers ${kind === "search" ? 10 : 50} files without a limit: ${kind}`, async (setup) => {
    const defaultLimit = kind === "search" ? 10 : 50;
    await createDocuments(setup, defaultLimit - 1);
    assert.equal((await findItems(setup, kind, "zebra")).length, defaultLimit - 1);
    await createDocument(setup, "last.md", "zebra\n");
    assert.equal((await findItems(setup, kind, "zebra")).length, defaultLimit);
    await createDocument(setup, "beyond.md", "zebra\n");
    assert.equal((await findItems(setup, kind, "zebra")).length, defaultLimit);
  }),
]);

const itemCases = SEARCH_KINDS.flatMap((kind): ContractCase[] => [
  defineAssumedCase(`answers each file with its content, and where it was found: ${kind}`, async (setup) => {
    const file = await createDocument(setup, "one.md", "A quokka.\n");
    const [hit] = await findItems(setup, kind, "quokka");
    const { score: _, sources, ...plain } = hit;
    assert.deepEqual(plain, { ...file, content: "A quokka.\n" });
    const object = kind === "search" ? "snippet" : "match";
    assert.deepEqual(
      sources.map((source: Json) => [source.object, source.fileId, source.line]),
      [[object, file.id, 1]],
    );
    assert.deepEqual(await findItems(setup, kind, "quokka", { includeSources: true }), [hit]);
    const { sources: __, ...bare } = hit;
    assert.deepEqual(await findItems(setup, kind, "quokka", { includeSources: false }), [bare]);
    await expectRefused(setup, kind, "a", "/includeSources", { includeSources: "no" });
  }),
  defineAssumedCase(`searches below a prefix alone: ${kind}`, async (setup) => {
    await createDocument(setup, "in/deep/a.md", "wombat\n");
    await createDocument(setup, "in/b.md", "wombat\n");
    await createDocument(setup, "inner/c.md", "wombat\n");
    const findBelow = (prefix: string) =>
      findPaths(setup, kind, "wombat", { path_prefix: `${setup.folder.path}/${prefix}` });
    assert.deepEqual((await findBelow("in")).sort(), ["in/b.md", "in/deep/a.md"]);
    assert.deepEqual(await findBelow("in/deep"), ["in/deep/a.md"]);
    assert.deepEqual(await findBelow("nowhere"), []);
    const replyForFile = await searchUntilStable(setup, kind, "wombat", { path_prefix: "a/b.md" });
    replyForFile.problem("type_mismatch", "/path_prefix");
    await expectRefused(setup, kind, "wombat", "/path_prefix", { path_prefix: "a b" });
  }),
]);

const refusalAndChangeCases = SEARCH_KINDS.flatMap((kind): ContractCase[] => [
  defineCase(`names each bad member: ${kind}`, async (setup) => {
    const { api } = setup;
    (await api.post(SEARCH_ROUTES[kind], {})).invalid("/query");
    await expectRefused(setup, kind, "a", "/cursor", { cursor: "x" });
    (await api.post(SEARCH_ROUTES[kind], { query: 7 })).invalid("/query");
    await expectRefused(setup, kind, "a", "/path_prefix", { path_prefix: 1 });
    (await api.post(SEARCH_ROUTES[kind], "[]")).invalid();
    (await api.post(`${SEARCH_ROUTES[kind]}?limit=1`, { query: "a" })).invalid("/limit");
    (await api.get(SEARCH_ROUTES[kind])).problem("not_found");
  }),
  defineCase(`needs a key: ${kind}`, async (setup) => {
    (await searchUntilStable({ ...setup, api: setup.as(null) }, kind, "zebra")).problem("unauthenticated");
  }),
  defineCase(`finds the live text alone, immediately: ${kind}`, async (setup) => {
    const file = await createDocument(setup, "live.md", "before capybara\n");
    assert.deepEqual(await findPaths(setup, kind, "capybara"), ["live.md"]);
    (await setup.api.edit(file.id, file.lastChangeId, "after dugong\n")).edited();
    assert.deepEqual(await findPaths(setup, kind, "capybara"), []);
    assert.deepEqual(await findPaths(setup, kind, "dugong"), ["live.md"]);
    (await setup.api.patch(`/v1/files/${file.id}`, { name: "renamed.md" })).ok(200);
    assert.deepEqual(await findPaths(setup, kind, "dugong"), ["renamed.md"]);
  }),
  markLeavingReview(
    defineCase(`finds no change in review: ${kind}`, async (setup) => {
      const file = await createDocument(setup, "live.md", "public capybara\n");
      (await setup.api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
      assert.equal((await setup.api.edit(file.id, file.lastChangeId, "secret narwhal\n")).status, 202);
      assert.deepEqual(await findPaths(setup, kind, "narwhal"), []);
      assert.deepEqual(await findPaths(setup, kind, "capybara"), ["live.md"]);
    }),
  ),
  defineCase(`forgets a deleted file and a deleted folder: ${kind}`, async (setup) => {
    const file = await createDocument(setup, "gone.md", "okapi\n");
    await createDocument(setup, "below/too.md", "okapi\n");
    assert.equal((await findItems(setup, kind, "okapi")).length, 2);
    await setup.api.delete(`/v1/files/${file.id}`);
    assert.deepEqual(await findPaths(setup, kind, "okapi"), ["below/too.md"]);
    const page = await setup.api.page("folders", { path: `${setup.folder.path}/below` });
    await setup.api.delete(`/v1/folders/${page.data[0]!.id}?recursive=true`);
    assert.deepEqual(await findPaths(setup, kind, "okapi"), []);
  }),
]);

const hybridCases: readonly ContractCase[] = [
  defineCase("answers at most 500 files", async (setup) => {
    await createDocuments(setup, 501);
    for (const kind of SEARCH_KINDS) assert.equal((await findItems(setup, kind, "zebra", { limit: 500 })).length, 500);
  }),
  defineAssumedCase("refuses a blank query", async (setup) => {
    for (const query of ["", " ", "\n\t\u3000"]) await expectRefused(setup, "search", query, "/query");
  }),
  defineAssumedCase("bounds the query of a hybrid search", async (setup) => {
    for (const length of [1_023, 1_024]) (await searchUntilStable(setup, "search", "q".repeat(length))).ok(200);
    (await searchUntilStable(setup, "search", "𝒒".repeat(1_024))).ok(200);
    const problem = await expectRefused(setup, "search", "q".repeat(1_025), "/query");
    assert.equal(problem.errors?.[0]?.code, "too_long");
  }),
  defineAssumedCase("reads no operators in a query", async (setup) => {
    await createDocument(setup, "a.md", "alpha beta\n");
    const signQueries = ['"', '"alpha', "alpha*", "(alpha", "^alpha"];
    const operatorQueries = ["alpha AND", "NOT alpha", "NEAR(alpha beta)", "body:alpha"];
    const sqlQueries = ["-", "a' OR 1=1 --", "{name}: x", "+ + +", "\\", "%_%"];
    const nonTextQueries = ["\ud800", "\0alpha", "a\0\0\0b"];
    for (const query of [...signQueries, ...operatorQueries, ...sqlQueries, ...nonTextQueries])
      (await searchUntilStable(setup, "search", query)).ok(200);
    assert.deepEqual(await findPaths(setup, "search", '"alpha* AND (beta'), ["a.md"]);
  }),
  defineAssumedCase("ranks names and headings before text", async (setup) => {
    const filler = "Lorem ipsum dolor sit amet consectetur.\n".repeat(5);
    await createDocument(setup, "text.md", `# Other\n\n${filler}walrus\n`);
    await createDocument(setup, "heading.md", `# The walrus\n\n${filler}`);
    await createDocument(setup, "walrus.md", `# Other\n\n${filler}`);
    assert.deepEqual(await findPaths(setup, "search", "walrus"), ["walrus.md", "heading.md", "text.md"]);
  }),
  defineAssumedCase("ranks every word before some words, and scores by rank", async (setup) => {
    await createDocument(setup, "some.md", "green tea\n");
    await createDocument(setup, "all.md", "green mountain tea of the herders\n");
    const items = await findItems(setup, "search", "green mountain tea");
    assert.deepEqual(
      items.map((item) => item.path.split("/").at(-1)),
      ["all.md", "some.md"],
    );
    assert.ok(items[0].score > items[1].score && items[1].score > 0);
  }),
  defineAssumedCase("finds parts of words", async (setup) => {
    await createDocument(setup, "a.md", "An uncompressed archive, with --no-verify.\n");
    for (const query of ["compress", "uncomp", "pressed", "no-ver", "--no-verify", "chive, with"])
      assert.deepEqual(await findPaths(setup, "search", query), ["a.md"], query);
  }),
  defineAssumedCase("finds words of any script, whole and in part", async (setup) => {
    const texts = {
      "zh.md": ["使用 gzip 压缩和解压文件。", ["压缩", "压", "解压文件", "件"]],
      "ja.md": ["ファイルを圧縮する。がんばって", ["圧縮", "縮", "ファイル", "が"]],
      "ko.md": ["파일을 압축합니다", ["압축", "파일"]],
      "ar.md": ["ضغط المِلفّ في المجلد", ["ضغط", "الملف", "مجلد"]],
      "he.md": ["דחיסת קבצים בתיקייה", ["קבצים", "דחיסת תיקייה"]],
      "ru.md": ["Сжать файлы в архив", ["сжать", "ФАЙЛЫ", "файл"]],
      "th.md": ["บีบอัดไฟล์ทั้งหมด", ["ไฟล์", "บีบอัด"]],
      "hi.md": ["फ़ाइल को संपीड़ित करें", ["संपीड़ित"]],
      "fr.md": ["Étendre la mémoire, cœur ﬁni", ["etendre", "MÉMOIRE", "fini"]],
      "emoji.md": ["Release 🎉 day", ["🎉"]],
    } as const;
    for (const [name, [text]] of Object.entries(texts)) await createDocument(setup, name, `${text}\n`);
    for (const [name, [, queries]] of Object.entries(texts))
      for (const query of queries)
        assert.equal((await findPaths(setup, "search", query))[0], name, `${name}: ${query}`);
  }),
  defineAssumedCase("marks what matched in its sources", async (setup) => {
    await createDocument(setup, "a.md", "# Title\n\nnothing here\nThe 🦦 otter and the OTTERS\n");
    const [snippets] = (await findItems(setup, "search", "otter")).map(readMatchPlaces);
    assert.ok(snippets);
    assert.deepEqual([snippets.length, snippets[0].line, snippets[0].text], [1, 4, "The 🦦 otter and the OTTERS"]);
    assert.deepEqual(readMarkedParts(snippets[0]), ["otter", "OTTER"]);
    await createDocument(setup, "b.md", "قال: ضَغَطَ الملف\n");
    assert.deepEqual(readMarkedParts((await findItems(setup, "search", "ضغط"))[0].sources[0]), ["ضَغَطَ"]);
    await createDocument(setup, "c.md", `${"x ".repeat(400)}needle ${"y ".repeat(400)}\n`);
    const [long] = (await findItems(setup, "search", "needle"))[0].sources;
    assert.ok([...long.text].length <= 242);
    assert.deepEqual(readMarkedParts(long), ["needle"]);
    await createDocument(setup, "manatee.md", "\nOnly its name says so.\n");
    assert.deepEqual(readMatchPlaces((await findItems(setup, "search", "manatee"))[0]), [
      { line: 2, text: "Only its name says so.", ranges: [] },
    ]);
  }),
];

export const searchCases: readonly ContractCase[] = [
  ...envelopeAndLimitCases,
  ...itemCases,
  ...refusalAndChangeCases,
  ...hybridCases,
];

/** Cases about `.qontext.structure.md`, an ordinary file, except that no search finds it. */
export const structureCases: readonly ContractCase[] = SEARCH_KINDS.flatMap((kind) => [
  defineAssumedCase(`finds no configuration of a folder: ${kind}`, async (setup) => {
    const file = await createDocument(setup, "kept/.qontext.structure.md", "quokka\n");
    assert.deepEqual(await findPaths(setup, kind, "quokka"), []);
    (await setup.api.patch(`/v1/files/${file.id}`, { name: "rules.md" })).ok(200);
    assert.deepEqual(await findPaths(setup, kind, "quokka"), ["kept/rules.md"]);
    (await setup.api.patch(`/v1/files/${file.id}`, { name: ".qontext.structure.md" })).ok(200);
    assert.deepEqual(await findPaths(setup, kind, "quokka"), []);
    (await setup.api.edit(file.id, file.lastChangeId, "quokka still\n")).edited();
    assert.deepEqual(await findPaths(setup, kind, "quokka"), []);
    assert.equal((await setup.api.read(file.id)).content, "quokka still\n");
  }),
]);
