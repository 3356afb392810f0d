import type { FileFacts } from "./facts.ts";
import { importCircles, importedNames } from "./graph.ts";

/** One thing that is counted. `count`: what it adds, 1 if it is missing. */
export type Place = { readonly at: string; readonly note: string; readonly count?: number };

/** A measure of the files of one folder: the number of its places, or their share of `outOf`. */
export type Measure = {
  readonly id: string;
  readonly what: string;
  readonly places: (files: readonly FileFacts[], all: readonly FileFacts[]) => Place[];
  readonly outOf?: (files: readonly FileFacts[]) => number;
  /** The most that all of `src` may have: `--check` fails beyond it. */
  readonly most?: number;
  /** The same for all of `test`; where it is over the one of `src`, it may fall and not rise. */
  readonly mostInTest?: number;
};

const MOST = { fileLines: 400, functionLines: 60, cyclomatic: 10 } as const;

const functions = (files: readonly FileFacts[]) =>
  files.flatMap(({ path, functions: found }) => found.map((each) => ({ ...each, at: `${path}:${each.line}` })));
const countFunctions = (files: readonly FileFacts[]) => functions(files).length;
const countComments = (files: readonly FileFacts[]) => files.reduce((sum, { comments }) => sum + comments.length, 0);

const longComments = (most: number): Measure["places"] => {
  return (files) =>
    files.flatMap(({ path, comments }) =>
      comments
        .filter(({ columns }) => columns > most)
        .map(({ line, columns }) => ({ at: `${path}:${line}`, note: `${columns} columns` })),
    );
};

/** What users of the package import (`exports` in package.json). */
const PACKAGE_ENTRIES: ReadonlySet<string> = new Set(
  ["client", "index", "links", "merge", "server"].map((name) => `src/lib/${name}.ts`),
);

/** All measures, in the order of the table. */
export const MEASURES: readonly Measure[] = [
  { id: "files", what: "files", places: (files) => files.map(({ path, lines }) => ({ at: path, note: `${lines}` })) },
  {
    id: "lines",
    what: "lines",
    places: (files) => files.map(({ path, lines }) => ({ at: path, note: `${lines}`, count: lines })),
  },
  {
    id: "long-files",
    what: `files over ${MOST.fileLines} lines`,
    places: (files) =>
      files
        .filter(({ lines }) => lines > MOST.fileLines)
        .map(({ path, lines }) => ({ at: path, note: `${lines} lines` })),
    most: 0,
    mostInTest: 0,
  },
  {
    id: "functions",
    what: "named functions",
    places: (files) => functions(files).map(({ at, name }) => ({ at, note: name })),
  },
  {
    id: "long-functions",
    what: `functions over ${MOST.functionLines} lines`,
    places: (files) =>
      functions(files)
        .filter(({ lines }) => lines > MOST.functionLines)
        .map(({ at, name, lines }) => ({ at, note: `${name}, ${lines} lines` })),
    most: 0,
    mostInTest: 8,
  },
  {
    id: "cyclomatic",
    what: `functions of cyclomatic over ${MOST.cyclomatic}`,
    places: (files) =>
      functions(files)
        .filter(({ cyclomatic }) => cyclomatic > MOST.cyclomatic)
        .map(({ at, name, cyclomatic }) => ({ at, note: `${name}, ${cyclomatic}` })),
    outOf: countFunctions,
    most: 0.02,
  },
  {
    id: "nested",
    what: "named functions in functions",
    places: (files) =>
      functions(files)
        .filter(({ isNested }) => isNested)
        .map(({ at, name }) => ({ at, note: name })),
    outOf: countFunctions,
    most: 0.1,
    mostInTest: 0.205,
  },
  {
    id: "comments-100",
    what: "comment lines over 100 columns",
    places: longComments(100),
    outOf: countComments,
    most: 0,
    mostInTest: 0,
  },
  {
    id: "comments-120",
    what: "comment lines over 120 columns",
    places: longComments(120),
    outOf: countComments,
  },
  {
    id: "circles",
    what: "import circles",
    places: (files, all) => {
      const here = new Set(files.map(({ path }) => path));
      return importCircles(all)
        .filter((group) => group.some((path) => here.has(path)))
        .map((group) => ({ at: group[0]!, note: `with ${group.slice(1).join(", ")}` }));
    },
    most: 0,
    mostInTest: 0,
  },
  {
    id: "unused-exports",
    what: "exports that nobody imports",
    places: (files, all) => {
      const isImported = importedNames(all);
      return files
        .filter(({ path }) => !path.startsWith("test/") && !PACKAGE_ENTRIES.has(path))
        .flatMap(({ path, exports }) =>
          exports
            .filter(({ name }) => !isImported(path, name))
            .map(({ name, line }) => ({ at: `${path}:${line}`, note: name })),
        );
    },
    most: 0,
  },
  {
    id: "twins",
    what: "functions of one shape with another",
    places: (files) =>
      [...Map.groupBy(functions(files), ({ shape }) => shape)]
        .filter(([shape, group]) => shape !== null && group.length > 1)
        .flatMap(([, group]) => group.slice(1).map(({ at, name }) => ({ at, note: `${name}, as ${group[0]!.at}` }))),
    most: 0,
  },
  {
    id: "mentions",
    what: "lines naming absent documents",
    places: (files) =>
      files.flatMap(({ path, mentions }) => mentions.map(({ line }) => ({ at: `${path}:${line}`, note: "" }))),
    most: 0,
  },
];

/** A folder of `src`, `src` as a whole, or `test`. */
export type Column = { readonly name: string; readonly files: readonly FileFacts[] };

/** The columns of the table: what is below `src`, by folder and in all, and `test`. */
export function columnsOf(all: readonly FileFacts[]): Column[] {
  const below = (folder: string) => all.filter(({ path }) => path.startsWith(`${folder}/`));
  const folders = new Set(
    below("src")
      .map(({ path }) => path.split("/"))
      .filter((parts) => parts.length > 2)
      .map((parts) => parts[1]!),
  );
  return [
    ...[...folders].sort().map((name) => ({ name, files: below(`src/${name}`) })),
    ...["src", "test"].map((name) => ({ name, files: below(name) })),
  ];
}

/** @returns a number, or a share from 0 to 1 (0 of nothing) */
export function figureOf({ places, outOf }: Measure, files: readonly FileFacts[], all: readonly FileFacts[]): number {
  const sum = places(files, all).reduce((total, { count = 1 }) => total + count, 0);
  if (outOf === undefined) return sum;
  return sum === 0 ? 0 : sum / outOf(files);
}

/** One line for each measure of which `src` or `test` has more than it may, then the places. */
export function breachesOf(all: readonly FileFacts[]): string[] {
  return ["src", "test"].flatMap((folder) => {
    const { files } = columnsOf(all).find(({ name }) => name === folder)!;
    return MEASURES.flatMap((measure) => {
      const figure = figureOf(measure, files, all);
      const most = folder === "src" ? measure.most : measure.mostInTest;
      if (most === undefined || figure <= most) return [];
      const places = linesOf(measure.places(files, all)).map((line) => `  ${line}`);
      const what = folder === "src" ? measure.what : `${measure.what} in ${folder}`;
      return [`${what}: ${shownFigure(measure, figure)}, at most ${shownFigure(measure, most)}`, ...places];
    });
  });
}

/** Each place on a line. */
export function linesOf(places: readonly Place[]): string[] {
  return places.map(({ at, note }) => `${at} ${note}`.trimEnd());
}

/** A count as it is, a share in per cent. */
export function shownFigure({ outOf }: Measure, value: number): string {
  return outOf === undefined ? String(value) : `${(value * 100).toFixed(1)} %`;
}
