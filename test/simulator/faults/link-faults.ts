import type { PlantedFault } from "./fault.ts";

const TRANSLATE = ["engine/links/translate.test.ts"] as const;

/** Faults of a mirror that translates links. */
export const LINK_FAULTS: readonly PlantedFault[] = [
  {
    id: "moves-read-as-edits",
    promise: "I10",
    does: "forgets what a file's bytes stand for, and reads its links by what is where now",
    file: "engine/links/forms.ts",
    find: "return this.#remembered(this.spellingOf(path, bytes.digest, where)) ?? this.readAnew(path, bytes, where);",
    replace: "return this.readAnew(path, bytes, where);",
    also: [
      {
        file: "links/translate.ts",
        find: "resolveIn(read, [stood, place, before])",
        replace: "resolveIn(read, [place, before])",
      },
    ],
    net: TRANSLATE,
  },
  {
    id: "old-links-by-new-places",
    promise: "I03",
    does: "sends links of an edited text to what is by now where their targets were",
    file: "links/translate.ts",
    find: "resolveIn(read, [stood, place, before])",
    replace: "resolveIn(read, [place, before])",
    net: TRANSLATE,
  },
  {
    id: "never-respelled",
    promise: "I01",
    does: "leaves links on disk as they are when their targets move",
    file: "engine/links/respell.ts",
    find: "if (from.bytes === to.bytes) return;",
    replace: "if (from.path === to.path) return;",
    net: TRANSLATE,
  },
  {
    id: "targets-in-any-order",
    promise: "I16",
    does: "creates documents before what they link to, and sends them twice",
    file: "engine/links/created-first.ts",
    find: "return first.length === 0 ? step",
    replace: "return first.length >= 0 ? step",
    net: TRANSLATE,
  },
  {
    id: "review-for-a-link",
    promise: "I31",
    does: "sends a protected document to review because the target of a link appeared",
    file: "engine/links/mirror-links.ts",
    find: "if (link.protected || link.submissions",
    replace: "if (link.submissions",
    net: TRANSLATE,
  },
  {
    id: "dry-run-remembers",
    promise: "I23",
    does: "keeps in a dry run what it read of links",
    file: "engine/links/forms.ts",
    find: "if (this.#keeps && !this.#dry) this.#state.spellings.put(spelling);",
    replace: "if (this.#keeps) this.#state.spellings.put(spelling);",
    net: TRANSLATE,
  },
];
