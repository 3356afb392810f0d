import { expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";

/** Title, base, local, remote and result; without a result a conflict is expected. */
export type Row = readonly [title: string, base: string, local: string, remote: string, merged?: string | undefined];

/** Merges each row and compares the result. */
export function checkRows(rows: readonly (Row | readonly string[])[]): void {
  it.each(rows.map((row) => ({ row })))("$row.0", ({ row }) => {
    const [, base, local, remote, merged] = row as Row;
    const result = mergeText(base, local, remote);
    if (merged === undefined) expect(result.kind).toBe("conflict");
    else expect(result).toMatchObject({ kind: "clean", text: merged });
  });
}

/** Merges each row as it is and with the sides exchanged. Both must have the row's result. */
export function checkRowsBothWays(rows: readonly (Row | readonly string[])[]): void {
  checkRows(rows);
  it.each(rows.map((row) => ({ row })))("$row.0, the other way round", ({ row }) => {
    const [, base, local, remote] = row as Row;
    expect(mergeText(base, remote, local).kind).toBe(mergeText(base, local, remote).kind);
  });
}
