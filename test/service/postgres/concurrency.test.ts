import { describe, expect, it } from "vitest";
import type { PostgresStore } from "../../../src/service/store/postgres/store.ts";
import type { Tables } from "../../../src/service/store/tables.ts";
import { whyNoPostgres } from "../../postgres/database.ts";
import { FIRST_PAGE, makeFile, makeFolder, runOverlapped, StopPoint, useSharedDatabase } from "./fixture.ts";
import { StoreBusyError } from "../../../src/service/store/store.ts";

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
    expect(seen).toMatchObject({ path: "new/b.md", parentId: expect.stringMatching(/^dir_/) });
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

describe.skipIf(whyNoPostgres !== null)("a place", () => {
  it("that two writers create is run again by the second, which finds the first", async () => {
    const ground = await openStore();
    const { workspace } = ground;
    let runs = 0;
    const make = async (tables: Tables) => {
      const found = await tables.files.byName(workspace, 0, "a.md");
      return found === undefined ? makeFile(tables, workspace, "a.md") : `taken by ${found.id}`;
    };
    const makeFirst = async (tables: Tables) => {
      const made = await make(tables);
      // The store sends an insert without waiting for its result. A read on the same connection
      // waits for it.
      await tables.files.byName(workspace, 0, "a.md");
      return made;
    };
    const [first, second] = await runOverlapped(ground, makeFirst, (tables) => {
      runs++;
      return make(tables);
    });
    expect(second).toBe(`taken by ${first}`);
    // The second writer waits only at its insert, whose unique constraint then fails. So it is run
    // again.
    expect(runs).toBe(2);
  });

  it("in a folder that is moved meanwhile is in the folder's new place", async () => {
    const ground = await openStore();
    const { store, workspace } = ground;
    const folder = await store.write((tables) => makeFolder(tables, workspace, "old"));
    const { id } = (await store.read(({ folders }) => folders.byPath(workspace, "old")))!;
    const move = async (tables: Tables) => {
      await tables.lockStructure(workspace);
      const row = (await tables.folders.byId(workspace, id))!;
      await tables.folders.place(workspace, row, { parent: 0, name: "new", path: "new" });
    };
    const makeBelow = async (tables: Tables) => {
      await tables.lockStructure(workspace);
      const { path } = (await tables.folders.byId(workspace, id))!;
      await makeFolder(tables, workspace, `${path}/below`, folder);
      return path;
    };
    const [, path] = await runOverlapped(ground, move, makeBelow);
    expect(path).toBe("new");
    const all = await store.read(({ folders }) => folders.all({ workspace, ...FIRST_PAGE }));
    expect(all.map((row) => row.path)).toEqual(["new", "new/below"]);
  });

  it.each(["moved", "removed"] as const)(
    "for a file, in a folder that is %s meanwhile, is found again",
    async (how) => {
      const ground = await openStore();
      const { store, workspace } = ground;
      const seq = await store.write((tables) => makeFolder(tables, workspace, "old"));
      const change = async ({ lockStructure, folders }: Tables) => {
        await lockStructure(workspace);
        const row = (await folders.byPath(workspace, "old"))!;
        if (how === "removed") return folders.removeTree(workspace, row);
        await folders.place(workspace, row, { parent: 0, name: "new", path: "new" });
      };
      const found: string[][] = [];
      const make = async (tables: Tables) => {
        const along = await tables.folders.along(workspace, ["old", "x"]);
        found.push(along.map(({ path }) => path));
        return makeFile(tables, workspace, "a.md", along.at(-1));
      };
      await runOverlapped(ground, change, make);
      expect(found).toEqual([["old"], []]);
      const files = await store.read((tables) => tables.files.all({ workspace, ...FIRST_PAGE }));
      expect(files.map(({ path }) => path)).toEqual(["a.md"]);
      expect(files[0]!.parent).not.toBe(seq);
    },
  );

  it("in the root of a workspace that is removed meanwhile gets no file", async () => {
    const ground = await openStore();
    const { store, workspace } = ground;
    const remove = async ({ lockStructure, workspaces }: Tables) => {
      await lockStructure(workspace);
      await workspaces.remove(workspace);
      await workspaces.byId(`wsp_${workspace}`);
    };
    const make = (tables: Tables) => makeFile(tables, workspace, "a.md");
    await expect(runOverlapped(ground, remove, make)).rejects.toBeInstanceOf(StoreBusyError);
    expect(await store.read(({ files }) => files.byName(workspace, 0, "a.md"))).toBeUndefined();
  });

  it("for which grants are kept meanwhile is run again, which finds them", async () => {
    const ground = await openStore();
    const { store, workspace } = ground;
    const key = await store.write(({ keys }) => keys.insert(newKey(workspace)));
    const kept = { key, workspace, path: "a.md", level: "none" } as const;
    const keep = async ({ lockStructure, grants }: Tables) => {
      await lockStructure(workspace);
      await grants.keep(kept);
      await grants.keptWithin(workspace, "a.md");
    };
    const found: number[] = [];
    const make = async (tables: Tables) => {
      const { hasKeptGrants } = await tables.files.placeFor(workspace, "a.md");
      found.push(hasKeptGrants);
      const file = { workspace, id: `doc_kept-${workspace}`, folder: { seq: 0, path: "" }, name: "a.md" };
      await tables.files.insert({ ...file, changeId: `chg_kept-${workspace}`, text: "", at: 1 }, hasKeptGrants === 1);
    };
    await runOverlapped(ground, keep, make);
    expect(found).toEqual([0, 1]);
    expect(await store.read(({ files }) => files.byName(workspace, 0, "a.md"))).toBeDefined();
  });
});

function newKey(workspace: number) {
  const limits = { rateLimit: null, expiresAt: null };
  const id = `key_${workspace}`;
  return { id, workspaceId: `wsp_${workspace}`, hash: Buffer.from(id), label: "", ...limits, at: 0 };
}

describe.skipIf(whyNoPostgres !== null)("a subtree", () => {
  /**
   * Opens a database with `old/a.md`. `look` locks its folder, `submit` sends an edit to review.
   */
  async function openTree() {
    const ground = await openStore();
    const { store, workspace } = ground;
    const id = await store.write(async (tables) => {
      return makeFile(tables, workspace, "a.md", { seq: await makeFolder(tables, workspace, "old"), path: "old" });
    });
    const look = async (tables: Tables) => {
      await tables.lockStructure(workspace);
      await tables.lockTree(workspace, "old");
      return tables.changes.treeHasReview(workspace, "old");
    };
    const submit = async ({ files, changes }: Tables) => {
      const row = await files.byId(workspace, id);
      if (row === undefined) return "gone";
      const sent = { reason: "conflict", text: "sent", at: 2, key: null } as const;
      await changes.submit({ id: `chg_sent-${workspace}`, file: row.seq, baseId: row.changeId, ...sent });
      return "sent";
    };
    return { ground, look, submit };
  }

  it("that is locked gets no review until the end", async () => {
    const { ground, look, submit } = await openTree();
    const remove = async (tables: Tables) => {
      const inReview = await look(tables);
      const row = (await tables.folders.byPath(ground.workspace, "old"))!;
      if (!inReview) await tables.folders.removeTree(ground.workspace, row);
      return inReview;
    };
    expect(await runOverlapped(ground, remove, submit)).toEqual([false, "gone"]);
  });

  it("is locked after writers who send one of its documents to review", async () => {
    const { ground, look, submit } = await openTree();
    expect(await runOverlapped(ground, submit, look)).toEqual(["sent", true]);
  });
});

describe.skipIf(whyNoPostgres !== null)("the order of creation", () => {
  it("lets files be made side by side; a list shows those that are committed", async () => {
    const { store, other, workspace } = await openStore();
    const step = new StopPoint();
    const late = store.write(async (tables) => {
      await makeFile(tables, workspace, "late.md");
      await tables.files.byName(workspace, 0, "late.md");
      await step.stop();
    });
    await step.reached();
    await other.write((tables) => makeFile(tables, workspace, "early.md"));
    const names = async () => {
      const page = await other.read(({ files }) => files.all({ workspace, ...FIRST_PAGE }));
      return page.map(({ name }) => name);
    };
    expect(await names()).toEqual(["early.md"]);
    step.goOn();
    await late;
    expect(await names()).toEqual(["late.md", "early.md"]);
  });

  it("has no number of a folder that is committed after a higher one was listed", async () => {
    const { store, other, workspace, waits } = await openStore();
    const step = new StopPoint();
    const late = store.write(async (tables) => {
      await makeFolder(tables, workspace, "late");
      await step.stop();
    });
    await step.reached();
    const early = other.write((tables) => makeFolder(tables, workspace, "early"));
    await waits(early);
    expect(await other.read(({ folders }) => folders.all({ workspace, ...FIRST_PAGE }))).toEqual([]);
    step.goOn();
    await Promise.all([late, early]);
    const page = await other.read(({ folders }) => folders.all({ workspace, ...FIRST_PAGE }));
    expect(page.map(({ name }) => name)).toEqual(["late", "early"]);
  });
});
