import type { EventType } from "../../contract/events.ts";
import { isChangeId, isDirId, isDocId } from "../../contract/ids.ts";
import { isJsonObject, type JsonObject, member } from "../../contract/json.ts";
import type { EventHint } from "../ports/events.ts";
import { parseJson } from "./json.ts";
import { by, type IdRule, readPath } from "./shapes.ts";

type Read = (data: JsonObject, rule: IdRule) => EventHint | null;

const READERS: { readonly [Type in EventType]: Read } = {
  file: readFileEvent,
  folder: (data, rule) => {
    const id = member(data, "id");
    return by(rule, isDirId)(id) ? { kind: "folder", id } : null;
  },
  reset: () => ALL,
};

const ALL: EventHint = { kind: "all" };

/**
 * Returns the hint of an event. An event of a known type that cannot be read still says that
 * something happened.
 * @returns null for an unknown type
 */
export function readEvent(type: string, data: string, rule: IdRule): EventHint | null {
  if (!Object.hasOwn(READERS, type)) return null;
  const json = parseJson(data);
  if (json.kind !== "json" || !isJsonObject(json.value)) return ALL;
  return READERS[type as EventType](json.value, rule) ?? ALL;
}

function readFileEvent(data: JsonObject, rule: IdRule): EventHint | null {
  const id = member(data, "id");
  if (!by(rule, isDocId)(id)) return null;
  const path = readPath(member(data, "path"), "file");
  const changeId = member(data, "lastChangeId");
  return {
    kind: "file",
    id,
    path: path.ok ? path.value.path : null,
    changeId: by(rule, isChangeId)(changeId) ? changeId : null,
    gone: member(data, "change") === "gone",
  };
}
