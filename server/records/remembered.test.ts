import { expect, onTestFinished, test } from 'vitest'
import { newAccount } from '../../test/account.ts'
import { addField } from '../../test/fields.ts'
import { addRecord, readRecord, tagNames } from '../../test/records.ts'
import { scratchDatabase } from '../../test/scratch.ts'

test('what is remembered of an account is not taken for one with its id in another database', async () => {
  const seen = []
  for (const name of ['Vip', 'Partner']) {
    const scratch = await scratchDatabase()
    onTestFinished(() => scratch.drop())
    const account = await newAccount({ databaseUrl: scratch.url })
    const field = await addField(account, 'contacts', { name: `Of ${name}`, type: 'text' })
    const contact = await addRecord(account.api, 'contacts', {
      _embedded: { tags: [{ name }] },
      custom_fields_values: [{ field_id: field.id, values: [{ value: name }] }],
    })
    const shown = await readRecord(account.api, 'contacts', contact)
    expect(tagNames(shown)).toEqual([name])
    expect(shown.custom_fields_values[0]).toMatchObject({ field_name: `Of ${name}` })
    seen.push([account.id, shown._embedded.tags[0].id, field.id])
  }
  expect(seen[0]).toEqual(seen[1])
})
