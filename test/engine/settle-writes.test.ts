import { describe, expect, test } from "vitest";
import type { DirId } from "../../src/contract/ids.ts";
import { concludeByRead } from "../../src/mirror/engine/journal/recover-remote.ts";
import { PassContext } from "../../src/mirror/engine/run/pass-context.ts";
import type { Link } from "../../src/mirror/model/link.ts";
import { digestOf } from "../../src/contract/digest.ts";
import { HTML, keepsText, openFixture, settle } from "../promises/fixture.ts";
import type { App } from "../simulator/app.ts";
import { SETTINGS } from "../simulator/mirror.ts";

/** A request of the mirror, and what the person does to the file that asks for it. */
const ACTS = [
  ["PATCH", "rename"],
  ["DELETE", "remove"],
] as const;

test.each(ACTS)(
  "I03 the text that settles a %s whose end is not known is kept, though it goes there next (%s)",
  async (method, act) => {
    const fixture = openFixture(51);
    const { rig, mirror } = fixture;
    rig.app.create("note.md", "one\n");
    rig.app.create("stays.md", "stays\n");
    await settle(mirror);
    if (act === "remove") mirror.disk.user.remove(mirror.path("note.md"));
    else mirror.disk.user.rename(mirror.path("note.md"), mirror.path("other.md"));
    // Sent, and the machine stops before the answer comes.
    fixture.onRequest = (request) => {
      if (request.method === method) mirror.killAt(1);
    };
    fixture.fault = (request) => (request.method === method ? "drop-before" : null);
    expect(await mirror.sync()).toBeNull();
    fixture.fault = () => null;
    const edited = "one\n\ntwo, in the app\n";
    rig.app.edit("note.md", edited);
    let isListed = false;
    fixture.onRequest = ({ path }) => {
      if (isListed || !path.startsWith("/v1/files?")) return;
      isListed = true;
      rig.app.remove("note.md");
    };
    await mirror.sync();
    expect(isListed).toBe(true);
    expect(keepsText(fixture, edited)).toBe(true);
  },
);

const NEW = "new\n";
const why = "edited locally";
const SENT = { stamp: null, stampTrusted: false, why } as const;

type Base = { readonly note: Link; readonly dirId: DirId };
type Write = readonly [
  what: string,
  happen: (app: App) => void,
  intent: (base: Base) => Parameters<typeof concludeByRead>[2],
];

const WRITES: readonly Write[] = [
  [
    "a PUT",
    (app) => app.edit("note.md", NEW),
    ({ note: { id, changeId: baseChangeId, digest: baseDigest } }) => {
      return {
        kind: "put",
        id,
        localPath: "note.md",
        baseChangeId,
        baseDigest,
        digest: digestOf(NEW),
        review: false,
        ...SENT,
      };
    },
  ],
  [
    "a POST of a document",
    (app) => void app.create("new.md", NEW),
    () => ({ kind: "post", localPath: "new.md", remotePath: "new.md", digest: digestOf(NEW), replaces: null, ...SENT }),
  ],
  [
    "a PATCH of a document",
    (app) => app.rename("note.md", "other.md"),
    ({ note: { id } }) => ({ kind: "patch", id, from: "note.md", to: "other.md", stands: "other.md", why }),
  ],
  [
    "a DELETE of a document",
    (app) => app.remove("note.md"),
    ({ note: { id, changeId } }) => ({ kind: "delete", id, localPath: "note.md", changeId, why }),
  ],
  [
    "a POST of a folder",
    (app) => app.makeFolder("new"),
    () => ({ kind: "post-folder", localPath: "new", remotePath: "new", why }),
  ],
  [
    "a PATCH of a folder",
    (app) => app.renameFolder("box", "other"),
    ({ dirId }) => ({ kind: "patch-folder", dirId, from: "box", to: "other", stands: "other", why }),
  ],
  [
    "a DELETE of a folder",
    (app) => app.removeFolder("box"),
    ({ dirId }) => ({ kind: "delete-folder", dirId, remotePath: "box", why }),
  ],
];

describe.each(WRITES)("I08 %s whose end is not known", (_, happen, intentOf) => {
  test.each([
    ["is done where a read shows that it has happened", true, null, "done", 0],
    ["is not done where a read shows that it has not", false, null, "stale", 0],
    ["stays open where the read fails", true, HTML, expect.stringMatching(/^(?:uncertain|later)$/), 1],
  ] as const)("%s", async (_title, hasHappened, fault, kind, open) => {
    const fixture = openFixture(52);
    const { rig, mirror } = fixture;
    rig.app.create("note.md", "one\n");
    rig.app.makeFolder("box");
    await settle(mirror);
    mirror.disk.user.makeFolder(mirror.path("new"));
    const { links, dirs } = mirror.state.load();
    const intent = intentOf({ note: [...links.values()][0]!, dirId: [...dirs.keys()][0]! });
    mirror.state.putText(NEW, { path: "note.md", id: null, side: "local", why: "sent" });
    const intentId = mirror.state.openIntent(1, intent);
    if (hasHappened) happen(rig.app);
    fixture.fault = () => fault;
    const ctx = new PassContext(mirror.world(), { run: { number: 1 }, settings: SETTINGS });
    expect(await concludeByRead(ctx, intentId, intent)).toMatchObject({ kind });
    expect(mirror.state.intents().filter((row) => row.intentId === intentId)).toHaveLength(open);
  });
});
