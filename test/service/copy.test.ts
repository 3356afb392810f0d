import { expect, it } from "vitest";
import { combineByMerge } from "../../src/service/files/combine.ts";
import { SyncService } from "../sync-service/service.ts";
import { rollBytes } from "../simulator/dice.ts";
import { App } from "../simulator/app.ts";

it("goes on from a copy as from a backup: what was, under its ids and keys; what came after is not known", () => {
  const options = { now: () => 0, random: rollBytes(3), combine: combineByMerge };
  const service = new SyncService({ ...options, database: ":memory:" });
  const { key } = service.admin.createWorkspace("notes");
  const app = new App(service, key);
  app.create("kept.md", "one\n");
  const before = app.files().get("kept.md")!;
  const copy = service.copy();
  app.edit("kept.md", "two\n");
  app.create("later.md", "later\n");

  const restored = new SyncService({ ...options, database: { copy } });
  expect([...new App(restored, key).files().values()]).toEqual([before]);
  expect(app.files().get("kept.md")?.text).toBe("two\n");
});
