import type { Mutant } from "./mutant.ts";

const TRANSLATE = ["engine/links/translate.test.ts"] as const;
const PURE = ["links/translate.test.ts", "links/laws.property.test.ts"] as const;

/** Mutants of the translation of links. */
export const LINK_MUTANTS: readonly Mutant[] = [
  {
    id: "old-links-by-new-places",
    promise: "I03",
    does: "sends links of an edited text to what is by now where their targets were",
    file: "markdown/links/translate.ts",
    find: "resolveByFirstSource(read, [earlierTargets, place, before, formerTargets])",
    replace: "resolveByFirstSource(read, [place, before])",
    tests: TRANSLATE,
  },
  {
    id: "fragments-dropped",
    promise: "I25",
    does: "sends a link by its id without its query and fragment",
    file: "markdown/links/translate.ts",
    find: "if (id !== null) return (spelling ?? id) + raw.slice(read.suffixAt);",
    replace: "if (id !== null) return spelling ?? id;",
    tests: PURE,
  },
  {
    id: "lost-links-sent-as-paths",
    promise: "I17",
    does: "sends a link that leads nowhere as it was written, which the service refuses with the whole text",
    file: "markdown/links/translate.ts",
    find: 'return read.inert || read.kind === "id" ? null : (spelling ?? INERT_SCHEME + raw);',
    replace: "return null;",
    tests: TRANSLATE,
  },
  {
    id: "absolute-links-of-the-part",
    promise: "I26",
    does: "takes an absolute link of the workspace for one of the mirrored part",
    file: "mirror/engine/links/places.ts",
    find: 'const path = rebase(target, prefix, "");',
    replace: "const path = target;",
    tests: TRANSLATE,
  },
  {
    id: "links-of-exchanged-files",
    promise: "I13",
    does: "takes what is known of another document's bytes, with which it exchanged paths, for its own",
    file: "mirror/engine/links/mirror-links.ts",
    find: "if (isFileOfAnother(spelling, record)) continue;",
    replace: "if (isFileOfAnother(spelling, record)) return;",
    also: [
      {
        file: "mirror/engine/links/forms.ts",
        find: "(entry) => entry.id === null || entry.id === id || entry.text === settledDigest,",
        replace: "(entry) => entry.path !== id,",
      },
    ],
    tests: ["engine/links/moves.property.test.ts"],
  },
  {
    id: "respelled-without-a-note",
    promise: "I13",
    does: "writes a file's links anew without noting first what the new bytes stand for",
    file: "mirror/engine/links/mirror-links.ts",
    find: "this.forms.known.put(to);",
    replace: "if (from.bytes === to.bytes) this.forms.known.put(to);",
    tests: ["engine/links/kills.test.ts", ...TRANSLATE],
  },
];
