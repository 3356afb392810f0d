import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openSignedIn } from "./rig.ts";

describe("a path", () => {
  const HOSTILE = [
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "..%2F..%2Fsecret.md",
    "....//....//secret.md",
    "..%5c..%5csecret.md",
    "%252e%252e%252fsecret.md",
    "%c0%ae%c0%ae%c0%afsecret.md",
    "a%00.md",
    "a.md%0d%0aSet-Cookie:%20x=y",
    "%zz",
    "%",
    "/etc/passwd",
    ".mdmirror/state.db",
    `${"x".repeat(255)}.md`,
    "x/".repeat(600),
    "%E2%80%AEgpj.md",
    "%3Cscript%3Ealert(1)%3C/script%3E",
    "__proto__/constructor",
  ];

  test("that leads out of the folder, or to nothing, shows nothing and breaks nothing", async () => {
    const { rig, faults, person } = await openSignedIn();
    writeFileSync(join(rig.dir, "secret.md"), "the secret\n");
    for (const part of ["docs", "history", "version", "diff", "conflict", "runs", "nothing"])
      for (const path of HOSTILE) {
        const { status, text, headers } = await person.get(`/m/w/${part}/${path}`);
        expect([part, path, status < 500]).toEqual([part, path, true]);
        expect(text).not.toMatch(/the secret|root:|<script>alert|\u202e/);
        expect(headers["set-cookie"]).toBeUndefined();
      }
    for (const name of HOSTILE) expect((await person.get(`/m/${name}`)).status).toBeGreaterThan(399);
    expect(faults).toEqual([]);
  });
});

describe("a name or a text that somebody else chose", () => {
  test("is shown as it is spelled, and steers no page", async () => {
    const { rig, faults, person } = await openSignedIn();
    const names = ['"><script>x()<', "it's `$(x)` &amp;.md", "a\u202egpj.md", "line\nfeed.md", `${"n".repeat(252)}.md`];
    for (const name of names) {
      mkdirSync(rig.path(`in ${name.slice(0, 20).replaceAll("/", "")}`), { recursive: true });
      rig.write(
        name.endsWith(".md") ? name : `${name.replaceAll("/", "")}.md`,
        "<img src=x onerror=y()> needle\u202e\n",
      );
    }
    await rig.run(["sync", "w"]);
    const pages = ["/", "/m/w", "/m/w/needs", "/m/w/docs/", "/m/w/history/", "/m/w/search?q=needle", "/m/w/runs"];
    for (const page of pages) {
      const { status, text } = await person.get(page);
      expect([page, status]).toEqual([page, 200]);
      expect(shownOf(text)).not.toMatch(/<script>x|<img|onerror=y\(\)>|<[^>]*\u202e/);
    }
    const text = await person.see("/m/w/docs/");
    for (const [, href] of text.matchAll(/href="(\/m\/w\/docs\/[^"]+)"/g)) {
      const { status, text: shown } = await person.get(href!.replaceAll("&#39;", "'"));
      expect([href, status]).toEqual([href, 200]);
      expect(shown).not.toMatch(/<script>x|<img/);
    }
    expect(faults).toEqual([]);
  });

  test("of a mirror, is one name on each page", async () => {
    const { rig, person } = await openSignedIn({ linked: false });
    const folder = `"><script>x()<\u202e' %2f`;
    await rig.link(folder);
    const text = await person.see("/");
    expect(text).toContain("&lt;script&gt;x()&lt;");
    expect(shownOf(text)).not.toMatch(/<script>x|\u202e/);
    const [, href] = /<th scope="row"><a href="([^"]+)"/.exec(text)!;
    for (const part of ["", "/docs/", "/search?q=a", "/reviews", "/needs"]) {
      const page = await person.get(`${href!.replaceAll("&#39;", "'")}${part}`);
      expect([part, page.status, /<script>x|\u202e/.test(shownOf(page.text))]).toEqual([part, 200, false]);
    }
  });
});

/** Returns the visible part of a page: without ids and hidden fields. */
function shownOf(text: string): string {
  return text.replaceAll(/ id="[^"]*"|<input type="hidden"[^>]*>/g, "");
}
