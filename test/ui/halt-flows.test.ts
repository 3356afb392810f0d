import { describe, expect, test } from "vitest";
import { hasBrowser, openBrowser, shoot } from "./browser.ts";
import { COUNT, isThere, openHalt } from "./halt.ts";

describe.skipIf(!hasBrowser)("a halt in a browser (skipped without Chromium)", () => {
  test("is found from what needs me, and let go with the keyboard alone, after one more question", async () => {
    const rigged = await openHalt(120);
    const page = await (await openBrowser()).newPage();
    await page.goto(rigged.ui.enterUrl());
    await page.goto(`${rigged.ui.url}/m/w/needs`);
    await page.locator("#main a[href$='/halt']").first().press("Enter");
    await page.getByText("Stopped: 121").waitFor();
    await page.getByRole("link", { name: "Next" }).press("Enter");
    await page.getByText("Page 2 of 2, 121 things").waitFor();
    await page.getByText("Let it go …").press("Enter");
    await shoot(page, "halt-asks");
    await page.getByRole("button", { name: "Yes, let 121 things go" }).press("Enter");
    await page.getByText("What was stopped is let go").waitFor();
    await shoot(page, "halt-approved");
    await page.getByRole("button", { name: "Sync now" }).press("Enter");
    await expect.poll(() => isThere(rigged, 120)).toBe(0);
    await page.goto(`${rigged.ui.url}/m/w/halt`);
    await page.locator("#main").getByText("Nothing is halted.").waitFor();
    await shoot(page, "halt-none");
  });

  test("is brought back with the mouse, in a page that follows by itself", async () => {
    const rigged = await openHalt();
    const page = await (await openBrowser()).newPage();
    await page.goto(rigged.ui.enterUrl());
    await page.goto(`${rigged.ui.url}/m/w/halt`);
    await page.getByText("Bring it back …").click();
    await page.getByRole("button", { name: `Yes, bring ${COUNT + 1} things back` }).click();
    await page
      .locator("#main")
      .getByText(`${COUNT + 1} brought back`)
      .waitFor();
    expect(rigged.rig.read("d/00.md")).toBe("text of d/00.md\n");
    await shoot(page, "halt-brought-back");
  });
});
