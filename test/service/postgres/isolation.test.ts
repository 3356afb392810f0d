import { describe, expect, it } from "vitest";
import type { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import type { Tables } from "../../../src/service/store/tables.ts";
import { whyNoPostgres } from "../../postgres/database.ts";
import { useSharedDatabase, makeFile, makeFolder, runOverlapped, StopPoint } from "./ground.ts";

/** Promises of `Store` about two concurrent writers, and about a reader beside a writer. */

const openStore = useSharedDatabase();

/** Opens a database with the document `a.md`. */
async function openWithFile() {
  const ground = await openStore();
  const id = await ground.store.write((tables) => makeFile(tables, ground.workspace, "a.md"));
  return { ground, ...ground, id };
}

describe.skipIf(whyNoPostgres !== null)("two writers", () => {
  it("of one document: the second sees what the first saved", async () => {
    const { ground, other, workspace, id } = await openWithFile();
    const [, seen] = await runOverlapped(
      ground,
      async ({ files }) => {
        const { row } = (await files.forEdit(workspace, id, `chg_of-${id}`))!;
        await files.save(row, { id: `chg_first-${workspace}`, text: "first", at: 2, key: null });
      },
      async ({ files }) => {
        const found = (await files.forEdit(workspace, id, `chg_of-${id}`))!;
        await files.save(found.row, {
          id: `chg_second-${workspace}`,
          text: `${found.live} and second`,
          at: 3,
          key: null,
        });
        return found;
      },
    );
    expect(seen).toMatchObject({
      live: "first",
      row: { changeId: `chg_first-${workspace}` },
      base: { text: "of a.md\n" },
    });
    expect(await other.read(({ changes }) => changes.text(`chg_second-${workspace}`))).toBe("first and second");
  });

  it("of two documents do not wait for each other, nor for one who creates", async () => {
    const { store, other, workspace } = await openStore();
    const [a, b] = await store.write(async (tables) => [
      await makeFile(tables, workspace, "a.md"),
      await makeFile(tables, workspace, "b.md"),
    ]);
    const step = new StopPoint();
    const open = store.write(async (tables) => {
      await tables.files.byId(workspace, a!);
      await makeFolder(tables, workspace, "new");
      await step.stop();
    });
    await step.reached();
    await edit(other, workspace, b!);
    step.goOn();
    await open;
  });

  it("of which one removes the document: the other finds none", async () => {
    const { ground, workspace, id } = await openWithFile();
    const remove = async ({ files }: Tables) => files.remove((await files.byId(workspace, id))!.seq);
    const [, seen] = await runOverlapped(ground, remove, ({ files }) => files.forEdit(workspace, id, "chg_x"));
    expect(seen).toBeUndefined();
  });

  it("of which one moves the document: the other sees its new path", async () => {
    const { ground, workspace, id } = await openWithFile();
    const move = async (tables: Tables) => {
      const row = (await tables.files.byId(workspace, id))!;
      await tables.files.place(row.seq, await makeFolder(tables, workspace, "new"), "b.md");
    };
    const [, seen] = await runOverlapped(ground, move, ({ files }) => files.byId(workspace, id));
    expect(seen).toMatchObject({ path: "new/b.md", folderId: expect.stringMatching(/^dir_/) });
  });

  it("of one review: the second finds it decided", async () => {
    const { ground, store, workspace, id } = await openWithFile();
    await store.write(async ({ files, changes }) => {
      const { seq, changeId } = (await files.byId(workspace, id))!;
      const sent = { reason: "protected", text: "sent", at: 2, key: null } as const;
      await changes.submit({ id: `chg_sent-${workspace}`, file: seq, baseId: changeId, ...sent });
    });
    const decide = async ({ changes }: Tables) => {
      const { number, status } = (await changes.review(`chg_sent-${workspace}`))!;
      if (status === "in_review") await changes.decide(number, "accepted", 3);
      return status;
    };
    expect(await runOverlapped(ground, decide, decide)).toEqual(["in_review", "accepted"]);
  });
});

const textOf = (_: unknown, text: string) => text;

describe.skipIf(whyNoPostgres !== null)("a reader", () => {
  it("sees one state in all its reads, and waits for nobody", async () => {
    const { store, other, workspace, id } = await openWithFile();
    const step = new StopPoint();
    const reading = store.read(async ({ files }) => {
      const before = await files.shown(workspace, id, textOf);
      await step.stop();
      return [before?.json, (await files.shown(workspace, id, textOf))?.json, await files.byName(workspace, 0, "b.md")];
    });
    await step.reached();
    await edit(other, workspace, id);
    await other.write((tables) => makeFile(tables, workspace, "b.md"));
    step.goOn();
    expect(await reading).toEqual(["of a.md\n", "of a.md\n", undefined]);
    expect((await store.read(({ files }) => files.shown(workspace, id, textOf)))?.json).toBe("edited");
  });
});

describe.skipIf(whyNoPostgres !== null)("writers who wait for each other", () => {
  it("are parted: one is run again, and both are kept", async () => {
    const { store, other, workspace } = await openStore();
    const ids = await store.write(async (tables) => [
      await makeFile(tables, workspace, "a.md"),
      await makeFile(tables, workspace, "b.md"),
    ]);
    let runs = 0;
    const both = [new StopPoint(), new StopPoint()];
    const crosswise = (one: number) => async (tables: Tables) => {
      runs++;
      await tables.files.byId(workspace, ids[one]!);
      await both[one]!.stop();
      await tables.files.byId(workspace, ids[1 - one]!);
    };
    const writing = [store.write(crosswise(0)), other.write(crosswise(1))];
    await Promise.all(both.map((step) => step.reached()));
    for (const step of both) step.goOn();
    await Promise.all(writing);
    // On a busy machine both transactions may be run again and conflict once more.
    expect(runs).toBeGreaterThan(2);
  });
});

function edit(store: PostgresStore, workspace: number, id: string): Promise<void> {
  return store.write(async ({ files }) => {
    const { row } = (await files.forEdit(workspace, id, "chg_none"))!;
    await files.save(row, { id: `chg_edit-of-${id}`, text: "edited", at: 2, key: null });
  });
}
