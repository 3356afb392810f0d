import { expect, it } from "vitest";
import { conflictCopyPath } from "../../src/mirror/model/conflict-copy-path.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import type { Rig } from "../simulator/rig.ts";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";
import { openSynced } from "../promises/fixture.ts";

/**
 * A document is deleted locally during its conflict, and the service's text is to come back; its
 * conflict copy is in the trash then. Until the text has come, another file may stand in its place.
 */

const PATH = "note.md";
const THEIRS = "theirs\n";
const OTHER = "of another file\n";

/** Both texts were new at one path: base is the service's version. */
async function inConflict(): Promise<{ readonly rig: Rig; readonly mirror: Mirror }> {
  const { rig, mirror } = await openSynced({});
  rig.app.create(PATH, THEIRS);
  mirror.write(PATH, "mine\n");
  await mirror.sync();
  expect(mirror.texts().get(conflictCopyPath(PATH, "theirs", 1, MAX_NAME_BYTES))).toBe(THEIRS);
  mirror.disk.user.remove(`${ROOT}/${PATH}`);
  return { rig, mirror };
}

/** Nobody has decided between the contents: the service's is live, and shown beside the file. */
function expectUndecided({ rig, mirror }: { readonly rig: Rig; readonly mirror: Mirror }, when: string): void {
  expect(rig.app.files().get(PATH)?.text, when).toBe(THEIRS);
  expect(Object.fromEntries(mirror.texts()), when).toEqual({
    [conflictCopyPath(PATH, "theirs", 1, MAX_NAME_BYTES)]: THEIRS,
    [PATH]: OTHER,
  });
}

it("I06 I27 a file in the place of a text that could not come back is not sent over it", async () => {
  const opened = await inConflict();
  const { mirror } = opened;
  const ends = mirror.disk.fail({ call: "link", path: `${ROOT}/${PATH}`, code: "EIO" });
  await mirror.sync();
  ends();
  expect([...mirror.texts()]).toEqual([]);
  mirror.write(PATH, OTHER);
  for (let sync = 1; sync <= 4; sync++) {
    await mirror.sync();
    expectUndecided(opened, `after sync ${sync}`);
  }
});
