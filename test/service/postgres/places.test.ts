import { describe, expect, it } from "vitest";
import { StoreBusyError } from "../../../src/service/store/store.ts";
import type { Tables } from "../../../src/service/store/tables.ts";
import { whyNoPostgres } from "../../postgres/database.ts";
import { FIRST_PAGE, useSharedDatabase, makeFile, makeFolder, runOverlapped } from "./ground.ts";

/** Two writers on two connections that want one path, or change one tree of folders. */

const openStore = useSharedDatabase();

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
      expect(files[0]!.folder).not.toBe(seq);
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
