import { describe, expect, test } from "vitest";
import { openUi } from "./rig.ts";

describe("the search page", () => {
  test("finds documents as the command does, with marks, in any script, escaped", async () => {
    const { ask, enter, rig } = await openUi();
    rig.write("a <b>.md", "# T\n\nA <script>quokka</script> here\u0007.\n");
    rig.write("压缩/文件.md", "压缩文件\n");
    await rig.stopService();
    const cookie = await enter();
    const search = async (query: string) => (await ask(`/m/w/search?${query}`, { headers: { cookie } })).text;
    const empty = await search("");
    expect(empty).toContain("Searches the local files");
    const found = await search("q=quokka");
    expect(found).toContain("1 document");
    expect(found).toContain('<a href="/m/w/docs/a%20%3Cb%3E.md">');
    expect(found).toContain("A &lt;script&gt;<mark>quokka</mark>&lt;/script&gt; here\ufffd.");
    expect(await search("q=%E5%8E%8B%E7%BC%A9")).toContain("<mark>压缩</mark>文件");
    const byPattern = await search("q=qu.k%2Ba&regex=on");
    expect(byPattern).toContain("<mark>quokka</mark>");
    expect(byPattern).toContain("checked");
    expect(await search("q=nothingofit")).toContain("Nothing found.");
  });

  test("says what is wrong with a query", async () => {
    const { ask, enter } = await openUi();
    const headers = { cookie: await enter() };
    for (const [query, words] of [
      ["q=%28&regex=on", "the pattern cannot be used"],
      ["q=a%0Ab&regex=on", "a pattern is one line"],
      [`q=${"x".repeat(1_025)}`, "more than 1024 characters"],
      ["q=%20%20", "Searches the local files"],
    ] as const) {
      const { status, text } = await ask(`/m/w/search?${query}`, { headers });
      expect([query, status, text]).toEqual([query, 200, expect.stringContaining(words)]);
    }
  });
});
