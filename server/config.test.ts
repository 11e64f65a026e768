// The values that each setting takes, and the one line that refuses a wrong value.
import path from 'node:path'
import { expect, test } from 'vitest'
import { readConfig, settings } from './config.ts'

test('without variables every setting has its default', () => {
  expect(readConfig({})).toMatchObject({
    port: 8080,
    host: '127.0.0.1',
    url: undefined,
    data: path.resolve('data'),
    databaseUrl: undefined,
    emptyList: undefined,
    unknownKeys: 'reject',
    privateHooks: undefined,
    bodyLimit: 4_194_304,
    compression: true,
    trustedProxy: [],
    hasGallery: false,
    demo: true,
    logLevel: 'info',
  })
})

test('an empty variable counts as not set', () => {
  const empty = Object.fromEntries(Object.values(settings).map(({ name }) => [name, '']))
  expect(readConfig(empty)).toEqual(readConfig({}))
})

test('values are read as what they stand for', () => {
  expect(
    readConfig({
      PORT: '0',
      KONTOR_URL: 'https://crm.example.com/',
      EMPTY_LIST: '204',
      COMPRESSION: 'off',
      TRUSTED_PROXY: ' 127.0.0.1, fd00::/8,loopback ',
      KONTOR_TLS_CERT: 'cert.pem',
      KONTOR_TLS_KEY: '/key.pem',
    }),
  ).toMatchObject({
    port: 0,
    url: 'https://crm.example.com',
    emptyList: 204,
    compression: false,
    trustedProxy: ['127.0.0.1', 'fd00::/8', 'loopback'],
    tlsCert: path.resolve('cert.pem'),
    tlsKey: path.resolve('/key.pem'),
  })
})

test.each([
  [{ PORT: '65536' }, 'PORT is "65536", but it takes a whole number from 0 to 65535'],
  [{ BIN_DAYS: '1.5' }, 'BIN_DAYS is "1.5", but it takes a whole number from 1 to 36500'],
  [{ EMPTY_LIST: '404' }, 'EMPTY_LIST is "404", but it takes one of 200, 204'],
  [{ KONTOR_GALLERY: 'yes' }, 'KONTOR_GALLERY is "yes", but it takes one of off, on'],
  [
    { ALLOW_PRIVATE_HOOKS: 'some' },
    'ALLOW_PRIVATE_HOOKS is "some", but it takes one of none, loopback, all',
  ],
  [
    { KONTOR_URL: 'https://crm.example.com/kontor' },
    'KONTOR_URL is "https://crm.example.com/kontor", but it takes an address like https://crm.example.com, without a path',
  ],
  [
    { TRUSTED_PROXY: '10.0.0.0/33' },
    'TRUSTED_PROXY holds "10.0.0.0/33", but it takes addresses and networks with commas between, like 127.0.0.1,10.0.0.0/8, or loopback, linklocal, uniquelocal',
  ],
  [
    { KONTOR_TLS_KEY: 'key.pem' },
    'KONTOR_TLS_CERT is not set, but HTTPS takes a certificate and its key',
  ],
  [{ FILES_S3_PREFIX: 'x' }, 'FILES_S3_BUCKET is not set, but FILES_S3_PREFIX is'],
  [
    { FILES_S3_BUCKET: 'x', FILES_S3_SECRET_KEY: 'x' },
    'FILES_S3_ACCESS_KEY is not set, but an access key takes its secret',
  ],
])('%o is refused', (env, line) => {
  expect(() => readConfig(env)).toThrow(new Error(line))
})
