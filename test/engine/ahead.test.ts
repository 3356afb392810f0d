import { describe, expect, it } from "vitest";
import type { ChangeId, DocId } from "../../src/contract/ids.ts";
import type { FileResource } from "../../src/contract/resources.ts";
import { digestOf } from "../../src/contract/digest.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import type { LocalTree } from "../../src/mirror/model/tree.ts";
import { ReadAhead } from "../../src/mirror/engine/observe/ahead.ts";
import type { World } from "../../src/mirror/engine/run/world.ts";
import { openFixture, problem } from "../promises/fixture.ts";

const isList = (request: string) => /^GET \/v1\/files(\?|$)/.test(request);
const isRead = (request: string) => /^GET \/v1\/files\/doc_/.test(request);

describe("a clone reads texts while its listing goes on", () => {
  it("I33 asks for the first documents before the last page, and for each once", async () => {
    const fixture = openFixture(41, { maxPageSize: 3 });
    const ids = Array.from({ length: 12 }, (_, n) => fixture.rig.app.create(`d${n % 2}/n${n}.md`, `note ${n}\n`));
    await fixture.mirror.sync();
    const { requests } = fixture.mirror;
    expect(requests.findIndex(isRead)).toBeLessThan(requests.findLastIndex(isList));
    expect(requests.filter(isRead).toSorted()).toEqual(ids.map((id) => `GET /v1/files/${id}`).toSorted());
    expect(fixture.mirror.texts().size).toBe(12);
  });

  it("I03 keeps a text that the plan has no use for: the listing did not come to its end", async () => {
    const fixture = openFixture(42, { maxPageSize: 3 });
    for (let n = 0; n < 9; n++) fixture.rig.app.create(`n${n}.md`, `note ${n}\n`);
    let pages = 0;
    fixture.fault = ({ method, path }) =>
      isList(`${method} ${path}`) && ++pages > 1 ? problem(503, "service_unavailable") : null;
    const report = await fixture.mirror.sync();
    expect(report!.state).toBe("offline");
    expect(fixture.mirror.texts().size).toBe(0);
    for (let n = 0; n < 3; n++) expect(fixture.mirror.state.text(digestOf(`note ${n}\n`))).toBe(`note ${n}\n`);
  });

  it("a document that was edited after it was read ahead comes with its own version, and the edit after it", async () => {
    const fixture = openFixture(43, { maxPageSize: 3 });
    const { app } = fixture.rig;
    for (let n = 0; n < 9; n++) app.create(`n${n}.md`, `note ${n}\n`);
    let pages = 0;
    fixture.fault = ({ method, path }) => {
      if (isList(`${method} ${path}`) && ++pages === 3) app.edit("n0.md", "edited\n");
      return null;
    };
    await fixture.mirror.sync();
    expect(fixture.mirror.texts().get("n0.md")).toBe("note 0\n");
    await fixture.mirror.sync();
    expect(fixture.mirror.texts().get("n0.md")).toBe("edited\n");
    expect(app.files().get("n0.md")!.text).toBe("edited\n");
  });

  it("reads nothing ahead of what is here already, is ignored here, or is not to be fetched", async () => {
    const fixture = openFixture(44, { maxPageSize: 3 });
    for (const path of ["here.md", "out/kept.md", "plain.md"]) fixture.rig.app.create(path, `${path}\n`);
    fixture.mirror.write("here.md", "here.md\n");
    fixture.mirror.write(".mdmirrorignore", "out/\n");
    await fixture.mirror.sync({ direction: "push-only" });
    expect(fixture.mirror.requests.filter(isRead)).toHaveLength(1);
    const ids = new Map([...fixture.rig.app.files().values()].map(({ path, id }) => [path, id]));
    await fixture.mirror.sync();
    expect(fixture.mirror.requests.filter(isRead)).not.toContain(`GET /v1/files/${ids.get("out/kept.md")}`);
  });
});

/** A client whose answers come when the test says so. */
function openHand() {
  const asked: DocId[] = [];
  const answers: (() => void)[] = [];
  const getFile: Remote["getFile"] = (id) => {
    asked.push(id);
    return new Promise((resolve) => {
      const fault = { kind: "later", detail: "", requestId: null, cause: "unavailable" } as const;
      answers.push(() => resolve({ ok: false, fault }));
    });
  };
  const local = { files: new Map(), unseen: new Map(), ignores: () => false } as unknown as LocalTree;
  const ahead = new ReadAhead({ remote: { getFile }, prefix: "" } as unknown as World);
  ahead.begin(local);
  return { asked, answers, ahead };
}

const idOf = (n: number) => `doc_${String(n).padStart(26, "0")}` as DocId;
const listed = (n: number): FileResource => ({
  id: idOf(n),
  path: `n${n}.md`,
  lastChangeId: `chg_${n}` as ChangeId,
  protected: false,
});
const turns = async () => {
  for (let turn = 0; turn < 4; turn++) await null;
};

describe("what is asked for ahead", () => {
  it("I33 is bounded: 24 at a time, 256 in all, and no more once the first is taken", async () => {
    const { asked, answers, ahead } = openHand();
    for (let n = 0; n < 1_000; n++) ahead.onListed(listed(n));
    expect(asked).toHaveLength(24);
    answers[0]!();
    await turns();
    expect(asked).toHaveLength(25);
    for (let n = 0; n < answers.length; n++) {
      answers[n]!();
      await turns();
    }
    expect(asked).toEqual(Array.from({ length: 256 }, (_, n) => idOf(n)));
  });

  it("I33 asks once for a document that the list shows twice, and for those after it", async () => {
    const { asked, answers, ahead } = openHand();
    for (const n of [0, 1, 0, 2, 1, 3]) ahead.onListed(listed(n));
    for (let n = 0; n < 10; n++) {
      answers[n]?.();
      await turns();
    }
    expect(asked).toEqual([0, 1, 2, 3].map(idOf));
  });

  it("is given once, and nothing more is asked for from then on", async () => {
    const { asked, answers, ahead } = openHand();
    for (let n = 0; n < 100; n++) ahead.onListed(listed(n));
    expect(ahead.take(idOf(0))).not.toBeNull();
    expect(ahead.take(idOf(0))).toBeNull();
    expect(ahead.take(idOf(99))).toBeNull();
    for (const answer of answers) answer();
    await turns();
    ahead.onListed(listed(100));
    expect(asked).toHaveLength(24);
  });
});
