import { describe, expect, onTestFinished, test } from "vitest";
import type { Tables } from "../../../src/service/store/tables.ts";
import { memoryStore, openService } from "../fixture.ts";
import { openDatabase } from "../../../src/service/store/sqlite/database.ts";
import { ConnectionQueue, GroupCommit, Transactions } from "../../../src/service/store/sqlite/transactions.ts";
import { isDiskFull } from "../../../src/service/store/store.ts";

const names = async ({ workspaces }: Tables) => (await workspaces.all()).map(({ name }) => name);

test("a read waits for the transaction before it, and never sees half of one", async () => {
  const store = memoryStore();
  const writing = store.write(async ({ workspaces }) => {
    await workspaces.insert("wsp_1", "first");
    for (let n = 0; n < 50; n++) await null;
    await workspaces.insert("wsp_2", "second");
  });
  expect(await store.read(names)).toEqual(["first", "second"]);
  await writing;
});

test("what is refused or throws is undone alone, and those after it go on", async () => {
  const store = memoryStore();
  const refused = store.write(
    async ({ workspaces }) => {
      await workspaces.insert("wsp_1", "refused");
      return "no";
    },
    (result) => result !== "no",
  );
  const failed = store.write(async ({ workspaces }) => {
    await workspaces.insert("wsp_2", "failed");
    throw new Error("in the midst");
  });
  const kept = store.write(({ workspaces }) => workspaces.insert("wsp_3", "kept"));
  expect(await refused).toBe("no");
  await expect(failed).rejects.toThrow("in the midst");
  await kept;
  expect(await store.read(names)).toEqual(["kept"]);
});

test("requests under way are answered before the service closes; those after are refused", async () => {
  const { service, api } = await openService();
  const create = (n: number) => api.post("/v1/files", { path: `${n}.md`, content: "text" });
  const before = Array.from({ length: 5 }, (_, n) => create(n));
  const closing = service.close();
  const after = create(9);
  expect((await Promise.all(before)).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  const refused = await after;
  refused.problem("service_unavailable");
  expect(refused.headers["retry-after"]).toBe("5");
  await closing;
  await service.close();
});

/** Opens a database for writes that share one flush of the disk, and are rolled back one by one. */
function openGroup() {
  const db = openDatabase(":memory:");
  onTestFinished(() => void db.close());
  db.prepare("CREATE TABLE written (name TEXT, bytes BLOB)").run();
  const insert = db.prepare<[string, number]>("INSERT INTO written (name, bytes) VALUES (?, zeroblob(?))");
  const turns = new ConnectionQueue();
  const group = new GroupCommit(turns, new Transactions(db));
  const seen: string[] = [];
  /** Inserts a row. Adds to `seen` when the row is inserted, and when its caller is informed. */
  const write = async (name: string, ends: "kept" | "refused" | "thrown" = "kept", bytes = 1): Promise<string> => {
    const work = async () => {
      insert.run(name, bytes);
      await Promise.resolve();
      seen.push(`${name} works`);
      if (ends === "thrown") throw new Error(`${name} failed`);
      return ends;
    };
    try {
      return await group.write(work, (result) => result === "kept");
    } finally {
      seen.push(`${name} told`);
    }
  };
  const names = db.prepare<[], { name: string }>("SELECT name FROM written ORDER BY rowid");
  return { db, turns, group, write, seen, rows: () => names.all().map(({ name }) => name) };
}

describe("writes that come together", () => {
  test("are reported after the commit of all, in their order", async () => {
    const { write, seen, rows } = openGroup();
    const first = write("a");
    await Promise.resolve();
    await Promise.all([first, write("b"), write("c")]);
    expect(seen).toEqual(["a works", "b works", "c works", "a told", "b told", "c told"]);
    expect(rows()).toEqual(["a", "b", "c"]);
  });

  test("are undone each by itself when one is refused or throws", async () => {
    const { write, rows } = openGroup();
    const all = await Promise.allSettled([
      write("a"),
      write("b", "refused"),
      write("c"),
      write("d", "thrown"),
      write("e"),
    ]);
    expect(all.map((one) => (one.status === "fulfilled" ? one.value : String(one.reason)))).toEqual([
      "kept",
      "refused",
      "kept",
      "Error: d failed",
      "kept",
    ]);
    expect(rows()).toEqual(["a", "c", "e"]);
  });

  test("see what those before them wrote, and a read sees all of it or nothing", async () => {
    const { db, turns, group, rows } = openGroup();
    const count = async () => rows().length;
    const insert = db.prepare<[string]>("INSERT INTO written (name) VALUES (?)");
    const add = (name: string) =>
      group.write(
        async () => {
          const before = await count();
          insert.run(name);
          return before;
        },
        () => true,
      );
    const seen = [turns.take(count), add("a"), turns.take(count), add("b"), turns.take(count)];
    expect(await Promise.all(seen)).toEqual([0, 0, 2, 1, 2]);
  });

  test("lose nothing to a write for which the disk has no space, whichever it is", async () => {
    for (const large of ["a", "b", "c"]) {
      const { db, write, rows } = openGroup();
      db.pragma("max_page_count = 600");
      const names = ["a", "b", "c", "d"];
      const all = await Promise.allSettled(names.map((name) => write(name, "kept", name === large ? 50_000_000 : 1)));
      const full = all.flatMap((one) => (one.status === "rejected" && isDiskFull(one.reason) ? [one] : []));
      expect([large, full.length, rows()]).toEqual([large, 1, names.filter((name) => name !== large)]);
      expect(await write("e")).toBe("kept");
    }
  });

  test("are refused together where no transaction can be begun, and those after them go on", async () => {
    const { db, write, rows } = openGroup();
    db.pragma("query_only = ON");
    const refused = await Promise.allSettled([write("a"), write("b")]);
    expect(refused.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    db.pragma("query_only = OFF");
    expect(await write("c")).toBe("kept");
    expect(rows()).toEqual(["c"]);
  });
});

test("the holder of a key is read beside an open transaction, which would wait for its own end", async () => {
  const store = memoryStore({ commits: "together" });
  await store.write(async ({ files }) => {
    expect(await files.all({ workspace: 1, after: 0, count: 1 })).toEqual([]);
    expect(await store.holder(Buffer.alloc(32, 7))).toBeUndefined();
  });
});

test("the connection is given to nobody else on the way to the next caller", async () => {
  const turns = new ConnectionQueue();
  let inside = 0;
  const work = async () => {
    expect(++inside).toBe(1);
    await Promise.resolve();
    inside--;
  };
  const first = turns.take(work);
  const second = turns.take(work);
  const late = first.then(() => turns.take(work));
  await Promise.all([first, second, turns.take(work), late]);
});
