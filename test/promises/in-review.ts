import { expect } from "vitest";
import { combineByMerge } from "../../src/service/files/combine.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { settle, workspaceOf } from "./fixture.ts";

/**
 * A text is in review: for its document is protected; or for it met another edit, which merges with
 * it here, or does not. Then something else becomes of the document, on either side.
 */

export const START = "first line\n\nmiddle line\n\nlast line\n";
export const SENT = "first line, edited locally\n\nmiddle line\n\nlast line\n";
export const MORE = "first line, edited locally\n\nmiddle line, later\n\nlast line\n";
export const CLASHES = "first line, rewritten there\n\nmiddle line\n\nlast line\n";
export const CLASHES_MORE = "first line, rewritten once more\n\nmiddle line\n\nlast line\n";
export const APART = "first line\n\nmiddle line\n\nlast line, edited there\n";
export const BOTH = "first line, edited locally\n\nmiddle line\n\nlast line, edited there\n";
export const BOTH_MORE = "first line, edited locally\n\nmiddle line, later\n\nlast line, edited there\n";
export const APART_MORE = "first line\n\nmiddle line, there\n\nlast line, edited there\n";
export const BOTH_THERE = "first line, edited locally\n\nmiddle line, there\n\nlast line, edited there\n";
export const DECIDED = "first line, edited locally and rewritten there\n\nmiddle line\n\nlast line\n";
export const OTHERWISE = "something else was decided\n";

export type Scene = { readonly rig: Rig; readonly mirror: Mirror };

export const NEIGHBOURS: ReadonlySet<string> = new Set(["d/n.md", "k.md"]);
export const edit =
  (text: string) =>
  ({ mirror }: Scene) =>
    mirror.write("d/p.md", text);
export const editThere =
  (text: string) =>
  ({ rig }: Scene) =>
    rig.app.edit("d/p.md", text);
export const remove = ({ mirror }: Scene) => mirror.disk.user.remove(mirror.path("d/p.md"));
export const removeFolder = ({ mirror }: Scene) => mirror.disk.user.remove(mirror.path("d"));
export const move = ({ mirror }: Scene) => mirror.disk.user.rename(mirror.path("d/p.md"), mirror.path("q.md"));
export const moveThere = ({ rig }: Scene) => rig.app.rename("d/p.md", "q.md");
export const removeThere = ({ rig }: Scene) => rig.app.remove("d/p.md");
export const unprotect = ({ rig }: Scene) => rig.app.protect("d/p.md", false);
export const accept = (text: string | null = null) => decide((rig, id) => rig.service.admin.reviews.accept(id, text));
export const reject = decide((rig, id) => rig.service.admin.reviews.reject(id));

export function decide(how: (rig: Rig, id: string) => object): (scene: Scene) => void {
  return ({ rig }) => expect(how(rig, reviewsOf(rig)[0]!)).not.toHaveProperty("code");
}

export function reviewsOf(rig: Rig): string[] {
  const all = rig.service.admin.reviews.list(workspaceOf(rig));
  if (!Array.isArray(all)) throw new Error("no list of reviews");
  return all.map(({ id }) => id);
}

export type Row = {
  readonly events: string;
  /** Each followed by syncs until one does nothing. */
  readonly happen: readonly ((scene: Scene) => void)[];
  /** Beside the neighbours, on either side. */
  readonly local: Readonly<Record<string, string>>;
  readonly live: Readonly<Record<string, string>>;
  readonly holds: readonly string[];
  /** Reviews that wait there still: 1, unless it says otherwise. */
  readonly reviews?: number;
  /** What was sent since it went to review. */
  readonly sent?: readonly string[];
};

export const STANDS = ["review-conflict"];
export const IN_CONFLICT = { "d/p.md": SENT, "d/p (theirs).md": CLASHES };

/** @param met the edit that goes live between our listing and our PUT; null: it is protected */
export async function inReview(met: string | null): Promise<Scene> {
  let other: string | null = null;
  const rig: Rig = createRig(
    31,
    {
      fault({ method }) {
        if (method !== "PUT" || other === null) return null;
        const meets = other;
        other = null;
        rig.app.edit("d/p.md", meets);
        return null;
      },
    },
    met === APART ? () => null : combineByMerge,
  );
  rig.app.create("d/p.md", START);
  for (const one of NEIGHBOURS) rig.app.create(one, "n\n");
  if (met === null) rig.app.protect("d/p.md", true);
  const mirror = rig.mirror();
  await settle(mirror);
  mirror.write("d/p.md", SENT);
  other = met;
  const report = await mirror.sync();
  expect(report?.counts.submitted).toBe(1);
  // Handed over and nothing more is owed, or told as open at once.
  expect(report?.state).toBe(met === null ? "in-sync" : "attention");
  await settle(mirror);
  expect(reviewsOf(rig)).toHaveLength(1);
  return { rig, mirror };
}

export const writesOf = ({ mirror }: Scene): string[] =>
  mirror.requests.map((one) => one.split(" ")[0]!).filter((method) => method !== "GET");
export const others = (texts: Iterable<readonly [string, string]>): Record<string, string> =>
  Object.fromEntries([...texts].filter(([one]) => !NEIGHBOURS.has(one)));

/** What a row says, and that nothing is sent twice or by itself. */
export async function judge(met: string | null, row: Row): Promise<void> {
  const scene = await inReview(met);
  const { rig, mirror } = scene;
  mirror.requests.length = 0;
  for (const happen of row.happen) {
    happen(scene);
    // I08: no refusal is tried again by itself.
    for (let run = 0; run < 4; run++) await mirror.sync({}, { retryRefused: false });
  }
  if (row.reviews === 0) await settle(mirror);
  expect(others(mirror.texts())).toEqual(row.local);
  expect(others([...rig.app.files()].map(([at, { text }]) => [at, text]))).toEqual(row.live);
  expect([...mirror.state.load().holds.values()].map(({ reason }) => reason)).toEqual(row.holds);
  expect(reviewsOf(rig)).toHaveLength(row.reviews ?? 1);
  // Nothing is sent twice.
  expect(writesOf(scene)).toEqual(row.sent ?? []);
  // I02
  mirror.requests.length = 0;
  await mirror.sync({}, { retryRefused: false });
  expect(writesOf(scene)).toEqual([]);
}
