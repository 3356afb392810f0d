import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openIn, tempFolder } from "./fixture.ts";
import { NAME } from "./text-name.ts";

/** What a power cut may leave: the files as of the last fsync, without what is only in a WAL. */
function afterPowerCut(folder: string): ReturnType<typeof openIn> {
  const left = tempFolder();
  for (const name of ["texts.db", "state.db"]) copyFileSync(join(folder, name), join(left, name));
  return openIn(left);
}

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
