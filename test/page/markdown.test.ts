import { describe, expect, test } from "vitest";
import { renderDocument } from "../../src/page/markdown.ts";
import { renderMarkdown } from "../../src/page/render-markdown.ts";
import { fc } from "../property.ts";

const BASE = { files: "/app/w/wsp_1/files/", folder: "team/2026" };
const bodyOf = (text: string) => renderMarkdown(text, BASE).body.trim();

describe("a document as people read it", () => {
  test("has its headings, lists, tables and code", () => {
    expect(bodyOf("# Plan\n\n- *a*\n- `b`\n")).toBe(
      '<h1 id="h-plan">Plan</h1>\n<ul>\n<li><em>a</em></li>\n<li><code>b</code></li>\n</ul>',
    );
    expect(bodyOf("a | b\n--|--:\n1 | ~~2~~\n")).toContain('<td class="end"><s>2</s></td>');
    expect(bodyOf('```js\n"<x>"\n```\n')).toBe('<pre><code>"&lt;x&gt;"\n</code></pre>');
    expect(bodyOf("# Plan\n# Plan\n## Über uns!\n")).toMatch(/id="h-plan".*id="h-plan-1".*id="h-über-uns"/s);
  });

  test("has its tasks as check boxes that nobody can change, and no other control", () => {
    expect(bodyOf("- [ ] a\n- [x] *b*\n- [y] c\n")).toBe(
      '<ul>\n<li><input type="checkbox" disabled aria-label="open" /> a</li>\n<li><input type="checkbox" disabled checked aria-label="done" /> <em>b</em></li>\n<li>[y] c</li>\n</ul>',
    );
    const hostile =
      '<input type="text" name="csrf" formaction="x"><input type="checkbox" name="a" onclick="x" checked>';
    expect(bodyOf(hostile)).not.toMatch(/name=|formaction|onclick|type="text"/);
    expect(bodyOf("[ ] a")).toBe("<p>[ ] a</p>");
  });

  test("shows its front matter separately", () => {
    const rendered = renderMarkdown("---\ntitle: <b>\n---\n# A\n", BASE);
    expect([rendered.frontMatter, rendered.body.trim()]).toEqual(["title: <b>", '<h1 id="h-a">A</h1>']);
    expect(renderDocument(rendered, "").text).toContain("<pre>title: &lt;b&gt;</pre>");
    expect(renderMarkdown("a\n---\nb\n---\n", BASE).frontMatter).toBeNull();
  });

  test("has a mark on each block with a marked line, and on no other", () => {
    const text = "---\nt: 1\n---\n# A\n\none\ntwo\n\n- x\n- y\n\n| a |\n|---|\n| b |\n| c |\n\n```js\nd\n```\n";
    const marksOf = (lines: readonly number[], of = text) =>
      renderMarkdown(of, BASE, { mark: "new", lines })
        .body.match(/<\w+[^>]* class="[^"]*"[^>]*>/g)
        ?.map((tag) => tag.replace(/ id="[^"]*"/, ""));
    expect(marksOf([3])).toEqual(['<h1 class="new">']);
    expect(marksOf([6, 9, 14, 17])).toEqual([
      '<p class="new">',
      '<li class="new">',
      '<tr class="new">',
      '<code class="new">',
    ]);
    expect([marksOf([]), marksOf([], '<p class="gone other">a</p>\n')]).toEqual([undefined, undefined]);
  });

  test.each([
    ["other.md", "/app/w/wsp_1/files/team/2026/other.md"],
    ["./sub/a%20b.md#Top%20One", "/app/w/wsp_1/files/team/2026/sub/a%20b.md#h-top-one"],
    ["../plan.md?x=1", "/app/w/wsp_1/files/team/plan.md"],
    ["/top.md", "/app/w/wsp_1/files/top.md"],
    ["日本.md", "/app/w/wsp_1/files/team/2026/%E6%97%A5%E6%9C%AC.md"],
    ["#Plan", "#h-plan"],
    ["https://example.org/a?b#c", "https://example.org/a?b#c"],
    ["mailto:ann@example.org", "mailto:ann@example.org"],
  ])("leads from %s to %s", (target, to) => {
    expect(/href="([^"]*)"/.exec(bodyOf(`[x](${target})`))?.[1]).toBe(to);
  });

  test.each([
    "../../../out.md",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "file:///etc/passwd",
    "//evil.example/x",
    "\\\\evil.example/x",
    "/\\evil.example",
    "",
  ])("leads from %j nowhere else", (target) => {
    for (const markup of [`[x](<${target}>)`, `<a href="${target}">x</a>`])
      expect(bodyOf(markup)).not.toMatch(/href="(?!\/app\/w\/wsp_1\/files\/)/);
  });

  test("shows no picture, and says where one would be", () => {
    expect(bodyOf("![a <b> cat](https://evil.example/pixel.png)")).toBe(
      '<p><span class="image">a &lt;b&gt; cat</span></p>',
    );
    expect(bodyOf('<img src="x.png">')).toContain('<span class="image">x.png</span>');
  });
});

/** Matches HTML that runs, styles, fetches, sends, or imitates an element of the page. */
function expectHarmless(body: string): void {
  const tags = [...body.matchAll(/<(\/?)([^\s>/]+)([^>]*)>/g)];
  for (const [, , name, attributes] of tags) {
    expect(name).toMatch(
      /^(?:p|br|hr|blockquote|pre|h[1-6]|a|em|strong|del|s|ins|code|kbd|samp|var|su[bp]|mark|small|abbr|b|i|u|q|span|[ou]l|li|d[ldt]|details|summary|table|caption|t(?:head|body|foot|[rhd]))$/,
    );
    for (const [, attribute, value] of attributes!.matchAll(/([^\s=]+)="([^"]*)"/g)) {
      expect(attribute).toMatch(/^(?:href|title|rel|start|open|class|id|colspan|rowspan)$/);
      if (attribute === "href") expect(value).toMatch(/^(?:\/app\/w\/wsp_1\/files\/|#h-|https?:|mailto:)/i);
      if (attribute === "id") expect(value).toMatch(/^h-/);
    }
  }
}

const EVIL = [
  "<script>alert(1)</script>",
  "<scr<script>ipt>alert(1)</scr</script>ipt>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)><animate onbegin=alert(1)>",
  "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
  '<a href="jav&#x09;ascript:alert(1)">x</a>',
  "<a href=' javascript:alert(1)'>x</a>",
  '[x](javascript&colon;alert(1)) [y]("onmouseover=alert(1)//)',
  "<iframe srcdoc='<script>x</script>'></iframe><object data=x><embed src=x>",
  "<form action=/app/sign-out method=post><input name=csrf><button formaction=x>",
  "<style>*{display:none}</style><link rel=stylesheet href=x><base href=//evil.example>",
  "<meta http-equiv=refresh content='0;url=//evil.example'>",
  "<div id=main style='position:fixed;inset:0'>x</div><h2 id=main>x</h2>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
  "<!--><script>alert(1)</script>-->",
  "<textarea></main><script>x</script>",
  "<xmp><p title='</xmp><img src=x onerror=alert(1)>'>",
  "<template><script>x</script></template><plaintext><p>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "<details open ontoggle=alert(1)><summary>x",
  '<p class="notice bad" role=alert aria-label=x data-events=/x>The service is closed</p>',
];

describe("what somebody else wrote", () => {
  test.each(EVIL)("is harmless: %s", (text) => {
    for (const one of [text, `# ${text}`, `- ${text}`, `| ${text} |\n|-|\n`, `[${text}](x "${text}")`])
      expectHarmless(bodyOf(one));
  });

  test("is harmless, however it is put together", () => {
    const pieces = fc.constantFrom(
      ...EVIL,
      ..."<>\"'`[]()!#&;=/\\ \n\t|-*_",
      "href",
      "javascript:",
      "onload=",
      "\0",
      "\u202e",
    );
    fc.assert(fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => expectHarmless(bodyOf(parts.join("")))));
  });
});
