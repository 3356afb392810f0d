import { describe, expect, test } from "vitest";
import type { Fault } from "../variants/variant.ts";
import { Moment } from "../simulator/moment.ts";
import {
  continueFrom,
  type Fixture,
  HTML,
  isWrite,
  openFixture,
  problem,
  type SeenRequest,
  settle,
} from "./fixture.ts";

const DEPLOYMENT = { maxPageSize: 3 };
const DOCUMENTS = 14;

function isDocumentPage({ method, path }: SeenRequest): boolean {
  return method === "GET" && /^\/v1\/files(\?|$)/.test(path);
}

function isFolderPage({ method, path }: SeenRequest): boolean {
  return method === "GET" && /^\/v1\/folders(\?|$)/.test(path);
}

async function converged(): Promise<Fixture> {
  const fixture = openFixture(20, DEPLOYMENT);
  for (let n = 0; n < DOCUMENTS; n++) fixture.rig.app.create(`d${n % 5}/n${n}.md`, `note ${n}\n`);
  await settle(fixture.mirror);
  return fixture;
}

/** Returns a moment with deletions and an edit on the service, and a local deletion. */
async function change(): Promise<Moment> {
  const fixture = await converged();
  const { rig, mirror } = fixture;
  for (let n = 0; n < 4; n++) rig.app.remove(`d${n % 5}/n${n}.md`);
  rig.app.removeFolder("d4");
  mirror.remove("d0/n5.md");
  rig.app.edit("d1/n6.md", "edited there\n");
  return new Moment(fixture);
}

const changed = await change();

/** Returns the number of matching pages in one scan. */
async function pagesOf(which: (request: SeenRequest) => boolean): Promise<number> {
  const fixture = continueFrom(changed, DEPLOYMENT);
  await fixture.mirror.plan();
  return fixture.seen.filter(which).length;
}

const CUT: Fault = { status: 200, headers: { "content-type": "application/json" }, body: '{"data":[{"id":"doc_' };
const FAULTS: readonly (readonly [string, Fault])[] = [
  ["is lost", "drop-before"],
  ["is HTML", HTML],
  ["is answered 500", problem(500, "internal_error")],
  ["is answered 503", problem(503, "service_unavailable", { "retry-after": "1" })],
  ["is cut off", CUT],
  ["has a cursor that is refused", problem(400, "invalid_cursor")],
];

describe.each([
  ["documents", isDocumentPage],
  ["folders", isFolderPage],
] as const)("I20 a page of the listing of %s that fails voids the absences of its cycle", (_what, which) => {
  test.each(FAULTS)("at each place in the list, where it %s", async (_how, fault) => {
    const pages = await pagesOf(which);
    expect(pages).toBeGreaterThan(2);
    for (let failing = 1; failing <= pages; failing++) {
      const fixture = continueFrom(changed, DEPLOYMENT);
      const { rig, mirror } = fixture;
      const before = mirror.texts();
      let page = 0;
      // From this page on, every list request fails.
      fixture.fault = (request) => (which(request) && ++page >= failing ? fault : null);
      await mirror.sync();
      const after = mirror.texts();
      const documentsFailed = which === isDocumentPage;
      for (const path of before.keys())
        if (documentsFailed) expect({ failing, path, there: after.has(path) }).toEqual({ failing, path, there: true });
      // A complete listing of documents proves some changes. But no folder is removed because of a
      // listing that failed.
      for (const folder of ["d0", "d1", "d2", "d3", "d4"])
        expect({ failing, folder, there: mirror.disk.user.exists(mirror.path(folder)) }).toEqual({
          failing,
          folder,
          there: true,
        });
      const deleted = fixture.seen.filter((request) => request.method === "DELETE");
      if (documentsFailed) {
        const shown = [...rig.app.files().values()].some(({ path }) => path === "d0/n5.md");
        expect({ failing, shown: shown || deleted.length === 1 }).toEqual({ failing, shown: true });
      }
      expect(fixture.seen.filter(isWrite).every(({ method }) => method === "DELETE")).toBe(true);

      fixture.fault = () => null;
      await settle(mirror);
      expect([...mirror.texts().keys()].sort()).toEqual(rig.app.paths());
      expect(mirror.texts().get("d1/n6.md")).toBe("edited there\n");
      expect(mirror.disk.user.exists(mirror.path("d4"))).toBe(false);
    }
  });
});

test("I20 what the pages before a failed one showed is used: a new document comes, an edit comes", async () => {
  const fixture = await converged();
  const { rig, mirror } = fixture;
  rig.app.edit("d0/n0.md", "edited there\n");
  let page = 0;
  fixture.fault = (request) => (isDocumentPage(request) && ++page >= 3 ? CUT : null);
  await mirror.sync();
  expect(mirror.texts().get("d0/n0.md")).toBe("edited there\n");
  expect(mirror.texts().size).toBe(DOCUMENTS);
});
