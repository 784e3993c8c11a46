/** What a spreadsheet takes for the beginning of a formula, or skips before one; some read full-width signs alike. */
const formula = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/**
 * One line of a CSV file (RFC 4180), its end included; null is an empty cell. A cell that a spreadsheet would
 * calculate gets an apostrophe in front, which makes it text.
 */
export function csvLine(cells: readonly (string | null)[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(cell: string | null): string {
  const text = cell === null ? "" : formula.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Text that is made while it is sent: the next piece is asked for when the one before has gone. */
export function textStream(text: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const pieces = text[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    cancel: async () => {
      await pieces.return?.();
    },
  });
}
