import { describe, expect, test } from "vitest";
import { hasBrowser, openBrowser, shoot } from "./browser.ts";
import { openUi } from "./rig.ts";

describe.skipIf(!hasBrowser)("a search, in a browser (skipped without Chromium)", () => {
  test("is answered while it is typed, walked by keyboard, and opens a document", async () => {
    const { ui, rig } = await openUi();
    rig.write("animals/quokka.md", "# Quokka\n\nThe quokka smiles.\n\nA long line about a quokka: quokka.\n");
    rig.write("plan.md", "# Plan\n\n- see a quokka\n");
    rig.write("עברית.md", "# שלום עולם\n\nquokka קוואקה\n");
    await rig.run(["sync", "w"]);
    const page = await (await openBrowser({ mayFail: /ERR_CONNECTION_REFUSED|ERR_EMPTY|INCOMPLETE/ })).newPage();
    await page.goto(ui.enterUrl());
    await page.goto(`${ui.url}/m/w`);
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
    const page = await (await openBrowser()).newPage();
    await page.goto(ui.enterUrl());
    await page.goto(`${ui.url}/m/w/search`);
    const early = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    await page.route(/q=alpha$/, async (route) => {
      arrived.resolve();
      await early.promise;
      // The page has given it up.
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
