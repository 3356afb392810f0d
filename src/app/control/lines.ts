/**
 * Cuts a stream of bytes into lines, bounded: a sender that never ends its line cannot fill the
 * memory.
 * @returns false from `push` when a line is longer than `maxBytes`; what follows is not read any
 * more
 */
export function lineReader(maxBytes: number, onLine: (line: string) => void): { push(chunk: Buffer): boolean } {
  let parts: Buffer[] = [];
  let held = 0;
  let over = false;
  return {
    push(chunk) {
      let from = 0;
      while (!over && from < chunk.length) {
        const at = chunk.indexOf(0x0a, from);
        const part = chunk.subarray(from, at === -1 ? chunk.length : at);
        held += part.length;
        if (held > maxBytes) {
          over = true;
          parts = [];
          break;
        }
        parts.push(part);
        if (at === -1) break;
        const line = Buffer.concat(parts).toString("utf8");
        parts = [];
        held = 0;
        from = at + 1;
        onLine(line);
      }
      return !over;
    },
  };
}
