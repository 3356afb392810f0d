import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openForWriting } from "../../src/state/database.ts";
import { STATE_SCHEMA, TEXTS_SCHEMA } from "../../src/state/schema.ts";
import { openIn, tempFolder } from "./fixture.ts";
import { NAME } from "./text-name.ts";

/** What a power cut may leave: the files as of the last fsync, without what is only in a WAL. */
function afterPowerCut(folder: string): ReturnType<typeof openIn> {
  const left = tempFolder();
  for (const name of ["texts.db", "state.db"]) copyFileSync(join(folder, name), join(left, name));
  return openIn(left);
}

test.each([
  ["state.db", STATE_SCHEMA],
  ["texts.db", TEXTS_SCHEMA],
])("macOS is asked to bring %s to the medium, not to its cache alone", (name, schema) => {
  const opened = openForWriting(join(tempFolder(), name), schema);
  if (opened.kind !== "opened") throw new Error(opened.kind);
  expect(opened.db.pragma("fullfsync", { simple: true })).toBe(1);
  opened.db.close();
});

test("I03 a text that was made safe is not in the WAL alone, also from within a transaction", () => {
  const folder = tempFolder();
  const state = openIn(folder);
  state.setMeta("any", "row");
  const first = state.putText("first\n", NAME);
  expect(afterPowerCut(folder).hasText(first)).toBe(false);
  state.secureTexts();
  expect(afterPowerCut(folder).hasText(first)).toBe(true);
  const second = state.transact(() => {
    const digest = state.putText("second\n", NAME);
    state.secureTexts();
    return digest;
  });
  expect(afterPowerCut(folder).text(second)).toBe("second\n");
  state.close();
});
