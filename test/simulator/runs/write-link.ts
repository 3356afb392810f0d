import { rollDice } from "../dice.ts";
import type { History } from "./history.ts";
import { linkLine } from "./linked-texts.ts";
import { tagOf } from "./text-marks.ts";

/** Returns the content with one more line, which links to another document. */
export function linkTo(
  history: History,
  text: string,
  to: { readonly tag: string; readonly said: string },
  { seed, by }: { readonly seed: number; readonly by: string },
): { readonly mark: string; readonly text: string } {
  const mark = String(history.number());
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(newline);
  history.marks.set(mark, { tag: tagOf(text) ?? "", by: `${by}, step ${history.step}` });
  const at = 2 + rollDice(seed).below(Math.max(1, lines.length - 2));
  lines.splice(at, 0, "", linkLine(mark, to.tag, to.said, seed % 4), "");
  const next = lines.join(newline);
  history.texts.add(next);
  return { mark, text: next };
}
