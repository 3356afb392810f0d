import { describe, expect, test } from "vitest";
import { isRefused } from "../../../src/service/requests/answer.ts";
import type { Store } from "../../../src/service/store/store.ts";
import { whyNoPostgres } from "../../postgres/database.ts";
import { openService } from "../fixture.ts";
import { openStore, useSharedDatabase } from "./fixture.ts";

const openGround = useSharedDatabase();

/** Reads the lists of the web pages, with three reviews of two documents. */
async function listsOn(store?: Store) {
  let now = 1_000;
  const { service, api, workspaceId } = await openService({ now: () => now++, ...(store && { store }) });
  const ids: string[] = [];
  for (const name of ["a", "b"]) {
    const file = await api.file(`team/${name}.md`, `${name}é`);
    (await api.patch(`/v1/files/${file.id}`, { protected: true })).ok(200);
    for (const sent of name === "a" ? ["1", "2"] : ["3"]) {
      ids.push(((await api.edit(file.id, file.lastChangeId, sent)).ok(202) as { id: string }).id);
    }
  }
  const { reviews } = service.admin;
  const asked = { workspaceId, status: "in_review", limit: 2 } as const;
  const pageOf = async (more: { readonly latestFirst?: boolean; readonly after?: number }) => {
    const page = await reviews.page({ ...asked, ...more });
    if (isRefused(page)) throw new Error(page.detail);
    return { ids: page.data.map(({ id }) => ids.indexOf(id)), next: Number(page.nextCursor) };
  };
  const latest = await pageOf({ latestFirst: true });
  const beside = await reviews.neighbours(ids[1]!, workspaceId);
  const decide = async () => {
    if (isRefused(await reviews.accept(ids[2]!))) throw new Error("not accepted");
    return reviews.decided(ids[2]!);
  };
  const tables = await service.core.server.store.read(async ({ files, changes, workspaces }) => {
    const rows = await files.all({ workspace: (await workspaces.byId(workspaceId))!.seq, after: 0, count: 9 });
    const seqs = rows.map(({ seq }) => seq);
    return {
      published: [...(await files.published(seqs)).values()],
      inReview: [...(await changes.filesInReview(seqs)).values()].map((id) => ids.indexOf(id) >= 0),
      history: (await changes.ofFile(seqs[0]!, Number.MAX_SAFE_INTEGER, 2)).map(({ id, sender }) => [
        ids.indexOf(id),
        sender,
      ]),
    };
  });
  return {
    open: (await pageOf({})).ids,
    latest: latest.ids,
    rest: (await pageOf({ latestFirst: true, after: latest.next })).ids,
    beside: [beside.previous, beside.next].map((id) => ids.indexOf(id!)),
    place: [beside.at, beside.total],
    hasBytes: (await service.core.server.store.figures()).bytes > 0,
    waiting: await reviews.waiting(),
    tables,
    decided: await decide(),
  };
}

const LISTS = {
  open: [0, 1],
  latest: [2, 1],
  rest: [0],
  beside: [0, 2],
  place: [2, 3],
  decided: { before: "bé", after: "3" },
  hasBytes: true,
  waiting: 3,
  tables: {
    published: [expect.objectContaining({ bytes: 3 }), expect.objectContaining({ bytes: 3 })],
    inReview: [true, true],
    history: [
      [1, "owner"],
      [0, "owner"],
    ],
  },
};

describe("the lists of pages", () => {
  test("are read from SQLite", async () => {
    expect(await listsOn()).toEqual(LISTS);
  });

  test.skipIf(whyNoPostgres !== null)("are the same on PostgreSQL", async () => {
    const { url } = await openGround();
    expect(await listsOn(await openStore(url))).toEqual(LISTS);
  });
});
