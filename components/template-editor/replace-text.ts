/** What stands in place of the `length` characters at `at`. */
export type Replacement = { at: number; length: number; text: string };

/** Changes the text as if it were typed, so that the browser can undo it; the caret stands behind it. */
export function replaceText(field: HTMLTextAreaElement, { at, length, text }: Replacement): void {
  field.focus();
  field.setSelectionRange(at, at + length);
  // Deprecated, but without a successor: whatever else changes a field's text cannot be undone by its person.
  if (text === "") document.execCommand("delete");
  else document.execCommand("insertText", false, text);
}
