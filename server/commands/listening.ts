// The checks of `kontor doctor` for the server's certificate and port.
import { X509Certificate } from 'node:crypto'
import http from 'node:http'
import https from 'node:https'
import net from 'node:net'
import type { Config } from '../config.ts'
import { readPair } from '../http/listen.ts'

export type Finding = [level: 'ok' | 'warn' | 'fail', text: string]

export function certificate(config: Config): Finding {
  try {
    const { validToDate, subjectAltName } = new X509Certificate(readPair(config).cert)
    const text = `certificate: for ${subjectAltName ?? 'nobody in particular'}, good until ${validToDate.toISOString()}`
    const days = (validToDate.getTime() - Date.now()) / 86_400_000
    return days > 14
      ? ['ok', text]
      : ['warn', `${text}: renew it; a running server takes it up by itself`]
  } catch (error) {
    return ['fail', `certificate: ${(error as Error).message}`]
  }
}

export async function port({ host, port, tlsCert }: Config): Promise<Finding> {
  const address = `port ${port} on ${host}`
  const probe = net.createServer()
  const fault = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    probe.once('error', resolve).listen(port, host, () => resolve(undefined))
  })
  if (!fault) {
    await new Promise((resolve) => probe.close(resolve))
    return ['ok', `${address} is free`]
  }
  if (fault.code === 'EACCES')
    return ['fail', `${address} is reserved for root: set PORT to 1024 or more`]
  if (fault.code !== 'EADDRINUSE')
    return ['fail', `${address}: ${fault.message}. Set HOST to an address of this machine`]
  if (await isKontor(host, port, tlsCert === undefined ? http : https))
    return ['ok', `${address} is answered by Kontor itself`]
  return ['fail', `${address} is taken by another program: stop it, or set PORT to another number`]
}

/** Accepts any certificate: the check is only which program has the port. */
async function isKontor(
  host: string,
  port: number,
  by: typeof http | typeof https,
): Promise<boolean> {
  const local = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  const options = {
    host: local,
    port,
    path: '/health',
    timeout: 5000,
    rejectUnauthorized: false,
    agent: false,
  }
  const text = await new Promise<string>((resolve) => {
    const request = by.get(options, (response) => {
      response.toArray().then(
        (chunks) => resolve(Buffer.concat(chunks).toString()),
        () => resolve(''),
      )
    })
    request
      .on('error', () => resolve(''))
      .on('timeout', () => request.destroy(new Error('it does not answer')))
  })
  return /"kontor"/i.test(text)
}
