import { describe, expect, test } from "vitest";
import { hasBrowser, openBrowser, shoot } from "./browser.ts";
import { openUi } from "./rig.ts";

describe.skipIf(!hasBrowser)("the documents of a mirror, in a browser (skipped without Chromium)", () => {
  test("are walked by keyboard, and shown as they change", async () => {
    const { ui, rig } = await openUi();
    for (let n = 100; n < 340; n++) rig.write(`many/note-${n}.md`, `# Note ${n}\n\nText of note ${n}.\n`);
    rig.write("מסמך.md", "# מסמך\n\nשלום עולם\n");
    rig.write("plan.md", "# Plan\n\n- one\n- two\n");
    rig.write("picture.png", "");
    rig.write("deep/large.md", "x".repeat(60_000));
    await rig.run(["sync", "w"]);
    const page = await (await openBrowser()).newPage();
    await page.goto(ui.enterUrl());
    await page.goto(`${ui.url}/m/w`);
    await page.getByRole("link", { name: "Documents" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("5 names").waitFor();
    await shoot(page, "tree");
    await page.getByRole("link", { name: "many/" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Page 1 of 2, 240 names").waitFor();
    await page.getByRole("link", { name: "Next" }).press("Enter");
    await page.getByRole("link", { name: "note-300.md" }).press("Enter");
    await page.getByText("Text of note 300.").waitFor();
    await shoot(page, "document");
    rig.write("many/note-300.md", "# Note 300\n\nEdited meanwhile.\n");
    await page.getByText("Edited meanwhile.").waitFor();
    await page.locator("#main").getByText("waiting", { exact: true }).waitFor();
    await page.getByRole("link", { name: "All documents" }).press("Enter");
    await page.getByRole("link", { name: "deep/" }).press("Enter");
    await page.getByRole("link", { name: "large.md" }).press("Enter");
    await page.getByText("split the document").waitFor();
    await shoot(page, "document-held");
    expect(await page.getByRole("link", { name: "Documents", exact: true }).getAttribute("aria-current")).toBe("true");
  });
});
