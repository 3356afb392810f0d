import type * as z from "zod";
import { type Declaration, type InputOf, ownInput } from "../mirror/operations/define.ts";
import { type Operation, runOperation } from "../mirror/operations/run-operation.ts";
import { answer, defineTool, type Ended, refused, type Tool } from "./tool.ts";

/** Makes tools from operations. An agent has to give the versions that it read. */

/** LIMIT: documents and problems in one answer. */
const MOST = 100;

/**
 * Returns the tool for an operation.
 * @param narrowed fields of which an agent may use only some values
 */
export function operationTool<D extends Declaration, Plan>(
  operation: Operation<D, Plan>,
  narrowed: z.ZodRawShape = {},
): Tool {
  const { name, summary, about, access, expected } = operation.declared;
  const fields = {
    ...ownInput(operation.declared).shape,
    ...narrowed,
    ...(expected === undefined ? {} : { expected }),
  };
  return defineTool({
    name,
    title: `${summary[0]!.toUpperCase()}${summary.slice(1)}`,
    description: about.join(" "),
    effect: access === "read" ? "reads" : "edits",
    isDestructive: access === "write",
    isOnline: true,
    input: Object.fromEntries(Object.entries(fields).map(([field, type]) => [snake(field), type as z.ZodType])),
    async run({ root }, args, { inTurn, openOptions }): Promise<Ended> {
      const given = Object.fromEntries(Object.keys(fields).map((field) => [field, args[snake(field)]])) as InputOf<D>;
      const ended = await inTurn(root, () => runOperation(root, operation, given, openOptions));
      if (ended.kind === "trouble") return refused(ended.trouble, { changed: ended.trouble.changed });
      const { items, sync, ...facts } = ended.value;
      const attention = sync?.attention.slice(0, MOST);
      const leftOut = Math.max(0, items.length - MOST);
      return answer({
        ...facts,
        items: items.slice(0, MOST),
        sync: sync === null ? null : { ...sync, attention },
        ...(leftOut > 0 ? { leftOut } : {}),
      });
    },
  });
}

function snake(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
