import { describe, expect, test } from "vitest";
import { hasBrowser, openPage, shoot } from "./browser.ts";
import { openSignedIn, openUi } from "./rig.ts";

describe("the search page", () => {
  test("finds documents as the command does, with marks, in any script, escaped", async () => {
    const { rig, person } = await openSignedIn();
    rig.write("a <b>.md", "# T\n\nA <script>quokka</script> here\u0007.\n");
    rig.write("压缩/文件.md", "压缩文件\n");
    await rig.stopService();
    const search = async (query: string) => await person.see(`/m/w/search?${query}`);
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
    const { person } = await openSignedIn();
    for (const [query, words] of [
      ["q=%28&regex=on", "the pattern cannot be used"],
      ["q=a%0Ab&regex=on", "a pattern is one line"],
      [`q=${"x".repeat(1_025)}`, "more than 1024 characters"],
      ["q=%20%20", "Searches the local files"],
    ] as const) {
      const { status, text } = await person.get(`/m/w/search?${query}`);
      expect([query, status, text]).toEqual([query, 200, expect.stringContaining(words)]);
    }
  });
});

describe.skipIf(!hasBrowser)("a search, in a browser (skipped without Chromium)", () => {
  test("is answered while it is typed, walked by keyboard, and opens a document", async () => {
    const { ui, rig } = await openUi();
    rig.write("animals/quokka.md", "# Quokka\n\nThe quokka smiles.\n\nA long line about a quokka: quokka.\n");
    rig.write("plan.md", "# Plan\n\n- see a quokka\n");
    rig.write("עברית.md", "# שלום עולם\n\nquokka קוואקה\n");
    await rig.run(["sync", "w"]);
    const page = await openPage(ui, "/m/w", { mayFail: /ERR_CONNECTION_REFUSED|ERR_EMPTY|INCOMPLETE/ });
    await page.getByRole("link", { name: "Search" }).click();
    await page.getByText("Searches the local files").waitFor();
    await page.keyboard.type("quokka");
    await page.locator("#count").getByText("3 documents").waitFor();
    await page.waitForURL((url) => url.searchParams.get("q") === "quokka");
    await shoot(page, "search");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Escape");
    expect(await page.evaluate("document.activeElement.id")).toBe("q");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("(");
    await page.getByRole("checkbox").check();
    await page.locator("#found").getByText("the pattern cannot be used").waitFor();
    await page.locator("#q").fill("smil.s");
    await page.locator("#count").getByText("1 document").waitFor();
    await page.locator("#q").press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByText("A long line about a quokka").waitFor();
    await page.goBack();
    await page.locator("#count").getByText("1 document").waitFor();
    await ui.close();
    await page.locator("#q").fill("another");
    await page.getByText("The search was not answered").waitFor();
  });

  test("shows the last answer, whichever comes last", async () => {
    const { ui, rig } = await openUi();
    rig.write("a.md", "alpha\n");
    rig.write("b.md", "alphabet\n");
    const page = await openPage(ui, "/m/w/search");
    const early = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await page.route(/q=alpha$/, async (route) => {
      arrived.resolve();
      await early.promise;
      // The page has aborted this request.
      await route.continue().catch(() => undefined);
    });
    await page.locator("#q").fill("alpha");
    await arrived.promise;
    await page.getByText("Searching …").waitFor();
    await page.locator("#q").fill("alphabet");
    await page.locator("#found").getByText("b.md").waitFor();
    early.resolve();
    await page.unroute(/q=alpha$/);
    expect(await page.locator("#found a").allTextContents()).toEqual(["b.md"]);
    await page.getByText("Searching …").waitFor({ state: "hidden" });
  });
});
