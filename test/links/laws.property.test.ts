import { describe, expect, test } from "vitest";
import { findLinks, readLinkDestination } from "../../src/markdown/links/find.ts";
import { type Place, resolveDestination } from "../../src/markdown/links/place.ts";
import { respell, toDisk, toService } from "../../src/markdown/links/translate.ts";
import { fc, runs } from "../property.ts";
import { destinationsOf, markdown } from "./markdown.ts";
import { moved, placeIn, type World, worldOf } from "./world.ts";

const numRuns = runs(100);

const NAMES = [
  "a",
  "b c",
  "é",
  "e\u0301",
  "字",
  "doc_1",
  "x)(y",
  "[z]",
  "p%20q",
  "h#i",
  "q?r",
  "m:n",
  "&amp;",
  "t`u|v",
  "<w>",
  "_o_*",
];

const name = fc.constantFrom(...NAMES);
const path = fc
  .tuple(fc.array(name, { maxLength: 2 }), name)
  .map(([folders, last]) => [...folders, `${last}.md`].join("/"));

const world: fc.Arbitrary<World> = fc.uniqueArray(path, { minLength: 1, maxLength: 8 }).map(worldOf);

/** Ways in which people write a path in a link. */
const spelling = fc.constantFrom<(path: string) => string>(
  (at) => `[t](<${at.replaceAll(/[<>]/g, "\\$&")}>)`,
  (at) => `[t](${encodeURIComponent(at).replaceAll("%2F", "/").replaceAll("(", "%28").replaceAll(")", "%29")} "title")`,
  (at) => `![i](/${encodeURI(at).replaceAll("(", "\\(").replaceAll(")", "\\)")}#frag)`,
  (at) => `\n\n[t]: ./${encodeURI(at)}?q\n\n`,
  (at) => `| [t](../${encodeURI(at)}) |`,
  (at) => `[t](ref://${encodeURI(at)})`,
  (at) => `[t](${at})`,
);

type Case = { readonly world: World; readonly place: Place; readonly text: string };

/** Ways in which people write a wiki link, with its form on the service. */
const wikiSpelling = fc.constantFrom<(path: string, id: string) => string>(
  (at) => `[[${nameAt(at)}]]`,
  (at) => `![[${nameAt(at)}|an alias]]`,
  (at) => `[[${nameAt(at)}#A heading (x)|${nameAt(at)}]] `,
  (at) => `[[${at.slice(0, -3)}#h]]`,
  (at) => `\n\n| [[${nameAt(at)}\\|cell]] | b |\n|-|-|\n| [[${nameAt(at)}\\|cell]] |\n\n`,
  (at, id) => `[[${nameAt(at)}]](${id})`,
  (_, id) => `\n[[words]](${id}#h%20i)`,
  (_, id) => `![[a b#c]](${id}) [[x]](${id} "title")`,
);

function nameAt(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.md$/, "");
}

const linked = cases(false);

/** Documents with wiki links in all positions, also in those where they do not count. */
const wikiLinked = cases(true);

function cases(wiki: boolean): fc.Arbitrary<Case> {
  return world.chain((all) => casesIn(all, wiki));
}

function casesIn(all: World, wiki: boolean): fc.Arbitrary<Case> {
  const paths = [...all.keys()].filter((at) => at.endsWith(".md"));
  const ids = fc.constantFrom(...all.values(), "doc_unknown").map((id) => `[t](${id}#f) ![i](<${id}>)`);
  const links = fc.tuple(spelling, fc.constantFrom(...all.keys(), "missing.md")).map(([spell, at]) => spell(at));
  const wikis = fc
    .tuple(wikiSpelling, fc.constantFrom(...all.keys(), "missing.md"))
    .map(([spell, at]) => spell(at, all.get(at) ?? "doc_unknown"));
  const kinds = wiki ? [ids, links, wikis, wikis, wikis, markdown(3)] : [ids, links, links, markdown(3)];
  const text = fc.array(fc.oneof(...kinds), { maxLength: 8 }).map((pieces) => pieces.join(""));
  return fc
    .record({ at: fc.constantFrom(...paths), text })
    .map((one) => ({ world: all, place: placeIn(all, one.at, wiki), text: one.text }));
}

describe.each([
  ["links between documents", linked],
  ["with wiki links", wikiLinked],
] as const)("%s, of any text", (_what, linked) => {
  test("keep to their form when it is asked for twice", () => {
    check(linked, ({ place, text }) => {
      const disk = toDisk(text, place);
      const service = toService(text, place);
      expect(toDisk(disk, place)).toBe(disk);
      expect(toService(service, place)).toBe(service);
    });
  });

  test("have one form on the service, made from any local form", () => {
    check(linked, ({ place, text }) => {
      expect(toService(toDisk(text, place), place)).toBe(toService(text, place));
    });
  });

  test("lead to the same documents in both forms", () => {
    check(linked, ({ place, text }) => {
      const targets = targetsOf(text, place);
      expect(targetsOf(toService(text, place), place)).toEqual(targets);
      const disk = toDisk(text, place);
      expect(targetsOf(disk, place)).toEqual(targets);
    });
  });

  test("return byte for byte if the earlier local content is given", () => {
    check(linked, ({ place, text }) => {
      expect(toDisk(toService(text, place), place, { previous: text })).toBe(text);
    });
  });

  test("return byte for byte on the service, absolute paths too, if its earlier content is given", () => {
    check(linked, ({ place, text }) => {
      const service = toService(text, place);
      const mixed = service.replaceAll(/\(doc_(\d)#/g, (all, digit) => {
        const at = place.pathOf(`doc_${digit}`);
        return at === null || /[^a-z/.é字]/.test(at) ? all : `(/${at}#`;
      });
      expect(toService(toDisk(mixed, place), place, { previous: mixed })).toBe(mixed);
    });
  });

  test("come back byte for byte in the spelling that is usual", () => {
    check(linked, ({ place, text }) => {
      const usual = toDisk(toService(text, place), place);
      expect(toDisk(toService(usual, place), place)).toBe(usual);
    });
  });

  test("lead home after any move", () => {
    check(fc.tuple(linked, fc.constantFrom("up/", "é/b c/", "doc_1/")), ([{ world: all, place, text }, folder]) => {
      const after = moved(all, (at) => (at === "" || all.size % 2 === at.length % 2 ? at : folder + at));
      const now = placeIn(after, placeIn(after, "").pathOf(all.get(place.path)!)!, place.names !== undefined);
      const disk = toDisk(text, place);
      const respelled = respell(disk, place, now);
      expect(respell(respelled, now, now)).toBe(respelled);
      const targets = targetsOf(disk, place);
      const found = targetsOf(respelled, now);
      // A link without a target may have one after the move.
      expect(found.map((id, index) => targets[index] && id)).toEqual(targets);
      if (found.join() === targets.join()) expect(toService(respelled, now)).toBe(toService(disk, place));
    });
  });
});

/** Strings of any UTF-16 units, also of single surrogates. */
const anyString = fc.uint16Array({ maxLength: 60 }).map((units) => String.fromCharCode(...units));

test("any string without links stays as it is", () => {
  const nowhere = { path: "a.md", idAt: () => null, pathOf: () => null };
  check(
    fc.oneof(
      anyString,
      markdown(20).map((text) => text.replaceAll(/\]/g, "|")),
    ),
    (text) => {
      expect(toDisk(text, nowhere)).toBe(text);
      if (findLinks(text).length === 0) expect(toService(text, nowhere)).toBe(text);
      expect(toDisk(toService(text, nowhere), nowhere, { previous: text })).toBe(text);
    },
  );
});

test("links are found where another parser finds them", () => {
  check(markdown(14), (text) => {
    if (DIFFERENT.test(text)) return;
    const found = findLinks(text).map(({ from, to }) => [from, to]);
    // mdmirror does not parse a document without a link into the workspace.
    const others = destinationsOf(text).filter(([from, to]) => found.length > 0 || isOurs(text.slice(from, to)));
    expect(found).toEqual(others);
  });
});

/**
 * Documents on which the two parsers are known to differ: a definition with a line that may
 * continue it, `<!`, and tabs.
 */
const DIFFERENT = /\]:[^\n]*\n[ >]*(?:\t| {4}|[<|:-])|<!|\t/;

function isOurs(raw: string): boolean {
  return !/^(?:#|(?!ref:)[a-z][a-z0-9+.-]*:)/i.test(raw);
}

function targetsOf(text: string, place: Place): (string | null)[] {
  return findLinks(text, place.names !== undefined).map((link) =>
    resolveDestination(readLinkDestination(text, link), place),
  );
}

function check<T>(arbitrary: fc.Arbitrary<T>, law: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, law), { numRuns });
}
