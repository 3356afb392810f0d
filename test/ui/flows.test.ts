import { describe, expect, test } from "vitest";
import { startWatch } from "../cli/watch-rig.ts";
import { hasBrowser, newBrowserPage, newPage, openPage, shoot } from "./browser.ts";
import { openConflict, openUi } from "./rig.ts";

describe.skipIf(!hasBrowser)("in a browser (skipped without Chromium)", () => {
  test("the address that is printed opens the list of mirrors, and leaves the address bar", async () => {
    const { ui } = await openUi();
    const page = await newPage();
    await page.goto(ui.enterUrl());
    expect(page.url()).toBe(`${ui.url}/`);
    await page.locator("#m-w .dot.good").waitFor();
    await shoot(page, "overview");
    await page.locator("#m-w th a").click();
    await page.locator("#banner.good").waitFor();
    await shoot(page, "mirror");
  });

  test("edits, and problems to fix, are shown without a reload", async () => {
    const { ui, rig } = await openUi();
    const page = await newPage();
    await page.goto(ui.enterUrl());
    await page.locator("#m-w .dot.good").waitFor();
    // A reload would remove this variable.
    await page.evaluate("globalThis.isTheSame = true");
    rig.write("a.md", "# one\n");
    await rig.run(["sync", "w"]);
    await page.locator("#m-w a[href='/m/w/docs/']").getByText("1", { exact: true }).waitFor();
    rig.write("too-large.md", `# ${"x".repeat(60_000)}\n`);
    await rig.run(["sync", "w"]);
    await page.locator("#m-w a[href='/m/w/needs']").getByText("1", { exact: true }).waitFor();
    expect(await page.title()).toBe("(1) Linked folders · mdmirror");
    expect(await page.evaluate("globalThis.isTheSame")).toBe(true);
  });

  test("a button syncs, its end is shown, and the keyboard's focus stays where it is", async () => {
    const { ui, rig } = await openUi();
    const page = await openPage(ui, "/m/w");
    rig.write("b.md", "# two\n");
    await page.getByRole("button", { name: "Sync now" }).focus();
    await page.keyboard.press("Enter");
    await page.locator("#toasts > .good").waitFor();
    expect(rig.remote("b.md")?.content).toBe("# two\n");
    await page.getByRole("button", { name: "Sync now" }).focus();
    rig.write("c.md", "# three\n");
    await rig.run(["sync", "w"]);
    await page.locator("#tiles").getByText("2", { exact: true }).waitFor();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Sync now");
  });

  test("a result is above the bar of a page, is closed for all pages, and leaves whatever its tone", async () => {
    const { ui, rig } = await openConflict();
    const page = await newBrowserPage({ viewport: { width: 1_000, height: 400 } });
    await page.clock.install();
    await page.goto(ui.enterUrl());
    await page.goto(`${ui.url}/m/w/conflict/plan.md`);
    // Another page of the folder starts the sync; this page shows its result.
    const other = await page.context().newPage();
    await other.goto(`${ui.url}/m/w`);
    await other.getByRole("button", { name: "Sync now" }).click();
    const result = page.locator("#toasts > .good");
    await result.waitFor();
    const boxOf = async (selector: string) => (await page.locator(selector).boundingBox())!;
    const [toast, bar] = [await boxOf("#toasts > .good"), await boxOf("main .sticky")];
    expect(toast.y + toast.height).toBeLessThanOrEqual(bar.y);
    await other.getByRole("button", { name: "Close this message" }).click();
    await other.reload();
    expect(await other.locator("#toasts > .good").count()).toBe(0);
    await page.clock.runFor(11_000);
    await result.waitFor({ state: "detached" });
    await page.reload();
    expect(await result.count()).toBe(0);
    rig.pass(11_000);
    await page.goto(`${ui.url}/m/w/needs`);
    expect(await result.count()).toBe(0);
  });

  test("the settings have a bar with Save only while a field differs from the page", async () => {
    const { ui } = await openUi();
    const page = await openPage(ui, "/m/w/settings");
    const [bar, field] = [page.locator("main .sticky"), page.locator("#s-direction")];
    await bar.waitFor({ state: "hidden" });
    await field.selectOption("pull");
    await bar.waitFor();
    await field.selectOption("both");
    await bar.waitFor({ state: "hidden" });
  });

  test("a daemon is paused and resumed, in two browsers together", async () => {
    const { ui, rig } = await openUi();
    const watch = startWatch(rig, ["w"]);
    await watch.until(({ kind }) => kind === "run");
    const [one, other] = [await newPage(), await newBrowserPage()];
    for (const page of [one, other]) {
      await page.goto(ui.enterUrl());
      await page.goto(`${ui.url}/m/w`);
    }
    await one.getByRole("button", { name: "Pause" }).click();
    await other.getByRole("heading", { name: /^Paused/ }).waitFor();
    await other.getByRole("button", { name: "Resume" }).click();
    await one.locator("#banner").getByText("watching").waitFor();
    watch.signal("SIGKILL");
    await watch.ended;
    await one.locator("#banner").getByText("does not watch").waitFor();
  });

  test("an unreachable service, and a program that has ended, are shown", async () => {
    const { ui, rig } = await openUi();
    const page = await openPage(ui, "/m/w", { mayFail: /ERR_CONNECTION_REFUSED|ERR_EMPTY|INCOMPLETE/ });
    await rig.stopService();
    await page.getByRole("button", { name: "Sync now" }).click();
    await page.locator("#banner.bad").getByText("cannot be reached").waitFor();
    await ui.close();
    await page.getByText("This page is not up to date any more").waitFor();
  });
});
