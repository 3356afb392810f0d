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
    await page.getByRole("link", { name: /^Documents/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("5 names").waitFor();
    await shoot(page, "tree");
    await page.getByRole("link", { name: "many/", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Page 1 of 2, 240 names").waitFor();
    await page.getByRole("link", { name: "Next" }).press("Enter");
    await page.getByRole("link", { name: "note-300.md" }).press("Enter");
    await page.getByText("Text of note 300.").waitFor();
    await shoot(page, "document");
    rig.write("many/note-300.md", "# Note 300\n\nEdited meanwhile.\n");
    await page.getByText("Edited meanwhile.").waitFor();
    await page.locator("#main").getByText("waiting", { exact: true }).waitFor();
    await page.getByRole("link", { name: "All documents" }).first().press("Enter");
    await page.getByRole("link", { name: "deep/" }).press("Enter");
    await page.getByRole("link", { name: "large.md" }).press("Enter");
    await page.getByText("split the document").waitFor();
    await page.getByRole("link", { name: "Explain its state" }).press("Enter");
    await page.getByText("nothing while it is blocked", { exact: true }).waitFor();
    await shoot(page, "why");
    expect(await page.getByRole("link", { name: /^Documents/ }).getAttribute("aria-current")).toBe("true");
  });

  test("have a history, of which an older version is restored", async () => {
    const { ui, rig } = await openUi();
    rig.write("plan.md", "# Plan\n\n- one\n- two\n\nA line that stays.\n");
    await rig.run(["sync", "w"]);
    rig.editRemotely("plan.md", "# Plan\n\n- one\n- two\n\nA line that stays.\n\nTheirs.\n");
    rig.write("plan.md", "# The plan\n\n- one\n- two\n\nA line that stays.\n");
    await rig.run(["sync", "w"]);
    rig.write("plan.md", "# The plan\n\n- one, or not\n- two\n\nA line that stays.\n\nTheirs.\n");
    await rig.run(["sync", "w"]);
    const page = await (await openBrowser()).newPage();
    await page.goto(ui.enterUrl());
    await page.goto(`${ui.url}/m/w`);
    await page.getByRole("link", { name: "History", exact: true }).click();
    await page.getByRole("heading", { name: "History" }).waitFor();
    await page.getByRole("link", { name: "plan.md" }).click();
    await page.getByText("merged from").waitFor();
    await shoot(page, "history");
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByText("1 line removed, 1 line added").waitFor();
    await shoot(page, "diff");
    await page.getByRole("link", { name: "Its history" }).press("Enter");
    await page.getByRole("link", { name: "Version 4" }).press("Enter");
    await page.getByRole("heading", { name: "Origin of each line" }).waitFor();
    await page.getByRole("link", { name: "Version 1" }).press("Enter");
    await page.getByRole("heading", { name: "Version 1" }).waitFor();
    await shoot(page, "version");
    await page.getByRole("button", { name: "Restore", exact: true }).press("Enter");
    await page.getByText("plan.md: version 1 is restored").waitFor();
    await expect.poll(() => rig.remote("plan.md")?.content).toBe("# Plan\n\n- one\n- two\n\nA line that stays.\n");
  });

  test("come back by the undo of a run, after its plan was shown, and the log shows it", async () => {
    const { ui, rig } = await openUi();
    for (const name of ["one", "two"]) rig.write(`notes/${name}.md`, `# ${name}\n\nText.\n`);
    await rig.run(["sync", "w"]);
    for (const name of ["one", "two"]) rig.write(`notes/${name}.md`, `# ${name}\n\nText that was edited.\n`);
    await rig.run(["sync", "w"]);
    const page = await (await openBrowser()).newPage();
    await page.goto(ui.enterUrl());
    await page.goto(`${ui.url}/m/w`);
    await page.getByRole("link", { name: "History", exact: true }).press("Enter");
    await page.getByRole("link", { name: "Runs" }).press("Enter");
    await page.getByText("2 uploaded").waitFor();
    await shoot(page, "runs");
    await page
      .getByRole("link", { name: /^Run \d+$/ })
      .first()
      .press("Enter");
    await page.getByRole("button", { name: /^Undo 2 of run/ }).waitFor();
    await shoot(page, "run");
    await page.getByRole("button", { name: /^Undo 2 of run/ }).press("Enter");
    await page.locator("#main").getByText("2 undone; Synced: 2 uploaded").waitFor();
    expect(rig.remote("notes/one.md")?.content).toBe("# one\n\nText.\n");
    await page.goto(`${ui.url}/m/w/log`);
    await page.getByText("Restored").first().waitFor();
    await shoot(page, "log");
    rig.write("new.md", "# new\n");
    await rig.run(["sync", "w"]);
    await page.getByRole("link", { name: "new.md" }).waitFor();
  });
});
