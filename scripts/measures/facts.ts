import type { Node, SourceFile } from "typescript/unstable/ast";
import { SyntaxKind } from "typescript/unstable/ast";
import { functionsOf, type MeasuredFunction } from "./functions.ts";
import { type Export, exportsOf, type Import, importsOf } from "./modules.ts";

export type Line = { readonly line: number; readonly columns: number };

/** What is counted of a file. Lines are numbered from 1. */
export type FileFacts = {
  /** From the root, with slashes. */
  readonly path: string;
  readonly lines: number;
  readonly functions: readonly MeasuredFunction[];
  /** The lines that a comment stands on. */
  readonly comments: readonly Line[];
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  /** Lines that name a document which is not in the repository. */
  readonly mentions: readonly Line[];
};

const MENTION = /\bDESIGN\b|\bAPI\.md\b|\bMERGE\b|\bDEPLOYMENT\b/;

const LITERALS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.StringLiteral,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateHead,
  SyntaxKind.TemplateMiddle,
  SyntaxKind.TemplateTail,
]);

export function factsOf(path: string, text: string, file: SourceFile): FileFacts {
  const rows = text.split("\n");
  if (rows.at(-1) === "") rows.pop();
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const asLine = (line: number): Line => ({ line, columns: rows[line - 1]!.length });
  const mentioned = rows.flatMap((row, i) => (MENTION.test(row) ? [i + 1] : []));
  return {
    path,
    lines: rows.length,
    functions: functionsOf(file, lineOf),
    comments: commentLines(file, lineOf).map(asLine),
    imports: importsOf(path, file),
    exports: exportsOf(file, lineOf),
    mentions: mentioned.map(asLine),
  };
}

/** What looks like a comment within a literal is none. */
function commentLines(file: SourceFile, lineOf: (position: number) => number): number[] {
  const literals = new Map<number, number>();
  const visit = (node: Node): undefined => {
    if (LITERALS.has(node.kind)) literals.set(node.getStart(file), node.end);
    node.forEachChild(visit);
  };
  visit(file);
  const lines = new Set<number>();
  const token = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|["'`/}]/g;
  for (let match = token.exec(file.text); match !== null; match = token.exec(file.text)) {
    const end = literals.get(match.index);
    if (end !== undefined) token.lastIndex = end;
    else if (match[0].length > 1)
      for (let line = lineOf(match.index); line <= lineOf(token.lastIndex); line++) lines.add(line);
  }
  return [...lines];
}
