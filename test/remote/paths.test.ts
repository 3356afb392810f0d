import { expect, test } from "vitest";
import { readPath } from "../../src/mirror/remote/shapes.ts";

const LETTERS = ["/", ".", "a", " ", "\\", "-", "é", "\u0001"];

/** Every text of at most `length` of the letters. */
function* textsOf(length: number): Generator<string> {
  yield "";
  if (length === 0) return;
  for (const rest of textsOf(length - 1)) for (const letter of LETTERS) yield letter + rest;
}

/** As the design says it, name by name. */
function isBelievable(wire: string, kind: "file" | "folder"): boolean {
  const names = wire.replace(/^\//, "").split("/");
  return (
    !/[\\\u0001]/.test(wire) &&
    names.length <= 256 &&
    names.every((name) => !["", ".", ".."].includes(name)) &&
    names.at(-1)!.endsWith(".md") === (kind === "file")
  );
}

const deep = (names: number) => [`${"a/".repeat(names - 1)}a.md`, `/${"a/".repeat(names - 1)}a`, "a/".repeat(names)];

test("I26 a path is believed for its names alone, however plain it looks", () => {
  const wires = new Set([...textsOf(4)].flatMap((text) => [text, `${text}.md`, `a/${text}/b.md`]));
  for (const wire of [...wires, ...deep(255), ...deep(256), ...deep(257), ...deep(300)]) {
    for (const kind of ["file", "folder"] as const) {
      const read = readPath(wire, kind);
      const path = read.ok ? read.value : null;
      expect(path, `${JSON.stringify(wire)} as a ${kind}`).toEqual(
        isBelievable(wire, kind) ? { wire, path: wire.replace(/^\//, "") } : null,
      );
    }
  }
});
