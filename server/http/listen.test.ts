import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import fastify from 'fastify'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { newCertificate } from '../../test/certificate.ts'
import { server } from '../../test/server.ts'
import type { App } from '../kontor.ts'
import { readConfig } from '../config.ts'
import type { Config } from '../config.ts'
import { listenOptions, renewCertificate } from './listen.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'kontor-tls-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The files of one test, with this certificate and key. */
function filesWith(name: string, pair = newCertificate(name)) {
  const files = {
    tlsCert: path.join(folder, `${name}.crt`),
    tlsKey: path.join(folder, `${name}.key`),
  }
  write(files, pair)
  return { ...pair, files }
}

function write(
  { tlsCert, tlsKey }: { tlsCert: string; tlsKey: string },
  { cert, key }: { cert: string; key: string },
): void {
  writeFileSync(tlsKey, key)
  writeFileSync(tlsCert, cert)
}

/** Sends a request over TLS that trusts only `ca`. */
function ask(
  url: string,
  ca: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string; protocol: string }> {
  return new Promise((resolve, reject) => {
    const request = https.get(url, { ca, headers, agent: false }, (response) => {
      let body = ''
      const protocol = (response.socket as tls.TLSSocket).getProtocol()!
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => resolve({ status: response.statusCode!, body, protocol }))
    })
    request.on('error', reject)
  })
}

/** The name on a server's certificate. */
function shown(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.destroy()
    })
    socket.on('error', reject)
  })
}

describe('with a certificate', () => {
  test('the server speaks TLS, and its links say so', async () => {
    const { files, cert } = filesWith('first')
    const { kontor, admin } = await newAccount(files)
    expect(kontor.url).toMatch(/^https:/)
    const answer = await ask(`${kontor.url}/api/v4/account`, cert, {
      authorization: `Bearer ${admin.token}`,
    })
    expect(answer.status).toBe(200)
    expect(answer.protocol).toBe('TLSv1.3')
    expect(JSON.parse(answer.body)._links.self.href).toBe(`${kontor.url}/api/v4/account`)
    await expect(ask(`${kontor.url}/health`, newCertificate('another').cert)).rejects.toThrow(
      /certificate/,
    )
    await expect(fetch(`${kontor.url.replace('https', 'http')}/health`)).rejects.toThrow()
  })

  test('a renewed one is taken up without a restart, a broken one is not', async () => {
    const { files } = filesWith('old')
    const config = { ...readConfig({}), ...files }
    const app = fastify(listenOptions(config)) as unknown as App
    const refused = vi.spyOn(app.log, 'warn')
    onTestFinished(() => refused.mockRestore())
    renewCertificate(app, config, 20)
    await app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = app.server.address() as AddressInfo
    expect(await shown(port)).toBe('old')
    writeFileSync(files.tlsCert, newCertificate('of another key').cert)
    await vi.waitFor(() => expect(refused).toHaveBeenCalled(), { timeout: 10_000 })
    expect(await shown(port)).toBe('old')
    write(files, newCertificate('new'))
    await vi.waitFor(async () => expect(await shown(port)).toBe('new'), { timeout: 10_000 })
    await app.close()
  })
})

describe('a server does not start', () => {
  const { cert, key, files } = filesWith('one')
  const cases = [
    ['without the file', undefined, key, /KONTOR_TLS_CERT names .*, which cannot be read/],
    [
      'with a certificate that is none',
      'hello',
      key,
      /KONTOR_TLS_CERT does not hold a certificate/,
    ],
    ['with a key that is none', cert, 'hello', /KONTOR_TLS_KEY does not hold a private key/],
    [
      'with the key of another certificate',
      cert,
      newCertificate('two').key,
      /KONTOR_TLS_KEY is not the key of the certificate/,
    ],
  ] as const
  test.each(cases)('%s', (_, certText, keyText, complaint) => {
    rmSync(files.tlsCert, { force: true })
    if (certText !== undefined) writeFileSync(files.tlsCert, certText)
    writeFileSync(files.tlsKey, keyText)
    expect(() => listenOptions({ ...readConfig({}), ...files })).toThrow(complaint)
  })

  test('with half of what TLS takes, or with proxies that are no addresses', () => {
    expect(() => readConfig({ KONTOR_TLS_CERT: 'cert.pem' })).toThrow('KONTOR_TLS_KEY is not set')
    expect(() => readConfig({ KONTOR_TLS_KEY: 'key.pem' })).toThrow('KONTOR_TLS_CERT is not set')
    for (const text of ['1', 'proxy.example.com', '10.0.0.0/33', '10.0.0.0/8/8', '::1/x'])
      expect(() => readConfig({ TRUSTED_PROXY: text })).toThrow(`TRUSTED_PROXY holds "${text}"`)
    expect(
      readConfig({ TRUSTED_PROXY: '127.0.0.1, 10.0.0.0/8,fd00::/8, loopback' }).trustedProxy,
    ).toEqual(['127.0.0.1', '10.0.0.0/8', 'fd00::/8', 'loopback'])
  })
})

describe('headers of a proxy', () => {
  const url = 'https://crm.example.com'
  const forwarded = {
    'x-forwarded-for': '198.51.100.7',
    'x-forwarded-proto': 'https',
    host: '127.0.0.1:8080',
  }

  async function self(address: string, token: string, host: string): Promise<unknown> {
    const headers = { ...forwarded, 'x-forwarded-host': host, authorization: `Bearer ${token}` }
    const response = await fetch(`${address}/api/v4/account`, { headers })
    return response.status === 200
      ? ((await response.json()) as { _links: { self: { href: string } } })._links.self.href
      : response.status
  }

  test('are believed from a trusted one: the host names the account', async () => {
    const { admin, subdomain, address } = await behind({ url, trustedProxy: ['127.0.0.1'] })
    expect(await self(address, admin.token, `${subdomain}.crm.example.com`)).toBe(
      `https://${subdomain}.crm.example.com/api/v4/account`,
    )
    expect(await self(address, admin.token, 'another.crm.example.com')).toBe(401)
    expect(await self(address, admin.token, 'crm.example.com')).toBe(`${url}/api/v4/account`)
  })

  test('are not believed from anybody else', async () => {
    for (const trustedProxy of [[], ['192.0.2.1', '10.0.0.0/8']]) {
      const { admin, address } = await behind({ url, trustedProxy })
      expect(await self(address, admin.token, 'another.crm.example.com')).toBe(
        `${url}/api/v4/account`,
      )
    }
  })

  test('give the address that limits count', async () => {
    for (const [trustedProxy, isCounted] of [
      [['127.0.0.1'], false],
      [[], true],
    ] as const) {
      const { address } = await behind({
        url,
        trustedProxy: [...trustedProxy],
        rateLimitAddress: 1,
      })
      // At once: time that passes lets more in.
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, client) => {
          // The client's own entry stands before the one that the proxy added.
          const headers = { 'x-forwarded-for': `203.0.113.1, 198.51.100.${client}` }
          return fetch(`${address}/oauth2/access_token`, { method: 'POST', headers })
        }),
      )
      expect(answers.some(({ status }) => status === 429)).toBe(isCounted)
    }
  })

  async function behind(settings: Partial<Config>) {
    const account = await newAccount(settings)
    return { ...account, address: (await server(settings)).address }
  }
})
