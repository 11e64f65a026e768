// Phones and e-mails: predefined fields of contacts and companies, with a label for each value
// (entities reference, 15.5).
import { describe, expect, test } from 'vitest'
import { newAccount } from '../../../test/account.ts'
import { fill, firstFields, readFilled, shownAs, valueOf } from '../../../test/fields.ts'
import { faultsOf } from '../../../test/leads.ts'
import { addRecord, kinds, pathOf } from '../../../test/records.ts'
import type { Field } from './definitions.ts'

describe.each(kinds)('%s', (kind) => {
  async function start() {
    const account = await newAccount()
    const fields = await firstFields(account, kind)
    const byCode = (code: string) => fields.find((field) => field.code === code)!
    return { ...account, account, phone: byCode('PHONE'), email: byCode('EMAIL') }
  }
  const labelled = ({ enums }: Field, value: string, code: string) => {
    const { id } = enums.find((each) => each.code === code)!
    return { value, enum_id: id, enum_code: code }
  }

  test('have both, with the same ids and kinds whichever they are', async () => {
    const { account, phone, email } = await start()
    const [others] = kinds.filter((each) => each !== kind)
    const known = (await firstFields(account, others!)).filter(({ type }) => type === 'multitext')
    expect(known).toEqual([phone, email])
    expect(phone.enums.map(({ code, sort }) => [code, sort])).toEqual([
      ['WORK', 2],
      ['WORKDD', 4],
      ['MOB', 6],
      ['FAX', 8],
      ['HOME', 10],
      ['OTHER', 12],
    ])
    expect(email.enums.map(({ code }) => code)).toEqual(['WORK', 'PRIV', 'OTHER'])
  })

  test('take several, by the code of the field and of the kind; WORK where none is said', async () => {
    const { api, phone, email } = await start()
    const mobile = phone.enums.find(({ code }) => code === 'MOB')!.id
    const id = await addRecord(api, kind, {
      custom_fields_values: [
        { field_code: 'EMAIL', values: [{ value: 'a@example.com', enum: 'PRIV' }] },
        {
          field_code: 'PHONE',
          values: [
            { value: '+1 555 0100', enum_code: 'MOB' },
            { value: 15_550_101 },
            { value: '+15550102', enum_id: mobile, enum_code: 'WORK' },
            { value: '+15550103', enum_id: null, enum_code: null, enum: '' },
            { value: '' },
            { value: null, enum_code: 'HOME' },
          ],
        },
      ],
    })
    expect(await readFilled(api, kind, id)).toEqual([
      shownAs(
        phone,
        labelled(phone, '+1 555 0100', 'MOB'),
        labelled(phone, '15550101', 'WORK'),
        labelled(phone, '+15550102', 'MOB'),
        labelled(phone, '+15550103', 'WORK'),
      ),
      shownAs(email, labelled(email, 'a@example.com', 'PRIV')),
    ])
    // They are replaced as a whole; the same number with another position or label is a change.
    await fill(api, kind, id, valueOf(phone, { value: '+1 555 0100', enum_code: 'HOME' }), {
      field_code: 'EMAIL',
      values: null,
    })
    expect(await readFilled(api, kind, id)).toEqual([
      shownAs(phone, labelled(phone, '+1 555 0100', 'HOME')),
    ])
  })

  test('refuse kinds of another field, and texts that are too long or none', async () => {
    const { api, phone, email } = await start()
    const value = 'a@example.com'
    const refused = await api.post(pathOf(kind), [
      {
        custom_fields_values: [
          valueOf(email, { value, enum_code: 'MOB' }, { value, enum_id: phone.enums[0]!.id }),
        ],
      },
      {
        custom_fields_values: [
          valueOf(email, { value, enum: 'work' }, { value: 'x'.repeat(257) }, { value: {} }),
        ],
      },
      {
        custom_fields_values: [
          valueOf(email, { value, catalog_id: 1 }),
          { field_code: 'email', values: [{ value }] },
        ],
      },
    ])
    const at = 'custom_fields_values.0.values'
    expect([refused.status, faultsOf(refused)]).toEqual([
      400,
      {
        0: [`NotSupportedChoice ${at}.0.enum_code`, `NotSupportedChoice ${at}.1.enum_id`],
        1: [
          `NotSupportedChoice ${at}.0.enum`,
          `TooLong ${at}.1.value`,
          `InvalidType ${at}.2.value`,
        ],
        2: [
          `FieldNotExpected ${at}.0.catalog_id`,
          'NotSupportedChoice custom_fields_values.1.field_code',
        ],
      },
    ])
  })
})

test('leads have no phone', async () => {
  const account = await newAccount()
  const [, phone] = await firstFields(account, 'contacts')
  const refused = await account.api.post('/api/v4/leads', [
    {
      custom_fields_values: [
        valueOf(phone!, { value: '1' }),
        { field_code: 'PHONE', values: [{ value: '1' }] },
      ],
    },
  ])
  expect(faultsOf(refused)[0]).toEqual([
    'NotSupportedChoice custom_fields_values.0.field_id',
    'NotSupportedChoice custom_fields_values.1.field_code',
  ])
})
