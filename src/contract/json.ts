/** Reads JSON from outside the program. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an own member of the object, never one of its prototype. */
export function member(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Tells whether a value is an object whose members have these types. */
export function hasMembers<T extends object>(
  value: unknown,
  types: { readonly [Name in keyof T]: "string" | "number" },
): value is T {
  return isJsonObject(value) && Object.entries(types).every(([name, type]) => typeof member(value, name) === type);
}
