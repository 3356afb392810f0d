import { describe, expect, test } from "vitest";
import { html } from "../../src/page/html.ts";
import { renderFoundDocuments, renderName } from "../../src/page/parts.ts";
import { renderComparison } from "../../src/page/side-by-side.ts";
import { anyCharacter, fc } from "../property.ts";

describe("a template", () => {
  test("shows what is put into it, between tags and in attributes, and nothing of it is HTML", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const shown = html`<a title="${text}">${text}</a>`.text;
        const [, attribute, content] = /^<a title="([^"<>']*)">([^<>"']*)<\/a>$/su.exec(shown) ?? [];
        expect(attribute).toBe(content);
        expect(unescaped(content!)).toBe(text);
      }),
    );
  });

  test("takes in what another one made, lists, numbers and nothing", () => {
    const items = ["<", 2].map((one) => html`<li>${one}</li>`);
    expect(html`<ul>${items}</ul>${null}${false}${0}`.text).toBe("<ul><li>&lt;</li><li>2</li></ul>0");
  });
});

test("a name with control characters is shown in quotes, isolated from the text beside it", () => {
  expect(renderName("a\u202egnp.md").text).toBe('<bdi class="name">&quot;a\\u{202e}gnp.md&quot;</bdi>');
  expect(renderName("عربي.md").text).toBe('<bdi class="name">عربي.md</bdi>');
});

test("a difference shows control characters and a missing line feed, and hides nothing of a line", () => {
  const { text } = renderComparison(
    { text: "pay 1\n", label: "Published" },
    { text: "pay \u202e\t1", label: "Submitted" },
  );
  expect(text).toContain("\\u{202e}");
  expect(text).not.toContain("\u202e");
  expect(text.match(/no line feed at the end/g)).toHaveLength(1);
});

test("a difference says whether lines were added, removed or changed", () => {
  const before = { text: "old\n\none\n\ntwo\n\nthree\n", label: "Before" };
  const { text } = renderComparison(before, { text: "one\n\n2\n\nthree\n\nnew\n", label: "After" });
  expect([...text.matchAll(/\d\. (\w+)</g)].map(([, word]) => word)).toEqual(["Removed", "Changed", "Added"]);
});

const CHARACTERS: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

function unescaped(text: string): string {
  return text.replace(/&(#?\w+);/g, (_whole, name: string) => CHARACTERS[name]!);
}

/** Returns the only line that a page of search results shows, with the matches in brackets. */
function shownLine(text: string, match: string): string {
  const start = text.indexOf(match);
  const lines = [{ line: 1, text, ranges: [[start, start + match.length] as const] }];
  const page = renderFoundDocuments([{ href: "/a.md", path: "a.md", lines }]).text;
  return /<span dir="auto">(.*?)<\/span>/s.exec(page)![1]!.replaceAll(/<\/?mark>/g, "|");
}

test("what was found is near the start of its line, also in a long one", () => {
  const sentence = "Customers with an annual contract keep their price until the renewal date. ";
  expect(shownLine("Rotate the signing key.", "signing")).toBe("Rotate the |signing| key.");
  const cut = shownLine(`${sentence}Rotate the signing key. ${sentence}`, "signing");
  expect(cut).toBe(`…until the renewal date. Rotate the |signing| key. ${sentence}`);
  expect(shownLine(`${"長".repeat(99)} signing`, "signing")).toBe(`…${"長".repeat(39)} |signing|`);
  expect(shownLine(`${"長".repeat(99)}signing`, "signing")).toBe(`…${"長".repeat(40)}|signing|`);
});
