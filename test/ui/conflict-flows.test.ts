import { describe, expect, test } from "vitest";
import { hasBrowser, newBrowserPage, openPage, shoot } from "./browser.ts";
import { CONFLICT_TEXTS, openConflict, TWO_CLASHES } from "./rig.ts";

describe.skipIf(!hasBrowser)("a conflict in a browser (skipped without Chromium)", () => {
  test("is found from the list, read side by side, and ended with the keyboard alone", async () => {
    const { ui, rig } = await openConflict();
    const page = await openPage(ui, "/m/w/needs");
    await shoot(page, "conflicts");
    await page.getByRole("link", { name: "plan.md" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "plan.md" }).waitFor();
    await page.getByText("0 of 1 decided").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.keyboard.press("j");
    expect(await page.evaluate("document.activeElement.value")).toBe("mine");
    await page.keyboard.press("Space");
    await page.getByText("1 of 1 decided").waitFor();
    await page.getByRole("button", { name: "Preview" }).press("Enter");
    await page.locator("#preview:focus article").getByText("mine").waitFor();
    expect(new URL(page.url()).search).toBe("");
    await shoot(page, "conflict");
    // The preview follows the choices without a reload.
    await page.locator("#clash-1 input[value=theirs]").check({ force: true });
    await page.locator("#preview article").getByText("theirs").waitFor();
    await page.locator("#clash-1 input[value=mine]").check({ force: true });
    await page.locator("#preview article").getByText("mine").waitFor();
    await page.getByRole("button", { name: "Save" }).press("Enter");
    await page.locator("#main").getByText("has no open problem").waitFor();
    await expect.poll(() => rig.remote("plan.md")?.content).toBe(CONFLICT_TEXTS.mine);
    await page.getByRole("button", { name: "Undo" }).waitFor();
  });

  test("that ended elsewhere keeps what was typed, and says so in place of the preview", async () => {
    const { ui, rig } = await openConflict();
    const page = await openPage(ui, "/m/w/conflict/plan.md");
    await page.locator("#clash-1 input[value=edit]").check({ force: true });
    await page.locator("#clash-1 textarea").fill("typed at length\n");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator("#preview article").getByText("typed at length").waitFor();
    await rig.run(["resolve", "w/plan.md", "--theirs"]);
    await page.locator("#clash-1 textarea").fill("typed at more length\n");
    await page.locator("#clash-1 textarea").blur();
    await page.locator("#preview[role=alert]").waitFor();
    expect(await page.locator("#clash-1 textarea").inputValue()).toBe("typed at more length\n");
  });

  test("leads to the next open clash, and is saved when all are decided", async () => {
    const { ui, rig } = await openConflict(TWO_CLASHES);
    const page = await openPage(ui, "/m/w/conflict/plan.md", { viewport: { width: 390, height: 500 } });
    const next = page.locator("#next-clash");
    await page.locator("#clash-1 input[value=theirs]").check({ force: true });
    await next.click();
    expect(await page.evaluate("document.activeElement.closest('.clash').id")).toBe("clash-2");
    await page.keyboard.press("Space");
    await next.waitFor({ state: "hidden" });
    const { height } = (await page.locator("main .sticky").boundingBox())!;
    expect(height).toBeLessThan(60);
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => rig.read("plan.md")).toBe(TWO_CLASHES.merged);
  });

  test("is taken with others, as one run that is undone from its message", async () => {
    const { ui, rig } = await openConflict();
    const page = await newBrowserPage();
    await page.clock.install();
    await page.goto(ui.enterUrl());
    await page.goto(`${ui.url}/m/w/needs`);
    await page.getByLabel("Select all conflicts").check();
    // A reload of the page would clear the checkboxes.
    const reads: string[] = [];
    page.on("request", (request) => reads.push(request.url()));
    await page.clock.runFor(10_000);
    expect(reads).toEqual([]);
    await page.getByRole("button", { name: "Take theirs" }).click();
    await page.locator("#toasts > .good").waitFor();
    expect(rig.read("plan.md")).toBe(CONFLICT_TEXTS.theirs);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(() => rig.read("plan.md")).toBe(CONFLICT_TEXTS.mine);
    // The page on which the conflicts were resolved lists them as open again.
    await page.getByRole("link", { name: "plan.md" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/m/w/needs");
    await page.goto(`${ui.url}/m/w/conflict/plan.md`);
    await page.getByText("0 of 1 decided").waitFor();
    expect(rig.remote("plan.md")?.content).toBe(CONFLICT_TEXTS.theirs);
  });

  test("is saved as what was made of both, beside theirs; what an editor saves meanwhile is not lost", async () => {
    const { ui, rig } = await openConflict();
    const page = await openPage(ui, "/m/w/conflict/plan.md?edit=yes");
    const result = page.getByRole("textbox", { name: "Result" });
    await result.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("what I wrote");
    await shoot(page, "conflict-editor");
    await page.getByText("The versions have changed since").waitFor({ state: "hidden" });
    // An editor saves the file: the page shows the new version and keeps what the user is typing.
    const saved = "# Plan\n\none\nmine, saved again\nthree\n";
    rig.write("plan.md", saved);
    await page.getByText("The versions have changed since").waitFor();
    await page.locator("#texts").getByText("saved again").waitFor();
    expect(await result.textContent()).toBe("what I wrote");
    await page.getByRole("button", { name: "Save the result" }).click();
    await page.locator("#toasts > .asks").waitFor();
    expect(rig.read("plan.md")).toBe(saved);
    expect(await result.textContent()).toBe("what I wrote");
    // The user has seen the new version and replaces it: both are in the history.
    await page.getByRole("button", { name: "Save the result" }).press("Enter");
    await page.locator("#main").getByText("has no open problem").waitFor();
    await expect.poll(() => rig.remote("plan.md")?.content).toBe("what I wrote");
    const texts = await Promise.all(
      [4, 5].map(async (at) => (await rig.run(["show", `w/plan.md@${at}`])).out.join("\n")),
    );
    expect(texts).toEqual([saved.trimEnd(), "what I wrote"]);
  });

  test("that ends in an editor while somebody writes leaves what was written there", async () => {
    const { ui, rig } = await openConflict();
    const page = await openPage(ui, "/m/w/conflict/plan.md?edit=yes", { viewport: { width: 400, height: 700 } });
    const result = page.getByRole("textbox", { name: "Result" });
    await result.focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type("what I wrote");
    await rig.run(["resolve", "w/plan.md", "--mine"]);
    await page.locator("#main").getByText("has no open problem").waitFor();
    expect(await result.textContent()).toContain("what I wrote");
    await page.getByRole("button", { name: "Save the result" }).click();
    await page.getByText("was not saved. Copy it").waitFor();
    expect(await page.locator("textarea#result-text").inputValue()).toBe("what I wrote");
    expect(rig.read("plan.md")).toBe(CONFLICT_TEXTS.mine);
  });
});
