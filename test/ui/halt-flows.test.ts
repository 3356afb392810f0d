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
    await page.getByText("Stopped: 121").waitFor();
    await page.getByRole("link", { name: "Next" }).press("Enter");
    await page.getByText("Page 2 of 2, 121 changes").waitFor();
    await shoot(page, "halt-asks");
    await page.getByRole("button", { name: "Carry out 121 changes" }).press("Enter");
    await page.getByText("Approved: the next sync").waitFor();
    await page.getByRole("button", { name: "Sync now" }).press("Enter");
    await expect.poll(() => isThere(rigged, 120)).toBe(0);
    await page.goto(`${rigged.ui.url}/m/w/safety-stop`);
    await page.locator("#main").getByText("Nothing is stopped", { exact: true }).waitFor();
  });
});
