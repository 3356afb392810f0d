/** Does all parts of a work in one go. @returns what it came to */
export function toEnd<T>(parts: Generator<void, T>): T {
  for (;;) {
    const part = parts.next();
    if (part.done === true) return part.value;
  }
}
