/** A date, or a time of day, as text that sorts by time; only times of one kind compare. */
type Time = { readonly kind: "date" | "clock"; readonly key: string };

const TIME =
  /^[^\p{L}\p{N}]*(?:(?<date>\p{N}{4}-\p{N}{2}-\p{N}{2}(?:[T ]\p{N}{2}:\p{N}{2})?)|(?<hour>\p{N}{1,2}):(?<rest>\p{N}{2}(?::\p{N}{2})?)(?:\s?(?<half>[ap])\.?m\b)?)/iu;

/**
 * The time that a line begins with, behind its marks; undefined where it begins with anything else.
 */
export function timeOf(line: string | undefined): Time | undefined {
  const { date, hour, rest, half } = TIME.exec(line ?? "")?.groups ?? {};
  if (date !== undefined) return { kind: "date", key: date };
  if (hour === undefined) return undefined;
  const past = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  return { kind: "clock", key: `${String(past).padStart(2, "0")}:${rest}` };
}
