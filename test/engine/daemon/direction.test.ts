import { expect, it } from "vitest";
import type { ChangeId } from "../../../src/contract/ids.ts";
import { note, ScriptedNews, withNotes } from "./rig.ts";

it("I03 a daemon that only downloads names a local edit once", async () => {
  const news = new ScriptedNews();
  const rig = await withNotes(3, note, { settings: { direction: "pull" }, news });
  news.state({ kind: "listening" });
  await rig.pass(12_000);
  const named: string[] = [];
  rig.daemon.onEvent((event) => {
    if (event.kind === "run") named.push(...(event.report.oneWay ?? []).map(({ path }) => path));
  });
  rig.save(note(0), "an edit that stays local\n");
  await rig.pass(10_000);
  for (const text of ["one\n", "two\n"]) {
    rig.app.edit(note(1), text);
    const { id, changeId } = rig.app.files().get(note(1))!;
    news.hint({ kind: "file", id, path: note(1), changeId: changeId as ChangeId, gone: false });
    await rig.pass(10_000);
    expect(rig.mirrored.texts().get(note(1))).toBe(text);
  }
  expect(named).toEqual([note(0)]);
});
