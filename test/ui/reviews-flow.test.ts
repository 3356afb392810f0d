import { describe, expect, test } from "vitest";
import { hasBrowser, openBrowser, shoot } from "./browser.ts";
import { openUi } from "./rig.ts";

describe.skipIf(!hasBrowser)("reviews in wait, in a browser (skipped without Chromium)", () => {
  test("are found from what waits, and what was decided is learnt by a button", async () => {
    const { ui, rig } = await openUi({ linked: false });
    const content = "# Plan\n\none\ntwo\nthree\n";
    rig.createRemotely("team/plan.md", content);
    rig.protectRemotely("team/plan.md");
    await rig.init();
    rig.write("team/plan.md", "# Plan\n\none\nzwei\nthree\nfour\n");
    await rig.run(["sync", "w"], { terminal: true });
    const page = await (await openBrowser()).newPage();
    await page.goto(ui.enterUrl());
    await page.goto(`${ui.url}/m/w`);
    await page.getByRole("link", { name: "Reviews" }).press("Enter");
    await page.locator(".badge.quiet", { hasText: "in review" }).waitFor();
    await page.getByText("1 line removed, 2 lines added").waitFor();
    await shoot(page, "reviews");
    rig.service.admin.reviews.accept(rig.reviews()[0]!, null);
    await page.getByRole("button", { name: "Check now" }).press("Enter");
    await page.locator("#toasts > .good").waitFor();
    await page.locator("#main .empty").waitFor();
    await page.getByRole("link", { name: "Sign out" }).press("Enter");
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await shoot(page, "sign-out");
    await page.getByRole("button", { name: "Sign out" }).press("Enter");
    await page.getByText("This browser is signed out.").waitFor();
    expect(await page.getByRole("link", { name: "Sign out" }).count()).toBe(0);
  });
});
