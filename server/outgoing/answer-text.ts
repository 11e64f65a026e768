// The beginning of the body of an answer, as text that people read; pure. The answer is as it came on
// the connection: what is missing of it is missing at the end.
import { TextDecoder } from 'node:util'

/** The most bytes of a body that become text. */
export const mostAnswerBytes = 2048
/** The most bytes of an answer that are looked at: its heads come first. */
export const mostRawBytes = 16_384

/**
 * The text of the answer whose first bytes these are; null where its body is empty, is compressed or
 * says that it is no text. Characters that no page shows are left out.
 */
export function answerText(raw: Buffer): string | null {
  let text = raw.toString('latin1')
  for (;;) {
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) return null
    const headers = text.slice(0, end + 2)
    text = text.slice(end + 4)
    // The answer to a status of 1xx is still to come.
    if (!/^HTTP\/1\.[01] 1\d\d\b/.test(headers)) return bodyText(headers, text)
  }
}

function bodyText(headers: string, rest: string): string | null {
  const type = valueOf(headers, 'content-type') ?? 'text/plain'
  const coding = valueOf(headers, 'content-encoding') ?? 'identity'
  if (!isText.test(type) || coding.toLowerCase() !== 'identity') return null
  const length = Number(valueOf(headers, 'content-length') ?? Infinity)
  const isChunked = /\bchunked$/i.test(valueOf(headers, 'transfer-encoding') ?? '')
  const body = isChunked ? joinChunks(rest) : rest.slice(0, length)
  const bytes = Buffer.from(body.slice(0, mostAnswerBytes), 'latin1')
  const text = decoderOf(type)
    // A character that the end cuts through is left out.
    .decode(bytes, { stream: true })
    .replaceAll(unshown, '')
  return text === '' ? null : text
}

const isText = /^(?:text\/|application\/(?:[\w.+-]*json|[\w.+-]*xml|x-www-form-urlencoded)\b)/i
/** Control characters but tabs and line breaks; the database has no place for the first of them. */
const unshown = /[^\P{Cc}\t\n\r]/gu

const valueOf = (headers: string, name: string): string | undefined =>
  new RegExp(`\\n${name}[ \\t]*:([^\\r\\n]*)`, 'i').exec(headers)?.[1]?.trim()

function decoderOf(type: string): TextDecoder {
  try {
    return new TextDecoder(/charset="?([\w:.-]+)/i.exec(type)?.[1] ?? 'utf-8')
  } catch {
    return new TextDecoder()
  }
}

/** The data of chunks, as far as they came (RFC 9112, 7.1). */
function joinChunks(text: string): string {
  let joined = ''
  for (let at = 0; joined.length < mostAnswerBytes;) {
    const line = text.indexOf('\r\n', at)
    const size = line < 0 ? 0 : parseInt(text.slice(at, line), 16)
    if (!(size > 0)) break
    joined += text.slice(line + 2, line + 2 + size)
    at = line + 2 + size + 2
  }
  return joined
}
