import { expect, test } from 'vitest'
import { raw } from '../../../../test/raw.ts'
import { server } from '../../../../test/server.ts'

test('the page names only files of its own, and forbids the browser everything else', async () => {
  const { kontor } = await server()
  const { status, headers, text } = await raw(kontor, { path: '/developers' })
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toMatch(/^default-src 'self';.*frame-ancestors 'none'/)
  expect(text).not.toMatch(/<script(?![^>]* src=)|<style|https?:|\bon\w+=/)
  const names = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, name]) => name!)
  expect(names.length).toBeGreaterThan(3)
  for (const path of names) expect((await raw(kontor, { path })).status).toBe(200)
  expect((await raw(kontor, { path: '/developers/' })).text).toBe(text)
})

test.each([
  '/developers',
  '/developers/page.js',
  '/developers/swagger-ui-bundle.js',
  '/developers/openapi.json',
])('%s has an ETag, and no second copy goes to who has it', async (path) => {
  const { kontor } = await server()
  const { headers, text } = await raw(kontor, { path })
  expect(headers.etag).toMatch(/^"[\w-]{22}"$/)
  expect(headers['cache-control']).toMatch(/^no-cache$|^public, max-age=86400$/)
  for (const known of [headers.etag!, `W/${headers.etag}, "another"`]) {
    const again = await raw(kontor, { path, headers: { 'if-none-match': known } })
    expect(again).toMatchObject({ status: 304, text: '' })
  }
  expect((await raw(kontor, { path, headers: { 'if-none-match': '"another"' } })).text).toBe(text)
  const packed = await fetch(kontor.url + path, { headers: { 'accept-encoding': 'gzip' } })
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect(await packed.text()).toBe(text)
  expect(
    (await raw(kontor, { path, headers: { 'accept-encoding': 'br, gzip;q=0' } })).headers[
      'content-encoding'
    ],
  ).toBeUndefined()
})

test('the document names the address at which it was found', async () => {
  const { kontor } = await server({ url: 'https://crm.example.com' })
  const { address } = await server({ url: 'https://crm.example.com' })
  const serversAt = async (host: string) => {
    const { text } = await raw(
      { url: address },
      { path: '/developers/openapi.json', headers: { host } },
    )
    return (JSON.parse(text) as { servers: unknown }).servers
  }
  expect(await serversAt('crm.example.com')).toEqual([{ url: kontor.url }])
  expect(await serversAt('demo.crm.example.com')).toEqual([{ url: 'https://demo.crm.example.com' }])
  expect(await serversAt('elsewhere.example')).toEqual([{ url: kontor.url }])
})

test('nothing else is to be had there', async () => {
  const { kontor } = await server()
  for (const file of [
    'package.json',
    'page',
    '..%2f..%2fconfig.ts',
    '__proto__',
    'swagger-ui-bundle.js.map',
    'routes.ts',
  ])
    expect((await raw(kontor, { path: `/developers/${file}` })).status).toBe(404)
})

test('the references of the document lead into itself, and never in circles, as the page needs', async () => {
  const { kontor } = await server()
  const document = JSON.parse(
    (await raw(kontor, { path: '/developers/openapi.json' })).text,
  ) as object
  let references = 0
  const follow = (part: unknown, above: readonly string[]): void => {
    if (typeof part !== 'object' || part === null) return
    const { $ref } = part as { $ref?: unknown }
    if (typeof $ref !== 'string') return Object.values(part).forEach((each) => follow(each, above))
    references++
    expect($ref).toMatch(/^#\//)
    expect(above).not.toContain($ref)
    const target = $ref
      .slice(2)
      .split('/')
      .reduce((whole, name) => (whole as Record<string, object>)[name]!, document)
    expect(target).toBeDefined()
    follow(target, [...above, $ref])
  }
  follow(document, [])
  expect(references).toBeGreaterThan(100)
})
