import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSignedIn, toneOf } from "./rig.ts";

/** A user at the page of the settings. */
async function openSettings() {
  const { rig, person } = await openSignedIn();
  return {
    rig,
    see: (query = "") => person.see(`/m/w/settings${query}`),
    /** Sends a form. Returns the page that follows. */
    async send(path: string, fields: Readonly<Record<string, string>>): Promise<string> {
      const body = await person.fieldsOf("/m/w/settings");
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      return person.send({ action: `/m/w/${path}`, body });
    },
  };
}

test("a setting is changed and set back, unless it changed since the page was shown", async () => {
  const { rig, send } = await openSettings();
  const config = () => JSON.parse(readFileSync(join(rig.root, ".mdmirror", "config.json"), "utf8"));
  const change = (value: string, seen: string) => send("settings", { name: "direction", value, seen });
  expect(toneOf(await change("pull", '"both"'))).toBe("good");
  expect(config().direction).toBe("pull");
  expect(toneOf(await change("push", '"both"'))).toBe("asks");
  expect(config().direction).toBe("pull");
  await send("settings", { name: "direction", reset: "yes", seen: '"pull"' });
  expect(config().direction ?? "both").toBe("both");
  expect(toneOf(await send("settings", { name: "url", value: "http://x", seen: "" }))).not.toBe("good");
});

test("a refused value stays in its field, which is marked and says why in its own words", async () => {
  const { see, send } = await openSettings();
  const change = (name: string, value: string, seen: string) => send("settings", { name, value, seen });
  for (const [name, value, seen] of [
    ["events.pollEvery", "7 <b>weeks", '"60s"'],
    ["keepHistory", "forever", '"30d, 500MB"'],
  ] as const) {
    const page = await change(name, value, seen);
    const field = new RegExp(`<input id="s-${name}"[^>]*>`).exec(page)![0];
    expect(field).toContain(`value="${value.replace("<", "&lt;").replace(">", "&gt;")}"`);
    expect(field).toContain('aria-invalid="true" aria-errormessage="fault"');
    expect(/<span class="notice bad" role="alert" id="fault">.*?<\/span>/s.exec(page)![0]).not.toContain(name);
    expect(page.match(/aria-invalid/g)).toHaveLength(1);
  }
  expect(await see("?refused=direction&value=both")).not.toContain("aria-invalid");
});

test("a list is typed as words", async () => {
  const { rig, send } = await openSettings();
  const hosts = () => JSON.parse(readFileSync(join(rig.root, ".mdmirror", "config.json"), "utf8")).allowHttp;
  const page = await send("settings", { name: "allowHttp", value: "one.test, two.test", seen: "[]" });
  expect(hosts()).toEqual(["one.test", "two.test"]);
  expect(page).toContain('value="one.test, two.test"');
  await send("settings", { name: "allowHttp", value: " ", seen: '["one.test","two.test"]' });
  expect(hosts()).toEqual([]);
});

test("a new ignore rule is tried before it is added, and removed again", async () => {
  const { rig, see, send } = await openSettings();
  for (const name of ["drafts/a.md", "drafts/b.md", "c.md"]) rig.write(name, "one\n");
  await rig.run(["sync", "w"]);
  const tested = /id="tested"><span class="badge (\w+)">/;
  expect(tested.exec(await see("?q=drafts/a.md"))![1]).toBe("good");
  const tried = await see("?q=drafts/a.md&rule=drafts/");
  expect(tested.exec(tried)![1]).toBe("quiet");
  expect(tried).toMatch(/id="count">[^<]*<b>2 documents<\/b>/);
  expect(await see("?rule=!a")).not.toContain('name="pattern"');
  for (const path of ["../a.md", "/", "a//b"]) expect(await see(`?q=${encodeURIComponent(path)}`)).not.toMatch(tested);

  expect(toneOf(await send("ignore", { pattern: "drafts/" }))).toBe("good");
  expect(rig.read(".mdmirrorignore")).toBe("drafts/\n");
  expect(toneOf(await send("ignore", { pattern: "!a" }))).toBe("bad");
  const seen = /name="seen" value="([0-9a-f]{64})"/.exec(await see())![1]!;
  rig.write(".mdmirrorignore", "# mine\ndrafts/\r\nold/");
  const remove = (line: string, as = seen) => send("ignore/remove", { line, seen: as });
  expect(toneOf(await remove("2"))).toBe("asks");
  const now = /name="seen" value="([0-9a-f]{64})"/.exec(await see())![1]!;
  for (const line of ["0", "4", "x"]) expect(toneOf(await remove(line, now))).toBe("asks");
  chmodSync(join(rig.root, ".mdmirrorignore"), 0o640);
  expect(toneOf(await remove("2", now))).toBe("good");
  expect(rig.read(".mdmirrorignore")).toBe("# mine\nold/");
  expect(statSync(join(rig.root, ".mdmirrorignore")).mode & 0o777).toBe(0o640);
});

test("the removal of a rule keeps the bytes of all others, and a file that cannot be read is named", async () => {
  const { rig, see, send } = await openSettings();
  const file = join(rig.root, ".mdmirrorignore");
  const other = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x2f]);
  writeFileSync(file, Buffer.concat([Buffer.from("drafts/\n"), other]));
  const seen = /name="seen" value="([0-9a-f]{64})"/.exec(await see())![1]!;
  expect(toneOf(await send("ignore/remove", { line: "1", seen }))).toBe("good");
  expect(readFileSync(file)).toEqual(other);
  rmSync(file);
  mkdirSync(file);
  const page = await see("?rule=drafts/");
  expect([page.includes('id="ignore"'), page.includes('name="rule"')]).toEqual([true, false]);
});

test("a key replaces the stored one after the service has accepted it, and is never shown", async () => {
  const { rig, send } = await openSettings();
  const stored = () => readFileSync(join(rig.root, ".mdmirror", "key"), "utf8").trim();
  expect(toneOf(await send("key", { key: "mdm_wrong" }))).toBe("bad");
  expect(stored()).toBe(rig.key);
  const shown = await send("key", { key: rig.key });
  expect([toneOf(shown), shown.includes(rig.key)]).toEqual(["good", false]);
});
