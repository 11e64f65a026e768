import { readFile } from 'node:fs/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../../http/problem.ts'
import type { App } from '../../../kontor.ts'
import { askFirst, assetNamed, assetOf } from './assets.ts'
import type { Asset } from './assets.ts'
import { filtersPage } from './filters.ts'

/** The icons in the library's style sheet are data URLs. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const ofPages = { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }

/**
 * `/developers`: the API reference, made from the OpenAPI document. It loads nothing from other
 * servers.
 */
export function developerRoutes(app: App): void {
  const config = { access: 'public' as const }

  app.get('/developers', { config }, async (request, reply) => {
    reply.headers(ofPages)
    return send(request, reply, (await assetNamed('page.html'))!)
  })

  app.get('/developers/filters', { config }, async (request, reply) => {
    reply.headers(ofPages)
    return send(request, reply, await filtersPage())
  })

  app.get('/developers/openapi.json', { config }, async (request, reply) =>
    send(request, reply, await documentFor(request.base)),
  )

  app.get('/developers/:file', { config }, async (request, reply) => {
    const asset = await assetNamed((request.params as { file: string }).file)
    if (!asset) throw notFound('There is nothing at this address')
    return send(request, reply, asset)
  })
}

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, gzipped, etag, keep }: Asset,
): FastifyReply {
  const { 'if-none-match': known, 'accept-encoding': takes = '' } = request.headers
  reply.headers({ 'cache-control': keep, 'content-type': type, etag, vary: 'accept-encoding' })
  if (known?.split(',').some((each) => each.trim().replace(/^W\//, '') === etag))
    return reply.code(304).send()
  if (!/\bgzip\b(?!;q=0(?:\.0*)?(?:,|$))/.test(takes)) return reply.send(body)
  return reply.header('content-encoding', 'gzip').send(gzipped)
}

const published = new URL('../../../../docs/api/openapi.json', import.meta.url)

/**
 * The document for the last few addresses that were requested. A Host may name any account, so the
 * number is bounded.
 */
const documents = new Map<string, Promise<Asset>>()
const mostDocuments = 20

function documentFor(base: string): Promise<Asset> {
  let document = documents.get(base)
  if (!document) {
    document = readDocument(base)
    documents.set(base, document)
    if (documents.size > mostDocuments) documents.delete(documents.keys().next().value!)
  }
  return document
}

async function readDocument(base: string): Promise<Asset> {
  const document = JSON.parse(await readFile(published, 'utf8')) as object
  const text = JSON.stringify({ ...document, servers: [{ url: base }] })
  return await assetOf(Buffer.from(text), 'application/json', askFirst)
}
