// Uploads and signed addresses. Other people made the file that a browser gets from an address: it is
// never a page of this origin (media-type.ts, and the headers below).
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { bytes } from '../../../http/body.ts'
import { hal, IdParams, sendHal } from '../../../http/hal.ts'
import {
  forbidden,
  notFound,
  payloadTooLarge,
  Problem,
  tooManyRequests,
  unsupportedMediaType,
} from '../../../http/problem.ts'
import type { App, Kontor } from '../../../kontor.ts'
import { addressOf, fileAt, isSigned, seeFile, storeFile } from './files.ts'
import type { FileRow, SeenFile } from './files.ts'
import { anyType, disposition, isShown } from './media-type.ts'
import { FileAnswer, FilePath, SignedQuery, UploadQuery } from './schema.ts'
import { fileKey, fileStoreOf } from './storage.ts'
import type { ByteRange } from './storage.ts'

const path = '/web/v1/files'

/** Uploads of one account that one process receives at once. */
const mostUploads = 8
/** Seconds after which a file that is being fetched is worth another request. */
const fetchingSeconds = 5

export function fileRoutes(app: App, kontor: Kontor): void {
  const { config, database } = kontor
  const uploads = new Map<number, number>()

  const shown = (base: string, accountId: number, file: SeenFile) => ({
    ...file,
    address: file.state === 'stored' ? addressOf(kontor, accountId, file, { base }) : null,
    _links: { self: { href: `${base}${path}/${file.id}` } },
  })

  app.get(
    `${path}/:id`,
    {
      config: { access: 'user' },
      schema: { params: IdParams, response: { 200: hal('The file', FileAnswer) } },
    },
    async ({ actor, base, params: { id } }, reply) =>
      sendHal(reply, shown(base, actor.accountId, await seeFile(database, actor, id))),
  )

  app.post(
    path,
    {
      config: { access: 'user' },
      schema: {
        querystring: UploadQuery,
        body: bytes(),
        response: { 201: hal('The stored file', FileAnswer) },
      },
    },
    async ({ actor, base, body, headers, query: { name = '' } }, reply) => {
      const { accountId } = actor
      const type = headers['content-type']
      if (type?.toLowerCase().startsWith('multipart/'))
        throw unsupportedMediaType('The body must be the file itself, without a form around it')
      const size = Number(headers['content-length'] ?? 0)
      const most = config.fileMaxBytes
      if (size > most) throw payloadTooLarge(`A file has at most ${most} bytes`, most)
      const others = uploads.get(accountId) ?? 0
      if (others >= mostUploads) throw tooManyRequests(1, 'Too many uploads at once; send fewer')
      uploads.set(accountId, others + 1)
      try {
        const file = await storeFile(kontor, actor, { name, type, size }, body)
        return await sendHal(reply.code(201), shown(base, accountId, file))
      } finally {
        const left = uploads.get(accountId)! - 1
        if (left === 0) uploads.delete(accountId)
        else uploads.set(accountId, left)
      }
    },
  )

  app.get(
    '/files/:account/:uid/:name',
    { config: { access: 'public' }, schema: { params: FilePath, querystring: SignedQuery } },
    async ({ headers, method, params: { account, uid }, query }, reply) => {
      // Before any statement: a stranger costs an HMAC.
      if (!isSigned(kontor, account, uid, query))
        throw forbidden('This address is not valid, or it has ended')
      const file = await fileAt(database, account, uid)
      if (!file) throw notFound('There is no such file')
      if (file.state !== 'stored' || file.size === null) throw stillFetching()
      const etag = `"${file.uid}"`
      setHeaders(reply, file, Number(query.expires) - kontor.now())
      reply.header('etag', etag)
      if (headers['if-none-match'] === etag) return reply.code(304).send()
      const isFresh = headers['if-range'] === undefined || headers['if-range'] === etag
      const range = isFresh ? rangeOf(headers.range, file.size) : undefined
      if (range === 'none')
        throw new Problem(416, `The file has ${file.size} bytes`, {
          headers: { 'content-range': `bytes */${file.size}` },
        })
      const { from, to } = range ?? { from: 0, to: file.size - 1 }
      const stream =
        method === 'HEAD'
          ? Readable.from([])
          : await fileStoreOf(config).open(fileKey(account, file.uid), { from, to })
      if (!stream) throw notFound('The file has been lost')
      reply.header('content-length', to - from + 1)
      if (range) reply.code(206).header('content-range', `bytes ${from}-${to}/${file.size}`)
      return reply.send(stream)
    },
  )
}

/** 404 rather than 425, which programs do not know. */
const stillFetching = () =>
  new Problem(404, 'The file is still being fetched', {
    headers: { 'retry-after': String(fetchingSeconds) },
  })

/** `seconds`: the rest of the time of the address. */
function setHeaders(reply: FastifyReply, { name, type }: FileRow, seconds: number): void {
  const how = isShown(type) ? 'inline' : 'attachment'
  reply.headers({
    // Under another type a script of ours could be made of it.
    'content-type': how === 'inline' ? type : anyType,
    'content-disposition': disposition(how, name),
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cache-control': `private, max-age=${seconds}, immutable`,
    'accept-ranges': 'bytes',
  })
}

/**
 * The part that a Range header asks for (RFC 9110, 14.2); `none` if the file has no such part.
 * Undefined for no header, and for what is better answered whole: other units, and several ranges.
 */
function rangeOf(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '')
    return Number(last) === 0 ? 'none' : { from: Math.max(0, size - Number(last)), to: size - 1 }
  const from = Number(first)
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < from) return undefined
  return from >= size ? 'none' : { from, to }
}
