// The web application as the server answers it, through HTTP. Browsers walk it in test/browser.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { raw } from '../../test/raw.ts'
import { server } from '../../test/server.ts'
import { signIn } from '../../test/session.ts'
import { ensureBuild, idOfSources } from './build.ts'
import { pageMaker } from './page.ts'

const password = 'correct horse'

async function visitor(language = 'en') {
  const account = await newAccount()
  const email = `${crypto.randomUUID()}@example.com`
  await account.addUser({ name: 'Ann Lee', email, password, language })
  const { cookie } = await signIn(account.kontor, { email, password })
  return { account, cookie, kontor: account.kontor }
}

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the page', () => {
  test('is at each address of the application, in the language of its user', async () => {
    const { kontor, cookie } = await visitor('ru')
    for (const address of [
      '/',
      '/home',
      '/events',
      '/products',
      '/notifications',
      '/settings',
      '/settings/webhooks/1',
      '/leads/1',
      '/leads/list',
      '/contacts',
      '/companies',
      '/customers',
      '/bin',
      '/bin/contacts',
      '/customers/board',
    ]) {
      const { status, headers, text } = await raw(kontor, { path: address, headers: { cookie } })
      expect(status).toBe(200)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['cache-control']).toBe('no-store')
      expect(text).toContain('<html lang="ru"')
    }
  })

  test('allows only its own files and what has the nonce of this answer', async () => {
    const { kontor, cookie } = await visitor()
    const nonces = await Promise.all(
      [1, 2].map(async () => {
        const { headers, text } = await raw(kontor, { path: '/', headers: { cookie } })
        const policy = String(headers['content-security-policy'])
        const [, nonce] = /script-src 'self' 'nonce-([^']+)'/.exec(policy)!
        expect(policy).toContain("default-src 'self'")
        expect(policy).toContain("frame-ancestors 'none'")
        expect(policy).not.toMatch(/unsafe|https?:|\*/)
        expect(text).not.toContain('__NONCE__')
        for (const [tag] of text.matchAll(/<(?:script|style)\b[^>]*>/g))
          expect(tag).toContain(`nonce="${nonce}"`)
        return nonce
      }),
    )
    expect(nonces[0]).not.toBe(nonces[1])
  })

  test('holds the data of the start, which no name in it can break out of', async () => {
    const account = await newAccount()
    const email = `${crypto.randomUUID()}@example.com`
    await account.addUser({ name: 'Ann', email, password })
    await account.api.post('/api/v4/leads/pipelines', [
      { name: '</script><script>alert(1)</script>', sort: 1, is_main: false, is_unsorted_on: true },
    ])
    const { cookie } = await signIn(account.kontor, { email, password })
    const { text } = await raw(account.kontor, { path: '/', headers: { cookie } })
    expect(text).not.toContain('<script>alert')
    const [, json] = /<script id="start"[^>]*>([^<]*)<\/script>/.exec(text)!
    const start = JSON.parse(json!) as {
      session: { user: { email: string } }
      bootstrap: { me: { name: string }; pipelines: { name: string }[] }
    }
    expect(start.session.user.email).toBe(email)
    expect(start.bootstrap.me.name).toBe('Ann')
    expect(start.bootstrap.pipelines.map(({ name }) => name)).toContain(
      '</script><script>alert(1)</script>',
    )
  })

  test('carries the preferences of the user, and their look on its root', async () => {
    const account = await newAccount()
    const { kontor } = account
    const user = await account.addUser({ password: 'correct horse' })
    const { cookie } = await signIn(kontor, { email: user.email, password: 'correct horse' })
    const page = async () => (await raw(kontor, { path: '/', headers: { cookie } })).text
    expect(/<html[^>]*>/.exec(await page())![0]).toMatch(
      /^<html lang="en" data-density="normal" data-build="[^"]+" data-busy="start">$/,
    )
    const chosen = { theme: 'dark', density: 'compact', reduced_motion: true }
    await user.api.patch('/web/v1/preferences', chosen)
    const text = await page()
    expect(/<html[^>]*>/.exec(text)![0]).toContain(
      'data-mantine-color-scheme="dark" data-density="compact" data-motion="reduced"',
    )
    const [, json] = /<script id="start"[^>]*>([^<]*)<\/script>/.exec(text)!
    const start = JSON.parse(json!) as { preferences: Record<string, unknown> }
    expect(start.preferences).toMatchObject(chosen)
  })

  test.each([
    ['/', '/login'],
    ['/settings/webhooks?x=1', '/login?next=%2Fsettings%2Fwebhooks%3Fx%3D1'],
  ])('without a session, %s leads to the sign-in and back', async (address, location) => {
    const { kontor } = await server()
    const { status, headers } = await raw(kontor, { path: address, headers: html })
    expect([status, headers.location]).toEqual([303, location])
  })

  test('a token is no session', async () => {
    const { kontor, admin } = await newAccount()
    const authorization = `Bearer ${admin.token}`
    const { status } = await raw(kontor, { path: '/', headers: { ...html, authorization } })
    expect(status).toBe(303)
  })

  test('at an unknown address answers a browser, and a problem answers a program', async () => {
    const { kontor, cookie } = await visitor()
    const browser = await raw(kontor, { path: '/nothing', headers: { ...html, cookie } })
    expect([browser.status, browser.headers['content-type']]).toEqual([
      404,
      'text/html; charset=utf-8',
    ])
    for (const [address, headers] of [
      ['/nothing', { accept: '*/*', cookie }],
      ['/nothing', { accept: 'application/json', cookie }],
      ['/web/v1/nothing', { ...html, cookie }],
      ['/assets', { ...html, cookie }],
    ] as const) {
      const program = await raw(kontor, { path: address, headers })
      expect([program.status, program.headers['content-type']]).toEqual([
        404,
        'application/problem+json',
      ])
    }
  })

  test('names the screen of its address, the texts of its language and the letters before they are asked for', async () => {
    const { kontor, cookie } = await visitor('ru')
    for (const [address, screen] of [
      ['/', 'board'],
      ['/home', 'home'],
      ['/settings/users', 'users'],
      ['/settings/webhooks/1', 'settings'],
      ['/settings/absent', 'settings'],
    ]) {
      const { text } = await raw(kontor, { path: address!, headers: { cookie } })
      const links = [...text.matchAll(/<link rel="(?:module)?preload"[^>]* href="([^"]+)"/g)].map(
        ([, href]) => href!,
      )
      for (const name of [screen!, 'ru', 'inter-cyrillic-wght-normal'])
        expect(
          links.some((link) => link.startsWith(`/assets/${name}-`)),
          `${address} ${name}`,
        ).toBe(true)
      for (const path of links) expect((await raw(kontor, { path })).status).toBe(200)
    }
  })

  test('needs its places in the template', () => {
    expect(() => pageMaker('<!doctype html><html lang="en"></html>')).toThrow('lacks its places')
  })
})

describe('the files', () => {
  test('are kept for good, and come in the best form that the browser takes', async () => {
    const { kontor, cookie } = await visitor()
    const { text } = await raw(kontor, { path: '/', headers: { cookie } })
    const names = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, name]) => name!,
    )
    expect(names.length).toBeGreaterThan(1)
    for (const name of names) {
      const get = (accepted: string) =>
        fetch(kontor.url + name, { headers: { 'accept-encoding': accepted } })
      const plain = await get('identity')
      expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(plain.headers.get('vary')).toBe('accept-encoding')
      expect(plain.headers.get('content-encoding')).toBeNull()
      const whole = await plain.text()
      for (const [accepted, encoding] of [
        ['gzip, deflate, br', 'br'],
        ['gzip', 'gzip'],
        ['br;q=0, gzip', 'gzip'],
      ] as const) {
        const answer = await get(accepted)
        expect(answer.headers.get('content-encoding')).toBe(encoding)
        expect(await answer.text()).toBe(whole)
      }
    }
  })

  test.each(['/assets/absent.js', '/assets/..%2findex.html', '/assets/%2e%2e%2fbuild-id'])(
    '%s is none of them',
    async (address) => {
      const { kontor } = await server()
      expect((await raw(kontor, { path: address })).status).toBe(404)
    },
  )
})

describe('the build', () => {
  test('is made once and then taken; its texts are compressed beside them', async () => {
    const data = await mkdtemp(path.join(tmpdir(), 'kontor-build-'))
    onTestFinished(() => rm(data, { recursive: true, force: true }))
    const said: string[] = []
    const options = { data, say: (line: string) => void said.push(line) }
    const first = await ensureBuild(options)
    said.length = 0
    expect(await ensureBuild(options)).toEqual(first)
    expect(said).toEqual([])
    const { kontor } = await server()
    const answer = await fetch(`${kontor.url}/web/v1/build`)
    expect(await answer.json()).toEqual({ id: first.id })
    const mark = path.join(first.folder, 'mark.svg')
    const text = await readFile(mark, 'utf8')
    expect(brotliDecompressSync(await readFile(`${mark}.br`)).toString()).toBe(text)
    expect(gunzipSync(await readFile(`${mark}.gz`)).toString()).toBe(text)
  })
})

test('builds of other processes come and go while the sources are read', async () => {
  const draft = path.join(import.meta.dirname, '../../web/dist', `.draft-${crypto.randomUUID()}`)
  const over = new AbortController()
  const others = (async () => {
    while (!over.signal.aborted) {
      await mkdir(path.join(draft, 'assets/fonts'), { recursive: true })
      await rm(draft, { recursive: true })
    }
  })()
  const ids = new Set<string>()
  for (let times = 0; times < 30; times++) ids.add(await idOfSources(false))
  over.abort()
  await others
  expect(ids.size).toBe(1)
})
