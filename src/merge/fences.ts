const FENCE = /^\s*(?:[-*+>]\s+|>\s*|\p{N}+[.)]\s+)*(`{3,}|~{3,})(.*)$/u;

/**
 * For each line whether it is code: a fence or between two fences (CommonMark 0.31.2, section 4.5).
 */
export function codeLines(lines: readonly string[]): boolean[] {
  const open = openFences(lines);
  return lines.map((_, at) => open[at] !== "" || open[at + 1] !== "");
}

/**
 * For each place before a line, and the one after the last, the fence that is open there; empty
 * where none is.
 */
export function openFences(lines: readonly string[]): string[] {
  const found = [""];
  let open = "";
  for (const line of lines) {
    const [, fence = "", info = ""] = FENCE.exec(line.trimEnd()) ?? [];
    if (open === "") {
      if (fence !== "" && !(fence.startsWith("`") && info.includes("`"))) open = fence;
    } else if (fence.startsWith(open) && info.trim() === "") open = "";
    found.push(open);
  }
  return found;
}
