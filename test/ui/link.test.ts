import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBrowser, openBrowser, shoot } from "./browser.ts";
import { formWith, openUi, sendForm } from "./rig.ts";

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
    ["a relative path", "dir", { dir: "notes" }],
    ["no key", "key", { key: "a b" }],
    ["an unusable URL", "url", { url: "http://files.example.com" }],
    ["a wrong key", "key", { key: "mdm_wrong" }],
    ["a folder inside a linked one", "dir", { dir: "INSIDE" }],
    ["no folder of the workspace", "remote", { remote: "a//b" }],
  ])("is refused with %s at its field, and what was typed stays", async (_what, field, wrong) => {
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
    expect(text.match(/<input[^>]*aria-invalid[^>]*>/g)).toEqual([expect.stringContaining(`id="${field}"`)]);
    for (const name of ["url", "dir", "remote"] as const)
      expect(text).toContain(`name="${name}" value="${given[name]}"`);
    expect(text).not.toContain(given.key);
    expect(existsSync(join(given.dir, ".mdmirror"))).toBe(false);
  });

  test("keeps a key that may be right, for the same address only", async () => {
    const rigged = await openUi({ linked: false });
    const { ask, enter, rig, ui } = rigged;
    const cookie = await enter();
    const send = async (page: string, fields: Readonly<Record<string, string>>) => {
      const { action, body } = (await formWith("link", rigged, cookie, page))!;
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      return String(
        (await ask(action, { method: "POST", headers: { origin: ui.url, cookie }, body })).headers["location"],
      );
    };
    const refused = await send("/link", { url: rig.url, key: rig.key, dir: "notes" });
    const other = await send(refused, { url: "http://localhost:1", key: "", dir: join(rig.dir, "notes") });
    expect((await ask(other, { headers: { cookie } })).text).toMatch(/<input id="key"[^>]*aria-invalid/);
    const planned = await send(refused, { key: "", dir: join(rig.dir, "notes") });
    expect((await ask(planned, { headers: { cookie } })).text).not.toContain('id="key"');
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
    await page.getByText("1 document to upload").waitFor();
    await shoot(page, "link-plan");
    await page.getByRole("button", { name: "Link and sync" }).click();
    await expect.poll(() => rig.remote("a.md")?.content).toBe("# a\n");
    await page.locator("#banner.good").waitFor();
  });
});
