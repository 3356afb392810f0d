import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Form, formWith, openUi, sendForm, toneOf, type UiRig } from "./rig.ts";

/** Three texts of `a.md`, the second by the service. */
async function withHistory(): Promise<UiRig & { readonly cookie: string }> {
  const opened = await openUi();
  const { rig, enter } = opened;
  rig.write("a.md", "# a\n\none\n");
  await rig.run(["sync", "w"]);
  rig.editRemotely("a.md", "# a\n\ntwo\n");
  await rig.run(["sync", "w"]);
  rig.write("a.md", "# a\n\nthree\n");
  await rig.run(["sync", "w"]);
  return { ...opened, cookie: await enter() };
}

type Signed = UiRig & { readonly cookie: string };
const restoreForm = (opened: Signed, page: string) => formWith("restore", opened, opened.cookie, page);
const send = (opened: Signed, form: Form) => sendForm(opened, opened.cookie, form);

describe("the history of a document", () => {
  test("has each version with its path, its earlier name, and its end", async () => {
    const opened = await withHistory();
    const { ask, rig, cookie } = opened;
    renameSync(join(rig.root, "a.md"), join(rig.root, "b & c.md"));
    await rig.run(["sync", "w"]);
    const page = await ask("/m/w/history/b%20%26%20c.md", { headers: { cookie } });
    expect(page.status).toBe(200);
    for (const words of ["Version 1", "Version 2", "Version 3", "current", "renamed", "b &amp; c.md"])
      expect([words, page.text.includes(words)]).toEqual([words, true]);
    expect((await ask("/m/w/history/?of=a.md", { headers: { cookie } })).text).toContain("b &amp; c.md");
    rmSync(join(rig.root, "b & c.md"));
    await rig.run(["sync", "w"]);
    const gone = await ask("/m/w/history/b%20%26%20c.md", { headers: { cookie } });
    expect([gone.text.includes("gone"), gone.text.includes("deleted")]).toEqual([true, true]);
    const recent = await ask("/m/w/history/", { headers: { cookie } });
    expect(recent.text).toContain("b &amp; c.md");
  });

  test("says of a merge what it was made of", async () => {
    const { ask, enter, rig } = await openUi();
    rig.write("a.md", "# a\n\none\n\ntwo\n\nthree\n");
    await rig.run(["sync", "w"]);
    rig.editRemotely("a.md", "# a\n\none\n\ntwo\n\ntheirs\n");
    rig.write("a.md", "# a\n\nmine\n\ntwo\n\nthree\n");
    await rig.run(["sync", "w"]);
    const { text } = await ask("/m/w/history/a.md", { headers: { cookie: await enter() } });
    const n = /Version (\d)<\/a>(?:(?!<\/li>).)*Merged: .*\(version \d\)/s.exec(text)![1];
    const version = await ask(`/m/w/history/a.md?n=${n}`, { headers: { cookie: await enter() } });
    expect(version.text).toMatch(/<ins>.*mine<\/span><span dir="auto">mine/);
    expect(version.text).toMatch(/<ins>.*theirs<\/span><span dir="auto">theirs/);
  });

  test("compares any two versions, and one with the file", async () => {
    const { ask, cookie } = await withHistory();
    const two = await ask("/m/w/diff/a.md?from=1&to=2", { headers: { cookie } });
    expect([two.text.includes("one"), two.text.includes("two"), two.text.includes("three")]).toEqual([
      true,
      true,
      false,
    ]);
    const now = await ask("/m/w/diff/a.md?from=2&to=here", { headers: { cookie } });
    expect(now.text).toMatch(/class="line gone"[^>]*>.*?two/s);
    expect(now.text).toMatch(/class="line new"[^>]*>.*?three/s);
    expect((await ask("/m/w/diff/a.md?from=3&to=here", { headers: { cookie } })).text).toContain(
      "Both versions are equal",
    );
  });
});

describe("a restore", () => {
  test("restores an older version, which the service gets", async () => {
    const opened = await withHistory();
    const { rig } = opened;
    const form = (await restoreForm(opened, "/m/w/history/a.md?n=1"))!;
    expect(toneOf(await send(opened, form))).toBe("good");
    expect(rig.read("a.md")).toBe("# a\n\none\n");
    await expect.poll(() => rig.remote("a.md")?.content).toBe("# a\n\none\n");
  });

  test("writes nothing where the file was changed since the page was shown", async () => {
    const opened = await withHistory();
    const { rig } = opened;
    const form = (await restoreForm(opened, "/m/w/history/a.md?n=1"))!;
    rig.write("a.md", "# a\n\nwritten meanwhile\n");
    expect(toneOf(await send(opened, form))).toBe("asks");
    expect(rig.read("a.md")).toBe("# a\n\nwritten meanwhile\n");
    rmSync(join(rig.root, "a.md"));
    expect(toneOf(await send(opened, form))).toBe("asks");
  });

  test("brings a document back that is gone, as a new one", async () => {
    const opened = await withHistory();
    const { rig } = opened;
    rmSync(join(rig.root, "a.md"));
    await rig.run(["sync", "w"]);
    expect(rig.remote("a.md")).toBeNull();
    const form = (await restoreForm(opened, "/m/w/history/a.md?n=2"))!;
    expect(await send(opened, form)).toContain("new document");
    expect(rig.read("a.md")).toBe("# a\n\ntwo\n");
    await expect.poll(() => rig.remote("a.md")?.content).toBe("# a\n\ntwo\n");
  });

  test("is not offered of the present version, nor of a document in conflict", async () => {
    const opened = await withHistory();
    const { rig } = opened;
    expect(await restoreForm(opened, "/m/w/history/a.md?n=3")).toBeNull();
    rig.editRemotely("a.md", "# a\n\ntheirs\n");
    rig.write("a.md", "# a\n\nmine\n");
    await rig.run(["sync", "w"]);
    expect(await restoreForm(opened, "/m/w/history/a.md?n=1")).toBeNull();
    const { text } = await opened.ask("/m/w/history/a.md?n=1", { headers: { cookie: opened.cookie } });
    expect(text).toContain("is in conflict");
  });
});
