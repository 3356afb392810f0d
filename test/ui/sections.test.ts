import { describe, expect, test } from "vitest";
import { openSignedIn } from "./rig.ts";

describe("the navigation of a mirror", () => {
  test("links to existing pages, and marks the page that is shown", async () => {
    const { person } = await openSignedIn();
    const text = await person.see("/m/w");
    const links = linksOf(text);
    expect(links.length).toBeGreaterThan(1);
    expect(text).toContain('<a href="/m/w" aria-current="page">');
    for (const href of links) {
      const { status, text: page } = await person.get(href);
      expect([href, status]).toEqual([href, 200]);
      expect(page).toContain(`<a href="${href}" aria-current="page">`);
    }
  });

  test("marks the page among those of every folder", async () => {
    const { person } = await openSignedIn();
    for (const href of ["/", "/docs", "/sign-out"])
      expect(await person.see(href)).toContain(`<a href="${href}" aria-current="page">`);
  });

  test("marks the section of a page without an entry, and counts what each section has", async () => {
    const { rig, person } = await openSignedIn();
    rig.write("deep/a.md", "# a\n");
    rig.write("large.md", "x".repeat(60_000));
    await rig.run(["sync", "w"]);
    const text = await person.see("/m/w/docs/deep/a.md");
    expect(text).toMatch(/<a href="\/m\/w\/docs\/" aria-current="true">.*<span class="count quiet">1</);
    expect(text).toMatch(/<a href="\/m\/w\/needs">.*<span class="count asks">1</);
  });

  test("is absent from pages without a linked folder, and present if the folder cannot be shown", async () => {
    const { person } = await openSignedIn();
    expect(linksOf(await person.see("/"))).toEqual([]);
    expect(linksOf(await person.see("/nothing"))).toEqual([]);
  });
});

describe("the list of problems to fix", () => {
  test("is listed in pages, each thing with its way to what ends it", async () => {
    const { rig, person } = await openSignedIn();
    for (let n = 100; n < 221; n++) rig.write(`large-${n}.md`, `# ${n} ${"x".repeat(60_000)}\n`);
    await rig.run(["sync", "w"]);
    const first = await person.get("/m/w/needs");
    expect(first.text).toContain("large-199.md");
    expect(first.text).not.toContain("large-200.md");
    expect(first.text).toContain("Page 1 of 2, 121 problems");
    expect(await person.see("/m/w/needs?page=2")).toContain("large-220.md");
    expect(await person.see("/m/w/needs?page=99")).toContain("Page 2 of 2");
    expect(await person.see("/m/w")).toContain("All 121");
  });

  test("leads to the page of a conflict, a stop, a review and a document", async () => {
    const { splitProblems: needsOf } = await import("../../src/ui/folders.ts");
    const problem = { code: null, requestId: null, detail: "", waits: false, path: "a b/ü%.md" };
    const attention = (["conflict", "in-review", "local-unreadable"] as const).map((kind) => ({ ...problem, kind }));
    const safetyStop = { reasons: [{ reason: "local-emptied", detail: "" }], approved: false } as const;
    const fault = { kind: "later", cause: "unreachable", detail: "", requestId: null } as const;
    const addresses = new Map(
      needsOf({ attention, safetyStop, fault }, "w").needs.map((one) => [one.kind, one.address]),
    );
    const path = "a%20b/%C3%BC%25.md";
    expect(Object.fromEntries(addresses)).toEqual({
      conflict: `/m/w/conflict/${path}`,
      "in-review": "/m/w/reviews",
      "local-unreadable": `/m/w/docs/${path}`,
      "local-emptied": "/m/w/safety-stop",
      offline: null,
    });
  });
});

function linksOf(text: string): string[] {
  const nav = /<nav class="sections".*?<\/nav>/s.exec(text)?.[0] ?? "";
  return [...nav.matchAll(/href="([^"]+)"/g)].map((match) => match[1]!);
}
