import { onTestFinished, vi } from "vitest";
import { Group } from "../../src/engine/journal/group.ts";
import type { Disk } from "../../src/ports/disk.ts";
import type { CreatedRows } from "../../src/ports/row-writer.ts";
import type { State } from "../../src/ports/state.ts";
import { openState } from "../../src/state/open.ts";
import { virtualClock } from "../remote/virtual-clock.ts";
import { createdRows } from "../state/created-rows.ts";

export const ROWS = ["putKnownText", "putLink", "addVersion", "record"] as const;

/** A group over a state that counts its transactions, and tells what it was called for. */
export function groupOverState() {
  const clock = virtualClock();
  const opened = openState({ folder: ":memory:", clock });
  if (opened.kind !== "opened") throw new Error(opened.kind);
  const { state } = opened;
  onTestFinished(() => state.close());
  const transact = vi.spyOn(state, "transact");
  const calls = ROWS.map((name) => vi.spyOn(state, name));
  return {
    clock,
    state,
    group: new Group(state, {} as Disk, clock),
    linked: () => [...state.load().links.keys()],
    note: (key: string) => state.setMeta(key, "1"),
    transactions: () => transact.mock.calls.length,
    /** The names of the rows' calls, in the order in which they were made. */
    order: () =>
      ROWS.flatMap((name, n) => calls[n]!.mock.invocationCallOrder.map((at) => ({ name, at })))
        .sort((a, b) => a.at - b.at)
        .map(({ name }) => name),
    argumentsOf: (name: (typeof ROWS)[number]) => calls[ROWS.indexOf(name)]!.mock.calls,
  };
}

export const many = (count: number, begin = 0): CreatedRows[] =>
  Array.from({ length: count }, (_, n) => createdRows(`${begin + n}.md`));

/** A state that cannot be written any more. */
export function fill(state: State): void {
  vi.spyOn(state, "record").mockImplementation(() => {
    throw new Error("full");
  });
}
