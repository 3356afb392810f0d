/**
 * Clone and push of all documents. The bare loops do list + GET + write + rename, and scan + read +
 * POST.
 */
import { link, unlink } from "../fixture.ts";
import { type Line, onceIfLarge } from "../line.ts";
import { atMost, interleave, ratioRow } from "../pairs.ts";

/**
 * Number of documents that a new linked folder reads back: `readBacksLeft` in
 * src/mirror/model/text-form.ts.
 */
const VERIFIED = 3;

const everySize = (asked: readonly string[]) => asked;
const thousands = (size: string) => (/^\d+$/.test(size) ? Number(size) / 1_000 : 6);

const isJudged = (size: string) => size === "10000";

export const CLONE: Line = {
  name: "clone",
  about: "clone against list + GET + write + rename, 32 at a time",
  sizes: everySize,
  seconds: (size, repeats) => thousands(size) * repeats * 0.8,
  async run({ fixture, size, repeats }) {
    const key = await fixture.filled(size);
    const { url } = fixture.service;
    const ours = () => {
      const root = fixture.fresh(`clone-${size}`);
      link(root, url);
      return fixture.mdmirror(["sync", "--quiet", root], key);
    };
    const other = () => fixture.bare(["clone", fixture.fresh(`bare-clone-${size}`), url, key]);
    const pairs = await interleave(repeats, ours, other);
    const bound = isJudged(size) ? atMost(1.8, 1.5) : null;
    return [ratioRow({ line: "clone", what: "clone / bare loop", size, bound }, pairs)];
  },
};

export const PUSH: Line = {
  name: "push",
  about: `push of new documents against walk + read + POST, the first ${VERIFIED} read back on both sides`,
  sizes: everySize,
  seconds: (size, repeats) => thousands(size) * onceIfLarge(size, repeats) * 1.5,
  async run({ fixture, size, repeats }) {
    const { folder } = await fixture.corpus(size);
    const { url } = fixture.service;
    const ours = async () => {
      const key = await fixture.service.newWorkspace(`push-${size}`);
      link(folder, url);
      try {
        return await fixture.mdmirror(["sync", "--quiet", folder], key);
      } finally {
        unlink(folder, fixture);
      }
    };
    const other = async () => {
      const key = await fixture.service.newWorkspace(`bare-push-${size}`);
      return fixture.bare(["push", folder, url, key, String(VERIFIED)]);
    };
    const pairs = await interleave(onceIfLarge(size, repeats), ours, other);
    const bound = isJudged(size) ? atMost(1.8, 1.5) : null;
    return [ratioRow({ line: "push", what: "push / bare loop", size, bound }, pairs)];
  },
};
