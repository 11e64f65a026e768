// Reads the answer to one request (RFC 9112) for three questions: the first status, as soon as its
// line is complete (or the final one, after those of 1xx), its Retry-After, and whether the connection
// can carry another request. An answer whose end is not beyond doubt never ends here, so its
// connection is not used again. Nothing else of it is kept.

export interface AnswerReader {
  /** The status of the first status line; 0 until the line is complete. */
  status: number
  /**
   * `complete`: the answer ended with the last byte, and another request may follow. `endless`: the
   * connection cannot be used again. `broken`: the first line is no status line.
   */
  state: 'head' | 'body' | 'chunk size' | 'chunk' | 'trailer' | 'complete' | 'endless' | 'broken'
  /** The header of that name, once the head is complete. */
  retryAfter: string | undefined
  read(part: Buffer): void
}

/** Longer lines and heads are not looked at. */
const mostHeaderBytes = 16_384

const statusLine = /^HTTP\/1\.([01]) (\d{3})(?: [^\r\n]*)?\r?\n/

/** With `isFinal`, `status` is 0 again once the head of a status of 1xx is complete. */
export function readAnswer({ isFinal = false } = {}): AnswerReader {
  /** Bytes of a head or a line that is not complete. */
  let text = ''
  /** Bytes of the body or the chunk that are still to come. */
  let rest = 0

  function readHeaders() {
    if (reader.status === 0) {
      reader.status = Number(statusLine.exec(text)?.[2] ?? 0)
      const isLine = text.includes('\n')
      if (reader.status === 0 && (isLine || !begins(text))) return void (reader.state = 'broken')
    }
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) return keepShort()
    const headers = text.slice(0, end + 2)
    text = text.slice(end + 4)
    follow(headers)
  }

  /** A head tells how its body ends. The answer to 1xx is still to come. */
  function follow(headers: string) {
    const [, minor, digits] = statusLine.exec(headers) ?? []
    const status = Number(digits)
    const [length, ...lengths] = valuesOf(headers, contentLength)
    reader.retryAfter = valuesOf(headers, retryAfter)[0]
    const codings = valuesOf(headers, transferEncoding)
    const isLast =
      minor !== '1' || valuesOf(headers, connection).some((value) => /close/i.test(value))
    if (!digits || status === 101 || status < 100 || isLast) reader.state = 'endless'
    else if (status < 200) {
      reader.state = 'head'
      if (isFinal) reader.status = 0
    } else if (status === 204 || status === 304) reader.state = 'complete'
    else if (codings.length > 0) {
      const isChunked =
        codings.length === 1 && /^chunked$/i.test(codings[0]!) && length === undefined
      reader.state = isChunked ? 'chunk size' : 'endless'
    } else if (length !== undefined && lengths.length === 0 && /^\d{1,9}$/.test(length)) {
      rest = Number(length)
      reader.state = rest === 0 ? 'complete' : 'body'
    } else reader.state = 'endless'
  }

  /** Skips bytes of a body or a chunk. */
  function skip() {
    const skipped = Math.min(rest, text.length)
    text = text.slice(skipped)
    rest -= skipped
    if (rest === 0) reader.state = reader.state === 'body' ? 'complete' : 'chunk size'
  }

  function readLine() {
    const end = text.indexOf('\r\n')
    if (end < 0) return keepShort()
    const line = text.slice(0, end)
    text = text.slice(end + 2)
    if (reader.state === 'trailer') {
      if (line === '') reader.state = 'complete'
      return
    }
    const size = /^([0-9a-f]{1,6})\s*(?:;.*)?$/i.exec(line)?.[1]
    if (size === undefined) return void (reader.state = 'endless')
    // The data of a chunk ends with a line break of its own.
    rest = parseInt(size, 16) + 2
    reader.state = rest === 2 ? 'trailer' : 'chunk'
  }

  function keepShort() {
    if (text.length > mostHeaderBytes) reader.state = reader.status === 0 ? 'broken' : 'endless'
  }

  const reader: AnswerReader = {
    status: 0,
    state: 'head',
    retryAfter: undefined,
    read(part) {
      text += part.toString('latin1')
      for (let before = -1; before !== text.length;) {
        before = text.length
        if (before === 0) break
        if (reader.state === 'head') readHeaders()
        else if (reader.state === 'body' || reader.state === 'chunk') skip()
        else if (reader.state === 'chunk size' || reader.state === 'trailer') readLine()
      }
      if (reader.state === 'complete' && text !== '') reader.state = 'endless'
      if (reader.state === 'endless' || reader.state === 'broken') text = ''
    },
  }
  return reader
}

/** Whether the text may be the beginning of a status line. */
const begins = (text: string) => 'HTTP/1.'.startsWith(text.slice(0, 7))

/** The values of a field of a head. */
const valuesOf = (headers: string, field: RegExp) =>
  Array.from(headers.matchAll(field), ([, value]) => value!.trim())

const contentLength = /\ncontent-length[ \t]*:([^\r\n]*)/gi
const transferEncoding = /\ntransfer-encoding[ \t]*:([^\r\n]*)/gi
const retryAfter = /\nretry-after[ \t]*:([^\r\n]*)/gi
const connection = /\nconnection[ \t]*:([^\r\n]*)/gi
