import { describe, expect, test } from "vitest";
import { hasBrowser, openBrowser, shoot } from "./browser.ts";
import { openConflict, TEXTS } from "./conflict.ts";

describe.skipIf(!hasBrowser)("a conflict in a browser (skipped without Chromium)", () => {
  test("is found from the list, read side by side, and ended with the keyboard alone", async () => {
    const { ui, rig } = await openConflict();
    const page = await (await openBrowser()).newPage();
    await page.goto(ui.enterUrl());
    await page.goto(`${ui.url}/m/w/conflicts`);
    await shoot(page, "conflicts");
    await page.getByRole("link", { name: "plan.md" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "plan.md" }).waitFor();
    await shoot(page, "conflict");
    await page.getByRole("link", { name: "Show the base" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Hide the base" }).waitFor();
    await shoot(page, "conflict-base");
    await page.getByRole("button", { name: "Take mine" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("#main").getByText("nothing is open at plan.md").waitFor();
    await shoot(page, "conflict-ended");
    await expect.poll(() => rig.remote("plan.md")?.content).toBe(TEXTS.mine);
  });
});
