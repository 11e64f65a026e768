// How the server listens: plain or with TLS, how long it keeps connections, and which proxies it
// trusts.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { ServerOptions } from 'node:http'
import type { Server } from 'node:https'
import type { App } from '../kontor.ts'
import type { Config } from '../config.ts'

/**
 * The most bytes of the request line and headers together; more gets 431. A filter of 250 ids takes
 * about 8 KiB.
 */
const mostHeaders = 16 * 1024

/**
 * The options for Fastify. Throws an Error of one line when the certificate or its key cannot be
 * used.
 */
export function listenOptions(config: Config) {
  const options: ServerOptions = { maxHeaderSize: mostHeaders, headersTimeout: 20_000 }
  return {
    // Proxies keep idle connections for a minute. The proxy must be the one that closes them.
    keepAliveTimeout: 75_000,
    trustProxy: config.trustedProxy.length > 0 && config.trustedProxy,
    ...(config.tlsCert === undefined
      ? { http: options }
      : { https: { ...options, ...readPair(config) } }),
  }
}

const lookEveryMs = 10_000

/** Uses a new certificate as soon as its files change. Open connections keep the old one. */
export function renewCertificate(app: App, config: Config, everyMs = lookEveryMs): void {
  const files = [config.tlsCert, config.tlsKey].flatMap((file) => file ?? [])
  if (files.length === 0) return
  const renew = () => {
    try {
      ;(app.server as unknown as Server).setSecureContext(readPair(config))
      app.log.info({ file: config.tlsCert }, 'the certificate has been renewed')
    } catch (error) {
      // The two files are written one after the other. In between they do not match; the second
      // change runs this again.
      app.log.warn({ err: error }, 'the new certificate cannot be used; the old one stays')
    }
  }
  // Polling works where file notices do not: on mounted folders, and through symbolic links that
  // renewal programs replace. Contents are compared with those of the start: a watcher would miss
  // what changes before its first look.
  let known = files.map((file) => readFileSync(file, 'utf8')).join('\0')
  const look = async () => {
    const contents = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
    const now = contents.join('\0')
    if (now === known) return
    known = now
    renew()
  }
  const timer = setInterval(() => void look(), everyMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

const loopbackHosts = ['127.0.0.1', '::1', '[::1]', 'localhost']

/** Whether others than this machine may reach the server: by its own address, or by a proxy's. */
export function isOpenToOthers({
  host,
  url,
  trustedProxy,
}: Pick<Config, 'host' | 'url' | 'trustedProxy'>): boolean {
  const name = url === undefined ? 'localhost' : new URL(url).hostname
  const isPublic = !loopbackHosts.includes(name) && !name.endsWith('.localhost')
  return !loopbackHosts.includes(host) || isPublic || trustedProxy.length > 0
}

interface Pair {
  cert: Buffer
  key: Buffer
}

/** Reads the certificate and its key. Throws an Error of one line when they cannot be used. */
export function readPair({ tlsCert, tlsKey }: Config): Pair {
  const cert = read('KONTOR_TLS_CERT', tlsCert!)
  const key = read('KONTOR_TLS_KEY', tlsKey!)
  const parse = <Parsed>(name: string, what: string, work: () => Parsed): Parsed => {
    try {
      return work()
    } catch {
      throw new Error(`${name} does not hold ${what} in PEM form`)
    }
  }
  const certificate = parse('KONTOR_TLS_CERT', 'a certificate', () => new X509Certificate(cert))
  const privateKey = parse('KONTOR_TLS_KEY', 'a private key without a passphrase', () =>
    createPrivateKey(key),
  )
  if (!certificate.checkPrivateKey(privateKey))
    throw new Error('KONTOR_TLS_KEY is not the key of the certificate in KONTOR_TLS_CERT')
  return { cert, key }
}

function read(name: string, file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new Error(`${name} names ${file}, which cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}
