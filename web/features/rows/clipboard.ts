// Blocks of cells as the text that spreadsheets copy and paste: a line for each row, a tab between two cells. A cell
// with a tab, a line or a quotation mark of its own stands in quotation marks.

export const blockText = (cells: readonly (readonly string[])[]): string =>
  cells.map((row) => row.map(quoted).join('\t')).join('\n')

const quoted = (text: string): string =>
  /[\t\n\r"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** The cells of a pasted text. The line that spreadsheets add at the end is none. */
export function cellsOf(text: string): string[][] {
  const rows: string[][] = [[]]
  let at = 0
  while (at <= text.length) {
    const { cell, next } = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at)
    rows.at(-1)!.push(cell)
    const sign = text[next]
    if (sign === undefined) break
    if (sign === '\t') at = next + 1
    else {
      at = next + (text.startsWith('\r\n', next) ? 2 : 1)
      if (at >= text.length) break
      rows.push([])
    }
  }
  return rows
}

function plainCell(text: string, from: number): { cell: string; next: number } {
  const found = /[\t\r\n]/.exec(text.slice(from))
  const next = found ? from + found.index : text.length
  return { cell: text.slice(from, next), next }
}

function quotedCell(text: string, from: number): { cell: string; next: number } {
  let cell = ''
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] !== '"') cell += text[at]
    else if (text[at + 1] === '"') {
      cell += '"'
      at++
    } else {
      const next = at + 1
      // A text that only begins with a quotation mark is one.
      return /^(?:[\t\r\n]|$)/.test(text.slice(next, next + 1))
        ? { cell, next }
        : plainCell(text, from)
    }
  }
  return plainCell(text, from)
}
