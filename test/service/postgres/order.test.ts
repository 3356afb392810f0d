import { describe, expect, it } from "vitest";
import { whyNoPostgres } from "../../postgres/database.ts";
import { FIRST_PAGE, makeFile, makeFolder, useSharedDatabase, StopPoint } from "./ground.ts";

/** Folders are committed in the order of their row numbers, so that a cursor skips none. */

const openStore = useSharedDatabase();

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
