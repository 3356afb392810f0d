import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod";
import { openSaveContext, judgePath } from "../mirror/operations/manual/save.ts";
import { troubleOfError } from "../mirror/folder/disk-trouble.ts";
import { errorCodeOf, errnoClause, type Trouble } from "../common/trouble.ts";
import { admitMirror } from "./mirrors.ts";
import { type ToolResult, type Host, misused, refused, type ServedMirror, type Tool } from "./tool.ts";

/** Carries out one call of a tool, from its arguments to its answer. */

type Called = Paths & { readonly mirror?: string };

/**
 * Calls a tool.
 * @param onFault called for an error in mdmirror itself
 */
export async function callTool(
  tool: Tool,
  args: Called,
  host: Host,
  onFault: (error: unknown) => void,
): Promise<CallToolResult> {
  const { mirror: name, ...own } = args;
  if (name === undefined && tool.ofAll && host.mirrors.length > 1) return callForAll(tool, own, host, onFault);
  const mirror = name === undefined ? host.mirrors[0]! : host.mirrors.find((one) => one.name === name);
  // The schema allows only names of served folders.
  const ended = mirror === undefined ? unknownMirror(host) : await callOne(tool, mirror, own, host, onFault);
  return resultOf(ended);
}

function unknownMirror({ mirrors }: Host): ToolResult {
  return misused(
    "no linked folder has this name",
    `one of: ${mirrors.map(({ name }) => name).join(", ")}`,
    "no-mirror",
  );
}

async function callForAll(
  tool: Tool,
  own: Paths,
  host: Host,
  onFault: (error: unknown) => void,
): Promise<CallToolResult> {
  const all = await Promise.all(host.mirrors.map((mirror) => callOne(tool, mirror, own, host, onFault)));
  return resultOf({ kind: "answer", facts: { mirrors: all.map(factsOf) } });
}

async function callOne(
  tool: Tool,
  mirror: ServedMirror,
  own: Paths,
  host: Host,
  onFault: (error: unknown) => void,
): Promise<ToolResult> {
  try {
    const admitted = await admitMirror(mirror.root, host.openOptions);
    if (admitted.kind === "trouble") return refused(admitted.trouble, { mirror: mirror.name });
    const fit = judgePaths(mirror, own, host);
    if (fit !== null) return fit;
    return await tool.run(mirror, own as never, host);
  } catch (error) {
    return refused(troubleOf(mirror, error, onFault));
  }
}

/** Checks each path of a call, so that nothing is read at a path that no document can have. */
function judgePaths({ root }: ServedMirror, own: Paths, { openOptions }: Host): ToolResult | null {
  for (const path of [own.path, own.to, ...(own.paths ?? [])]) {
    const fit = path === undefined ? null : judgePath(openSaveContext(root, openOptions), path);
    if (fit?.kind === "trouble") return refused(fit.trouble);
  }
  return null;
}

type Paths = { readonly path?: string; readonly to?: string; readonly paths?: readonly string[] };

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

/** Returns the arguments of a tool; if several folders are served, with the linked folder. */
export function inputOf(tool: Tool, mirrors: readonly ServedMirror[]): z.ZodObject {
  if (mirrors.length < 2) return z.strictObject(tool.input);
  const names = z.enum(mirrors.map(({ name }) => name)).describe("the linked folder");
  return z.strictObject({ mirror: tool.ofAll ? names.optional() : names, ...tool.input });
}
