/** Cases about searches with a regex (`src/contract/README.md`, "Search" and "Limits"). */

import assert from "node:assert/strict";
import { type ContractCase, defineAssumedCase, defineCase, type Json } from "./world.ts";
import { createDocument, expectRefused, findItems, readMatchPlaces, searchUntilStable } from "./search-cases.ts";

export const regexSearchCases: readonly ContractCase[] = [
  defineCase("takes a pattern of 1,023 and 1,024 characters, and refuses 1,025", async (setup) => {
    await createDocument(setup, "a.md", `${"p".repeat(1_030)}\n`);
    for (const length of [1_023, 1_024])
      assert.equal((await findItems(setup, "regex search", "p".repeat(length))).length, 1);
    (await searchUntilStable(setup, "regex search", "𝒑".repeat(1_024))).ok(200);
    const problem = await expectRefused(setup, "regex search", "p".repeat(1_025), "/query");
    assert.equal(problem.errors?.[0]?.code, "too_long");
  }),
  defineCase("refuses a pattern of more than one line", async (setup) => {
    for (const pattern of ["a\nb", "a\r", "\n", ""]) await expectRefused(setup, "regex search", pattern, "/query");
    (await searchUntilStable(setup, "regex search", "a\\nb")).ok(200);
  }),
  defineCase("refuses a malformed pattern", async (setup) => {
    for (const pattern of ["(", "[", "a**", "*", "(?<n", "\\", "a{2,1}", "(?=a)", "(a)\\1", "[b-a]", "\\p{Nothing}"])
      await expectRefused(setup, "regex search", pattern, "/query");
  }),
  defineAssumedCase("refuses a search of too many steps, and shows nothing that was found till then", async (setup) => {
    const { api, folder } = setup;
    for (let n = 0; n < 2; n++) await api.file(`${folder.path}/${n}.md`, `zebra\n${"a".repeat(4_000)}\n`.repeat(12));
    const costlyReply = await api.post("/v1/search/regex", { query: "(?:a?){990}b|zebra", path_prefix: folder.path });
    costlyReply.problem("search_too_costly", "/query");
    const nextReply = await api.post("/v1/search/regex", { query: "zebra", path_prefix: folder.path });
    assert.equal(nextReply.ok(200).data.length, 2);
  }),
  defineAssumedCase("refuses a pattern that grows beyond measure", async (setup) => {
    for (const pattern of ["((a{100}){100}){100}", "(?:a?){1000}".repeat(85), "(?:\\pL{1000})".repeat(70)])
      await expectRefused(setup, "regex search", pattern, "/query");
  }),
  defineCase("answers 49, 50 and 50 lines of a file that has 49, 50 and 51", async (setup) => {
    for (const count of [49, 50, 51]) await createDocument(setup, `lines-${count}.md`, `${"- lemur\n".repeat(count)}`);
    const items = await findItems(setup, "regex search", "^- lemur$");
    assert.deepEqual(
      items.map(({ path, sources: matches }) => [path.split("/").at(-1), matches.length, matches.at(-1).line]),
      [
        ["lines-49.md", 49, 49],
        ["lines-50.md", 50, 50],
        ["lines-51.md", 50, 50],
      ],
    );
  }),
  defineCase("reads lines of 4,095 and 4,096 characters, and skips one of 4,097", async (setup) => {
    for (const length of [4_095, 4_096, 4_097])
      await createDocument(setup, `a-${length}.md`, `${"x".repeat(length - 3)}end\n`);
    await createDocument(setup, "astral-4096.md", `${"🦫".repeat(4_093)}end\n`);
    await createDocument(setup, "skipped-but-next.md", `${"x".repeat(4_094)}end\nend\n`);
    const items = await findItems(setup, "regex search", "end$");
    assert.deepEqual(
      items.map(({ path, sources: matches }) => [path.split("/").at(-1), matches[0].line, matches[0].column]),
      [
        ["a-4095.md", 1, 4_093],
        ["a-4096.md", 1, 4_094],
        ["astral-4096.md", 1, 4_094],
        ["skipped-but-next.md", 2, 1],
      ],
    );
  }),
  defineAssumedCase("gives line and column of each match", async (setup) => {
    await createDocument(setup, "a.md", "no\r\n🦔 hedgehog, hog\r\n\r\nhog");
    const [hit] = await findItems(setup, "regex search", "(hedge)?hog");
    assert.deepEqual(readMatchPlaces(hit), [
      {
        line: 2,
        column: 3,
        text: "🦔 hedgehog, hog",
        ranges: [
          [2, 10],
          [12, 15],
        ],
      },
      { line: 4, column: 1, text: "hog", ranges: [[0, 3]] },
    ]);
  }),
  defineCase("matches each line by itself", async (setup) => {
    await createDocument(setup, "a.md", "one\ntwo\n\nthree");
    for (const pattern of ["one\\ntwo", "one.two", "(?s)one.two", "e\\s+t", "e$\\n", "[^x]{9}"])
      assert.deepEqual(await findItems(setup, "regex search", pattern), [], pattern);
    for (const pattern of ["^two$", "\\Athree\\z", "(?i)TWO", "(?-s)tw.", "^$", "\\btwo\\b", "^[[:lower:]]{5}$"])
      assert.equal((await findItems(setup, "regex search", pattern)).length, 1, pattern);
  }),
  defineCase("matches text of any script", async (setup) => {
    await createDocument(setup, "a.md", "解压缩文件\nİstanbul ﬁle\nسلام عليكم\nが か\u3099\n");
    const findLines = async (pattern: string) =>
      (await findItems(setup, "regex search", pattern)).flatMap(({ sources }) => sources.map(({ line }: Json) => line));
    assert.deepEqual(await findLines("压.文"), [1]);
    assert.deepEqual(await findLines("\\p{Arabic}+ \\p{Arabic}+"), [3]);
    assert.deepEqual(await findLines("\\p{Han}{5}"), [1]);
    assert.deepEqual(await findLines("ﬁle"), [2]);
    assert.deepEqual(await findLines("(?i)İSTANBUL"), [2]);
    assert.deepEqual(await findLines("か"), [4]);
  }),
  defineCase("lets no pattern hang the service", async (setup) => {
    await createDocument(setup, "a.md", `${`${"a".repeat(4_000)}\n`.repeat(12)}!\n`);
    // A regex engine that backtracks would not finish any of these searches.
    for (const pattern of ["(a+)+$b", "(a|aa)+c", "(.*)*d", "(a*)*(a*)*(a*)*[b-z]", "(x+x+)+y", "(?:a?){60}a{60}z"])
      assert.deepEqual(await findItems(setup, "regex search", pattern), [], pattern);
  }),
];
