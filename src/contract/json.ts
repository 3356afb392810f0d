export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses a JSON object; returns null if the string is anything else. */
export function parseObject(text: string): JsonObject | null {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : null;
  } catch {
    return null;
  }
}

/**
 * Returns a field of a parsed object, but never a field of its prototype. The type parameter limits
 * the names to the fields of a declared answer.
 */
export function member<Declared = JsonObject>(object: JsonObject, name: string & keyof Declared): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns true if a value is an object whose fields have the given types. */
export function hasMembers<T extends object>(
  value: unknown,
  types: { readonly [Name in keyof T]: "string" | "number" },
): value is T {
  return isJsonObject(value) && Object.entries(types).every(([name, type]) => typeof member(value, name) === type);
}
