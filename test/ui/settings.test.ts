import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listSettings } from "../../src/mirror/settings/settings.ts";
import { SETTING_GROUPS } from "../../src/ui/setting-words.ts";
import { formIn, openSignedIn, toneOf } from "./rig.ts";

/** Opens the page of the settings. */
async function openSettings() {
  const { rig, person } = await openSignedIn();
  return {
    rig,
    person,
    see: (query = "") => person.see(`/m/w/settings${query}`),
    /** Sends a form. Returns the next page. */
    async send(path: string, fields: Readonly<Record<string, string>>): Promise<string> {
      const body = await person.fieldsOf("/m/w/settings");
      for (const [name, value] of Object.entries(fields)) body.set(name, value);
      return person.send({ action: `/m/w/${path}`, body });
    },
  };
}

/** Returns the hidden fields by which a form shows whether the settings have changed meanwhile. */
function shownIn(page: string): Record<string, string> {
  return Object.fromEntries([...formIn(page, "w/settings")!.body].filter(([name]) => name.startsWith("shown.")));
}

/** Returns the hidden field by which a form shows whether the rules have changed meanwhile. */
function seenIn(page: string): string {
  return formIn(page, "ignore/remove")!.body.get("seen")!;
}

test("the page has a label for every setting", () => {
  const shown = Object.values(SETTING_GROUPS).flatMap((labels) => Object.keys(labels));
  expect(shown.sort()).toEqual(
    listSettings()
      .map(({ name }) => name)
      .sort(),
  );
});

test("all changed settings are saved by one button, unless they changed since the page was shown", async () => {
  const { rig, see, send } = await openSettings();
  const config = () => JSON.parse(rig.read(".mdmirror/config.json"));
  const shown = shownIn(await see());
  expect(
    toneOf(
      await send("settings", { direction: "pull", keepHistory: "10d, 100MB", "events.listen": "false", ...shown }),
    ),
  ).toBe("good");
  const changed = config();
  expect([changed.direction, changed.keepHistory, changed.events.listen]).toEqual(["pull", "10d, 100MB", false]);
  const late = await send("settings", { direction: "push", ...shown });
  expect([toneOf(late), late.includes('<option value="push" selected>')]).toEqual(["asks", true]);
  expect(config()).toEqual(changed);
  await send("settings", { direction: "both", keepHistory: "", ...shownIn(await see()) });
  expect([config().direction, config().keepHistory]).toEqual(["both", undefined]);
  const same = await send("settings", { direction: "both", ...shownIn(await see()) });
  expect(toneOf(same)).not.toBe("good");
  expect(toneOf(await send("settings", { url: "http://x", ...shownIn(await see()) }))).not.toBe("good");
});

test("a form that was shown earlier saves what its user changed, and nothing that others saved since", async () => {
  const { rig, see, send } = await openSettings();
  const config = () => JSON.parse(rig.read(".mdmirror/config.json"));
  const shown = shownIn(await see());
  await send("settings", { direction: "pull", ...shown });
  const late = { "polling.requestsPerMinute": "30", direction: shown["shown.direction"]!, ...shown };
  expect(toneOf(await send("settings", late))).toBe("good");
  expect([config().direction, config().polling.requestsPerMinute]).toEqual(["pull", 30]);
});

test("no setting is saved while one is refused; each refused field says why in its own words", async () => {
  const { rig, see, send } = await openSettings();
  const config = () => rig.read(".mdmirror/config.json");
  const before = config();
  const refused = { "events.pollEvery": "7 <b>weeks", keepHistory: "forever" };
  const page = await send("settings", { ...refused, direction: "pull", ...shownIn(await see()) });
  for (const [name, value] of Object.entries(refused)) {
    const field = new RegExp(`<input id="s-${name}"[^>]*>`).exec(page)![0];
    expect(field).toContain(`value="${value.replace("<", "&lt;").replace(">", "&gt;")}"`);
    expect(field).toContain(`aria-invalid="true" aria-errormessage="fault-${name}"`);
    const why = new RegExp(`<span class="notice bad" role="alert" id="fault-${name}">.*?</span>`, "s").exec(page)![0];
    expect(why).not.toMatch(new RegExp(`>[^<]*${name}`));
  }
  expect(page.match(/aria-invalid/g)).toHaveLength(2);
  expect(page).toContain('<option value="pull" selected>');
  expect(config()).toBe(before);
});

test("a number and its unit are separate fields; without a number, the default applies", async () => {
  const { rig, person, see } = await openSettings();
  const config = () => JSON.parse(rig.read(".mdmirror/config.json"));
  const save = async (fields: readonly (readonly [string, string])[]) => {
    const shown = Object.entries(shownIn(await see()));
    const common = [...(await person.fieldsOf("/m/w/settings"))];
    const body = new URLSearchParams([
      ...common,
      ...shown,
      ...fields.map(([name, value]): [string, string] => [name, value]),
    ]);
    return person.send({ action: "/m/w/settings", body });
  };
  const saved = await save([
    ...["15", "m"].map((part) => ["events.pollEvery", part] as const),
    ...["90", "d, ", "2", "GB"].map((part) => ["keepHistory", part] as const),
  ]);
  expect([toneOf(saved), config().events.pollEvery, config().keepHistory]).toEqual(["good", "15m", "90d, 2GB"]);
  expect(saved).toMatch(/id="s-events.pollEvery" name="events.pollEvery" value="15"/);
  expect(saved).toContain('<option value="m" selected>minutes</option>');
  await save(["", "m"].map((part) => ["events.pollEvery", part] as const));
  expect(config().events?.pollEvery).toBeUndefined();
  const late = await save(["48", "h"].map((part) => ["events.pollEvery", part] as const));
  expect(late).toMatch(/id="s-events.pollEvery"[^>]* aria-invalid="true"[^>]* value="48"/);
});

test("values that are refused are not in the address, however long they are", async () => {
  const { person, see } = await openSettings();
  const body = await person.fieldsOf("/m/w/settings");
  for (const [name, value] of Object.entries(shownIn(await see()))) body.set(name, value);
  body.set("keepHistory", "x".repeat(100_000));
  const { headers } = await person.post({ action: "/m/w/settings", body });
  expect(String(headers["location"]).length).toBeLessThan(100);
  expect(await person.see(String(headers["location"]))).toContain("x".repeat(100_000));
});

test("a list is typed as words", async () => {
  const { rig, see, send } = await openSettings();
  const hosts = () => JSON.parse(rig.read(".mdmirror/config.json")).allowHttp;
  const page = await send("settings", { allowHttp: "one.test, two.test", ...shownIn(await see()) });
  expect(hosts()).toEqual(["one.test", "two.test"]);
  expect(page).toContain('value="one.test, two.test"');
  await send("settings", { allowHttp: " ", ...shownIn(page) });
  expect(hosts()).toBeUndefined();
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
  const seen = seenIn(await see());
  rig.write(".mdmirrorignore", "# mine\ndrafts/\r\nold/");
  const remove = (line: string, as = seen) => send("ignore/remove", { line, seen: as });
  expect(toneOf(await remove("2"))).toBe("asks");
  const now = seenIn(await see());
  for (const line of ["0", "4", "x"]) expect(toneOf(await remove(line, now))).toBe("asks");
  chmodSync(rig.path(".mdmirrorignore"), 0o640);
  expect(toneOf(await remove("2", now))).toBe("good");
  expect(rig.read(".mdmirrorignore")).toBe("# mine\nold/");
  expect(statSync(rig.path(".mdmirrorignore")).mode & 0o777).toBe(0o640);
});

test("the numbers of documents follow a new rule, and its removal, by a sync", async () => {
  const { rig, person, see, send } = await openSettings();
  for (const name of ["drafts/a.md", "drafts/b.md", "c.md"]) rig.write(name, "one\n");
  await rig.run(["sync", "w"]);
  const documents = (page: string) => /Documents<\/bdi> <span class="count quiet">(\d+)/.exec(page)![1];
  expect(documents(await see())).toBe("3");
  await send("ignore", { pattern: "drafts/" });
  expect(documents(await see())).toBe("1");
  expect(await person.see("/m/w")).toContain("<b>1</b><span>documents</span>");
  await send("ignore/remove", { line: "1", seen: seenIn(await see()) });
  expect(documents(await see())).toBe("3");
});

test("the removal of a rule keeps the bytes of all others, and a file that cannot be read is named", async () => {
  const { rig, see, send } = await openSettings();
  const file = rig.path(".mdmirrorignore");
  const other = Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x2f]);
  writeFileSync(file, Buffer.concat([Buffer.from("drafts/\n"), other]));
  const seen = seenIn(await see());
  expect(toneOf(await send("ignore/remove", { line: "1", seen }))).toBe("good");
  expect(readFileSync(file)).toEqual(other);
  rmSync(file);
  mkdirSync(file);
  const page = await see("?rule=drafts/");
  expect([page.includes('id="ignore"'), page.includes('name="rule"')]).toEqual([true, false]);
});

test("a key replaces the stored one after the service has accepted it, and is never shown", async () => {
  const { rig, send } = await openSettings();
  const stored = () => rig.read(".mdmirror/key").trim();
  expect(toneOf(await send("key", { key: "mdm_wrong" }))).toBe("bad");
  expect(stored()).toBe(rig.key);
  const shown = await send("key", { key: rig.key });
  expect([toneOf(shown), shown.includes(rig.key)]).toEqual(["good", false]);
});
