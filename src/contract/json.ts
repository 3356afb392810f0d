export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the parsed object; null if the text is not JSON, or not an object. */
export function parseObject(text: string): JsonObject | null {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : null;
  } catch {
    return null;
  }
}

/** Returns the value of an object's own field; undefined if the object has no such field. */
export function member<Declared = JsonObject>(object: JsonObject, name: string & keyof Declared): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

export function hasMembers<T extends object>(
  value: unknown,
  types: { readonly [Name in keyof T]: "string" | "number" },
): value is T {
  return isJsonObject(value) && Object.entries(types).every(([name, type]) => typeof member(value, name) === type);
}
