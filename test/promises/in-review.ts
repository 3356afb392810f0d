import { expect } from "vitest";
import { combineByMerge } from "../../src/service/files/files.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { Moment } from "../simulator/moment.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { settle } from "./fixture.ts";

/**
 * A local edit is in review. Either its document is protected, or another edit was published first.
 * The two edits merge locally, or they are a conflict. Then the document changes once more, on
 * either side.
 */

const paragraphs = (first: string, middle = "middle line", last = "last line"): string =>
  `${first}\n\n${middle}\n\n${last}\n`;
const [OURS, THERE] = ["first line, edited locally", "last line, edited there"];

/** Contents by their names in the rows. */
export const CONTENTS = {
  START: paragraphs("first line"),
  SENT: paragraphs(OURS),
  SAME: paragraphs(`${OURS} and better`),
  MORE: paragraphs(OURS, "middle line, later"),
  LATEST: paragraphs(OURS, "middle line, later and latest"),
  REWRITTEN: paragraphs("nothing", "of what", "was there"),
  CLASHES: paragraphs("first line, rewritten there"),
  CLASHES_MORE: paragraphs("first line, rewritten once more"),
  APART: paragraphs("first line", "middle line", THERE),
  APART_MORE: paragraphs("first line", "middle line, there", THERE),
  BOTH: paragraphs(OURS, "middle line", THERE),
  BOTH_MORE: paragraphs(OURS, "middle line, later", THERE),
  BOTH_THERE: paragraphs(OURS, "middle line, there", THERE),
  DECIDED: paragraphs(`${OURS} and rewritten there`),
  OTHERWISE: "something else was decided\n",
};

type Name = keyof typeof CONTENTS;

/** `path` is the document's local path. */
type Scene = { readonly rig: Rig; readonly mirror: Mirror; path: string };

const NEIGHBOURS: ReadonlySet<string> = new Set(["d/n.md", "k.md"]);

const ACTS: Readonly<Record<string, (scene: Scene, content: string | null) => void>> = {
  edit: ({ mirror, path }, content) => mirror.write(path, content!),
  rm: ({ mirror, path }) => mirror.remove(path),
  mv(scene) {
    scene.mirror.rename(scene.path, "q.md");
    scene.path = "q.md";
  },
  "edit-remote": ({ rig }, content) => rig.app.edit(remotePath(rig), content!),
  "rm-remote": ({ rig }) => rig.app.remove(remotePath(rig)),
  "mv-remote": ({ rig }) => rig.app.rename(remotePath(rig), "q.md"),
  unprotect: ({ rig }) => rig.app.protect(remotePath(rig), false),
  /** Publishes a colleague's change of a protected document by unprotecting it for a moment. */
  live({ rig }, content) {
    rig.app.protect(remotePath(rig), false);
    rig.app.edit(remotePath(rig), content!);
    rig.app.protect(remotePath(rig), true);
  },
  accept: (scene, content) => decide(scene, (id) => scene.rig.service.admin.reviews.accept(id, content)),
  reject: (scene) => decide(scene, (id) => scene.rig.service.admin.reviews.reject(id)),
};

export function act(scene: Scene, command: string): void {
  const [verb, name] = command.split(" ");
  const does = ACTS[verb!];
  if (does === undefined) throw new Error(`no such act: ${command}`);
  does(scene, name === undefined ? null : contentOf(name));
}

function contentOf(name: string): string {
  const content = CONTENTS[name as Name];
  if (content === undefined) throw new Error(`no content is called ${name}`);
  return content;
}

function remotePath(rig: Rig): string {
  return [...rig.app.files().keys()].find((path) => !NEIGHBOURS.has(path))!;
}

/** Accepts or rejects the oldest review. */
function decide({ rig }: Scene, how: (id: string) => object): void {
  expect(how(rig.reviews()[0]!)).not.toHaveProperty("code");
}

/** Returns the names of the contents in review, oldest first. */
export function reviewsOf(rig: Rig): string[] {
  return rig.reviews().map((id) => {
    const review = rig.service.admin.reviews.show(id);
    if (!("content" in review)) throw new Error(`no review ${id}`);
    return nameOf(review.content);
  });
}

function nameOf(content: string): string {
  return Object.entries(CONTENTS).find(([, one]) => one === content)?.[0] ?? content;
}

export const blocksOf = ({ mirror }: Pick<Scene, "mirror">): string[] =>
  [...mirror.state.load().blocks.values()].map(({ reason }) => reason);

/** Saved moments with the edit in review, by the name of the edit that was published first. */
const moments = new Map<Name | null, Moment>();

const combineFor = (met: Name | null) => (met === "APART" ? () => null : combineByMerge);

/**
 * Opens a scene with the edit in review.
 * @param met the edit that was published between the scan and the PUT; null if the document is
 * protected
 */
export async function inReview(met: Name | null): Promise<Scene> {
  const moment = moments.get(met) ?? (await sendToReview(met));
  moments.set(met, moment);
  const rig = createRig(31, {}, combineFor(met), moment.rig);
  return { rig, mirror: rig.mirror({}, moment.mirror), path: "d/p.md" };
}

async function sendToReview(met: Name | null): Promise<Moment> {
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
    combineFor(met),
  );
  rig.app.create("d/p.md", CONTENTS.START);
  for (const path of NEIGHBOURS) rig.app.create(path, "n\n");
  if (met === null) rig.app.protect("d/p.md", true);
  const mirror = rig.mirror();
  await settle(mirror);
  mirror.write("d/p.md", CONTENTS.SENT);
  other = met === null ? null : CONTENTS[met];
  const report = await mirror.sync();
  expect(report?.counts.submitted).toBe(1);
  expect(report?.state).toBe(met === null ? "in-sync" : "attention");
  await settle(mirror);
  expect(reviewsOf(rig)).toEqual(["SENT"]);
  return new Moment({ rig, mirror });
}

/**
 * A case. `acts`: actions, separated by `; `. `local` and `live`: documents at the end, locally and
 * on the service, as `PATH=NAME` with `_` for a space. `blocks`: reasons. `reviews`: contents that
 * are still in review. `sent`: methods of the requests since the review began; null if not
 * compared.
 */
export type Row = readonly [
  acts: string,
  local: string,
  live: string,
  blocks: string,
  reviews: string,
  sent: string | null,
];

function documentsIn(texts: Iterable<readonly [string, string]>): string {
  const documents = [...texts].filter(([path]) => !NEIGHBOURS.has(path));
  return documents.map(([path, content]) => `${path.replaceAll(" ", "_")}=${nameOf(content)}`).join(" ");
}

const writesOf = ({ mirror }: Scene): string =>
  mirror.requests.flatMap((one) => (one.startsWith("GET") ? [] : [one.split(" ")[0]!])).join(" ");

/** Syncs three times like cron, which does not send a refused request again (I08). */
async function rest(scene: Scene, mayHold: ReadonlySet<string>): Promise<void> {
  for (let run = 0; run < 3; run++) {
    await scene.mirror.sync({}, { retryRefused: false });
    for (const [path, content] of scene.mirror.texts())
      if (!NEIGHBOURS.has(path)) expect(mayHold).toContain(nameOf(content));
  }
}

/** Checks a row, and that nothing else is blocked by the review or sent twice. */
export async function checkRow(met: Name | null, row: Row, syncsBetween = true): Promise<void> {
  const [acts, local, live, blocks, reviews, sent] = row;
  const scene = await inReview(met);
  const { rig, mirror } = scene;
  // The local file must not contain anything else in between. BOTH is the merge of SENT and APART.
  const named = (text: string): string[] => text.match(/\b[A-Z][A-Z_]+\b/g) ?? [];
  const mayHold = new Set([...named(row.join(" ")), ...named(documentsIn(mirror.texts())), met ?? "SENT"]);
  if (mayHold.has("APART")) mayHold.add("BOTH");
  mirror.requests.length = 0;
  for (const command of acts.split("; ").filter((one) => one !== "")) {
    act(scene, command);
    if (syncsBetween) await rest(scene, mayHold);
  }
  if (!syncsBetween) await rest(scene, mayHold);
  if (reviews === "") await settle(mirror);
  const ends = { local: documentsIn(mirror.texts()), live: documentsIn(textsOf(rig)) };
  expect({ ...ends, blocks: blocksOf(scene).join(" "), reviews: reviewsOf(rig).join(" ") }).toEqual({
    local,
    live,
    blocks,
    reviews,
  });
  if (sent !== null) expect(writesOf(scene)).toBe(sent);
  await expectRest(scene);
}

function textsOf(rig: Rig): [path: string, content: string][] {
  return [...rig.app.texts()];
}

/** Expects that no more is sent for the document (I02), and that the other documents still sync. */
async function expectRest(scene: Scene): Promise<void> {
  const { rig, mirror } = scene;
  mirror.requests.length = 0;
  await mirror.sync({}, { retryRefused: false });
  expect(writesOf(scene)).toBe("");
  mirror.write("d/n.md", "edited locally\n");
  rig.app.edit("k.md", "edited there\n");
  await mirror.sync({}, { retryRefused: false });
  expect(rig.app.text("d/n.md")).toBe("edited locally\n");
  expect(mirror.texts().get("k.md")).toBe("edited there\n");
  expect(writesOf(scene)).toBe("PUT");
}
