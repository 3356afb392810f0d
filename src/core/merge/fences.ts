const FENCE = /^\s*(?:[-*+>]\s+|>\s*|\p{N}+[.)]\s+)*(`{3,}|~{3,})(.*)$/u;

/** For each line whether it is code: a fence or between two fences (CommonMark 0.31.2, section 4.5). */
export function codeLines(lines: readonly string[]): boolean[] {
  let open = "";
  return lines.map((line) => {
    const [, fence = "", info = ""] = FENCE.exec(line.trimEnd()) ?? [];
    if (open === "") {
      if (fence !== "" && !(fence.startsWith("`") && info.includes("`"))) open = fence;
      return open !== "";
    }
    if (fence.startsWith(open) && info.trim() === "") open = "";
    return true;
  });
}
