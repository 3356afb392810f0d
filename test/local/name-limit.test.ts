import { expect, it } from "vitest";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";
import { BENCHES, mirrorOn, ramMirror } from "./benches.ts";

it.each([20, 143, 254, MAX_NAME_BYTES])("a disk is asked for its longest name: %i bytes", (maxNameBytes) => {
  expect(ramMirror({ maxNameBytes }).disk.names().maxNameBytes).toBe(maxNameBytes);
});

it.each(Object.keys(BENCHES))("the longest name that %s states can be used", (bench) => {
  const { disk } = mirrorOn(BENCHES[bench]!());
  const name = (bytes: number) => `${"n".repeat(bytes - 3)}.md`;
  expect(disk.create(name(disk.names().maxNameBytes), "text\n").kind).toBe("done");
  expect(disk.create(name(disk.names().maxNameBytes + 1), "text\n").kind).toBe("fault");
});
