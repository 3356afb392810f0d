const FENCE = /^\s*(?:[-*+>]\s+|>\s*|\p{N}+[.)]\s+)*(`{3,}|~{3,})(.*)$/u;

/** Returns the fence that a line opens, also in a list or a quote; "" if it opens none. */
export function openingFence(line: string): string {
  const [, fence = "", info = ""] = FENCE.exec(line) ?? [];
  return fence.startsWith("`") && info.includes("`") ? "" : fence;
}

/** Returns true if a line closes a fence: the same mark, at least as long, and no text after it. */
export function closesFence(fence: string, line: string): boolean {
  const [, mark = "", info = ""] = FENCE.exec(line) ?? [];
  return mark.startsWith(fence) && info.trim() === "";
}

/**
 * Returns the open fence for each place before a line, and for the place after the last line; empty
 * if no fence is open (CommonMark 0.31.2, section 4.5).
 */
export function openFences(lines: readonly string[]): string[] {
  const found = [""];
  let open = "";
  for (const line of lines) {
    if (line.includes("```") || line.includes("~~~")) open = fenceAfter(open, line.trimEnd());
    found.push(open);
  }
  return found;
}

function fenceAfter(fences: string, line: string): string {
  if (fences === "") return openingFence(line);
  return closesFence(fences, line) ? "" : fences;
}

/**
 * Returns true if any of lines [from, to) is code: a fence, or a line between two fences. `fences`:
 * the result of `openFences`.
 */
export function hasCode(fences: readonly string[], from: number, to: number): boolean {
  if (from === to) return false;
  for (let index = from; index <= to; index++) if (fences[index] !== "") return true;
  return false;
}
