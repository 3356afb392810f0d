import type { BinaryExpression, Node, SourceFile } from "typescript/unstable/ast";
import { SyntaxKind } from "typescript/unstable/ast";

export type MeasuredFunction = {
  readonly name: string;
  /** From 1. */
  readonly line: number;
  readonly lines: number;
  /** One more than its branches, those of its nameless callbacks among them. */
  readonly cyclomatic: number;
  /** Whether it stands inside another function, named or not. */
  readonly isNested: boolean;
  /** The same for functions that differ in names, numbers and texts alone; null: it is too short. */
  readonly shape: string | null;
};

/** The least number of names, literals and other leaves by which two functions can be twins. */
const LEAST_LEAVES = 30;

const ALWAYS_NAMED: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.Constructor,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
]);
const EXPRESSIONS: ReadonlySet<SyntaxKind> = new Set([SyntaxKind.ArrowFunction, SyntaxKind.FunctionExpression]);
/** What gives its name to the function expression that it is set to. */
const NAMING: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.VariableDeclaration,
  SyntaxKind.PropertyAssignment,
  SyntaxKind.PropertyDeclaration,
]);
const BRANCHES: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.IfStatement,
  SyntaxKind.ForStatement,
  SyntaxKind.ForInStatement,
  SyntaxKind.ForOfStatement,
  SyntaxKind.WhileStatement,
  SyntaxKind.DoStatement,
  SyntaxKind.CaseClause,
  SyntaxKind.CatchClause,
  SyntaxKind.ConditionalExpression,
]);
const BRANCHING_OPERATORS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.AmpersandAmpersandToken,
  SyntaxKind.BarBarToken,
  SyntaxKind.QuestionQuestionToken,
  SyntaxKind.AmpersandAmpersandEqualsToken,
  SyntaxKind.BarBarEqualsToken,
  SyntaxKind.QuestionQuestionEqualsToken,
]);

type Counted = { branches: number };

/**
 * The named functions of a file: declarations with a body, methods, and function expressions that
 * are bound to a name.
 */
export function functionsOf(file: SourceFile, lineOf: (position: number) => number): MeasuredFunction[] {
  const found: { readonly node: Node; readonly name: string; readonly isNested: boolean; readonly counted: Counted }[] =
    [];
  const visit = (node: Node, owner: Counted, isInside: boolean): void => {
    const isFunction = ALWAYS_NAMED.has(node.kind) || EXPRESSIONS.has(node.kind);
    const name = isFunction ? nameOf(node, file) : null;
    let counted = owner;
    if (name !== null) {
      counted = { branches: 0 };
      found.push({ node, name, isNested: isInside, counted });
    }
    if (isBranch(node)) counted.branches++;
    node.forEachChild((child) => visit(child, counted, isInside || isFunction));
  };
  visit(file, { branches: 0 }, false);
  return found.map(({ node, name, isNested, counted }) => {
    const line = lineOf(node.getStart(file));
    const lines = lineOf(node.end) - line + 1;
    return { name, line, lines, cyclomatic: counted.branches + 1, isNested, shape: shapeOf(node) };
  });
}

/** The kinds of all that a function is made of, and its operators. */
function shapeOf(node: Node): string | null {
  let [shape, leaves] = ["", 0];
  const visit = (part: Node & { readonly operator?: SyntaxKind }): void => {
    const before = shape.length;
    shape += `(${part.kind}.${part.operator ?? ""}`;
    part.forEachChild((child) => visit(child));
    if (!shape.includes("(", before + 1)) leaves++;
    shape += ")";
  };
  visit(node);
  return leaves < LEAST_LEAVES ? null : shape;
}

type Named = Node & { readonly name?: Node; readonly body?: Node };

/** null: a function without a name, or a signature without a body. */
function nameOf(node: Node, file: SourceFile): string | null {
  if (ALWAYS_NAMED.has(node.kind)) {
    const { name, body } = node as Named;
    return body === undefined ? null : (name?.getText(file) ?? "constructor");
  }
  return NAMING.has(node.parent.kind) ? ((node.parent as Named).name?.getText(file) ?? null) : null;
}

function isBranch(node: Node): boolean {
  if (BRANCHES.has(node.kind)) return true;
  return (
    node.kind === SyntaxKind.BinaryExpression && BRANCHING_OPERATORS.has((node as BinaryExpression).operatorToken.kind)
  );
}
