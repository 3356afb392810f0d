export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the object that a text is as JSON; null if it is anything else. */
export function parseObject(text: string): JsonObject | null {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : null;
  } catch {
    return null;
  }
}

/**
 * Returns an own field of the object, never one of its prototype. With the type of a declared
 * answer, only its fields are accepted.
 */
export function member<Declared = JsonObject>(object: JsonObject, name: string & keyof Declared): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Returns true if a value is an object whose fields have these types. */
export function hasMembers<T extends object>(
  value: unknown,
  types: { readonly [Name in keyof T]: "string" | "number" },
): value is T {
  return isJsonObject(value) && Object.entries(types).every(([name, type]) => typeof member(value, name) === type);
}
