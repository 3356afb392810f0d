const FENCE = /^\s*(?:[-*+>]\s+|>\s*|\p{N}+[.)]\s+)*(`{3,}|~{3,})(.*)$/u;

/**
 * Whether any of lines [from, to) is code: a fence or between two fences. `open`: what `openFences`
 * found.
 */
export function hasCode(open: readonly string[], from: number, to: number): boolean {
  if (from === to) return false;
  for (let at = from; at <= to; at++) if (open[at] !== "") return true;
  return false;
}

/**
 * For each place before a line, and the one after the last, the fence that is open there; empty
 * where none is (CommonMark 0.31.2, section 4.5).
 */
export function openFences(lines: readonly string[]): string[] {
  const found = [""];
  let open = "";
  for (const line of lines) {
    if (!line.includes("```") && !line.includes("~~~")) {
      found.push(open);
      continue;
    }
    const [, fence = "", info = ""] = FENCE.exec(line.trimEnd()) ?? [];
    if (open === "") {
      if (fence !== "" && !(fence.startsWith("`") && info.includes("`"))) open = fence;
    } else if (fence.startsWith(open) && info.trim() === "") open = "";
    found.push(open);
  }
  return found;
}
