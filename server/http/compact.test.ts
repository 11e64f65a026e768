import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compactJson } from './compact.ts'

/** The text that PostgreSQL makes of jsonb. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`,
  )
  return `{${members.join(', ')}}`
}

test('no space is left between the parts of any JSON, and every string stays as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(compactJson(spaced(value))).toBe(JSON.stringify(value))
    }),
  )
})

test.for([
  ['{"text": "a: b, \\"c\\", d"}', '{"text":"a: b, \\"c\\", d"}'],
  ['["\\\\", "\\\\\\" x", " ", ""]', '["\\\\","\\\\\\" x"," ",""]'],
  ['{}', '{}'],
  ['null', 'null'],
  ['', ''],
  ['["never ended', '["never ended'],
] as const)('%s becomes %s', ([json, compacted]) => {
  expect(compactJson(json)).toBe(compacted)
})
