import { unwrap } from "../../src/common/trouble.ts";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { nameOf } from "../../src/contract/path.ts";
import { listFolder, readEntry } from "../../src/mirror/operations/doctor/list-folder.ts";
import { systemRandom } from "../../src/common/random.ts";
import { type Rig, useRig } from "../cli/rig.ts";
import { openSignedIn } from "./rig.ts";

async function listed(rig: Rig, folder = ""): Promise<Record<string, string>> {
  const { entries } = unwrap(listFolder(rig.root, folder, { from: 0, count: 1_000 }, systemRandom()));
  return Object.fromEntries(entries.map(({ path, state, needs }) => [nameOf(path), `${state}${needs || ""}`]));
}

describe("a folder's names, each with its state", () => {
  const rig = useRig();

  test("before and after a sync, an edit, a deletion, a conflict, a block and a rule", async () => {
    rig.write("a.md", "# a\n\none\n");
    rig.write("b.md", "# b\n");
    rig.write("deep/c.md", "# c\n");
    await rig.init();
    expect(await listed(rig)).toEqual({ "a.md": "in-sync", "b.md": "in-sync", deep: "in-sync" });

    rig.editRemotely("a.md", "# a\n\ntheirs\n");
    rig.write("a.md", "# a\n\nmine\n");
    rig.write("deep/large.md", "x".repeat(60_000));
    rig.write("notes.txt", "no document");
    rig.write(".mdmirrorignore", "secret*\n");
    rig.write("secret.md", "# mine alone\n");
    rig.write(".obsidian/x.md", "");
    symlinkSync("b.md", rig.path("link.md"));
    await rig.run(["sync", "w"]);
    expect(await listed(rig)).toEqual({
      ".mdmirrorignore": "ignored",
      ".obsidian": "ignored",
      "a.md": "conflict",
      "b.md": "in-sync",
      deep: "in-sync1",
      "link.md": "ignored",
      "notes.txt": "ignored",
      "secret.md": "ignored",
    });
    expect(await listed(rig, "deep")).toEqual({ "c.md": "in-sync", "large.md": "blocked" });

    rig.write("b.md", "# B\n");
    rig.write("new.md", "# new\n");
    mkdirSync(rig.path("empty"));
    rig.remove("deep/c.md");
    expect(await listed(rig)).toMatchObject({ "b.md": "waiting", "new.md": "waiting", empty: "waiting" });
    expect(await listed(rig, "deep")).toEqual({ "c.md": "waiting", "large.md": "blocked" });
  });

  test("a folder that was removed locally is named as a folder", async () => {
    rig.write("deep/c.md", "# c\n");
    await rig.init();
    rig.remove("deep");
    const { entries } = unwrap(listFolder(rig.root, "", { from: 0, count: 10 }, systemRandom()));
    expect(entries).toMatchObject([{ path: "deep", state: "waiting", why: "the local folder is gone" }]);
  });

  test("leads out of the mirrored folder by no way", async () => {
    await rig.init();
    mkdirSync(join(rig.dir, "outside"));
    symlinkSync(join(rig.dir, "outside"), rig.path("way"));
    for (const path of ["way", "..", "../outside", ".mdmirror", "a/../..", "/etc", "way/x"]) {
      const found = listFolder(rig.root, path, { from: 0, count: 10 }, systemRandom());
      expect([path, found.kind]).toEqual([path, "trouble"]);
      expect(readEntry(rig.root, `${path}/x.md`, systemRandom()).kind).toBe("trouble");
    }
  });
});

describe("the page of a folder", () => {
  test("has each name with its badge in words and the way to it, in any script", async () => {
    const { rig, person } = await openSignedIn();
    rig.write("a & b <i>.md", "# <script>alert(1)</script>\n");
    rig.write("100% 你好/עברית #?.md", "# text\n");
    await rig.run(["sync", "w"]);
    const root = await person.get("/m/w/docs/");
    expect(root.text).toContain("a &amp; b &lt;i&gt;.md");
    expect(root.text).toMatch(/class="number">\d+ bytes/);
    const filtered = async (text: string) => {
      const page = await person.get(`/m/w/docs/?filter=${encodeURIComponent(text)}`);
      return hrefs(/<table.*<\/table>/s.exec(page.text)?.[0] ?? "");
    };
    expect(await filtered("A &")).toEqual(hrefs(root.text).filter((href) => href.endsWith(".md")));
    expect(await filtered("עברית")).toEqual([expect.stringMatching(/^\/m\/w\/docs\/100.*\.md$/)]);
    expect(await filtered("nothing")).toEqual([]);
    expect(hrefs((await person.get("/m/w/docs/?page=9")).text)).toEqual(hrefs(root.text));
    const [folder] = hrefs(root.text).filter((href) => href.includes("100"));
    const below = await person.get(folder!);
    const [document] = hrefs(below.text).filter((href) => href.endsWith(".md"));
    const page = await person.get(document!);
    expect(page.text).toMatch(/<article class="document"[^>]*>\s*<h1[^>]*>text<\/h1>/);
    expect(await person.see(`${document!}?as=text`)).toContain("# text");
    const laidOut = await person.get("/m/w/docs/a%20%26%20b%20%3Ci%3E.md");
    expect(laidOut.text).not.toContain("alert(1)</script>");
    const other = await person.get("/m/w/docs/a%20%26%20b%20%3Ci%3E.md?as=text");
    expect(other.text).toContain("# &lt;script&gt;alert(1)&lt;/script&gt;");
  });

  test("has of each folder the number of its documents, at any depth, and of those in review", async () => {
    const { rig, person } = await openSignedIn({ linked: false });
    for (const path of ["legal/a.md", "legal/deep/b.md", "legal-old/c.md"]) rig.createRemotely(path, "one\n");
    rig.protectRemotely("legal/deep/b.md");
    await rig.init();
    rig.write("legal/deep/b.md", "two\n");
    await rig.run(["sync", "w"], { terminal: true });
    const rowOf = (page: string, name: string) => new RegExp(`<tr id="e-${name}">.*?</tr>`, "s").exec(page)![0];
    const page = await person.see("/m/w/docs/");
    expect(rowOf(page, "legal")).toMatch(/>1 in review<.*>2 documents<.*<time/s);
    expect(rowOf(page, "legal-old")).toContain(">1 document<");
    expect(rowOf(page, "legal-old")).not.toContain("in review");
    expect(rowOf(await person.see("/m/w/docs/legal/"), "deep")).toContain(">1 document<");
  });

  test.each(["docs", "history"])("/m/w/%s leads to the page with a slash at its end", async (part) => {
    const { person } = await openSignedIn();
    const { status, headers } = await person.get(`/m/w/${part}`);
    expect([status, headers["location"]]).toEqual([302, `/m/w/${part}/`]);
  });

  test("says why a document is as it is, in the words of the command, and writes nothing", async () => {
    const { rig, person } = await openSignedIn();
    rig.write("a.md", "# a\n");
    rig.write("large.md", "x".repeat(60_000));
    await rig.run(["sync", "w"]);
    rig.write("a.md", "# edited\n");
    expect(await person.see("/m/w/docs/a.md")).toContain('href="/m/w/why/a.md"');
    const why = await person.see("/m/w/why/a.md");
    for (const words of ["differs from base", "update on the service"])
      expect([words, why.includes(words)]).toEqual([words, true]);
    const open = why.replace(/<details.*?<\/details>/gs, "");
    expect(open).not.toMatch(/doc_|chg_|differs from base/);
    expect(await person.see("/m/w/why/large.md")).toContain("too-large");
    await rig.stopService();
    expect(await person.see("/m/w/why/a.md")).toContain("the service is not reachable");
    expect([rig.remote("a.md")?.content, rig.read("a.md")]).toEqual(["# a\n", "# edited\n"]);
  });
});

function hrefs(text: string): string[] {
  return [...text.matchAll(/href="(\/m\/w\/docs\/[^"]+)"/g)].map((match) => match[1]!);
}
