import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { openSaveContext, judgePath } from "../mirror/operations/manual/save.ts";
import { describeError } from "../mirror/folder/disk-trouble.ts";
import { readErrorCode, errnoClause, type Trouble, unwrap } from "../common/trouble.ts";
import { admitMirror } from "./mirrors.ts";
import { makeAnswer, type ToolResult, type ToolHost, makeRefusal, type ServedMirror, type Tool } from "./tool.ts";

type NamedPaths = { readonly path?: string; readonly to?: string; readonly paths?: readonly string[] };

/**
 * Calls a tool for one linked folder. Without a folder in the arguments, calls the tool for each
 * folder and returns all results.
 */
export async function callTool(
  tool: Tool,
  { mirror: name, ...args }: NamedPaths & { readonly mirror?: string },
  host: ToolHost,
  onFault: (error: unknown) => void,
): Promise<CallToolResult> {
  const callForMirror = async (mirror: ServedMirror): Promise<ToolResult> => {
    try {
      const admission = admitMirror(mirror.root, host.openOptions);
      if (admission.kind === "trouble") return makeRefusal(admission.trouble, { mirror: mirror.name });
      checkPaths(mirror, args, host);
      return await tool.run(mirror, args, host);
    } catch (error) {
      return makeRefusal(toTrouble(mirror, error, onFault));
    }
  };
  // The schema of the tool has already refused unknown names of linked folders. It requires a name,
  // unless the tool may be called for all folders.
  const calledMirrors = host.mirrors.filter((mirror) => name === undefined || mirror.name === name);
  const results = await Promise.all(calledMirrors.map(callForMirror));
  return toCallResult(results.length === 1 ? results[0]! : makeAnswer({ mirrors: results.map(toFacts) }));
}

/** Refuses a call whose paths cannot be documents, before the tool runs. */
function checkPaths({ root }: ServedMirror, args: NamedPaths, { openOptions }: ToolHost): void {
  for (const path of [args.path, args.to, ...(args.paths ?? [])])
    if (path !== undefined) unwrap(judgePath(openSaveContext(root, openOptions), path));
}

function toTrouble({ root }: ServedMirror, error: unknown, onFault: (error: unknown) => void): Trouble {
  const expectedTrouble = describeError(error);
  if (expectedTrouble !== null) return expectedTrouble;
  const code = readErrorCode(error);
  if (code !== null) {
    const nextStep = "check that its disk works and this user may read and write it";
    return { kind: "fault", what: `${root} cannot be used: ${errnoClause(error)}`, code, next: nextStep };
  }
  onFault(error);
  return {
    kind: "fault",
    what: "an error in mdmirror itself",
    code: "fault",
    next: "see standard error; nothing is lost",
  };
}

function toFacts(result: ToolResult): object {
  if (result.kind === "answer") return result.facts;
  const { kind, what, code, requestId, next, changed } = result.trouble;
  return { error: { kind, code: code ?? kind, what, next, requestId: requestId ?? null }, changed, ...result.facts };
}

/**
 * Returns the answer for the protocol: first a block with JSON, then a block with content of
 * documents. In separate blocks, clients cannot mistake content for a result of mdmirror.
 */
function toCallResult(result: ToolResult): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text: JSON.stringify(toFacts(result)) }];
  if (result.text !== undefined) content.push({ type: "text", text: result.text });
  return result.kind === "answer" ? { content } : { content, isError: true };
}

/**
 * Returns the schema of a tool's arguments. If several linked folders are served, adds an argument
 * that selects one.
 */
export function makeInputSchema(tool: Tool, mirrors: readonly ServedMirror[]): z.ZodObject {
  if (mirrors.length < 2) return z.strictObject(tool.input);
  const names = z.enum(mirrors.map(({ name }) => name)).describe("the linked folder");
  return z.strictObject({ mirror: tool.appliesToAll === true ? names.optional() : names, ...tool.input });
}
