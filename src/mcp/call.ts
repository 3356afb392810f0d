import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { openSaveContext, judgePath } from "../mirror/operations/manual/save.ts";
import { troubleOfError } from "../mirror/folder/disk-trouble.ts";
import { errorCodeOf, errnoClause, type Trouble, unwrap } from "../common/trouble.ts";
import { admitMirror } from "./mirrors.ts";
import { type ToolResult, type Host, misused, refused, type ServedMirror, type Tool } from "./tool.ts";

/** Carries out one call of a tool, from its arguments to its answer. */

type CallArguments = NamedPaths & { readonly mirror?: string };

/**
 * Calls a tool. A call without a folder applies to all folders if the tool allows this.
 * @param onFault called for an error in mdmirror itself
 */
export async function callTool(
  tool: Tool,
  { mirror: name, ...own }: CallArguments,
  host: Host,
  onFault: (error: unknown) => void,
): Promise<CallToolResult> {
  const { mirrors } = host;
  const called = mirrors.filter((one) => name === undefined || one.name === name);
  const callOne = async (mirror: ServedMirror): Promise<ToolResult> => {
    try {
      const admitted = await admitMirror(mirror.root, host.openOptions);
      if (admitted.kind === "trouble") return refused(admitted.trouble, { mirror: mirror.name });
      judgePaths(mirror, own, host);
      return await tool.run(mirror, own as never, host);
    } catch (error) {
      return refused(troubleOf(mirror, error, onFault));
    }
  };
  const [first] = called;
  // The schema allows only names of served folders.
  if (first === undefined)
    return resultOf(misused("no linked folder has this name", `one of: ${namesOf(mirrors).join(", ")}`, "no-mirror"));
  if (called.length === 1 || !tool.ofAll) return resultOf(await callOne(first));
  const ends = await Promise.all(called.map(callOne));
  return resultOf({ kind: "answer", facts: { mirrors: ends.map(factsOf) } });
}

function namesOf(mirrors: readonly ServedMirror[]): readonly string[] {
  return mirrors.map(({ name }) => name);
}

/**
 * Checks each path of a call, so that mdmirror reads nothing at a path that no document can have.
 */
function judgePaths({ root }: ServedMirror, own: NamedPaths, { openOptions }: Host): void {
  for (const path of [own.path, own.to, ...(own.paths ?? [])])
    if (path !== undefined) unwrap(judgePath(openSaveContext(root, openOptions), path));
}

type NamedPaths = { readonly path?: string; readonly to?: string; readonly paths?: readonly string[] };

function troubleOf({ root }: ServedMirror, error: unknown, onFault: (error: unknown) => void): Trouble {
  const known = troubleOfError(error);
  if (known !== null) return known;
  const code = errorCodeOf(error);
  if (code !== null) {
    const next = "check that its disk works and this user may read and write it";
    return { kind: "fault", what: `${root} cannot be used: ${errnoClause(error)}`, code, next };
  }
  onFault(error);
  return {
    kind: "fault",
    what: "an error in mdmirror itself",
    code: "fault",
    next: "see standard error; nothing is lost",
  };
}

function factsOf(ended: ToolResult): object {
  if (ended.kind === "answer") return ended.facts;
  const { kind, what, code, requestId, next } = ended.trouble;
  return { error: { kind, code: code ?? kind, what, next, requestId: requestId ?? null }, ...ended.facts };
}

/** Returns the result with the facts first, so that no client takes content for facts. */
function resultOf(ended: ToolResult): CallToolResult {
  const content: CallToolResult["content"] = [{ type: "text", text: JSON.stringify(factsOf(ended)) }];
  if (ended.text !== undefined) content.push({ type: "text", text: ended.text });
  return ended.kind === "answer" ? { content } : { content, isError: true };
}

/**
 * Returns the arguments of a tool. If several folders are served, the linked folder is one of them.
 */
export function inputOf(tool: Tool, mirrors: readonly ServedMirror[]): z.ZodObject {
  if (mirrors.length < 2) return z.strictObject(tool.input);
  const names = z.enum(namesOf(mirrors)).describe("the linked folder");
  return z.strictObject({ mirror: tool.ofAll ? names.optional() : names, ...tool.input });
}
