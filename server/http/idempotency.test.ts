import { expect, test } from 'vitest'
import { hashRequest } from './idempotency.ts'

test.each([{ 'content-length': '2' }, { 'transfer-encoding': 'chunked' }])(
  'a body that no parser hashed is a bug, not an empty body: %o',
  (headers) => {
    const request = { method: 'POST', url: '/api/v4/leads', headers, bodyHash: undefined }
    expect(() => hashRequest(request)).toThrow('was not hashed')
    expect(hashRequest({ ...request, bodyHash: Buffer.from('a') })).not.toEqual(
      hashRequest({ ...request, headers: {} }),
    )
  },
)
