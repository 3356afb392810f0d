import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBrowser, openBrowser, shoot } from "./browser.ts";
import { formWith, openUi, sendForm, toneOf } from "./rig.ts";

describe("a new folder", () => {
  test("is linked after its first sync was shown, and nothing is written before", async () => {
    const rigged = await openUi({ linked: false });
    const { ask, enter, rig, ui } = rigged;
    rig.createRemotely("plan.md", "# Plan\n");
    const cookie = await enter();
    const dir = join(rig.dir, "new", "notes");
    const form = (await formWith("link", rigged, cookie, "/link"))!;
    for (const [name, value] of Object.entries({ url: rig.url, key: rig.key, dir, direction: "both" }))
      form.body.set(name, value);
    const planned = await ask(form.action, { method: "POST", headers: { origin: ui.url, cookie }, body: form.body });
    const plan = String(planned.headers["location"]);
    expect(plan).not.toContain(rig.key);
    const { text } = await ask(plan, { headers: { cookie } });
    expect([text.includes("plan.md"), text.includes(rig.key), existsSync(join(rig.dir, "new"))]).toEqual([
      true,
      false,
      false,
    ]);
    const linked = await sendForm(rigged, cookie, (await formWith("link", rigged, cookie, plan))!);
    expect(linked).toContain('id="banner"');
    expect(readFileSync(join(dir, "plan.md"), "utf8")).toBe("# Plan\n");
  });

  test.each([
    ["a relative path", { dir: "notes" }],
    ["no key", { key: "a b" }],
    ["an unusable URL", { url: "http://files.example.com" }],
    ["a wrong key", { key: "mdm_wrong" }],
    ["a folder inside a linked one", { dir: "INSIDE" }],
  ])("is refused with %s, and what was typed stays, but for the key", async (_what, wrong) => {
    const rigged = await openUi();
    const { ask, enter, rig, ui } = rigged;
    const cookie = await enter();
    const form = (await formWith("link", rigged, cookie, "/link"))!;
    const given = { url: rig.url, key: rig.key, dir: join(rig.dir, "notes"), remote: "", ...wrong };
    if (given.dir === "INSIDE") given.dir = join(rig.root, "inside");
    for (const [name, value] of Object.entries(given)) form.body.set(name, value);
    const answer = await ask(form.action, { method: "POST", headers: { origin: ui.url, cookie }, body: form.body });
    const to = String(answer.headers["location"]);
    expect(to).not.toMatch(/key=|mdm_/);
    const { text } = await ask(to, { headers: { cookie } });
    expect(toneOf(text)).toBe("bad");
    expect(text).toContain(`value="${given.dir}"`);
    expect(existsSync(join(given.dir, ".mdmirror"))).toBe(false);
  });
});

describe.skipIf(!hasBrowser)("a new folder in a browser (skipped without Chromium)", () => {
  test("is added from the empty list", async () => {
    const { ui, rig } = await openUi({ linked: false });
    const dir = join(rig.dir, "notes");
    mkdirSync(dir);
    writeFileSync(join(dir, "a.md"), "# a\n");
    const page = await (await openBrowser()).newPage();
    await page.goto(ui.enterUrl());
    await page.locator(".empty").getByRole("link", { name: "Add a folder" }).click();
    await page.getByLabel("URL of the service").fill(rig.url);
    await page.getByLabel("Key").fill(rig.key);
    await page.getByLabel("Folder on this computer").fill(dir);
    await shoot(page, "link");
    await page.getByRole("button", { name: "Show the first sync" }).click();
    await page.getByText("create on the service").waitFor();
    await shoot(page, "link-plan");
    await page.getByRole("button", { name: "Link and sync" }).click();
    await expect.poll(() => rig.remote("a.md")?.content).toBe("# a\n");
    await page.locator("#banner.good").waitFor();
  });
});
