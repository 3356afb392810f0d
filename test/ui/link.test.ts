import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasBrowser, newPage, shoot } from "./browser.ts";
import { openSignedIn, openUi, type UserBrowser } from "./rig.ts";

/** Fills in and sends the form of a page. Returns the address to which it redirects. */
async function plan(person: UserBrowser, page: string, fields: Readonly<Record<string, string>>): Promise<string> {
  const form = (await person.formWith("link", page))!;
  for (const [name, value] of Object.entries(fields)) form.body.set(name, value);
  return String((await person.post(form)).headers["location"]);
}

describe("a new folder", () => {
  test("is linked after its first sync was shown, and nothing is written before", async () => {
    const { rig, person } = await openSignedIn({ linked: false });
    rig.createRemotely("plan.md", "# Plan\n");
    const dir = join(rig.dir, "new", "notes");
    const planned = await plan(person, "/link", { url: rig.url, key: rig.key, dir, direction: "both" });
    expect(planned).not.toContain(rig.key);
    const text = await person.see(planned);
    expect(text).toContain("plan.md");
    expect(text).not.toContain(rig.key);
    expect(existsSync(join(rig.dir, "new"))).toBe(false);
    expect(await person.send((await person.formWith("link", planned))!)).toContain('id="banner"');
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
    const { rig, person } = await openSignedIn();
    const given = { url: rig.url, key: rig.key, dir: join(rig.dir, "notes"), remote: "", ...wrong };
    if (given.dir === "INSIDE") given.dir = rig.path("inside");
    const to = await plan(person, "/link", given);
    expect(to).not.toMatch(/key=|mdm_/);
    const text = await person.see(to);
    expect(text.match(/<input[^>]*aria-invalid[^>]*>/g)).toEqual([expect.stringContaining(`id="${field}"`)]);
    for (const name of ["url", "dir", "remote"] as const)
      expect(text).toContain(`name="${name}" value="${given[name]}"`);
    expect(text).not.toContain(given.key);
    expect(existsSync(join(given.dir, ".mdmirror"))).toBe(false);
  });

  test("keeps a key that may be right, for the same address only", async () => {
    const { rig, person } = await openSignedIn({ linked: false });
    const dir = join(rig.dir, "notes");
    const refused = await plan(person, "/link", { url: rig.url, key: rig.key, dir: "notes" });
    const other = await plan(person, refused, { url: "http://localhost:1", key: "", dir });
    expect(await person.see(other)).toMatch(/<input id="key"[^>]*aria-invalid/);
    expect(await person.see(await plan(person, refused, { key: "", dir }))).not.toContain('id="key"');
  });
});

describe.skipIf(!hasBrowser)("a new folder in a browser (skipped without Chromium)", () => {
  test("is added from the empty list", async () => {
    const { ui, rig } = await openUi({ linked: false });
    const dir = join(rig.dir, "notes");
    mkdirSync(dir);
    writeFileSync(join(dir, "a.md"), "# a\n");
    const page = await newPage();
    await page.goto(ui.enterUrl());
    await page.locator(".empty").getByRole("link", { name: "Add a folder" }).click();
    await page.getByLabel("URL of the service").fill(rig.url);
    await page.getByLabel("Key", { exact: true }).fill(rig.key);
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
