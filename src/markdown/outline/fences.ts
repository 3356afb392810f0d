const FENCE_LINE = /^\s*(?:[-*+>]\s+|>\s*|\p{N}+[.)]\s+)*(`{3,}|~{3,})(.*)$/u;

/**
 * Returns the mark of the code fence that a line opens, such as three backticks. The line may be in
 * a list or quote. Returns an empty string if the line opens no fence.
 */
export function readOpeningFence(line: string): string {
  const [, fence = "", info = ""] = FENCE_LINE.exec(line) ?? [];
  return fence.startsWith("`") && info.includes("`") ? "" : fence;
}

/**
 * Returns true if a line closes a code fence. The line repeats the character of the fence, at least
 * as often as the opening line, and has nothing after it.
 */
export function closesFence(fence: string, line: string): boolean {
  const [, mark = "", info = ""] = FENCE_LINE.exec(line) ?? [];
  return mark.startsWith(fence) && info.trim() === "";
}

/**
 * Returns the code fence that is open before each line, and at the end of the document; an empty
 * string if no fence is open (CommonMark 0.31.2, section 4.5).
 */
export function readOpenFences(lines: readonly string[]): string[] {
  const fences = [""];
  let openFence = "";
  for (const line of lines) {
    if (line.includes("```") || line.includes("~~~")) openFence = updateFence(openFence, line.trimEnd());
    fences.push(openFence);
  }
  return fences;
}

function updateFence(fences: string, line: string): string {
  if (fences === "") return readOpeningFence(line);
  return closesFence(fences, line) ? "" : fences;
}

/**
 * Returns true if a line in [from, to) is code or a fence.
 * @param fences result of `readOpenFences`
 */
export function includesCode(fences: readonly string[], from: number, to: number): boolean {
  if (from === to) return false;
  for (let index = from; index <= to; index++) if (fences[index] !== "") return true;
  return false;
}
