import { EditorView } from "@codemirror/view";

/** The editor's theme, in the page's colours for light and dark. */
export const LOOKS = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--ground)", fontSize: "0.9rem" },
  "&.cm-focused": { outline: "3px solid var(--focus)", outlineOffset: "-3px" },
  ".cm-content": { caretColor: "var(--text)", fontFamily: "ui-monospace, monospace" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { color: "var(--faint)", backgroundColor: "var(--raised)", borderColor: "var(--line)" },
  ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "var(--quiet-ground)" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--removed-ground)" },
  "&.cm-merge-b .cm-changedLine, .cm-changedLine, .cm-inlineChangedLine": { backgroundColor: "var(--added-ground)" },
  "&.cm-merge-a .cm-changedText, &.cm-merge-b .cm-changedText, .cm-changedText, .cm-deletedText": {
    background: "none",
    fontWeight: "700",
    textDecoration: "underline 2px",
  },
  ".cm-collapsedLines": { color: "var(--faint)", background: "var(--raised)" },
  ".cm-chunkButtons button": { color: "var(--ground)", backgroundColor: "var(--link)", padding: "4px 8px" },
});
