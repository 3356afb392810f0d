import { cellsOf, fitTo } from "./width.ts";

/** The last line of the output on a terminal, which is replaced again and again. */
export type StatusLine = {
  /** Shows text in the line, cut to the present width of the terminal. */
  show(text: string): void;
  /** Removes the line, before other lines are printed. */
  clear(): void;
};

/**
 * Creates a status line.
 * @param columns returns the present width of the terminal
 */
export function createStatusLine(write: (text: string) => void, columns: () => number): StatusLine {
  let shown = 0;
  return {
    show(text) {
      this.clear();
      // The last cell stays free: some terminals wrap when it is filled.
      const fitting = fitTo(text, Math.max(1, columns() - 1));
      write(fitting);
      shown = cellsOf(fitting);
    },
    clear() {
      if (shown === 0) return;
      // A terminal that was made narrower has wrapped the line, so the line takes several rows.
      const rows = Math.max(1, Math.ceil(shown / Math.max(1, columns())));
      write(rows === 1 ? "\r\u001b[K" : `\r\u001b[${rows - 1}A\u001b[J`);
      shown = 0;
    },
  };
}
