import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

/** Contrast of text that WCAG 2.2 AA requires. */
const LEAST = 4.5;
const STYLE = fileURLToPath(new URL("../../src/page/style", import.meta.url));
const TOKENS = readFileSync(`${STYLE}/tokens.css`, "utf8");
const COLOUR = /--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g;

const TEXTS = ["text", "faint", "link", "good", "asks", "bad", "quiet"];
const isGround = (name: string) => name === "raised" || name.endsWith("ground");
/** Marked words have the colour of the text around them. */
const isMark = (name: string) => name === "found" || name.endsWith("-word");

/** Returns the luminance of a colour, 0 to 1, as WCAG defines it. */
function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrastOf(text: string, ground: string): number {
  const [darker, lighter] = [luminanceOf(text), luminanceOf(ground)].sort((one, other) => one - other);
  return (lighter! + 0.05) / (darker! + 0.05);
}

describe.each([
  ["light", 2],
  ["dark", 3],
] as const)("in the %s scheme", (_scheme, at) => {
  const colours = new Map([...TOKENS.matchAll(COLOUR)].map((match) => [match[1]!, match[at]!]));
  const faint = (texts: readonly string[], grounds: readonly string[]) =>
    texts.flatMap((text) =>
      grounds
        .filter((ground) => contrastOf(colours.get(text)!, colours.get(ground)!) < LEAST)
        .map((ground) => `${text} on ${ground}`),
    );

  test("each text is read on each ground, plain text on each mark, and a chosen segment", () => {
    const names = [...colours.keys()];
    expect(names.filter((name) => !isGround(name) && !isMark(name)).toSorted()).toEqual([...TEXTS, "line"].toSorted());
    expect(faint(TEXTS, names.filter(isGround))).toEqual([]);
    expect(faint(["text"], names.filter(isMark))).toEqual([]);
    expect(faint(["ground"], ["link"])).toEqual([]);
  });
});

test("only borders have a colour without a name", () => {
  const styles = globSync("*.css", { cwd: STYLE, exclude: ["tokens.css"] });
  const islands = globSync("../islands/**/*.ts", { cwd: STYLE });
  const declared = [...styles, ...islands].flatMap((name) =>
    [...readFileSync(`${STYLE}/${name}`, "utf8").matchAll(/^.*(?:color|background)"?: .*#[0-9a-f]{3}.*$/gim)].map(
      String,
    ),
  );
  expect([styles.length, declared]).toEqual([4, []]);
});
