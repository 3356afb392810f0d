import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AnsweredFile } from "../../src/contract/api/resources.ts";
import type { Rig } from "../cli/rig.ts";
import { CONFLICT_TEXTS, openConflict, openSignedIn, type SignedIn, toneOf, TWO_CLASHES } from "./rig.ts";

/** Opens the page of one path, with its forms, as a signed-in user. */
async function opened({ person }: SignedIn, path = "plan.md") {
  const address = `/m/w/conflict/${path.split("/").map(encodeURIComponent).join("/")}`;
  const see = (query = "") => person.see(`${address}${query}`);
  let shown = await see();
  return {
    see,
    shown: () => shown,
    async look(query = "") {
      shown = await see(query);
      return shown;
    },
    /** Sends the shown form with a choice. Returns the next page. */
    async choose(way: string, fields: Readonly<Record<string, string>> = {}) {
      const body = new URLSearchParams({ ...hiddenOf(shown), way, ...fields });
      shown = await person.send({ action: address, body });
      return shown;
    },
  };
}

/** Returns the hidden fields of a page. */
function hiddenOf(page: string): Record<string, string> {
  const found = [...page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)];
  return Object.fromEntries(found.map(([, name, value]) => [name!, value!]));
}

/** Returns the content of the field for the result. */
function resultIn(page: string): string {
  const [, text] = /<textarea[^>]*>\n([^<]*)<\/textarea>/.exec(page) ?? [];
  if (text === undefined) throw new Error("no result is shown");
  return unescaped(text);
}

function unescaped(text: string): string {
  const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name]!);
}

/** Returns true if the page offers a choice that ends the problem. */
const isOpen = (page: string) => page.includes('name="way"');

/** Waits until the work that a page started is over. */
async function idle(rig: Rig, path: string, text: string): Promise<void> {
  await expect.poll(() => rig.remote(path)?.content).toBe(text);
}

/** Returns the contents of files in the trash. */
async function kept(rig: Rig): Promise<string[]> {
  const trash = rig.path(".mdmirror/trash");
  const files = existsSync(trash) ? readdirSync(trash, { recursive: true, encoding: "utf8" }) : [];
  return files.filter((name) => name.endsWith(".md")).map((name) => readFileSync(join(trash, name), "utf8"));
}

describe("a conflict", () => {
  test.each([
    ["mine", CONFLICT_TEXTS.mine],
    ["theirs", CONFLICT_TEXTS.theirs],
  ] as const)("is ended by taking %s, as the command does", async (way, text) => {
    const rigged = await openConflict();
    const { rig } = rigged;
    const person = await opened(rigged);
    const after = await person.choose(way);
    expect(toneOf(after)).toBe("good");
    expect(after).toContain(".mdmirror/trash/");
    expect(isOpen(after)).toBe(false);
    await idle(rig, "plan.md", text);
    expect(rig.read("plan.md")).toBe(text);
    expect(rig.exists("plan (theirs).md")).toBe(false);
    expect((await rig.run(["conflicts", "w"])).code).toBe(0);
  });

  test("begins its result as the merge, and is ended by what is made of it", async () => {
    const rigged = await openConflict();
    const person = await opened(rigged);
    expect(resultIn(await person.look("?edit=yes"))).toContain(
      "<<<<<<< mine\nmine\n||||||| base\ntwo\n=======\ntheirs\n>>>>>>> theirs\n",
    );
    for (const from of ["mine", "theirs", "base"] as const)
      expect(resultIn(await person.see(`?edit=yes&from=${from}`))).toBe(CONFLICT_TEXTS[from]);
    const after = await person.choose("merged", { text: CONFLICT_TEXTS.merged.replaceAll("\n", "\r\n") });
    expect(toneOf(after)).toBe("good");
    await idle(rigged.rig, "plan.md", CONFLICT_TEXTS.merged);
    expect(rigged.rig.read("plan.md")).toBe(CONFLICT_TEXTS.merged);
  });

  test("has markers in the editor at its clashes only, not where both edits merge", async () => {
    const around = "\n\none\n\nsame\n\n";
    const rigged = await openConflict({
      base: `The plan is short today${around}two\n`,
      mine: `My plan is short today${around}mine\n`,
      theirs: `The plan is short now${around}theirs\n`,
      merged: "",
    });
    const person = await opened(rigged);
    expect(person.shown()).toContain('<span id="decided">0</span> of 1');
    const mark = "<<<<<<< mine\nmine\n||||||| base\ntwo\n=======\ntheirs\n>>>>>>> theirs\n";
    expect(resultIn(await person.look("?edit=yes"))).toBe(`My plan is short now${around}${mark}`);
  });

  test.each([
    ["mine", CONFLICT_TEXTS.mine],
    ["theirs", CONFLICT_TEXTS.theirs],
    ["both", "# Plan\n\none\nmine\ntheirs\nthree\n"],
    ["edit", CONFLICT_TEXTS.merged],
  ])("is decided clash by clash: %s, with an undo and without markers on the page", async (choice, text) => {
    const rigged = await openConflict();
    const person = await opened(rigged);
    expect(person.shown()).not.toContain("&lt;&lt;&lt;&lt;");
    expect(person.shown()).toContain('<span id="decided">0</span> of 1');
    expect(toneOf(await person.choose("decided"))).toBe("bad");
    const fields = { "clash-1": choice, "clash-1-text": "mine and theirs\r\n" };
    expect(await person.choose("preview", fields)).toMatch(/id="preview".*<article/s);
    const after = await person.choose("decided", fields);
    expect(toneOf(after)).toBe("good");
    expect(after).toMatch(/action="\/m\/w\/runs\/\d+\/undo"/);
    await idle(rigged.rig, "plan.md", text);
    expect(rigged.rig.read("plan.md")).toBe(text);
  });

  test("is left open if a version changed after the clashes were shown", async () => {
    const rigged = await openConflict();
    const person = await opened(rigged);
    rigged.rig.write("plan.md", "# Plan\n\none\nmine, again\nthree\n");
    const after = await person.choose("decided", { "clash-1": "theirs" });
    expect(toneOf(after)).toBe("asks");
    expect(after).toContain("mine, again");
    expect(rigged.rig.read("plan.md")).toBe("# Plan\n\none\nmine, again\nthree\n");
  });

  test("refuses a result with conflict markers, keeps what was written, and takes it if they are meant", async () => {
    const rigged = await openConflict();
    const person = await opened(rigged);
    const marked = `${resultIn(await person.look("?edit=yes"))}and more\n`;
    const refused = await person.choose("merged", { text: marked.replaceAll("\n", "\r\n") });
    expect(toneOf(refused)).toBe("bad");
    expect(resultIn(refused)).toBe(marked);
    expect(rigged.rig.read("plan.md")).toBe(CONFLICT_TEXTS.mine);
    await person.choose("merged", { text: marked, force: "on" });
    await idle(rigged.rig, "plan.md", marked);
  });

  test("an editor saved since the page was shown: nothing is written, and both versions are shown", async () => {
    const rigged = await openConflict();
    const { rig } = rigged;
    const person = await opened(rigged);
    rig.write("plan.md", "# Plan\n\none\nmine, again\nthree\n");
    for (const way of ["mine", "theirs", "merged"]) {
      await person.look();
      const before = person.shown();
      expect(before).toContain("mine, again");
      rig.write("plan.md", `# Plan\n\none\nmine, again ${way}\nthree\n`);
      const after = await person.choose(way, way === "merged" ? { text: "what I wrote\n" } : {});
      expect(toneOf(after)).toBe("asks");
      expect(after).toContain(`mine, again ${way}`);
      expect(rig.read("plan.md")).toBe(`# Plan\n\none\nmine, again ${way}\nthree\n`);
      if (way === "merged") expect(resultIn(after)).toBe("what I wrote\n");
    }
    // The next page shows the present versions, so that the user can choose.
    await person.choose("merged", { text: "what I wrote\n" });
    await idle(rig, "plan.md", "what I wrote\n");
    expect(await kept(rig)).toContain("# Plan\n\none\nmine, again merged\nthree\n");
  });

  test("without the service: mine is taken locally, and goes up later", async () => {
    const rigged = await openConflict();
    const person = await opened(rigged);
    await rigged.rig.stopService();
    expect(toneOf(await person.choose("theirs"))).toBe("bad");
    expect(rigged.rig.read("plan.md")).toBe(CONFLICT_TEXTS.mine);
    expect(toneOf(await person.choose("mine"))).toBe("good");
    expect(rigged.rig.exists("plan (theirs).md")).toBe(false);
  });
});

describe("what a choice ends beside a conflict", () => {
  test("deleted on the service with its folder, edited locally: it is kept as a new document, or deleted", async () => {
    const rigged = await openSignedIn();
    const { rig } = rigged;
    for (const name of ["d/keep.md", "d/drop.md", "a.md", "b.md", "c.md", "e.md"]) rig.write(name, "one\n");
    await rig.run(["sync", "w"]);
    const { parentId } = rig.remote("d/keep.md") as unknown as AnsweredFile;
    for (const name of ["d/keep.md", "d/drop.md"]) {
      rig.deleteRemotely(name);
      rig.write(name, "edited\n");
    }
    rig.api("DELETE", `/v1/folders/${parentId}`);
    await rig.run(["sync", "w"]);
    const keeps = await opened(rigged, "d/keep.md");
    expect(keeps.shown()).toContain("#h-gone-or-unreadable");
    await keeps.choose("keep");
    await idle(rig, "d/keep.md", "edited\n");
    const drops = await opened(rigged, "d/drop.md");
    rig.write("d/drop.md", "edited again\n");
    expect(toneOf(await drops.choose("delete"))).toBe("asks");
    expect(toneOf(await drops.choose("delete"))).toBe("good");
    expect(rig.exists("d/drop.md")).toBe(false);
  });

  test("of content that cannot be shown is explained, and the other version can be taken", async () => {
    const rigged = await openSignedIn();
    const { rig } = rigged;
    rig.write("a.md", "one\n");
    await rig.run(["sync", "w"]);
    writeFileSync(rig.path("a.md"), Buffer.from([0xff, 0xfe, 0x00]));
    await rig.run(["sync", "w"]);
    const person = await opened(rigged, "a.md");
    expect(person.shown()).not.toContain("<textarea");
    await person.choose("theirs");
    expect(rig.read("a.md")).toBe("one\n");
  });

  test("a path where nothing is open, and one that no choice ends, say so", async () => {
    const rigged = await openSignedIn();
    const { rig } = rigged;
    rig.write("large.md", "x".repeat(60_000));
    await rig.run(["sync", "w"]);
    for (const path of ["nothing.md", "large.md"]) expect(isOpen((await opened(rigged, path)).shown())).toBe(false);
    expect(await rigged.person.see("/m/w/needs")).toContain("#h-too-large");
    expect((await opened(rigged, "large.md")).shown()).toContain('href="/m/w/docs/large.md"');
  });

  test("is listed before blocked documents, with its clashes and its age", async () => {
    const rigged = await openConflict(TWO_CLASHES);
    rigged.rig.write("a-large.md", "x".repeat(60_000));
    await rigged.rig.run(["sync", "w"]);
    const text = await rigged.person.see("/m/w/needs");
    expect(text.indexOf("plan.md")).toBeLessThan(text.indexOf("a-large.md"));
    expect(text).toMatch(/plan\.md.*2 clashes · for <time class="age"/);
  });
});
