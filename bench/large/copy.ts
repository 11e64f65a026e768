// COPY … FROM STDIN over a connection of its own. pg has the messages but no stream for it, and a
// package would be one more dependency. This file has only what the bench needs.
import { once } from 'node:events'
import pg from 'pg'

export interface Copy {
  /**
   * Adds a row: its columns in PostgreSQL's text format, separated by tabs (`cell` encodes values).
   */
  add(row: string): void
  /** Resolves when more rows may be added. Rejects once the database has refused one. */
  ready(): Promise<void>
  /** Resolves when all rows are in the table. */
  end(): Promise<void>
}

/** Characters that are sent to the database at once. */
const chunk = 128 * 1024

export async function copyInto(url: string, table: string, columns: string[]): Promise<Copy> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { stream, done } = await begin(client, `copy ${table} (${columns.join(', ')}) from stdin`)
  let text = ''
  let drained: Promise<unknown> = Promise.resolve()
  const send = () => {
    const bytes = Buffer.from(text)
    text = ''
    stream.write(frame('d', bytes.length))
    if (!stream.write(bytes)) drained = once(stream, 'drain')
  }
  return {
    add(row) {
      text += row
      text += '\n'
      if (text.length > chunk) send()
    },
    ready: () => Promise.race([drained, done]).then(() => undefined),
    async end() {
      if (text) send()
      stream.write(frame('c', 0))
      await done
      await client.end()
    },
  }
}

/** A value as COPY reads it. Null is \N. */
export function cell(value: string | number | boolean | null): string | number | boolean {
  if (value === null) return String.raw`\N`
  if (typeof value !== 'string' || !/[\\\n\r\t]/.test(value)) return value
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\r', '')
    .replaceAll('\t', ' ')
}

/**
 * Starts the statement. Resolves when the database waits for rows; `done` settles with the
 * statement.
 */
async function begin(
  client: pg.Client,
  statement: string,
): Promise<{ stream: pg.Connection['stream']; done: Promise<void> }> {
  const started = Promise.withResolvers<pg.Connection['stream']>()
  const done = Promise.withResolvers<void>()
  done.promise.catch(started.reject)
  const fail = (error: Error) =>
    done.reject(new Error(`${statement}: ${error.message}`, { cause: error }))
  client.on('error', fail)
  // The methods that pg calls while it runs a statement.
  client.query({
    submit: (connection: pg.Connection) => connection.query(statement),
    handleCopyInResponse: (connection: pg.Connection) => started.resolve(connection.stream),
    handleCommandComplete: () => undefined,
    handleReadyForQuery: () => done.resolve(),
    handleError: fail,
  } as pg.Submittable)
  return { stream: await started.promise, done: done.promise }
}

/** The head of a protocol message: its letter, and its length, which includes the length field. */
function frame(letter: string, length: number): Buffer {
  const header = Buffer.allocUnsafe(5)
  header.write(letter, 'latin1')
  header.writeUInt32BE(length + 4, 1)
  return header
}
