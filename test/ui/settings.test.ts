import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openUi, toneOf, type UiRig } from "./rig.ts";

/** A user at the page of the settings. */
async function personAt({ ask, enter, formOf, ui }: UiRig) {
  const cookie = await enter();
  const see = async (query = "") => (await ask(`/m/w/settings${query}`, { headers: { cookie } })).text;
  return {
    see,
    /** Sends a form. @returns the page that follows */
    async send(path: string, fields: Readonly<Record<string, string>>): Promise<string> {
      const body = await formOf("/m/w/settings", cookie);
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      const { headers } = await ask(`/m/w/${path}`, { method: "POST", headers: { cookie, origin: ui.url }, body });
      return (await ask(String(headers["location"]).split("#")[0]!, { headers: { cookie } })).text;
    },
  };
}

test("a setting is changed and set back, unless it changed since the page was shown", async () => {
  const rigged = await openUi();
  const person = await personAt(rigged);
  const config = () => JSON.parse(readFileSync(join(rigged.rig.root, ".mdmirror", "config.json"), "utf8"));
  const change = (value: string, seen: string) => person.send("settings", { name: "direction", value, seen });
  expect(toneOf(await change("pull", '"both"'))).toBe("good");
  expect(config().direction).toBe("pull");
  expect(toneOf(await change("push", '"both"'))).toBe("asks");
  expect(toneOf(await change("sideways", '"pull"'))).toBe("bad");
  expect(config().direction).toBe("pull");
  await person.send("settings", { name: "direction", reset: "yes", seen: '"pull"' });
  expect(config().direction ?? "both").toBe("both");
  expect(toneOf(await person.send("settings", { name: "url", value: "http://x", seen: "" }))).not.toBe("good");
});

test("an ignore rule is added, and a path is tested against the rules", async () => {
  const rigged = await openUi();
  const person = await personAt(rigged);
  expect(await person.see("?q=drafts/a.md")).toMatch(/id="count"><span class="badge good">/);
  expect(toneOf(await person.send("ignore", { pattern: "drafts/" }))).toBe("good");
  expect(rigged.rig.read(".mdmirrorignore")).toBe("drafts/\n");
  expect(await person.see("?q=drafts/a.md")).toMatch(/id="count"><span class="badge asks">/);
  for (const path of ["../a.md", "/", "a//b"])
    expect(await person.see(`?q=${encodeURIComponent(path)}`)).toMatch(/id="count"><span dir="auto">/);
  expect(toneOf(await person.send("ignore", { pattern: "!a" }))).toBe("bad");
});

test("a key replaces the stored one after the service has accepted it, and is never shown", async () => {
  const rigged = await openUi();
  const { rig } = rigged;
  const person = await personAt(rigged);
  const stored = () => readFileSync(join(rig.root, ".mdmirror", "key"), "utf8").trim();
  expect(toneOf(await person.send("key", { key: "mdm_wrong" }))).toBe("bad");
  expect(stored()).toBe(rig.key);
  const shown = await person.send("key", { key: rig.key });
  expect([toneOf(shown), shown.includes(rig.key)]).toEqual(["good", false]);
});
