/**
 * A whole `sync --quiet` with nothing to do, against loading rows + a walk with lstat + list pages
 * of 1,000.
 */
import type { Start } from "../child.ts";
import { writeRows } from "../fixture.ts";
import type { Line } from "../line.ts";
import { atMost, interleave, ratioRow } from "../pairs.ts";

export const NO_OP: Line = {
  name: "no-op",
  about: "sync with nothing to do, whole process, against load rows + walk with lstat + list pages of 1,000",
  sizes: (asked) => asked,
  seconds: (size, repeats) => 3 + (Number(size) || 6_000) * repeats * 0.000_04,
  async run({ fixture, size, repeats, profile }) {
    const mirror = await fixture.mirror(size);
    const { url } = fixture.service;
    const rows = fixture.fresh(`rows-${size}.db`);
    writeRows(mirror, rows);
    const ours = (start: Start = {}) => fixture.mdmirror(["sync", "--quiet", mirror.root], mirror.key, start);
    const other = () => fixture.bare(["no-op", mirror.root, url, mirror.key, rows]);
    // Both sides find the same warm caches.
    await ours();
    await other();
    const pairs = await interleave(repeats, () => ours(), other);
    await profile(`no-op-${size}`, ours);
    const bound = size === "10000" ? atMost(1.6, 1.3) : size === "100000" ? atMost(1.5, 1.3) : null;
    return [ratioRow({ line: "no-op", what: "sync with nothing to do / bare loop", size, bound, grows: true }, pairs)];
  },
};
