import { describe, expect, test } from "vitest";
import { hasBrowser, openBrowser, shoot } from "./browser.ts";
import { isThere, openHalt } from "./halt.ts";

describe.skipIf(!hasBrowser)("a stop in a browser (skipped without Chromium)", () => {
  test("is found from the problems to fix, and approved with the keyboard alone", async () => {
    const rigged = await openHalt(120);
    const page = await (await openBrowser()).newPage();
    await page.goto(rigged.ui.enterUrl());
    await page.goto(`${rigged.ui.url}/m/w/needs`);
    await page.locator("#main a[href$='/safety-stop']").first().press("Enter");
    const yes = page.getByRole("button", { name: "Delete 120 documents" });
    await yes.waitFor();
    await page.locator("#stopped-d > summary").press("Enter");
    await page.getByText("d/03.md").waitFor();
    await shoot(page, "halt-asks");
    await yes.press("Enter");
    await page.locator("#banner.good").waitFor();
    expect(await yes.count()).toBe(0);
    expect(isThere(rigged, 120)).toBe(0);
  });
});
