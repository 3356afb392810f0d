import { dirname, join } from "node:path/posix";
import type { Node, SourceFile, Statement } from "typescript/unstable/ast";
import { SyntaxKind } from "typescript/unstable/ast";

/**
 * `names`: what is taken by name; `all` where the whole module is. A `lazy` one is loaded by a
 * call.
 */
export type Import = {
  /** From the root, with slashes. */
  readonly target: string;
  readonly names: readonly string[] | "all";
  readonly isLazy: boolean;
};
export type Export = { readonly name: string; readonly line: number };

type Specifier = Node & { readonly name: Node; readonly propertyName?: Node };
type Listed = Node & { readonly elements: readonly Specifier[] };
type FromModule = Statement & {
  readonly moduleSpecifier?: Node;
  readonly importClause?: Node & { readonly name?: Node; readonly namedBindings?: Node };
  readonly exportClause?: Node;
};

const isList = (node: Node | undefined): node is Listed =>
  node?.kind === SyntaxKind.NamedImports || node?.kind === SyntaxKind.NamedExports;

/** The imports from files of the tree, types and re-exports among them. */
export function importsOf(path: string, file: SourceFile): Import[] {
  const found: Import[] = [];
  const add = (target: string | null, names: Import["names"], isLazy: boolean) => {
    if (target?.startsWith(".") === true) found.push({ target: join(dirname(path), target), names, isLazy });
  };
  for (const statement of file.statements as Iterable<FromModule>) {
    const { moduleSpecifier } = statement;
    if (moduleSpecifier !== undefined) add(textOf(moduleSpecifier), namesTaken(statement, file), false);
  }
  const visit = (node: Node): void => {
    const target = lazyTarget(node);
    if (target !== null) add(target, lazyNames(node, file), true);
    node.forEachChild((child) => visit(child));
  };
  visit(file);
  return found;
}

function namesTaken({ kind, importClause, exportClause }: FromModule, file: SourceFile): Import["names"] {
  const list = kind === SyntaxKind.ExportDeclaration ? exportClause : importClause?.namedBindings;
  if (kind === SyntaxKind.ExportDeclaration && !isList(list)) return "all";
  if (list !== undefined && !isList(list)) return "all";
  const named = list?.elements.map(({ name, propertyName }) => (propertyName ?? name).getText(file)) ?? [];
  return importClause?.name === undefined ? named : ["default", ...named];
}

/** Of `import("./a.ts")`, as a value or as a type. */
function lazyTarget(node: Node): string | null {
  if (node.kind === SyntaxKind.CallExpression) {
    const { expression, arguments: given } = node as Node & { expression: Node; arguments: readonly Node[] };
    return expression.kind === SyntaxKind.ImportKeyword && given[0] !== undefined ? textOf(given[0]) : null;
  }
  if (node.kind !== SyntaxKind.ImportType) return null;
  const { argument } = node as Node & { argument: Node & { literal?: Node } };
  return argument.literal === undefined ? null : textOf(argument.literal);
}

/** What is taken of a module that a call loads: `const { a } = await import(…)`, `(await import(…)).a`. */
function lazyNames(call: Node, file: SourceFile): Import["names"] {
  const awaited = call.parent;
  if (awaited.kind !== SyntaxKind.AwaitExpression) return "all";
  const taker = awaited.parent as Node & { readonly name?: Listed };
  const list = taker.name;
  if (taker.kind === SyntaxKind.VariableDeclaration && list?.kind === SyntaxKind.ObjectBindingPattern)
    return list.elements.map(({ name, propertyName }) => (propertyName ?? name).getText(file));
  const access = taker.parent as Node & { readonly name?: Node };
  return access.kind === SyntaxKind.PropertyAccessExpression ? [access.name!.getText(file)] : "all";
}

function textOf(node: Node): string | null {
  return node.kind === SyntaxKind.StringLiteral ? (node as Node & { text: string }).text : null;
}

type Declaring = Statement & {
  readonly modifiers?: readonly Node[];
  readonly name?: Node;
  readonly declarationList?: { readonly declarations: readonly (Node & { readonly name: Node })[] };
  readonly exportClause?: Node;
};

/**
 * Every name that a file exports; `default` for a nameless one. Names of a destructuring are not
 * looked into.
 */
export function exportsOf(file: SourceFile, lineOf: (position: number) => number): Export[] {
  return [...(file.statements as Iterable<Declaring>)].flatMap((statement) => {
    const asExport = (name: Node): Export => ({ name: name.getText(file), line: lineOf(name.getStart(file)) });
    if (statement.kind === SyntaxKind.ExportDeclaration)
      return isList(statement.exportClause) ? statement.exportClause.elements.map(({ name }) => asExport(name)) : [];
    const isDefault =
      statement.kind === SyntaxKind.ExportAssignment ||
      statement.modifiers?.some(({ kind }) => kind === SyntaxKind.DefaultKeyword) === true;
    if (isDefault) return [{ name: "default", line: lineOf(statement.getStart(file)) }];
    if (statement.modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword) !== true) return [];
    if (statement.declarationList !== undefined)
      return statement.declarationList.declarations.map(({ name }) => asExport(name));
    return statement.name === undefined ? [] : [asExport(statement.name)];
  });
}
