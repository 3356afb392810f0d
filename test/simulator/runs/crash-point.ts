const FRAMES = 4;

/**
 * Returns the port's member and the innermost places in `src/` that led to it: two kills at one of
 * these are one crash point.
 */
export function placeOfCall(member: string): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 60;
  const { stack = "" } = new Error();
  Error.stackTraceLimit = limit;
  const places = Array.from(stack.matchAll(/\/src\/([\w/-]+)\.ts:(\d+)/g), ([, file, line]) => `${file}:${line}`);
  return [member, ...places.slice(0, FRAMES)].join(" < ");
}
